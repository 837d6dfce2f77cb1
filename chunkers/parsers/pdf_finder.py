"""Finds the areas of a page that are no running text: tables with rules, figures, listings with captions."""

import math
import time
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import groupby, pairwise
from math import inf
from statistics import median

from capsa.chunkers.captions import CaptionOf

from .pdf_areas import Area
from .pdf_captions import NEAR, Caption, begins_caption, box_of, find_captions, gap, nearest, part_captions
from .pdf_drawings import Box
from .pdf_figures import (
    BESIDE,
    FAR,
    LONG_LABEL,
    between,
    drawn_beside,
    find_drawings,
    is_clear,
    is_text,
    is_title,
    labels_of,
    meet,
    painted_parts,
    set_upright,
)
from .pdf_grid import MIDDLE, Grid
from .pdf_lines import Line
from .pdf_listings import find_listing, is_listing, is_ragged
from .pdf_rules import Frame, Rules, find_frames, hull_of, make_zones, turn_rules
from .pdf_shown import framed_text, is_beside, shown_text
from .pdf_stacks import tabular_parts

INSIDE = 2.0
"""Points by which the middle of a line may lie outside of the frame that it is in."""
BROAD = 0.3
"""The part of a frame's width that a shape in no table has."""
AROUND = 60.0
"""Points above and below a stack of rules in which rows of its table may stand."""
NAMES = 60.0
"""Points between the rules and names outside of them."""
MOST_ROWS = 0.6
"""The part of the rows with names outside, from which on the rules are not all of the table."""
MOST_CAPTIONS = 60
MOST_FRAMES = 200
"""Captions and frames of a page that are looked at: time goes with their number by the page's lines."""
NEXT = 24.0
"""Points between a listing's frame and its caption at most, and of a first column's width at least."""


def find_areas(
    lines: Sequence[Line], rules: Rules, until: float = math.inf
) -> tuple[list[Line], list[Area]] | None:
    """Return the page's lines, those cut that run across a table's edge, and the areas.

    It is None when the thread's CPU time passes ``until`` on the way.
    """
    painted = rules.shapes or rules.images or len(rules.across) > 1
    if not (lines and (painted or any(map(begins_caption, lines)))):
        return list(lines), []
    main = Counter(line.angle for line in lines).most_common(1)[0][0]
    page = _Page(lines, main, turn_rules(rules, main) if main else rules, until)
    page.find_code(("code",))
    page.find_tables()
    page.find_figures()
    page.find_code(("figure", "other"))
    page.find_texts()
    return None if page.is_over() else (page.lines, page.areas)


