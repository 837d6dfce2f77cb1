"""Lines of a PDF page with their boxes and fonts, read through pdfium's own functions; decides on no layout.

A few calls a line instead of one a character: the page's text comes in one string, a line's box from its
rectangles, and word positions are asked for only where a line looks wider than its font.
"""

import ctypes
import math
import re
import time
from typing import Any, NamedTuple

import pypdfium2.raw as raw

from .pdf_fonts import Font, FontCache, read_font

PHYSICAL_LINE = re.compile("([^\r\n\ufffe]+)(\ufffe|[\r\n]+|$)")
LEADER = re.compile(r"(?:\. ?){5}|(?:·|…|_){4}")
GAP = 1.0
"""Ems between the words of two cells: justified text stays under 0.9, LaTeX columns start at 1.2."""
MONO_GAP = 1.6
WIDE = 1.08
"""A line this much wider per character than its font's running mean is looked at word by word."""
MANY_RUNS = 12
"""With more text objects than these the words are looked at instead: browsers may print one a glyph."""
MAX_PAGE_CHARS = 20_000_000


class Cell(NamedTuple):
    """A part of a line that a wide gap sets apart."""

    x0: float
    x1: float
    text: str


class Line(NamedTuple):
    """One line of text, turned upright: x to the right, y up, in points; ``base`` is its baseline."""

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


def has_leader(text: str) -> bool:
    """Say whether the line holds a row of dots, as entries of a table of contents do."""
    return ("..." in text or ". . ." in text or "·" in text or "…" in text or "__" in text) and (
        LEADER.search(text) is not None
    )


class Extent(NamedTuple):
    """Where a line's characters are, of how many text objects, and the widest gap between two of these."""

    x0: float
    x1: float
    bottom: float
    top: float
    runs: int
    gap: float


class PageText:
    """The text of one open page, and the questions that can be asked about its characters."""

    def __init__(self, textpage: Any, fonts: FontCache) -> None:
        self._fonts = fonts
        self.handle = textpage.raw
        self.count = textpage.count_chars()
        limit = min(self.count, MAX_PAGE_CHARS)
        self.text = textpage.get_text_range(0, limit, errors="replace") if limit else ""
        self.exact = len(self.text) == self.count
        self._box = (ctypes.c_double * 4)()
        pointer = ctypes.POINTER(ctypes.c_double)
        self._refs = [ctypes.cast(ctypes.byref(self._box, offset), pointer) for offset in (0, 8, 16, 24)]
        self._name = ctypes.create_string_buffer(128)
        self._flags = ctypes.c_int()
        self._flags_ref = ctypes.byref(self._flags)
        self._matrix = raw.FS_MATRIX()

    def index(self, position: int) -> int:
        """Return pdfium's character number for a position in the text."""
        if self.exact:
            return position
        found: int = raw.FPDFText_GetCharIndexFromTextIndex(self.handle, position)
        return found if found >= 0 else min(position, self.count - 1)

    def char_box(self, position: int) -> tuple[float, float, float, float]:
        """Return left, right, bottom and top of one character."""
        raw.FPDFText_GetCharBox(self.handle, self.index(position), *self._refs)
        left, right, bottom, top = self._box
        return left, right, bottom, top

    def origin(self, position: int) -> tuple[float, float]:
        """Return where the character stands on its baseline."""
        raw.FPDFText_GetCharOrigin(self.handle, self.index(position), self._refs[0], self._refs[1])
        return self._box[0], self._box[1]

    def font(self, position: int) -> Font:
        """Return the font of one character."""
        index = self.index(position)
        length = raw.FPDFText_GetFontInfo(self.handle, index, self._name, 128, self._flags_ref)
        key = self._name.raw[:length] if length else b"", self._flags.value
        font = self._fonts.get(key)
        if font is None:
            font = read_font(key[0], key[1], raw.FPDFText_GetFontWeight(self.handle, index))
            self._fonts[key] = font
        return font

    def size_and_angle(self, position: int) -> tuple[float, int]:
        """Return the font size in points on the page, and the direction of the text in whole degrees."""
        index = self.index(position)
        size = raw.FPDFText_GetFontSize(self.handle, index)
        if not raw.FPDFText_GetMatrix(self.handle, index, self._matrix):
            return max(size, 1.0), 0
        matrix = self._matrix
        scale = math.hypot(matrix.c, matrix.d)
        angle = round(math.degrees(math.atan2(matrix.b, matrix.a))) % 360
        return max(abs(size) * scale, 0.1), angle

    def extent(self, start: int, length: int, angle: int) -> Extent | None:
        """Return what the characters cover, turned upright, and the widest gap between two text objects."""
        first = self.index(start)
        runs = raw.FPDFText_CountRects(self.handle, first, self.index(start + length - 1) - first + 1)
        if runs > MANY_RUNS and not angle:
            return self._ends(start, length, runs)
        x0 = bottom = math.inf
        x1 = top = -math.inf
        gap = 0.0
        for number in range(runs):
            raw.FPDFText_GetRect(self.handle, number, *self._refs)
            left, high, right, low = self._box
            if angle:
                left, high, right, low = turn_box(left, high, right, low, angle)
            if number and left - x1 > gap:
                gap = left - x1
            x0, x1 = min(x0, left), max(x1, right)
            bottom, top = min(bottom, low), max(top, high)
        return Extent(x0, x1, bottom, top, runs, gap) if runs > 0 else None

    def _ends(self, start: int, length: int, runs: int) -> Extent:
        """Return the extent of the first and the last character, and a gap that asks for a look at words."""
        a0, a1, a_low, a_high = self.char_box(start)
        b0, b1, b_low, b_high = self.char_box(start + length - 1)
        return Extent(min(a0, b0), max(a1, b1), min(a_low, b_low), max(a_high, b_high), runs, math.inf)


