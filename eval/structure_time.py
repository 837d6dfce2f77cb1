"""What a PDF's structure costs: CPU time with an unlimited layout budget, with none, with the usual one."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import PurePath

from capsa.chunkers.context import embedding_texts
from capsa.chunkers.errors import ParseError
from capsa.chunkers.model import LAYOUT_BUDGET_MS, Document
from capsa.chunkers.parsers import normal, parse
from capsa.chunkers.strategies import chunk

from .metrics import percentile
from .structure_library import UNLIMITED, Library, Work, ratio

BANDS = ((1, 10), (11, 50), (51, None))
ROUNDS = 3
"""The least time of so many, measured in turn, since a busy machine only ever adds to it."""
INDEXED_PAGES = 20
"""Pages of the largest document that is chunked and embedded as well: the model takes most of the time."""


@dataclass(frozen=True, slots=True)
class TimeScore:
    """One PDF: CPU ms of the whole parse without and with structure; ``cut`` by the usual budget.

    ``layout_ms`` are the most of the layout pass within that budget; ``index_ms`` those of chunking and
    embedding what the two parses gave, ``pypdf_ms`` those of pypdf's plain text, which the study's plain
    parser takes; None where that was not measured.
    """

    document: str
    pages: int
    plain_ms: float
    full_ms: float
    cut: bool
    layout_ms: float
    index_ms: tuple[float, float] | None = None
    pypdf_ms: float | None = None

    @property
    def page_ms(self) -> float:
        """Milliseconds a page, with structure."""
        return self.full_ms / self.pages


def prepare(library: Library) -> Work:
    """Measure every PDF that opens and has pages."""
    steps = [(name, partial(measure, library, name)) for name in library.pdfs()]
    return Work(steps, summarise, _misses)


def measure(library: Library, document: str) -> list[TimeScore]:
    """Parse one PDF in three ways; nothing for a file that does not open without a password."""
    data, name = library.data(document), PurePath(document).name
    plain, full = [], []
    usual: list[Document] = []
    for _ in range(ROUNDS):
        usual.append(parse(data, name))
        if usual[-1].outcome == "protected" or not usual[-1].pages:
            return []
        plain.append(_timed(lambda: parse(data, name, layout_budget_ms=0.0)))
        full.append(_timed(lambda: parse(data, name, layout_budget_ms=UNLIMITED)))
    pages = usual[0].pages
    # A machine with other work to do may end the budget once by chance.
    cut = all(each.layout.state != "full" for each in usual)
    most = max(each.layout.ms for each in usual)
    index_ms = None
    if library.embed and pages <= INDEXED_PAGES:
        index_ms = (
            _timed_indexing(library, data, name, 0.0),
            _timed_indexing(library, data, name, UNLIMITED),
        )
    by_pypdf = _timed_pypdf(data, name)
    return [TimeScore(document, pages, min(plain), min(full), cut, most, index_ms, by_pypdf)]


def _timed(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return (time.process_time() - began) * 1000


def _timed_pypdf(data: bytes, name: str) -> float | None:
    """Return what the plain text takes by pypdf, None for a file that it cannot read."""
    try:
        return _timed(lambda: normal.parse(data, name))
    except ParseError:
        return None


def _timed_indexing(library: Library, data: bytes, name: str, budget: float) -> float:
    document = parse(data, name, layout_budget_ms=budget)

    def index() -> None:
        chunks = chunk(document, library.tokenizer)
        texts = [text for part in chunks for text in embedding_texts(document, part)]
        if library.embed and texts:
            library.embed(texts)

    return _timed(index)


def summarise(scores: Sequence[TimeScore]) -> dict[str, float | None]:
    """Return the times a page, each page counted with its document's mean, and the shares that were cut."""
    by_page = [score.page_ms for score in scores for _ in range(score.pages)]
    found: dict[str, float | None] = {
        "documents": len(scores),
        "pages": len(by_page),
        "page_ms_median": percentile(by_page, 0.5) if by_page else None,
        "page_ms_p95": percentile(by_page, 0.95) if by_page else None,
        "cost": added((score.plain_ms, score.full_ms) for score in scores),
        "pypdf_cost": added(
            (score.pypdf_ms, score.full_ms) for score in scores if score.pypdf_ms is not None
        ),
        "index_cost": index_cost(scores),
        "overrun_ms": max((max(0.0, score.layout_ms - LAYOUT_BUDGET_MS) for score in scores), default=None),
        "cut": ratio(sum(score.cut for score in scores), len(scores)),
    }
    for first, last in BANDS:
        band = [
            score.cut for score in scores if first <= score.pages and (last is None or score.pages <= last)
        ]
        found[f"cut_{first}-{last or ''}"] = ratio(sum(band), len(band))
    return found


def index_cost(scores: Sequence[TimeScore]) -> float | None:
    """Return what structure adds to the time of parsing, chunking and embedding, as a share of it."""
    known = [(score, score.index_ms) for score in scores if score.index_ms]
    return added((score.plain_ms + before, score.full_ms + after) for score, (before, after) in known)


def added(times: Iterable[tuple[float, float]]) -> float | None:
    """Return by what share the second times are longer than the first, None without any."""
    pairs = list(times)
    share = ratio(sum(after for _, after in pairs), sum(before for before, _ in pairs))
    return None if share is None else share - 1


def _misses(score: TimeScore) -> list[str]:
    return [f"{score.pages} pages, {score.full_ms:.0f} ms: the layout budget ended"] if score.cut else []
