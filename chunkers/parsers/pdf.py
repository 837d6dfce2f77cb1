"""PDF: pdfium's lines, the layout pass page by page while its budget lasts, plain paragraphs after that.

There are two passes. The plain one, which a budget of 0 gives, loads each page, takes its text from pdfium
in one call, and joins the lines to paragraphs. The layout pass asks pdfium besides where each line stands, in
which font and colour, and what is drawn around it, and decides on order, headings, lists, tables and more.
Both load the same pages and texts, so what structure costs is the difference between the two.
"""

from collections.abc import Sequence
from typing import Any

import pypdfium2 as pdfium

from capsa.chunkers.build import TextBuilder
from capsa.chunkers.errors import ParseError
from capsa.chunkers.model import LAYOUT_BUDGET_MS, Document, Layout, LayoutState, Outcome

from .pdf_clock import LayoutClock, collector_paused
from .pdf_cover import SCAN_COVER, image_cover
from .pdf_elements import Element
from .pdf_headings import Bookmark, read_bookmarks
from .pdf_layout import lay_out_pages
from .pdf_meta import Extras, read_extras, second_opinion
from .pdf_pages import MOST_CHARACTERS, MOST_LINES, PageReader, Pages, open_page
from .pdf_plain import plain_elements

SCAN_CHARACTERS = 20
MAX_PAGES = 20_000
MAX_TEXT = 50_000_000
GROUPING = 0.6
"""The part of what reading leaves after which no page is grouped: writing takes 0.2 to 0.5 of the pass."""


def parse(data: bytes, name: str, layout_budget_ms: float = LAYOUT_BUDGET_MS) -> Document:
    """Read a PDF; a password or a lack of text is an outcome, damage is a ParseError.

    The layout pass takes pages in order until it has used so much CPU time, beside that of loading pages and
    texts; ``math.inf`` gives all their layout.
    """
    try:
        pdf = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        return _refused(data, name, error)
    try:
        return _parse(pdf, data, LayoutClock(layout_budget_ms))
    except pdfium.PdfiumError as error:
        raise ParseError("damaged", f"{name}: pdfium: {error}") from error
    finally:
        pdf.close()


def _refused(data: bytes, name: str, error: pdfium.PdfiumError) -> Document:
    """pdfium refuses the file: it needs a password, or pypdf may still read it, or it is damaged."""
    if "password" in str(error).lower():
        note = "needs a password to open"
        return Document("", (), "pdf", outcome="protected", layout=Layout("none", reason=note), notes=(note,))
    texts = second_opinion(data)
    if texts is None:
        raise ParseError("damaged", f"{name}: pdfium: {error}") from error
    builder = TextBuilder()
    for element in plain_elements({n: text.splitlines() for n, text in enumerate(texts, start=1)}):
        _add(builder, element)
    layout = Layout("none", reason="read by pypdf, since pdfium refused the file")
    return builder.document("pdf", pages=len(texts), layout=layout, notes=(f"pdfium: {error}",))


def _parse(pdf: Any, data: bytes, clock: LayoutClock) -> Document:
    count = len(pdf)
    bookmarks = read_bookmarks(pdf)
    reader = PageReader(pdf, clock)
    pages = reader.pages
    with collector_paused():
        reader.read_layout(min(count, MAX_PAGES))
        elements = _lay_out(pages, bookmarks, clock)
    reader.read_rest(min(count, MAX_PAGES))
    if len(pages.failed) == count:
        raise ParseError("damaged", "pdfium could load none of the pages")
    if pages.plain:
        elements += plain_elements(pages.plain, bookmarks)
        elements.sort(key=lambda element: element.page)
    builder = TextBuilder()
    notes: list[str] = []
    for element in elements:
        if len(builder) > MAX_TEXT:
            notes.append(f"only the first {MAX_TEXT} characters were kept")
            break
        _add(builder, element)
    outcome = _outcome(pdf, builder, count)
    extras = read_extras(pdf, data, count)
    for text in (*extras.fields, *extras.attachments):
        builder.add("metadata", text, found_by="pdf:extra")
    return builder.document(
        "pdf",
        title=_title(extras, elements),
        pages=count,
        outcome="ok" if outcome == "empty" and builder.blocks else outcome,
        layout=_layout(pages, count, clock),
        language=extras.metadata.get("language", ""),
        metadata=extras.metadata,
        notes=(*notes, *_notes(pages, count, extras)),
    )


def _lay_out(pages: Pages, bookmarks: Sequence[Bookmark], clock: LayoutClock) -> list[Element]:
    """Return the elements of the pages that were read; others are to be read again."""
    if not pages.lines:
        return []
    end = clock.end(share=GROUPING)
    with clock:
        laid = lay_out_pages(pages.lines, bookmarks, pages.trees, pages.areas, end)
    for number in laid.left:
        del pages.lines[number]
    return laid.elements


def _add(builder: TextBuilder, element: Element) -> None:
    builder.add(
        element.kind,
        element.text,
        header_end_rel=element.header,
        joiner=element.joiner,
        page=element.page,
        level=element.level,
        found_by=element.found_by,
    )


def _layout(pages: Pages, count: int, clock: LayoutClock) -> Layout:
    done = len(pages.lines)
    state: LayoutState = "full" if not pages.cut else ("partial" if done else "none")
    reason = (
        f"the layout budget of {clock.budget:g} ms ended after {done} of {count} pages" if pages.cut else ""
    )
    cpu_ms, wall_ms = clock.spent()
    return Layout(state, done, cpu_ms, reason, wall_ms)


def _outcome(pdf: Any, builder: TextBuilder, count: int) -> Outcome:
    """Tell a scan, whose pages are images without text, from a document that is empty."""
    visible = sum(block.end - block.start for block in builder.blocks if block.kind != "furniture")
    if visible >= SCAN_CHARACTERS * count:
        return "ok"
    sample = range(min(count, 5))
    covered = sum(1 for index in sample if _cover_of(pdf, index) >= SCAN_COVER)
    if covered * 2 > len(sample):
        return "scan"
    return "ok" if builder.blocks else "empty"


def _cover_of(pdf: Any, index: int) -> float:
    with open_page(pdf, index + 1, set()) as page:
        return 0.0 if page is None else image_cover(page)


def _title(extras: Extras, elements: Sequence[Element]) -> str:
    """Return the title in the metadata, else the largest heading of the first page."""
    if extras.title:
        return extras.title
    headings = [element for element in elements if element.kind == "heading" and element.page == 1]
    if not headings:
        return ""
    largest = max(headings, key=lambda element: element.size)
    return largest.text if largest.size > 1.2 * headings[0].size else headings[0].text


def _notes(pages: Pages, count: int, extras: Extras) -> tuple[str, ...]:
    notes = list(extras.notes)
    if pages.failed:
        notes.append(f"{len(pages.failed)} of {count} pages could not be loaded")
    if pages.crowded:
        notes.append(
            f"{len(pages.crowded)} of {count} pages have no layout: over {MOST_CHARACTERS} characters or"
            f" {MOST_LINES} lines"
        )
    if count > MAX_PAGES:
        notes.append(f"only the first {MAX_PAGES} pages were read")
    return tuple(notes)
