"""Figures that are texts: in a frame, or in fonts that are not those of the page, beside their captions."""

from collections import Counter
from collections.abc import Iterable, Sequence

from .pdf_captions import NEAR, Caption, box_of, gap
from .pdf_drawings import Box
from .pdf_figures import FAR
from .pdf_lines import Line

AT_FRAME = 30.0
"""Points from a caption to the frame around a text that it belongs to, and to a picture beside it."""
LEAST = 2
"""Lines of a text without a frame."""
OTHER_SIZE = 0.6


def framed_text(caption: Caption, painted: Iterable[Box], lines: Sequence[Line]) -> list[Line]:
    """Return the lines in the frame next to a caption, none when there is no frame."""
    near = [(abs(distance), box) for box in painted if (distance := gap(caption, box, AT_FRAME)) is not None]
    if not near:
        return []
    _, frame = min(near)
    return [
        line
        for line in lines
        if frame.x0 <= line.x0
        and line.x1 <= frame.x1
        and frame.y0 <= line.base <= frame.y1
        and line not in caption.lines
    ]


def shown_text(caption: Caption, lines: Sequence[Line]) -> list[Line]:
    """Return the lines right above a caption that are in no font of the page's text, from the top.

    Rows of cells and code are none: they are a table and a listing, which have captions as well. The page's
    outermost rows may be running heads.
    """
    usual = _usual_style(lines)
    top, bottom = max(line.base for line in lines), min(line.base for line in lines)
    found: list[Line] = []
    last = caption.box
    for line in sorted(lines, key=lambda line: line.base):
        if line.base <= caption.box.y1 or line in caption.lines:
            continue
        far = (
            line.bottom - last.y1 > (NEAR if found else FAR)
            or line.x0 > caption.box.x1
            or line.x1 < caption.box.x0
        )
        if far or line.mono or _style(line) == usual or line.base in (top, bottom):
            break
        found.append(line)
        last = box_of(line)
    rows = sum(len(line.cells) > 1 for line in found)
    return found[::-1] if len(found) >= LEAST and 2 * rows < len(found) else []


def is_beside(caption: Caption, box: Box, lines: Iterable[Line]) -> bool:
    """Say whether a caption stands at the side of something painted, with no text between."""
    low, high = min(caption.box.x1, box.x1), max(caption.box.x0, box.x0)
    y0, y1 = max(caption.box.y0, box.y0), min(caption.box.y1, box.y1)
    if not (0 <= high - low <= AT_FRAME and y0 < y1):
        return False
    return not any(y0 < line.base < y1 and line.x0 < high and line.x1 > low for line in lines)


def _usual_style(lines: Sequence[Line]) -> tuple[str, int]:
    counts: Counter[tuple[str, int]] = Counter()
    for line in lines:
        counts[_style(line)] += len(line.text)
    return counts.most_common(1)[0][0]


def _style(line: Line) -> tuple[str, int]:
    return line.font.name, round(line.size / OTHER_SIZE)
