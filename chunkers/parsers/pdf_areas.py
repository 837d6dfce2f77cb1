"""Areas of a page that are no running text: tables with rules, and figures with their labels."""

from collections.abc import Container, Iterable, Sequence
from typing import NamedTuple

from .pdf_captions import Caption
from .pdf_drawings import Box
from .pdf_grid import Grid
from .pdf_lines import Line
from .pdf_paragraphs import Group
from .pdf_text import Joiner

_FIRST_AREA = -2
"""The mark of a line that stands for the first area of its page; others have lower ones."""


class Area(NamedTuple):
    """Lines that belong together whatever the order of the page; those of a table have a grid."""

    box: Box
    lines: tuple[Line, ...]
    grid: Grid | None = None
    caption: Caption | None = None

    def build(self, joiner: Joiner) -> Group:
        """Return the table, or the figure with its labels."""
        if self.grid is None:
            return Group("figure", list(self.lines), found_by="pdf:drawing")
        return Group("table", list(self.lines), self.grid.table(joiner), found_by="pdf:ruled")


def fold(lines: Sequence[Line], areas: Sequence[Area]) -> list[Line]:
    """Return the page's lines with one for each area, as large as it: beside its caption, or in its place."""
    if not areas:
        return list(lines)
    owners = {id(line): number for number, area in enumerate(areas) for line in area.lines}
    before: dict[int, list[Line]] = {}
    after: dict[int, list[Line]] = {}
    for number, area in enumerate(areas):
        if not area.lines:
            continue
        stand_in = _stand_in(area, number)
        if area.caption is None:
            before.setdefault(id(area.lines[0]), []).append(stand_in)
        elif area.caption.box.y0 > area.box.y0:
            after.setdefault(id(area.caption.lines[-1]), []).append(stand_in)
        else:
            before.setdefault(id(area.caption.lines[0]), []).append(stand_in)
    found: list[Line] = []
    for line in lines:
        found += before.get(id(line), ())
        if id(line) not in owners:
            found.append(line)
        found += after.get(id(line), ())
    return found


def _stand_in(area: Area, number: int) -> Line:
    x0, y0, x1, y1 = area.box
    first = area.lines[0]
    return first._replace(x0=x0, x1=x1, base=y0, bottom=y0, top=y1, cells=(), mark=_FIRST_AREA - number)


def unfold(lines: Iterable[Line], areas: Sequence[Area]) -> list[Line]:
    """Return the lines with each area's own in the place of the one that stood for it."""
    if not areas:
        return list(lines)
    found: list[Line] = []
    for line in lines:
        if line.mark <= _FIRST_AREA:
            found += areas[_FIRST_AREA - line.mark].lines
        else:
            found.append(line)
    return found


def mark_pictures(groups: Iterable[Group], pages: Iterable[Sequence[Area]]) -> None:
    """Note of captions that they belong to a picture without words."""
    areas = [area for page in pages for area in page if area.caption and not area.lines]
    pictures = {id(area.caption.lines[0]) for area in areas if area.caption}
    for group in groups:
        if id(group.lines[0]) in pictures and group.kind == "text":
            group.found_by = "pdf:picture"


def keep(areas: Iterable[Area], dropped: Container[int], confirmed: Container[int]) -> list[Area]:
    """Return the areas that are neither running heads, by most of their lines, nor hold a heading.

    Rows of a table at the edges of pages look like running heads: the head that comes again, counted rows.
    A running head beside a drawing is no label of it.
    """
    return [
        area
        for area in (_without_heads(area, dropped) for area in areas)
        if (area.lines or area.caption)
        and sum(id(line) in dropped for line in area.lines) * 2 <= len(area.lines)
        and not any(id(line) in confirmed for line in area.lines)
    ]


def _without_heads(area: Area, dropped: Container[int]) -> Area:
    if area.grid is not None:
        return area
    low, high = area.box.y0, area.box.y1
    return area._replace(
        lines=tuple(line for line in area.lines if id(line) not in dropped or low <= line.base <= high)
    )
