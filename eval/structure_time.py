"""What a PDF's structure costs: CPU time with an unlimited layout budget, with none, with the usual one."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from capsa.chunkers.model import Document
from capsa.chunkers.parsers import parse

from .metrics import percentile
from .structure_library import UNLIMITED, Library, Work, ratio

BANDS = ((1, 10), (11, 50), (51, None))
ROUNDS = 2
"""The least time of so many, measured in turn, since a busy machine only ever adds to it."""


@dataclass(frozen=True, slots=True)
class TimeScore:
    """One PDF: CPU ms of the whole parse without and with structure; ``cut`` by the usual budget."""

    document: str
    pages: int
    plain_ms: float
    full_ms: float
    cut: bool

    @property
    def page_ms(self) -> float:
        """Milliseconds a page, with structure."""
        return self.full_ms / self.pages


def prepare(library: Library) -> Work:
    """Measure every PDF that opens and has pages."""
    return Work(library.pdfs(), lambda name: measure(library, name), summarise, _misses)


def measure(library: Library, document: str) -> list[TimeScore]:
    """Parse one PDF in three ways; nothing for a file that does not open without a password."""
    data, name = library.data(document), PurePath(document).name
    usual = parse(data, name)
    if usual.outcome == "protected" or not usual.pages:
        return []
    plain, full = [], []
    for _ in range(ROUNDS):
        plain.append(_timed(data, name, 0.0)[1])
        full.append(_timed(data, name, UNLIMITED)[1])
    return [TimeScore(document, usual.pages, min(plain), min(full), usual.layout.state != "full")]


def _timed(data: bytes, name: str, budget: float) -> tuple[Document, float]:
    began = time.process_time()
    document = parse(data, name, layout_budget_ms=budget)
    return document, (time.process_time() - began) * 1000


def summarise(scores: Sequence[TimeScore]) -> dict[str, float | None]:
    """Return the times a page, each page counted with its document's mean, and the shares that were cut."""
    by_page = [score.page_ms for score in scores for _ in range(score.pages)]
    plain = sum(score.plain_ms for score in scores)
    found: dict[str, float | None] = {
        "documents": len(scores),
        "pages": len(by_page),
        "page_ms_median": percentile(by_page, 0.5) if by_page else None,
        "page_ms_p95": percentile(by_page, 0.95) if by_page else None,
        "cost": None if not plain else sum(score.full_ms for score in scores) / plain - 1,
        "cut": ratio(sum(score.cut for score in scores), len(scores)),
    }
    for first, last in BANDS:
        band = [
            score.cut for score in scores if first <= score.pages and (last is None or score.pages <= last)
        ]
        found[f"cut_{first}-{last or ''}"] = ratio(sum(band), len(band))
    return found


def _misses(score: TimeScore) -> list[str]:
    return [f"{score.pages} pages, {score.full_ms:.0f} ms: the layout budget ended"] if score.cut else []
