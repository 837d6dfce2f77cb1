"""Characters of a PDF page: where they are and in which font, asked of pdfium one by one."""

import ctypes
import math
from typing import Any, NamedTuple

import pypdfium2.raw as raw

from .pdf_fonts import Font, FontCache, read_font

MANY_RUNS = 12
"""With more text objects than these the words are looked at instead: browsers may print one a glyph."""
MAX_PAGE_CHARS = 20_000_000

# Bound once: these are called for every word of a page.
_get_char_box = raw.FPDFText_GetCharBox
_get_origin = raw.FPDFText_GetCharOrigin
_get_rect = raw.FPDFText_GetRect


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
        _get_char_box(self.handle, position if self.exact else self.index(position), *self._refs)
        left, right, bottom, top = self._box[:]
        return left, right, bottom, top

    def origin(self, position: int) -> tuple[float, float]:
        """Return where the character stands on its baseline."""
        index = position if self.exact else self.index(position)
        _get_origin(self.handle, index, self._refs[0], self._refs[1])
        return self._box[0], self._box[1]

    def mark(self, position: int) -> int:
        """Return the id of the marked content that the character is in, -1 when it is in none."""
        handle = raw.FPDFText_GetTextObject(self.handle, self.index(position))
        return raw.FPDFPageObj_GetMarkedContentID(handle) if handle else -1

    def is_invisible(self, position: int) -> bool:
        """Say whether the character is painted in render mode 3, as text layers over scans are."""
        handle = raw.FPDFText_GetTextObject(self.handle, self.index(position))
        return bool(handle) and raw.FPDFTextObj_GetTextRenderMode(handle) == raw.FPDF_TEXTRENDERMODE_INVISIBLE

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
            # Compared by hand: calls of min and max would take as long as the call of pdfium.
            _get_rect(self.handle, number, *self._refs)
            left, high, right, low = self._box[:]
            if angle:
                left, high, right, low = turn_box(left, high, right, low, angle)
            if number and left - x1 > gap:
                gap = left - x1
            if left < x0:
                x0 = left
            if right > x1:
                x1 = right
            if low < bottom:
                bottom = low
            if high > top:
                top = high
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
