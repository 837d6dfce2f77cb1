"""Lines of a PDF page with their boxes and fonts, read through pdfium's own functions; decides on no layout.

A few calls a line instead of one a character: the page's text comes in one string, a line's box from its
rectangles, and word positions are asked for only where a line looks wider than its font.
"""

import math
import re
import time
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .pdf_chars import Extent, PageText, turn
from .pdf_cover import SCAN_COVER, bounding_box, image_cover
from .pdf_fonts import Font, FontCache

PHYSICAL_LINE = re.compile("([^\r\n\ufffe]+)(\ufffe|[\r\n]+|$)")
_SPACES = re.compile(" +")
_WORD_START = re.compile(r"\s+")
LEADER = re.compile(r"(?:\. ?){5}|(?:·|…|_){4}")
GAP = 1.0
"""Ems between the words of two cells: justified text stays under 0.9, LaTeX columns start at 1.2."""
MONO_GAP = 1.6
TEXT_LAYER = 0.9
"""The part of a page's text from which on invisible text is the page's text layer."""
WIDE = 1.08
"""A line this much wider per character than its font's running mean is looked at word by word."""


class Cell(NamedTuple):
    """A part of a line that a wide gap sets apart."""

    x0: float
    x1: float
    text: str


class Line(NamedTuple):
    """One line of text, turned upright: x to the right, y up, in points; ``base`` is its baseline.

    ``mark`` is the number of the line's stretch of the page's structure tree, -1 when it is in none;
    ``hidden`` that nobody sees it: painted invisibly, or off the page.
    """

    text: str
    x0: float
    x1: float
    base: float
    top: float
    bottom: float
    size: float
    font: Font
    page: int
    angle: int
    bold: bool
    mono: bool
    hyphen: bool
    leader: bool
    cells: tuple[Cell, ...]
    mark: int = -1
    hidden: bool = False


def has_leader(text: str) -> bool:
    """Say whether the line holds a row of dots, as entries of a table of contents do."""
    return ("..." in text or ". . ." in text or "·" in text or "…" in text or "__" in text) and (
        LEADER.search(text) is not None
    )


