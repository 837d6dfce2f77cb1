"""Tables of PDFs against labelled pages: which pages have some, and their rows, columns and header rows."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from capsa.chunkers.model import Block, BlockKind, Document

from .structure_library import Library, PdfText, Work, ratio, tokens

Cells = tuple[int | None, int | None, int | None]
"""Rows, columns and header rows of a table; None where a label does not say."""
SAME_ROW = 0.9
"""The part of a row's words that a page must have to hold the row."""
OPENING = 4
"""Words that tell where on its page a block begins."""
_BETWEEN: frozenset[BlockKind] = frozenset(("furniture", "footnote"))


@dataclass(frozen=True, slots=True)
class PageScore:
    """One labelled page: tables there, tables found, and by label how many of each cell fact are right."""

    document: str
    page: int
    looks_like: str
    wanted: int
    found: int
    facts: Mapping[str, tuple[int, int]]


def prepare(library: Library) -> Work:
    """Measure the labelled pages, one document after another."""
    rows, gaps = library.labels("tables")
    steps = [(name, partial(measure, library, name, some)) for name, some in rows.items()]
    return Work(steps, summarise, _misses, gaps)


def measure(library: Library, document: str, labels: Sequence[Mapping[str, Any]]) -> list[PageScore]:
    """Compare each labelled page of a document with the table blocks on it."""
    parsed = library.parsed(document)
    found = tables_by_page(parsed, PdfText(library.data(document)).pages)
    continued = {label["page"] for label in labels if label.get("continued")}
    return [
        PageScore(
            document,
            label["page"],
            label.get("looks_like", ""),
            label["tables"],
            len(found.get(label["page"], ())),
            _facts(parsed, label, found.get(label["page"], ()), label["page"] + 1 in continued),
        )
        for label in labels
    ]


def tables_by_page(document: Document, pages: Sequence[str]) -> dict[int, list[Block]]:
    """Return the table blocks of each page, on every page where a table has rows."""
    found: dict[int, list[Block]] = {}
    blocks = [block for block in document.blocks if block.kind not in _BETWEEN]
    for block, following in zip(blocks, [*blocks[1:], None], strict=True):
        if block.kind == "table":
            for page in _pages_of(document, block, following, pages):
                found.setdefault(page, []).append(block)
    return found


def _pages_of(
    document: Document, block: Block, following: Block | None, pages: Sequence[str]
) -> Iterator[int]:
    """Yield the pages that hold a table: from its first to the following block's, if it ends there."""
    first = block.page or 0
    last = document.pages if following is None else following.page or 0
    yield from range(first, max(first + 1, last))
    if last > first:
        row = Counter(tokens([document.text[block.start : block.end].rsplit("\n", 1)[-1]]))
        if (Counter(_before(document, following, pages[last - 1])) & row).total() >= SAME_ROW * row.total():
            yield last


def _before(document: Document, following: Block | None, page: str) -> list[str]:
    """Return the words of the page before those that the block begins with."""
    spoken = tokens([page])
    if following is None:
        return spoken
    opening = tokens([document.text[following.start : following.end]])[:OPENING]
    starts = (n for n in range(len(spoken)) if spoken[n : n + len(opening)] == opening)
    return spoken[: next(starts, len(spoken))]


def _facts(
    document: Document, label: Mapping[str, Any], found: Sequence[Block], goes_on: bool
) -> dict[str, tuple[int, int]]:
    """Count right and known rows, columns and headers; a table that crosses pages has no rows of one page."""
    labelled = [tuple(cells) for cells in label.get("cells", ())]
    shapes = [_shape(document, block) for block in found]
    counts = {"rows": [0, 0], "columns": [0, 0], "header": [0, 0]}
    for number, ((rows, columns, header), shape) in enumerate(
        zip(labelled, _pair(labelled, shapes), strict=True)
    ):
        begun_before = number == 0 and label["continued"]
        crosses = begun_before or (goes_on and number == len(labelled) - 1)
        known = (None if crosses else rows, columns, None if begun_before else header)
        for name, fact, value in zip(counts, known, shape or (None, None, None), strict=True):
            if fact is not None:
                counts[name][0] += fact == value
                counts[name][1] += 1
    return {name: (right, known) for name, (right, known) in counts.items()}


def _shape(document: Document, block: Block) -> Cells:
    rows = document.text[block.start : block.end].split("\n")
    header = 0 if block.header_end is None else document.text[block.start : block.header_end].count("\n") + 1
    return len(rows), max(row.count("\t") for row in rows) + 1, header


def _pair(labelled: Sequence[Cells], shapes: Sequence[Cells]) -> list[Cells | None]:
    """Return for each labelled table the found one in its place; none where their numbers differ."""
    return list(shapes) if len(labelled) == len(shapes) else [None] * len(labelled)


def summarise(scores: Sequence[PageScore]) -> dict[str, float | None]:
    """Return precision and recall by page, and the shares of tables whose facts are right."""
    both = sum(score.wanted > 0 and score.found > 0 for score in scores)
    summary: dict[str, float | None] = {
        "pages": len(scores),
        "table_pages": sum(score.wanted > 0 for score in scores),
        "precision": ratio(both, sum(score.found > 0 for score in scores)),
        "recall": ratio(both, sum(score.wanted > 0 for score in scores)),
        "number": ratio(
            sum(score.wanted == score.found for score in scores if score.wanted),
            sum(score.wanted > 0 for score in scores),
        ),
    }
    for fact in ("rows", "columns", "header"):
        counts = [score.facts[fact] for score in scores]
        summary[fact] = ratio(sum(right for right, _ in counts), sum(known for _, known in counts))
    return summary


def _misses(score: PageScore) -> list[str]:
    if (score.wanted > 0) != (score.found > 0):
        what = "no table found" if score.wanted else f"{score.looks_like} taken for a table"
        return [f"p{score.page} {what}"]
    wrong = [name for name, (right, known) in score.facts.items() if right < known]
    if score.wanted != score.found:
        return [f"p{score.page} {score.found} tables found instead of {score.wanted}"]
    return [f"p{score.page} wrong: {', '.join(wrong)}"] if wrong else []
