"""Lines that nobody sees: painted invisibly, white on white, far too small to read, or off the page."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pypdfium2.raw as raw

from .pdf_chars import WHITE, Paint
from .pdf_cover import SCAN_COVER, bounding_box, bounds, image_cover
from .pdf_lines import Line

TEXT_LAYER = 0.9
"""The part of a page's text from which on invisible text is the page's text layer."""
TINY = 1.5
"""Points of text that no printer can show, where the page has other text."""
BROAD = 4.0
"""Points of a stroke that can be the ground of a line of text."""
MAX_OBJECTS = 5000
_EDGE = 1.0


def mark_hidden(page: Any, lines: list[Line], paints: Sequence[Paint]) -> list[Line]:
    """Return the lines with those that nobody sees marked hidden; a scan's text layer is none of these."""
    hidden = {number for number, paint in enumerate(paints) if paint == "none"}
    if hidden and _is_text_layer(page, lines, hidden):
        hidden = set()
    white = [number for number, paint in enumerate(paints) if paint == "white"]
    if white:
        hidden |= _white_on_white(page, lines, white)
    left, bottom, right, top = bounding_box(page)
    smallest = TINY if _usual_size(lines) > 2 * TINY else 0.0
    left, right, bottom, top = left - _EDGE, right + _EDGE, bottom - _EDGE, top + _EDGE
    hidden.update(
        [
            number
            for number, line in enumerate(lines)
            if line.size < smallest
            or (
                not line.angle
                and (line.x1 < left or line.x0 > right or line.top < bottom or line.bottom > top)
            )
        ]
    )
    if not hidden:
        return lines
    return [line._replace(hidden=n in hidden) for n, line in enumerate(lines)]


def _usual_size(lines: Sequence[Line]) -> float:
    if min((line.size for line in lines), default=TINY) >= TINY:
        return 0.0
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.size] += len(line.text)
    return max(sizes.items(), key=lambda item: (item[1], item[0]))[0]


def _is_text_layer(page: Any, lines: Sequence[Line], invisible: set[int]) -> bool:
    """Say whether the invisible lines are nearly all text of the page, or stand over the image of a scan."""
    characters = sum(len(lines[number].text) for number in invisible)
    return characters >= TEXT_LAYER * sum(len(line.text) for line in lines) or image_cover(page) >= SCAN_COVER


def _white_on_white(page: Any, lines: Sequence[Line], white: Sequence[int]) -> set[int]:
    """Return the white lines behind which nothing is painted; none on a page of very many objects."""
    if raw.FPDFPage_CountObjects(page.raw) > MAX_OBJECTS:
        return set()
    areas = list(_painted_areas(page))
    return {number for number in white if not any(_holds(area, lines[number]) for area in areas)}


def _holds(area: tuple[float, float, float, float], line: Line) -> bool:
    if line.angle:
        return True
    y = (line.bottom + line.top) / 2
    return area[1] <= y <= area[3] and area[0] < line.x1 and line.x0 < area[2]


def _painted_areas(page: Any) -> Iterator[tuple[float, float, float, float]]:
    """Yield left, bottom, right and top of what can be a dark ground: images, forms, and coloured paths."""
    for number in range(raw.FPDFPage_CountObjects(page.raw)):
        handle = raw.FPDFPage_GetObject(page.raw, number)
        kind = raw.FPDFPageObj_GetType(handle)
        if kind != raw.FPDF_PAGEOBJ_TEXT and not (kind == raw.FPDF_PAGEOBJ_PATH and _is_pale(handle)):
            area = bounds(handle)
            if area is not None:
                yield area


def _is_pale(handle: Any) -> bool:
    """Say whether the path leaves the paper white: it has neither a coloured fill nor a broad stroke."""
    mode, stroke = raw.c_int(), raw.c_int()
    if not raw.FPDFPath_GetDrawMode(handle, mode, stroke):
        return False
    width = raw.c_float()
    if stroke.value and raw.FPDFPageObj_GetStrokeWidth(handle, width) and width.value >= BROAD:
        return False
    color = [raw.c_uint() for _ in range(4)]
    if not mode.value or not raw.FPDFPageObj_GetFillColor(handle, *color):
        return not mode.value
    *channels, alpha = (channel.value for channel in color)
    return bool(alpha == 0 or min(channels) >= WHITE)
