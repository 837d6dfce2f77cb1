"""Characters of a PDF page: where they are and in which font, asked of pdfium one by one."""

import ctypes
import math
import re
import struct
from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice
from typing import Any, Literal

import pypdfium2.raw as raw

from .pdf_calls import (
    count_rects,
    get_box,
    get_color,
    get_font,
    get_mark,
    get_matrix,
    get_object,
    get_object_font,
    get_origin,
    get_rect,
    get_render_mode,
    get_size,
)
from .pdf_fonts import Font, FontCache, read_font

MANY_RUNS = 12
"""With more text objects than these the words are looked at instead: browsers may print one a glyph."""
MAX_PAGE_CHARS = 20_000_000

WHITE = 250
"""Of 255: a paper white from here on."""
NAME_BYTES = 128
INVISIBLE = raw.FPDF_TEXTRENDERMODE_INVISIBLE

SPACES = re.compile(" +")
_HEIGHT = struct.Struct("f")
_BEYOND_UTF16 = re.compile("[\U00010000-\U0010ffff]")

_ALEF_LAM = re.compile("[\u0622\u0623\u0625\u0627]\u0644")
MAX_LIGATURES = 10_000

Paint = Literal["seen", "white", "none"]


_QUARTERS = {0: (1, 0), 90: (0, 1), 180: (-1, 0), 270: (0, -1)}

# Left, right, bottom and top of a line's characters, of how many text objects they are, and the widest gap
# between two of these. No record: making one takes as long as a call of pdfium.
Extent = tuple[float, float, float, float, int, float]


# Size, direction and baseline, the font and the paint of the first character, and the extent.
Measures = tuple[float, int, float, Font, Paint, Extent]


