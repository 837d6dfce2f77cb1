"""Recognised pages made part of a PDF's document: laid out like other pages, and marked as found by OCR."""

import math
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import NamedTuple

from .build import TextBuilder
from .model import Block, Document
from .ocr_page import OcrLine, OcrPage, mirror_page, reading_order
from .parsers.pdf_elements import Element
from .parsers.pdf_fonts import Font
from .parsers.pdf_layout import lay_out
from .parsers.pdf_lines import Line, has_leader
from .parsers.pdf_order import is_right_to_left

FOUND_BY = "ocr"
SNAP = 0.17
"""Part of the usual size by which a line's may differ and be the same: heights vary with the letters."""
_FONT = Font("", bold=False, italic=False, mono=False)
_DESCENDER = re.compile(r"[gjpqyQ,;()\[\]{}|/]")


def add_recognised(document: Document, pages: Mapping[int, OcrPage]) -> Document:
    """Return the PDF's document with the text of recognised pages, by number, where it has scans."""
    pages = {number: pages[number] for number in document.scanned_pages if number in pages}
    if not pages:
        return document
    elements = lay_out({number: to_lines(page, number) for number, page in pages.items()})
    builder = TextBuilder()
    for piece in _merged(document, elements, frozenset(pages)):
        _add(builder, piece)
    built = builder.document(document.kind)
    return replace(
        document,
        text=built.text,
        blocks=built.blocks,
        title=document.title or _title(elements),
        outcome="ok" if built.blocks else document.outcome,
        ocr_pages=len(pages),
        notes=(*document.notes, f"the text of {len(pages)} of {document.pages} pages was recognised (OCR)"),
    )


def to_lines(page: OcrPage, number: int) -> list[Line]:
    """Return the page's lines, in reading order, as the layout pass takes them."""
    ordered = reading_order(mirror_page(page) if is_right_to_left(page.lines) else page)
    sizes = [_size(line) for line in ordered]
    usual = median(sizes) if sizes else 0.0
    return [
        _line(line, usual if abs(size - usual) <= SNAP * usual else size, number)
        for line, size in zip(ordered, sizes, strict=True)
    ]


def _size(line: OcrLine) -> float:
    """Estimate the font size from the height of the box, measured on pages rendered at 150 dpi."""
    height = line.top - line.bottom
    if _DESCENDER.search(line.text):
        return max((height - 2.5) / 1.09, 1.0)
    return max((height - 2.0) / 0.95, 1.0)


def _line(line: OcrLine, size: float, number: int) -> Line:
    below = 0.2 * size + 1.5 if _DESCENDER.search(line.text) else 0.1 * size + 1.8
    broken = len(line.text) > 2 and line.text[-1] == "-" and line.text[-2].isalpha()
    return Line(
        text=line.text[:-1] if broken else line.text,
        x0=line.x0,
        x1=line.x1,
        base=line.bottom + below,
        top=line.top,
        bottom=line.bottom,
        size=round(size, 1),
        font=_FONT,
        page=number,
        angle=0,
        bold=False,
        mono=False,
        hyphen=broken,
        leader=has_leader(line.text),
        cells=(),
    )


class _Piece(NamedTuple):
    """A block to be, and the white space before it."""

    block: Block
    text: str
    joiner: str


def _merged(document: Document, elements: Sequence[Element], recognised: frozenset[int]) -> Iterator[_Piece]:
    """Yield the document's own blocks of other pages, recognised ones before those of later pages."""
    waiting = deque(elements)
    end = 0
    for block in document.blocks:
        page = block.page if block.page is not None else math.inf
        while waiting and waiting[0].page <= page:
            yield _recognised(waiting.popleft())
        if block.page not in recognised:
            joiner = document.text[end : block.start] or "\n\n"
            yield _Piece(block, document.text[block.start : block.end], joiner)
        end = block.end
    yield from map(_recognised, waiting)


def _recognised(element: Element) -> _Piece:
    block = Block(
        element.kind,
        0,
        len(element.text),
        page=element.page,
        level=element.level,
        found_by=FOUND_BY,
        header_end=element.header,
    )
    return _Piece(block, element.text, element.joiner)


def _add(builder: TextBuilder, piece: _Piece) -> None:
    block = piece.block
    builder.add(
        block.kind,
        piece.text,
        header_end_rel=None if block.header_end is None else block.header_end - block.start,
        joiner=piece.joiner,
        page=block.page,
        level=block.level,
        found_by=block.found_by,
        language=block.language,
    )


def _title(elements: Sequence[Element]) -> str:
    """Return the largest heading of the first page."""
    headings = [element for element in elements if element.kind == "heading" and element.page == 1]
    return max(headings, key=lambda element: element.size).text if headings else ""
