"""PDF: pdfium's lines, the layout pass page by page while its budget lasts, plain paragraphs after that."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import pypdfium2 as pdfium

from capsa.chunkers.build import TextBuilder
from capsa.chunkers.errors import ParseError
from capsa.chunkers.model import Document, Layout, LayoutState, Outcome

from .pdf_cover import SCAN_COVER, image_cover
from .pdf_drawings import read_drawings
from .pdf_elements import Element
from .pdf_headings import read_bookmarks
from .pdf_hidden import mark_hidden
from .pdf_layout import lay_out
from .pdf_lines import Line, LineReader, read_plain
from .pdf_meta import Extras, read_extras, second_opinion
from .pdf_plain import plain_elements
from .pdf_rules import Rules, make_rules
from .pdf_struct import Tree, is_tagged, read_tree

LAYOUT_SHARE = 0.7
"""The part of the budget that reading lines may use: laying them out takes about half of that again."""
SCAN_CHARACTERS = 20
MAX_PAGES = 20_000
MAX_TEXT = 50_000_000


class Pages(NamedTuple):
    """What was read: lines of the pages that the budget allowed, plain lines of the rest."""

    lines: dict[int, list[Line]]
    trees: dict[int, Tree]
    plain: dict[int, list[str]]
    failed: set[int]
    rules: dict[int, Rules]


def parse(data: bytes, name: str, layout_budget_ms: float = 400.0) -> Document:
    """Read a PDF; a password or a lack of text is an outcome, damage is a ParseError."""
    started = time.process_time()
    try:
        pdf = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        return _refused(data, name, error)
    try:
        return _parse(pdf, data, layout_budget_ms, started)
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


def _parse(pdf: Any, data: bytes, budget: float, started: float) -> Document:
    count = len(pdf)
    bookmarks = read_bookmarks(pdf)
    pages = read_lines(pdf, min(count, MAX_PAGES), started + budget * LAYOUT_SHARE / 1000)
    trees = pages.trees if is_tagged(pdf) else {}
    elements = lay_out(pages.lines, bookmarks, trees, pages.rules) if pages.lines else []
    spent = (time.process_time() - started) * 1000
    pages = read_rest(pdf, pages, min(count, MAX_PAGES))
    elements += plain_elements(pages.plain, bookmarks)
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
        layout=_layout(pages, count, spent, budget),
        language=extras.metadata.get("language", ""),
        metadata=extras.metadata,
        notes=(*notes, *_notes(pages, count, extras)),
    )


def read_lines(pdf: Any, count: int, until: float) -> Pages:
    """Read lines page by page until the process has used so much CPU time; a page cut short is left out."""
    pages = Pages({}, {}, {}, set(), {})
    reader = LineReader()
    tagged = is_tagged(pdf)
    for number in range(1, count + 1):
        if time.process_time() >= until:
            break
        with _page(pdf, number, pages.failed) as page:
            tree = pages.trees[number] = read_tree(page) if tagged and page is not None else Tree()
            if page is None:
                pages.lines[number] = []
                continue
            rules = Rules() if tree.stretches else make_rules(read_drawings(page), page.get_height())
            found = reader.read(page, number, until, tree.places, rules.upright)
            if found is None:
                break
            pages.rules[number] = rules
            pages.lines[number] = mark_hidden(page, *found)
    return pages


def read_rest(pdf: Any, pages: Pages, count: int) -> Pages:
    """Read the text of the pages whose lines have not been read."""
    for number in range(len(pages.lines) + 1, count + 1):
        with _page(pdf, number, pages.failed) as page:
            if page is not None:
                pages.plain[number] = read_plain(page)
    if len(pages.failed) == count:
        raise ParseError("damaged", "pdfium could load none of the pages")
    return pages


@contextmanager
def _page(pdf: Any, number: int, failed: set[int]) -> Iterator[Any]:
    """Open a page for a while, or give None and note its number when pdfium cannot load it."""
    try:
        page = pdf[number - 1]
    except pdfium.PdfiumError:
        failed.add(number)
        yield None
        return
    try:
        yield page
    except pdfium.PdfiumError:
        failed.add(number)
    finally:
        page.close()


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


def _layout(pages: Pages, count: int, spent: float, budget: float) -> Layout:
    done = len(pages.lines)
    state: LayoutState = "full" if not pages.plain else ("partial" if done else "none")
    reason = f"the layout budget of {budget:g} ms ended after {done} of {count} pages" if pages.plain else ""
    return Layout(state, done, round(spent, 1), reason)


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
    with _page(pdf, index + 1, set()) as page:
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
    if count > MAX_PAGES:
        notes.append(f"only the first {MAX_PAGES} pages were read")
    return tuple(notes)