class PageText:
    """The text of one open page, and the questions that can be asked about its characters."""

    def __init__(self, textpage: Any, fonts: FontCache) -> None:
        self._fonts = fonts
        self._raw = textpage.raw
        self._handle = ctypes.cast(textpage.raw, ctypes.c_void_p)
        self.count = textpage.count_chars()
        limit = min(self.count, MAX_PAGE_CHARS)
        self.text = textpage.get_text_range(0, limit, errors="replace") if limit else ""
        self._exact = len(self.text) == self.count
        self._pairs = [] if self._exact else [m.start() for m in _BEYOND_UTF16.finditer(self.text)]
        self._box = (ctypes.c_double * 4)()
        self._edges = [ctypes.byref(self._box, offset) for offset in (0, 8, 16, 24)]
        self._name = ctypes.create_string_buffer(NAME_BYTES)
        self._flags = ctypes.c_int()
        self._flags_at = ctypes.byref(self._flags)
        self._matrix = ctypes.create_string_buffer(24)
        self._matrix_at = ctypes.byref(self._matrix)
        # Its first four numbers, which turn and scale.
        self._turn = (ctypes.c_char * 16).from_buffer(self._matrix)
        self._sizes: dict[tuple[float, bytes], tuple[float, int]] = {}
        self._color = ctypes.create_string_buffer(16)
        self._channels = [ctypes.byref(self._color, offset) for offset in (0, 4, 8, 12)]
        self._paints: dict[bytes, Paint] = {}
        self._keys: dict[int, tuple[bytes, int]] = {}
        if not self.text.isascii():
            self.text = self._with_lam_first(self.text)

    def _with_lam_first(self, text: str) -> str:
        """Put lam before alef where one glyph is both: pdfium turns the letters of such a glyph around."""
        swapped = [
            match.start()
            for match in islice(_ALEF_LAM.finditer(text), MAX_LIGATURES)
            if self.char_box(match.start()) == self.char_box(match.start() + 1)
        ]
        if not swapped:
            return text
        characters = list(text)
        for at in swapped:
            characters[at], characters[at + 1] = characters[at + 1], characters[at]
        return "".join(characters)

    def index(self, position: int) -> int:
        """Return pdfium's character number for a position in the text."""
        if self._exact:
            return position
        # pdfium counts a character beyond U+FFFF, such as the letters of formulas, as two.
        position += bisect_left(self._pairs, position)
        found: int = raw.FPDFText_GetCharIndexFromTextIndex(self._raw, position)
        return found if found >= 0 else min(position, self.count - 1)

    def char_box(self, position: int) -> tuple[float, float, float, float]:
        """Return left, right, bottom and top of one character."""
        get_box(self._handle, position if self._exact else self.index(position), *self._edges)
        left, right, bottom, top = self._box[:]
        return left, right, bottom, top

    def left(self, position: int) -> float:
        """Return where the character begins on its baseline."""
        index = position if self._exact else self.index(position)
        get_origin(self._handle, index, self._edges[0], self._edges[1])
        return self._box[0]

    def advance(self, position: int) -> float:
        """Return the ems from an upright character to the next one, as its font has it."""
        rect = raw.FS_RECTF()
        raw.FPDFText_GetLooseCharBox(self._raw, self.index(position), rect)
        return float(rect.right - rect.left) / self.size_and_angle(position)[0]

    def mark(self, position: int) -> int:
        """Return the id of the marked content that the character is in, -1 when it is in none."""
        handle = get_object(self._handle, self.index(position))
        return get_mark(handle) if handle else -1

    def _paint(self, handle: Any, index: int) -> Paint:
        """Return whether a character of a text object can be seen: by its render mode, and by its colour."""
        if handle and get_render_mode(handle) == INVISIBLE:
            return "none"
        if not get_color(self._handle, index, *self._channels):
            return "seen"
        color = self._color.raw
        paint = self._paints.get(color)
        if paint is None:
            paint = self._paints[color] = paint_of(*struct.unpack("4I", color))
        return paint

    def font(self, position: int) -> Font:
        """Return the font of one character."""
        index = position if self._exact else self.index(position)
        return self._font(get_object(self._handle, index), index)

    def _font(self, handle: Any, index: int) -> Font:
        # A page that is open keeps its fonts where they are.
        address = get_object_font(handle) if handle else None
        key = self._keys.get(address) if address else None
        if key is None:
            length = get_font(self._handle, index, self._name, NAME_BYTES, self._flags_at)
            key = self._name.value if 0 < length <= NAME_BYTES else b"", self._flags.value
            if address:
                self._keys[address] = key
        font = self._fonts.get(key)
        if font is None:
            font = read_font(key[0], key[1], raw.FPDFText_GetFontWeight(self._raw, index))
            self._fonts[key] = font
        return font

    def size_and_angle(self, position: int) -> tuple[float, int]:
        """Return the font size in points on the page, and the direction of the text in whole degrees."""
        index = position if self._exact else self.index(position)
        size = get_size(self._handle, index)
        if not get_matrix(self._handle, index, self._matrix_at):
            return max(size, 1.0), 0
        key = size, self._turn.raw
        found = self._sizes.get(key)
        if found is None:
            found = self._sizes[key] = turned_size(size, *struct.unpack("4f", key[1]))
        return found

    def measure(self, start: int, length: int) -> Measures | None:
        """Return what is to know of a line; None when nothing of it has an extent."""
        size, angle = self.size_and_angle(start)
        # The matrix moves what is written to where it stands: upright text need not be asked for that.
        base = _HEIGHT.unpack_from(self._matrix, 20)[0]
        extent = self.extent(start, length, angle)
        if extent is None:
            return None
        index = start if self._exact else self.index(start)
        if angle:
            get_origin(self._handle, index, self._edges[0], self._edges[1])
            base = turn(self._box[0], self._box[1], angle)[1]
        handle = get_object(self._handle, index)
        return size, angle, base, self._font(handle, index), self._paint(handle, index), extent

    def gaps(self, start: int, text: str, limit: float) -> Iterator[tuple[int, int]]:
        """Yield where the text before each gap wider than the limit ends, and where that after it begins."""
        handle, (x_at, y_at, *_), box = self._handle, self._edges, self._box
        exact, index = self._exact, self.index
        for match in SPACES.finditer(text):
            end, following = match.span()
            # Origins are asked for in half the time of boxes, and enclose the gap.
            before, after = start + end - 1, start + following
            get_origin(handle, before if exact else index(before), x_at, y_at)
            left = box[0]
            get_origin(handle, after if exact else index(after), x_at, y_at)
            wide = box[0] - left > limit
            if wide and self.char_box(after)[0] - self.char_box(before)[1] > limit:
                yield end, following

    def extent(self, start: int, length: int, angle: int) -> Extent | None:
        """Return what the characters cover, turned upright, and the widest gap between two text objects."""
        first = start if self._exact else self.index(start)
        last = start + length - 1
        runs = count_rects(self._handle, first, (last if self._exact else self.index(last)) - first + 1)
        if runs > MANY_RUNS:
            return self._ends(start, length, runs, angle)
        handle, edges, box = self._handle, self._edges, self._box
        if runs == 1 and not angle:
            get_rect(handle, 0, *edges)
            left, high, right, low = box
            return left, right, low, high, 1, 0.0
        x0 = bottom = math.inf
        x1 = top = -math.inf
        gap = 0.0
        for number in range(runs):
            # Compared by hand: calls of min and max would take as long as the call of pdfium.
            get_rect(handle, number, *edges)
            left, high, right, low = box[:]
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
        return (x0, x1, bottom, top, runs, gap) if runs > 0 else None

    def _ends(self, start: int, length: int, runs: int, angle: int) -> Extent:
        """Return the extent of the first and the last character, and a gap that asks for a look at words."""
        boxes = []
        for position in (start, start + length - 1):
            left, right, low, high = self.char_box(position)
            boxes.append(turn_box(left, high, right, low, angle) if angle else (left, high, right, low))
        (a0, a_high, a1, a_low), (b0, b_high, b1, b_low) = boxes
        return min(a0, b0), max(a1, b1), min(a_low, b_low), max(a_high, b_high), runs, math.inf


