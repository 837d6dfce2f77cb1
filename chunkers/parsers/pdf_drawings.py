"""What is painted on a PDF page besides text: rules, filled boxes, drawn shapes and images, by pdfium."""

import ctypes
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise, repeat
from typing import Any, NamedTuple

import pypdfium2.raw as raw

from .pdf_calls import Handle, bind

THIN = 3.0
"""Points: what is thinner is a rule, also when it is painted as a filled box or an image."""
SHORT = 8.0
"""Points: a shorter stroke is a part of a letter or an arrow, no rule."""
SMALLEST_DOT, LARGEST_DOT = 1.5, 8.0
"""Points that a dot is wide and high."""
ROUND = 0.25
"""The part by which a dot may be wider than high, or higher than wide."""
MAX_OBJECTS = 4000
"""Objects of a page that are looked at: so many take 4 ms."""
MAX_SEGMENTS = 1000
"""Segments of a page's paths that are looked at: so many take 2 ms; other paths count as shapes."""
MAX_DEPTH = 3
BEZIER, MOVE = raw.FPDF_SEGMENT_BEZIERTO, raw.FPDF_SEGMENT_MOVETO
WHITE = 250
"""Of 255: a paper white from here on."""

_count_objects = bind(raw.FPDFPage_CountObjects, ctypes.c_int)
_get_object = bind(raw.FPDFPage_GetObject, Handle)
_count_inside = bind(raw.FPDFFormObj_CountObjects, ctypes.c_int)
_get_inside = bind(raw.FPDFFormObj_GetObject, Handle)
_get_type = bind(raw.FPDFPageObj_GetType, ctypes.c_int)
_get_bounds = bind(raw.FPDFPageObj_GetBounds, ctypes.c_int)
_get_matrix = bind(raw.FPDFPageObj_GetMatrix, ctypes.c_int)
_get_fill = bind(raw.FPDFPageObj_GetFillColor, ctypes.c_int)
_get_mode = bind(raw.FPDFPath_GetDrawMode, ctypes.c_int)
_count_segments = bind(raw.FPDFPath_CountSegments, ctypes.c_int)
_get_segment = bind(raw.FPDFPath_GetPathSegment, Handle)
_get_point = bind(raw.FPDFPathSegment_GetPoint, ctypes.c_int)
_get_kind = bind(raw.FPDFPathSegment_GetType, ctypes.c_int)
_get_close = bind(raw.FPDFPathSegment_GetClose, ctypes.c_int)

Point = tuple[float, float]
Matrix = tuple[float, float, float, float, float, float]


class Box(NamedTuple):
    """A rectangle in points, y up."""

    x0: float
    y0: float
    x1: float
    y1: float


class Fill(NamedTuple):
    """A box filled with a colour other than white, as red, green, blue and opacity."""

    box: Box
    colour: tuple[int, ...]


class Drawings(NamedTuple):
    """A page's rules along x and along y, filled boxes, boxes of other shapes, and of images.

    ``dots`` are the boxes of small paths as wide as high, which are fills or shapes too if they are not thin.
    """

    across: Sequence[Box] = ()
    upright: Sequence[Box] = ()
    fills: Sequence[Fill] = ()
    shapes: Sequence[Box] = ()
    images: Sequence[Box] = ()
    dots: Sequence[Box] = ()


def read_drawings(page: Any) -> Drawings:
    """Return what is drawn on an open page."""
    return _Reader().read(page)


