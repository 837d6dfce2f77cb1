"""Reading order: tagged PDFs against their structure tree, hidden from the parser, and pages in columns."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean, median
from typing import Any

import pypdfium2.raw as raw

from .structure_html import overlap
from .structure_library import Library, PdfText, Work, body_texts, open_pdf, ratio, tokens

RUN = 4
LEAST_COVER = 0.9
"""The part of a document's words that its structure tree must name to tell its order."""
MAX_DEPTH = 100


@dataclass(frozen=True, slots=True)
class OrderScore:
    """F1 of the runs of four words of a tagged document, or of a labelled ``page`` in columns."""

    document: str
    page: int | None
    f1: float


def prepare(library: Library) -> Work:
    """Measure the tagged documents whose tree covers their text, then the labelled pages in columns."""
    pages, gaps = library.labels("columns")
    steps: list[tuple[str, Callable[[], list[OrderScore]]]] = []
    for name in library.pdfs():
        covered, order = read_tree_order(library.data(name))
        if covered >= LEAST_COVER:
            steps.append((name, partial(measure_tagged, library, name, order)))
        elif covered:
            gaps.append(f"{name}: its structure tree names only {covered:.0%} of its text")
    steps += [(name, partial(measure_columns, library, name, labels)) for name, labels in pages.items()]
    return Work(steps, summarise, _misses, gaps)


def measure_tagged(library: Library, document: str, order: Sequence[str]) -> list[OrderScore]:
    """Compare a document, its structure tree hidden from the parser, with the words in that tree's order."""
    return [OrderScore(document, None, runs_f1(tokens(body_texts(library.bare(document))), order))]


def measure_columns(library: Library, document: str, labels: Sequence[Mapping[str, Any]]) -> list[OrderScore]:
    """Compare labelled pages, each parsed alone, with the text of their regions in order."""
    return [_measure_page(library, document, label) for label in labels]


def _measure_page(library: Library, document: str, label: Mapping[str, Any]) -> OrderScore:
    text = PdfText(library.data(document))
    wanted = tokens(text.region(label["page"], box) for box in label["regions"])
    aside = [tokens([text.region(label["page"], box)]) for box in label["aside"]]
    found = tokens(body_texts(library.bare(document, label["page"])))
    return OrderScore(document, label["page"], runs_f1(found, wanted, aside))


def runs_f1(found: Sequence[str], wanted: Sequence[str], aside: Sequence[Sequence[str]] = ()) -> float:
    """Return the F1 of runs of four words (multiset); runs of texts ``aside`` may be found or not."""
    ignored = sum((_runs(text) for text in aside), Counter[tuple[str, ...]]())
    return overlap(_runs(found) - (ignored - _runs(wanted)), _runs(wanted))[2]


def _runs(text: Sequence[str]) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(text[start:] for start in range(RUN)), strict=False))


def read_tree_order(data: bytes) -> tuple[float, list[str]]:
    """Return the part of a PDF's words that its structure tree names, and these words in its order."""
    named, total, texts = 0, 0, []
    with open_pdf(data) as pdf:
        if pdf is None or not raw.FPDFCatalog_IsTagged(pdf.raw):
            return 0.0, []
        for page in pdf:
            by_mark = _text_by_mark(page)
            order = [mark for mark in dict.fromkeys(_marks(page)) if mark in by_mark]
            texts += [by_mark[mark] for mark in order]
            total += sum(len(text.split()) for text in by_mark.values())
            named += sum(len(by_mark[mark].split()) for mark in order)
    # A word may go on in the next marked content; where a line ends, pdfium has put white space.
    return ratio(named, total) or 0.0, tokens(["".join(texts)])


def _text_by_mark(page: Any) -> dict[int, str]:
    """Return the text of each marked content by its id, -1 for text that is in none."""
    textpage = page.get_textpage()
    found: dict[int, list[str]] = {}
    mark = -1
    for index in range(textpage.count_chars()):
        handle = raw.FPDFText_GetTextObject(textpage.raw, index)
        if handle and not raw.FPDFText_IsGenerated(textpage.raw, index):
            mark = raw.FPDFPageObj_GetMarkedContentID(handle)
        found.setdefault(mark, []).append(chr(raw.FPDFText_GetUnicode(textpage.raw, index)))
    return {mark: "".join(characters) for mark, characters in found.items()}


def _marks(page: Any) -> Iterator[int]:
    """Yield the ids of the page's marked contents in the order of the structure tree."""
    tree = raw.FPDF_StructTree_GetForPage(page.raw)
    if not tree:
        return
    try:
        for index in range(raw.FPDF_StructTree_CountChildren(tree)):
            yield from _marks_below(raw.FPDF_StructTree_GetChildAtIndex(tree, index), 0)
    finally:
        raw.FPDF_StructTree_Close(tree)


def _marks_below(element: Any, depth: int) -> Iterator[int]:
    for index in range(raw.FPDF_StructElement_CountChildren(element) if depth < MAX_DEPTH else 0):
        child = raw.FPDF_StructElement_GetChildAtIndex(element, index)
        if child:
            yield from _marks_below(child, depth + 1)
        else:
            yield raw.FPDF_StructElement_GetChildMarkedContentID(element, index)


def summarise(scores: Sequence[OrderScore]) -> dict[str, float | None]:
    """Return mean and least F1 of the tagged documents, median and least of the pages in columns."""
    tagged = [score.f1 for score in scores if score.page is None]
    columns = [score.f1 for score in scores if score.page is not None]
    return {
        "tagged": len(tagged),
        "tagged_f1": fmean(tagged) if tagged else None,
        "tagged_least": min(tagged, default=None),
        "columns": len(columns),
        "columns_f1": median(columns) if columns else None,
        "columns_least": min(columns, default=None),
    }


def _misses(score: OrderScore) -> list[str]:
    where = "against its structure tree" if score.page is None else f"p{score.page} in columns"
    return [f"{where}: F1 {score.f1:.3f}"] if score.f1 < 0.95 else []