class _Page:
    """The lines of a page, and the areas found so far."""

    def __init__(self, lines: Sequence[Line], main: int, rules: Rules, until: float) -> None:
        self.lines = part_captions(lines)
        self.rules = rules
        self.areas: list[Area] = []
        self._main = main
        self._taken: set[int] = set()
        upright = [line for line in self.lines if line.angle == main]
        self._captions = find_captions(upright, rules.across[:MOST_FRAMES])[:MOST_CAPTIONS]
        self._until = until

    def is_over(self) -> bool:
        """Say whether the time for the page is over."""
        return time.thread_time() > self._until

    def find_tables(self) -> None:
        """Find the tables in grids of rules, then those in stacks of rules."""
        grids, stacks = find_frames(self.rules) if len(self.rules.across) > 1 else ([], [])
        for frame in grids[:MOST_FRAMES]:
            if self.is_over():
                return
            if not (self._leaves_names_out(frame) or is_drawing(frame, self.rules.shapes)):
                self._add_table(frame)
        for frame in stacks[:MOST_FRAMES]:
            if self.is_over():
                return
            self.lines = split_at(self.lines, frame.box, self._taken)
            for part in tabular_parts(frame, self._inside(frame.box, AROUND)):
                outside = self._has_names_outside(part.box)
                if not (outside or is_drawing(part, self.rules.shapes)):
                    self._add_table(part)

    def _leaves_names_out(self, frame: Frame) -> bool:
        """Say whether most rules of a grid begin at its second column."""
        left = median(rule.x0 for rule in frame.across)
        if left < frame.box.x0 + NEXT:
            return False
        box = frame.box._replace(x0=left)
        self.lines = split_at(self.lines, box, self._taken)
        return self._has_names_outside(box)

    def _has_names_outside(self, box: Box) -> bool:
        """Say whether short names stand left of most rows: rules or shades leave out the first column."""
        rows = {round(line.base) for line in self._inside(box)}
        names = {
            round(line.base)
            for line in self._free()
            if box.x0 - NAMES < line.x1 < box.x0 + INSIDE and len(line.text) < LONG_LABEL
        }
        return len(rows) > 1 and len(rows & names) >= MOST_ROWS * len(rows)

    def find_figures(self) -> None:
        """Find the drawings, then for captions that are left what is painted beside them."""
        for box in find_drawings(self.rules, [area.box for area in self.areas]):
            if self.is_over():
                return
            self._add_figure(box, self._nearest(box, ("figure", "other"), FAR))
        captions = [caption for caption in self._left() if caption.kind == "figure"]
        painted = painted_parts(self.rules, [area.box for area in self.areas]) if captions else []
        for caption in captions:
            if self.is_over():
                return
            found = drawn_beside(caption, painted, self._free())
            if found is not None:
                painted = [box for box in painted if not meet(found, box)]
                self._add_figure(found, caption)

    def find_code(self, kinds: Sequence[CaptionOf]) -> None:
        """Mark the lines of listings beside captions of the kinds, between rules or not, as lines of code."""
        captions = [caption for caption in self._left() if caption.kind in kinds]
        zones = make_zones(self.rules.across, inf) if captions else ()
        for caption in captions:
            if self.is_over():
                return
            lines = self._framed_listing(caption, zones) or find_listing(self._free(), caption)
            code = {line: line._replace(mono=True) for line in lines}
            self._replace(code)
            self._taken.update(map(id, code.values()))

    def find_texts(self) -> None:
        """Find texts that are figures, by frame or font, and pictures at the side of captions."""
        captions = [caption for caption in self._left() if caption.kind == "figure"]
        painted = painted_parts(self.rules, [area.box for area in self.areas]) if captions else []
        for caption in captions:
            lines = self._free()
            box = next((box for box in painted if is_beside(caption, box, lines)), None)
            found = framed_text(caption, painted, lines) or shown_text(caption, lines)
            if found and not is_listing(found, caption.kind):
                self._add(Area(hull_of(map(box_of, found)), tuple(found), None, caption))
            elif box is not None:
                self._add(Area(box, (), None, caption))

    def _framed_listing(self, caption: Caption, zones: Iterable[Box]) -> list[Line]:
        for zone in (zone for zone in zones if gap(caption, zone, NEXT) is not None):
            lines = [line for line in self._inside(zone) if line not in caption.lines]
            if is_listing(lines, caption.kind) or (caption.kind == "code" and is_ragged(lines, zone)):
                return lines
        return []

    def _nearest(self, box: Box, kinds: Sequence[CaptionOf], reach: float = NEAR) -> Caption | None:
        lines = self._free()
        near = [one for one in self._left() if gap(one, box, reach) is not None]
        return nearest([one for one in near if is_clear(one.box, box, lines)], box, kinds, reach)

    def _left(self) -> list[Caption]:
        """Return the captions that nothing is found for."""
        done = {id(area.caption) for area in self.areas}
        return [caption for caption in self._captions if id(caption) not in done]

    def _free(self) -> list[Line]:
        return [line for line in self.lines if id(line) not in self._taken and line.angle == self._main]

    def _inside(self, box: Box, above: float = 0.0) -> list[Line]:
        return inside(self._free(), box, above)

    def _add_table(self, frame: Frame) -> None:
        self.lines = split_at(self.lines, frame.box, self._taken)
        turned = {line: set_upright(line, self._main) for line in self.lines if line.angle != self._main}
        self._replace({line: upright for line, upright in turned.items() if inside([upright], frame.box)})
        lines = self._inside(frame.box)
        if len(lines) < 2:
            return
        grid = Grid(frame, lines, self.rules.fills)
        if not grid.looks_like_table():
            return
        caption = self._nearest(frame.box, ("table", "figure"))
        if caption is None or caption.kind == "table" or not grid.is_of_letters():
            self._add(Area(frame.box, grid.lines, grid, caption))
        else:
            self._add(Area(frame.box, grid.lines, None, caption))

    def _add_figure(self, box: Box, caption: Caption | None) -> None:
        x0, y0, x1, y1 = box
        self.lines = split_at(self.lines, Box(x0, y0 - BESIDE, x1, y1 + BESIDE), self._taken)
        turned = {line: set_upright(line, self._main) for line in self.lines if line.angle != self._main}
        words = {id(line) for one in self._captions for line in one.lines}
        free = [line for line in (*self._free(), *turned.values()) if id(line) not in words]
        labels = labels_of(free, box)
        if caption is not None:
            known = {id(line) for line in labels}
            labels += [line for line in between(free, box, caption) if id(line) not in known]
        if labels and not is_text(labels) and (caption is not None or not is_title(labels)):
            self._replace({line: upright for line, upright in turned.items() if upright in labels})
            self._add(Area(box, tuple(labels), None, caption))
        elif not labels and caption is not None:
            self._add(Area(box, (), None, caption))

    def _replace(self, others: Mapping[Line, Line]) -> None:
        """Put other lines in the place of some."""
        if others:
            self.lines = [others.get(line, line) for line in self.lines]

    def _add(self, area: Area) -> None:
        self.areas.append(area)
        self._taken.update(id(line) for line in area.lines)