def turn(x: float, y: float, angle: int) -> tuple[float, float]:
    """Rotate a point so that text running at ``angle`` degrees runs to the right."""
    if angle == 0:
        return x, y
    radians = math.radians(angle)
    return x * math.cos(radians) + y * math.sin(radians), y * math.cos(radians) - x * math.sin(radians)


def turn_box(
    left: float, top: float, right: float, bottom: float, angle: int
) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom of a box turned upright."""
    points = [turn(x, y, angle) for x in (left, right) for y in (bottom, top)]
    xs, ys = [point[0] for point in points], [point[1] for point in points]
    return min(xs), max(ys), max(xs), min(ys)


class LineReader:
    """Reads the lines of one document's pages; it learns each font's usual width on the way."""

    def __init__(self) -> None:
        self._widths: dict[str, tuple[float, int]] = {}
        self._font_cache: FontCache = {}

    def read(self, page: Any, number: int, until: float = math.inf) -> list[Line] | None:
        """Return the page's lines in pdfium's order, or None when the process' CPU time passes ``until``."""
        textpage = page.get_textpage()
        try:
            return self._lines(PageText(textpage, self._font_cache), number, until)
        finally:
            textpage.close()

    def _lines(self, page: PageText, number: int, until: float) -> list[Line] | None:
        lines: list[Line] = []
        # pdfium puts U+FFFE for a hyphen at the end of a line and goes on without a line break.
        for match in PHYSICAL_LINE.finditer(page.text):
            piece = match[1]
            text = piece.strip()
            if text:
                start = match.start() + len(piece) - len(piece.lstrip())
                line = self._line(page, start, text, number, match[2] == "\ufffe")
                if line is not None:
                    lines.append(line)
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


def split_cells(page: PageText, start: int, text: str, limit: float) -> tuple[Cell, ...]:
    """Return the line's parts between gaps wider than the limit, or nothing when it has none."""
    cells = []
    begin, left = 0, page.char_box(start)[0]
    for match in re.finditer(r" +", text):
        before = page.char_box(start + match.start() - 1)[1]
        after = page.char_box(start + match.end())[0]
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
