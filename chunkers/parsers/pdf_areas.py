"""Areas of a page that are no running text: tables with rules, and figures with their labels."""

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from .pdf_drawings import Box
from .pdf_figures import find_figures
from .pdf_grid import MIDDLE, Grid
from .pdf_lines import Line
from .pdf_paragraphs import Group
from .pdf_rules import Frame, Rules, find_frames, turn_rules
from .pdf_stacks import tabular_parts
from .pdf_text import Joiner

INSIDE = 2.0
"""Points by which the middle of a line may lie outside of the frame that it is in."""
BROAD = 0.3
"""The part of a frame's width that a shape in no table has."""
_FIRST_AREA = -2
"""The mark of a line that stands for the first area of its page; others have lower ones."""
AROUND = 60.0
"""Points above and below a stack of rules in which rows of its table may stand."""


class Area(NamedTuple):
    """Lines that belong together whatever the order of the page; those of a table have a grid."""

    box: Box
    lines: tuple[Line, ...]
    grid: Grid | None = None

    def build(self, joiner: Joiner) -> Group:
        """Return the table, or the figure with its labels."""
        if self.grid is None:
            return Group("figure", list(self.lines), found_by="pdf:drawing")
        return Group("table", list(self.lines), self.grid.table(joiner), found_by="pdf:ruled")

    def cut(self, lines: Sequence[Line]) -> "Area":
        """Return the area with fewer lines."""
        grid = self.grid and self.grid.cut(lines)
        return Area(self.box, tuple(lines), grid)


def fold(lines: Sequence[Line], areas: Sequence[Area]) -> list[Line]:
    """Return the page's lines with one for each area, as large as it, in the place of its first."""
    owners = {id(line): number for number, area in enumerate(areas) for line in area.lines}
    found: list[Line] = []
    done: set[int] = set()
    for line in lines:
        number = owners.get(id(line))
        if number is None:
            found.append(line)
        elif number not in done and line.angle == areas[number].lines[0].angle:
            done.add(number)
            found.append(_stand_in(areas[number], number))
    return found


def _stand_in(area: Area, number: int) -> Line:
    x0, y0, x1, y1 = area.box
    first = area.lines[0]
    return first._replace(x0=x0, x1=x1, base=y0, bottom=y0, top=y1, cells=(), mark=_FIRST_AREA - number)


def unfold(lines: Iterable[Line], areas: Sequence[Area]) -> list[Line]:
    """Return the lines with each area's own in the place of the one that stood for it."""
    found: list[Line] = []
    for line in lines:
        if line.mark <= _FIRST_AREA:
            found += areas[_FIRST_AREA - line.mark].lines
        else:
            found.append(line)
    return found


def keep(areas: Iterable[Area], dropped: Container[int], confirmed: Container[int]) -> list[Area]:
    """Return the areas without furniture at their end; one of furniture, or with a heading, is none."""
    found = []
    for area in areas:
        free = [number for number, line in enumerate(area.lines) if id(line) not in dropped]
        if len(free) < 2 or any(id(line) in confirmed for line in area.lines):
            continue
        # The head of a table that goes on at the top of the next page comes again, as running heads do.
        lines = area.lines[: free[-1] + 1]
        found.append(area if len(lines) == len(area.lines) else area.cut(lines))
    return found


def find_areas(lines: Sequence[Line], rules: Rules) -> tuple[list[Line], list[Area]]:
    """Return the page's lines, those cut that run across a table's edge, and the areas."""
    if not lines or not (rules.shapes or rules.images or len(rules.across) > 1):
        return list(lines), []
    angle = Counter(line.angle for line in lines).most_common(1)[0][0]
    if angle:
        rules = turn_rules(rules, angle)
    page = _Page([line for line in lines if line.angle == angle], rules)
    page.find()
    others = [line for line in lines if line.angle != angle]
    return [*page.lines, *others], page.areas


class _Page:
    """The upright lines of a page, and the areas found so far."""

    def __init__(self, lines: list[Line], rules: Rules) -> None:
        self.lines = lines
        self.rules = rules
        self.areas: list[Area] = []
        self._taken: set[int] = set()

    def find(self) -> None:
        grids, stacks = find_frames(self.rules) if len(self.rules.across) > 1 else ([], [])
        for frame in grids:
            if not is_drawing(frame, self.rules.shapes):
                self._add_table(frame)
        for frame in stacks:
            self.lines = split_at(self.lines, frame.box)
            for part in tabular_parts(frame, self._inside(frame.box, AROUND)):
                if not is_drawing(part, self.rules.shapes):
                    self._add_table(part)
        for box, labels in find_figures(self._free(), self.rules, [area.box for area in self.areas]):
            self._add(Area(box, tuple(labels)))

    def _free(self) -> list[Line]:
        return [line for line in self.lines if id(line) not in self._taken]

    def _inside(self, box: Box, above: float = 0.0) -> list[Line]:
        return inside(self._free(), box, above)

    def _add_table(self, frame: Frame) -> None:
        self.lines = split_at(self.lines, frame.box)
        lines = self._inside(frame.box)
        if len(lines) < 2:
            return
        grid = Grid(frame, lines, self.rules.fills)
        if grid.looks_like_table():
            self._add(Area(frame.box, grid.lines, grid))

    def _add(self, area: Area) -> None:
        self.areas.append(area)
        self._taken.update(id(line) for line in area.lines)


def inside(lines: Iterable[Line], box: Box, above: float = 0.0) -> list[Line]:
    """Return the lines whose middle is in the box, or up to so many points above or below it."""
    return [
        line
        for line in lines
        if box.x0 - INSIDE <= (line.x0 + line.x1) / 2 <= box.x1 + INSIDE
        and box.y0 - INSIDE - above <= line.base + MIDDLE * line.size <= box.y1 + INSIDE + above
    ]


def split_at(lines: Iterable[Line], box: Box) -> list[Line]:
    """Return the lines, those in parts that have some cells in the box and some beside it."""
    found: list[Line] = []
    for line in lines:
        if line.cells and box.y0 <= line.base + MIDDLE * line.size <= box.y1:
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