def inside(lines: Iterable[Line], box: Box, above: float = 0.0) -> list[Line]:
    """Return the lines whose middle is in the box, or up to so many points above or below it."""
    left, right = 2 * (box.x0 - INSIDE), 2 * (box.x1 + INSIDE)
    low, high = box.y0 - INSIDE - above, box.y1 + INSIDE + above
    return [
        line
        for line in lines
        if low <= line.base + MIDDLE * line.size <= high and left <= line.x0 + line.x1 <= right
    ]


def split_at(lines: Iterable[Line], box: Box, taken: Container[int] = ()) -> list[Line]:
    """Return the lines, those in parts that have some cells in the box and some beside it.

    The lines that ``taken`` names by id belong to another area and stay whole.
    """
    found: list[Line] = []
    for line in lines:
        beyond = line.cells and (line.x0 < box.x0 - INSIDE or line.x1 > box.x1 + INSIDE)
        if beyond and id(line) not in taken and box.y0 <= line.base + MIDDLE * line.size <= box.y1:
            found += _split_line(line, box)
        else:
            found.append(line)
    return found


def _split_line(line: Line, box: Box) -> list[Line]:
    runs = [
        list(run)
        for _, run in groupby(
            line.cells, key=lambda cell: box.x0 - INSIDE <= (cell.x0 + cell.x1) / 2 <= box.x1 + INSIDE
        )
    ]
    if len(runs) == 1:
        return [line]
    return [
        line._replace(
            text=" ".join(cell.text for cell in run),
            x0=run[0].x0,
            x1=run[-1].x1,
            cells=tuple(run) if len(run) > 1 else (),
            hyphen=line.hyphen and run is runs[-1],
        )
        for run in runs
    ]


def is_drawing(frame: Frame, shapes: Iterable[Box]) -> bool:
    """Say whether two shapes or a broad one run across the rules, as arrows and curves of a drawing do."""
    x0, y0, x1, y1 = frame.box
    crossing = [
        shape
        for shape in shapes
        if shape.x0 < x1 and shape.x1 > x0 and shape.y0 < y1 and shape.y1 > y0 and not _in_cell(frame, shape)
    ]
    return len(crossing) > 1 or any(shape.x1 - shape.x0 > BROAD * (x1 - x0) for shape in crossing)


def _in_cell(frame: Frame, shape: Box) -> bool:
    """Say whether one cell between the rules holds the shape."""
    across = any(low - 1 <= shape.x0 and shape.x1 <= high + 1 for low, high in pairwise(frame.xs))
    return across and any(low - 1 <= shape.y0 and shape.y1 <= high + 1 for high, low in pairwise(frame.ys))