class _Reader:
    """Walks a page's objects; those of forms are moved to where the page shows them."""

    def __init__(self) -> None:
        self._across: list[Box] = []
        self._upright: list[Box] = []
        self._fills: list[Fill] = []
        self._shapes: list[Box] = []
        self._images: list[Box] = []
        self._dots: list[Box] = []
        self._floats = (ctypes.c_float * 6)()
        self._edges = [ctypes.byref(self._floats, offset) for offset in (0, 4, 8, 12)]
        self._integers = (ctypes.c_uint * 4)()
        self._channels = [ctypes.byref(self._integers, offset) for offset in (0, 4, 8, 12)]
        self._left = MAX_OBJECTS
        self._segments = MAX_SEGMENTS

    def read(self, page: Any) -> Drawings:
        """Return what is drawn on the page."""
        handle = ctypes.cast(page.raw, ctypes.c_void_p)
        self._walk(_get_object, handle, _count_objects(handle), None)
        return Drawings(self._across, self._upright, self._fills, self._shapes, self._images, self._dots)

    def _walk(
        self, get: Callable[..., Any], parent: Any, count: int, matrix: Matrix | None, depth: int = 0
    ) -> None:
        """Look at so many objects of a page or a form, most of which are text."""
        count = min(count, self._left)
        self._left -= count
        handles = list(map(get, repeat(parent), range(count)))
        for handle, kind in zip(handles, map(_get_type, handles), strict=True):
            if kind == raw.FPDF_PAGEOBJ_TEXT:
                continue
            if kind == raw.FPDF_PAGEOBJ_PATH:
                self._add_path(handle, self._box(handle, matrix), matrix)
            elif kind == raw.FPDF_PAGEOBJ_IMAGE:
                box = self._box(handle, matrix)
                # TeX's output turned into images has its rules as images too.
                if not self._add_rule(box):
                    self._images.append(box)
            elif kind == raw.FPDF_PAGEOBJ_FORM and depth < MAX_DEPTH:
                inside = _product(self._matrix(handle), matrix)
                self._walk(_get_inside, handle, _count_inside(handle), inside, depth + 1)

    def _box(self, handle: Any, matrix: Matrix | None) -> Box:
        if not _get_bounds(handle, *self._edges):
            return Box(0.0, 0.0, 0.0, 0.0)
        left, bottom, right, top = self._floats[:4]
        if matrix is None:
            return Box(left, bottom, right, top)
        (x0, y0), (x1, y1) = _moved(matrix, (left, bottom)), _moved(matrix, (right, top))
        if matrix[1] or matrix[2]:
            return hull(((x0, y0), (x1, y1), _moved(matrix, (left, top)), _moved(matrix, (right, bottom))))
        return Box(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))

    def _matrix(self, handle: Any) -> Matrix:
        if not _get_matrix(handle, self._edges[0]):
            return 1.0, 0.0, 0.0, 1.0, 0.0, 0.0
        a, b, c, d, e, f = self._floats[:]
        return a, b, c, d, e, f

    def _add_rule(self, box: Box) -> bool:
        """Add a box if it is thin, and say whether it is."""
        width, height = box.x1 - box.x0, box.y1 - box.y0
        if width >= THIN and height >= THIN:
            return False
        if max(width, height) >= SHORT:
            (self._across if width > height else self._upright).append(box)
        return True

    def _add_path(self, handle: Any, box: Box, matrix: Matrix | None) -> None:
        if is_dot(box):
            self._dots.append(box)
        if self._add_rule(box):
            return
        count = _count_segments(handle)
        self._segments -= count
        strokes = self._strokes(handle, count, matrix) if count > 1 and self._segments >= 0 else None
        if strokes is None:
            self._shapes.append(box)
            return
        areas = [
            (stroke, whole)
            for stroke in strokes
            if len(stroke) > 1 and not self._add_rule(whole := hull(stroke))
        ]
        if not areas:
            return
        stroked, colour = self._paint(handle)
        for stroke, whole in areas:
            if colour:
                self._fills.append(Fill(whole, colour))
            if stroked:
                for edge in pairwise(stroke):
                    self._add_rule(hull(edge))

    def _strokes(self, handle: Any, count: int, matrix: Matrix | None) -> list[list[Point]] | None:
        """Return the corners of the path's parts, or None when one is not drawn along x and y only."""
        a, b, c, d, e, f = _product(self._matrix(handle), matrix)
        floats, (x_at, y_at, *_) = self._floats, self._edges
        strokes: list[list[Point]] = []
        for number in range(count):
            segment = _get_segment(handle, number)
            kind = _get_kind(segment)
            if kind == BEZIER or not _get_point(segment, x_at, y_at):
                return None
            x, y = floats[0], floats[1]
            x, y = a * x + c * y + e, b * x + d * y + f
            if kind == MOVE or not strokes:
                strokes.append([(x, y)])
                continue
            last = strokes[-1][-1]
            if abs(x - last[0]) > 0.5 and abs(y - last[1]) > 0.5:
                return None
            strokes[-1].append((x, y))
            if _get_close(segment):
                strokes[-1].append(strokes[-1][0])
        return strokes

    def _paint(self, handle: Any) -> tuple[bool, tuple[int, ...]]:
        """Return whether the path is stroked, and the colour that fills it so that it shows on white."""
        self._integers[1] = 1
        known = _get_mode(handle, self._channels[0], self._channels[1])
        filled, stroked = bool(known and self._integers[0]), bool(self._integers[1])
        if not filled or not _get_fill(handle, *self._channels):
            return stroked, ()
        colour = tuple(self._integers[:])
        return stroked, () if colour[3] == 0 or min(colour[:3]) >= WHITE else colour


def is_dot(box: Box) -> bool:
    """Say whether the box is small and as wide as high."""
    width, height = box.x1 - box.x0, box.y1 - box.y0
    if not (SMALLEST_DOT <= width <= LARGEST_DOT and SMALLEST_DOT <= height <= LARGEST_DOT):
        return False
    return abs(width - height) <= ROUND * max(width, height)


def hull(points: Iterable[Point]) -> Box:
    """Return the smallest box around the points."""
    xs, ys = zip(*points, strict=True)
    return Box(min(xs), min(ys), max(xs), max(ys))


def _product(first: Matrix, then: Matrix | None) -> Matrix:
    if then is None:
        return first
    a, b, c, d, e, f = first
    x, y = _moved(then, (e, f))
    return (
        a * then[0] + b * then[2],
        a * then[1] + b * then[3],
        c * then[0] + d * then[2],
        c * then[1] + d * then[3],
        x,
        y,
    )


def _moved(matrix: Matrix, point: Point) -> Point:
    a, b, c, d, e, f = matrix
    x, y = point
    return a * x + c * y + e, b * x + d * y + f