class LineReader:
    """Reads the lines of one document's pages; it learns each font's usual width on the way."""

    def __init__(self) -> None:
        self._widths: dict[str, tuple[float, int]] = {}
        self._font_cache: FontCache = {}

    def read(
        self, page: Any, number: int, until: float = math.inf, places: Mapping[int, int] | None = None
    ) -> list[Line] | None:
        """Return the page's lines in pdfium's order, or None when the process' CPU time passes ``until``.

        ``places`` gives the stretch of each marked content: lines are cut where it changes.
        """
        textpage = page.get_textpage()
        try:
            lines = self._lines(PageText(textpage, self._font_cache), number, until, places or {})
        finally:
            textpage.close()
        return None if lines is None else mark_hidden(page, lines)

    def _lines(
        self, page: PageText, number: int, until: float, places: Mapping[int, int]
    ) -> list[Line] | None:
        lines: list[Line] = []
        # pdfium puts U+FFFE for a hyphen at the end of a line and goes on without a line break.
        for match in PHYSICAL_LINE.finditer(page.text):
            piece = match[1]
            text = piece.strip()
            if text:
                start = match.start() + len(piece) - len(piece.lstrip())
                for mark, first, part in split_marks(page, start, text, places):
                    hyphen = match[2] == "\ufffe" and first + len(part) == start + len(text)
                    line = self._line(page, first, part, number, hyphen)
                    if line is not None:
                        lines.append(line if mark < 0 else line._replace(mark=mark))
                if len(lines) % 100 == 0 and time.process_time() > until:
                    return None
        return lines

    def _line(self, page: PageText, start: int, text: str, number: int, hyphen: bool) -> Line | None:
        size, angle = page.size_and_angle(start)
        extent = page.extent(start, len(text), angle)
        if extent is None:
            return None
        if extent.runs > 1:
            # A bullet or a name in another font at the start does not make the line another size.
            size = max(size, page.size_and_angle(start + len(text) // 2)[0])
        fonts = self._fonts(page, start, text, extent.runs)
        mono = all([font.mono for font in fonts])
        cells: tuple[Cell, ...] = ()
        leader = has_leader(text)
        if not (leader or angle) and self._has_gap(text, extent, size, fonts[0]):
            cells = split_cells(page, start, text, size * (MONO_GAP if mono else GAP))
        if not cells:
            self._learn(fonts[0], (extent.x1 - extent.x0) / size, len(text))
        return Line(
            text=text,
            x0=extent.x0,
            x1=extent.x1,
            base=turn(*page.origin(start), angle)[1],
            top=extent.top,
            bottom=extent.bottom,
            size=round(size, 1),
            font=fonts[0],
            page=number,
            angle=angle,
            bold=all([font.bold for font in fonts]),
            mono=mono,
            hyphen=hyphen,
            leader=leader,
            cells=cells,
            hidden=page.is_invisible(start),
        )

    def _fonts(self, page: PageText, start: int, text: str, runs: int) -> tuple[Font, ...]:
        first = page.font(start)
        if runs == 1 or len(text) < 2:
            return (first,)
        middle = len(text) // 2
        return first, page.font(start + middle - (text[middle] == " ")), page.font(start + len(text) - 1)

    def _has_gap(self, text: str, extent: Extent, size: float, font: Font) -> bool:
        if " " not in text:
            return False
        if extent.gap > GAP * size:
            return True
        total, count = self._widths.get(font.name, (0.0, 0))
        usual = total / count if count > 200 else (0.62 if font.mono else 0.50)
        return (extent.x1 - extent.x0) / size > usual * WIDE * len(text)

    def _learn(self, font: Font, ems: float, characters: int) -> None:
        if characters > 20:
            total, count = self._widths.get(font.name, (0.0, 0))
            self._widths[font.name] = (total + ems, count + characters)


def mark_hidden(page: Any, lines: list[Line]) -> list[Line]:
    """Return the lines with those off the page marked hidden, and none of those that are a scan's text."""
    invisible = sum(len(line.text) for line in lines if line.hidden)
    if invisible and (
        invisible >= TEXT_LAYER * sum(len(line.text) for line in lines) or image_cover(page) >= SCAN_COVER
    ):
        lines = [line._replace(hidden=False) for line in lines]
    left, bottom, right, top = bounding_box(page)
    return [
        line._replace(hidden=True)
        if not line.angle
        and (line.x1 < left - 1 or line.x0 > right + 1 or line.top < bottom - 1 or line.bottom > top + 1)
        else line
        for line in lines
    ]


def split_marks(
    page: PageText, start: int, text: str, places: Mapping[int, int]
) -> Iterator[tuple[int, int, str]]:
    """Yield stretch, start and text of each part of the line that is in one stretch, -1 for in none."""
    if not places:
        yield -1, start, text
        return
    begin, last = 0, places.get(page.mark(start), -1)
    for match in _WORD_START.finditer(text):
        mark = places.get(page.mark(start + match.end()), -1)
        if mark != last:
            yield last, start + begin, text[begin : match.start()]
            begin, last = match.end(), mark
    yield last, start + begin, text[begin:]


def split_cells(page: PageText, start: int, text: str, limit: float) -> tuple[Cell, ...]:
    """Return the line's parts between gaps wider than the limit, or nothing when it has none."""
    cells = []
    begin, left = 0, page.char_box(start)[0]
    for match in _SPACES.finditer(text):
        last, following = start + match.start() - 1, start + match.end()
        # Origins are asked for in half the time of boxes, and enclose the gap.
        if page.origin(following)[0] - page.origin(last)[0] <= limit:
            continue
        before, after = page.char_box(last)[1], page.char_box(following)[0]
        if after - before > limit:
            cells.append(Cell(left, before, text[begin : match.start()]))
            begin, left = match.end(), after
    if not cells:
        return ()
    cells.append(Cell(left, page.char_box(start + len(text) - 1)[1], text[begin:]))
    return tuple(cells)


def read_plain(page: Any) -> list[str]:
    """Return the page's lines as text only, with U+FFFE at the end of one that breaks a word."""
    textpage = page.get_textpage()
    try:
        text = PageText(textpage, {}).text
        return [match[1] + match[2].strip() for match in PHYSICAL_LINE.finditer(text)]
    finally:
        textpage.close()
