"""Captions on a page, and which table, drawing or picture each stands above or below."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from capsa.chunkers.captions import CaptionOf, caption_of

from .pdf_bands import pieces
from .pdf_drawings import Box
from .pdf_lines import Line
from .pdf_rules import hull_of

LEADING = 1.6
"""Ems between two lines of one caption."""
MOST_LINES = 8
NEAR = 60.0
"""Points between a caption and what it belongs to."""
OVER = 8.0
"""Points by which a caption may stand in what it belongs to."""


class Caption(NamedTuple):
    """The lines of a caption, what it says that it belongs to, and its box."""

    lines: tuple[Line, ...]
    kind: CaptionOf
    box: Box


def begins_caption(line: Line) -> bool:
    """Say whether a caption begins with the line."""
    return caption_of(line.text) is not None


def find_captions(lines: Sequence[Line], across: Sequence[Box] = ()) -> list[Caption]:
    """Return the captions among a page's upright lines; a rule across the page ends one."""
    found: list[Caption] = []
    for number, line in enumerate(lines):
        kind = caption_of(line.text)
        if kind is not None:
            members = [line]
            for following in lines[number + 1 : number + MOST_LINES]:
                if not _goes_on(members[-1], following) or _is_cut(members[-1], following, across):
                    break
                members.append(following)
            found.append(Caption(tuple(members), kind, hull_of(map(box_of, members))))
    return found


def _goes_on(last: Line, line: Line) -> bool:
    near = 0 < last.base - line.base < LEADING * line.size and abs(last.size - line.size) < 0.6
    return near and line.x0 < last.x1 and line.x1 > last.x0 and not begins_caption(line)


def _is_cut(last: Line, line: Line, across: Iterable[Box]) -> bool:
    """Say whether a rule as wide as both lines stands between them."""
    left, right = max(last.x0, line.x0) + OVER, min(last.x1, line.x1) - OVER
    return any(line.base < rule.y0 < last.base and rule.x0 < left and rule.x1 > right for rule in across)


def box_of(line: Line) -> Box:
    """Return the line's box."""
    return Box(line.x0, line.bottom, line.x1, line.top)


def part_captions(lines: Sequence[Line]) -> list[Line]:
    """Return the lines with captions that stand side by side one after the other, not line by line."""
    if not any([line.cells for line in lines]):
        return list(lines)
    found: list[Line] = []
    number = 0
    while number < len(lines):
        edges = _caption_edges(lines[number])
        if len(edges) < 2:
            found.append(lines[number])
            number += 1
            continue
        columns: list[list[Line]] = [[] for _ in edges]
        first = number
        while number < len(lines) and (number == first or _goes_on(lines[number - 1], lines[number])):
            _deal(lines[number], edges, columns)
            number += 1
        found += [line for column in columns for line in column]
    return found


def _caption_edges(line: Line) -> list[float]:
    """Return where captions in one line begin, if it has parts and each is one."""
    if not line.cells:
        return []
    starts = [cell.x0 for cell in line.cells if caption_of(cell.text)]
    return starts if len(starts) == len(line.cells) else []


def _deal(line: Line, edges: Sequence[float], columns: Sequence[list[Line]]) -> None:
    """Add the parts of a line to the columns that begin at the edges."""
    for cell in pieces(line):
        column = max(bisect_right(edges, cell.x0 + line.size) - 1, 0)
        last = cell is pieces(line)[-1]
        columns[column].append(
            line._replace(text=cell.text, x0=cell.x0, x1=cell.x1, cells=(), hyphen=line.hyphen and last)
        )


def split_captions(lines: Sequence[Line]) -> list[list[Line]]:
    """Return the lines of one tag, those of each caption in it by themselves."""
    found: list[list[Line]] = []
    for line in part_captions(lines):
        if found and not begins_caption(line):
            found[-1].append(line)
        else:
            found.append([line])
    return found


def gap(caption: Caption, box: Box, reach: float) -> float | None:
    """Return the points between the caption and a box above it, negative for one below; None when apart."""
    if box.x1 < caption.box.x0 or box.x0 > caption.box.x1:
        return None
    above, below = box.y0 - caption.box.y1, caption.box.y0 - box.y1
    if -OVER <= above <= reach:
        return max(above, 0.0)
    return -max(below, 0.01) if -OVER <= below <= reach else None


def nearest(
    captions: Iterable[Caption], box: Box, kinds: Sequence[CaptionOf], reach: float
) -> Caption | None:
    """Return the caption of the kinds that is nearest to the box, those of the first kind before others."""
    best: tuple[int, float, Caption] | None = None
    for caption in captions:
        distance = gap(caption, box, reach)
        if caption.kind in kinds and distance is not None:
            key = kinds.index(caption.kind), abs(distance)
            if best is None or key < best[:2]:
                best = *key, caption
    return best[2] if best else None