def paint_of(red: int, green: int, blue: int, alpha: int) -> Paint:
    """Return whether text of a colour can be seen on paper."""
    if alpha == 0:
        return "none"
    return "white" if red >= WHITE and green >= WHITE and blue >= WHITE else "seen"


def turned_size(size: float, a: float, b: float, c: float, d: float) -> tuple[float, int]:
    """Return the size in points and the direction in whole degrees of text that a matrix turns.

    A matrix may hold anything; one that is not of numbers turns nothing.
    """
    size = max(abs(size) * math.hypot(c, d), 0.1)
    if not all(map(math.isfinite, (size, a, b))):
        return 0.1, 0
    if b == 0.0 and a > 0.0:
        return size, 0
    return size, round(math.degrees(math.atan2(b, a))) % 360


def turn(x: float, y: float, angle: int) -> tuple[float, float]:
    """Rotate a point so that text running at ``angle`` degrees runs to the right."""
    if angle in _QUARTERS:
        cos, sin = _QUARTERS[angle]
        return x * cos + y * sin, y * cos - x * sin
    radians = math.radians(angle)
    return x * math.cos(radians) + y * math.sin(radians), y * math.cos(radians) - x * math.sin(radians)


def turn_box(
    left: float, top: float, right: float, bottom: float, angle: int
) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom of a box turned upright."""
    corners: tuple[tuple[float, float], ...] = (left, top), (right, bottom)
    if angle not in _QUARTERS:
        corners += (left, bottom), (right, top)
    xs, ys = zip(*[turn(x, y, angle) for x, y in corners], strict=True)
    return min(xs), max(ys), max(xs), min(ys)
