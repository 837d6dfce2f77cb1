"""Rows of a page: lines that stand beside one another, cells of several lines included."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from .pdf_lines import Cell, Line

_MARKER = re.compile(r"^(?:[•▪◦‣∙·●○■□➢–—*-]|\(?(?:\d{1,3}|[a-z]|[ivx]{1,5})[.)]|\[\w[^\[\]]{0,14}\])$", re.I)
_SECTION = re.compile(r"^(?:\d{1,3}(?:\.\d{1,3})*\.?|[A-Z](?:\.\d{1,3})+\.?|[IVX]{1,5}\.)$")
_EQUATION_NUMBER = re.compile(r"^\(\d{1,3}(?:\.\d{1,3})*[a-z]?\)$")
MIN_GUTTER = 0.6
"""Ems that must stay free between two columns in every row."""
SAME_WIDTH = 1.5
"""Points between the edges of lines of one justified paragraph."""
MAX_CELL_LINES = 14


class Band(NamedTuple):
    """Lines that stand beside one another and the x ranges of their parts; ``row`` if it can be a table's."""

    lines: tuple[Line, ...]
    parts: tuple[tuple[float, float], ...]
    low: float
    high: float
    row: bool


def pieces(line: Line) -> tuple[Cell, ...]:
    """Return the line's cells, or the whole line as one."""
    return line.cells or (Cell(line.x0, line.x1, line.text),)


def may_have_rows(lines: Sequence[Line]) -> bool:
    """Say whether some line has cells or stands beside the line before it, so that bands can be rows."""
    return any(
        [line.cells or line.base >= above.base - 0.9 * line.size for above, line in pairwise(lines)]
    ) or bool(lines and lines[0].cells)


def make_bands(lines: Sequence[Line]) -> list[Band]:
    """Group lines, in reading order, that stand beside one another, cells of several lines included."""
    groups: list[list[Line]] = []
    for line in lines:
        if groups and _beside(groups[-1], line):
            groups[-1].append(line)
            continue
        trailing = _trailing(groups, line)
        if trailing:
            merged = [member for group in groups[-trailing:] for member in group]
            del groups[-trailing:]
            groups.append([*merged, line])
        else:
            groups.append([line])
    bands = [_band(group) for group in groups]
    return [
        band._replace(row=False)
        if band.row and _is_justified(band, bands[n - 1 : n] + bands[n + 1 : n + 2])
        else band
        for n, band in enumerate(bands)
    ]


def _is_justified(band: Band, beside: Iterable[Band]) -> bool:
    """Say whether a line fills the very width that the whole line above or below does, as in a paragraph."""
    line = band.lines[0]
    return len(band.lines) == 1 and any(
        len(other.parts) == 1
        and abs(other.parts[0][0] - line.x0) < SAME_WIDTH
        and abs(other.parts[0][1] - line.x1) < SAME_WIDTH
        and other.lines[0].size == line.size
        and min(abs(other.low - band.low), abs(other.high - band.high)) < 2 * line.size
        for other in beside
    )


def _band(lines: Sequence[Line]) -> Band:
    parts = _parts(lines)
    bases = [line.base for line in lines]
    return Band(tuple(lines), parts, min(bases), max(bases), len(parts) > 1 and is_row(lines, len(parts)))


def _beside(group: Sequence[Line], line: Line) -> bool:
    """Say whether the line continues the row: at its height, and not below one of its parts."""
    low = high = group[0].base
    if len(group) > 1:
        low, high = min(member.base for member in group), max(member.base for member in group)
    if line.base > high + line.size or line.base < low - 0.9 * line.size:
        return False
    if line.base >= low - 0.3 * line.size:
        return len(group) > 1 or line.x0 > group[-1].x0
    return line.x0 > max(member.x1 for member in group)


def _trailing(groups: Sequence[Sequence[Line]], line: Line) -> int:
    """Count the last groups that are the cells to the left of a line to which the text jumps up again."""
    if not groups or groups[-1][-1].base > line.base:
        return 0
    count = lines = 0
    for group in reversed(groups):
        high = max(member.base for member in group)
        if high > line.base + line.size or max(member.x1 for member in group) > line.x0 + 1:
            break
        lines += len(group)
        if lines > MAX_CELL_LINES:
            return 0
        count += 1
    return count


def _parts(lines: Sequence[Line]) -> tuple[tuple[float, float], ...]:
    if len(lines) == 1 and not lines[0].cells:
        return ((lines[0].x0, lines[0].x1),)
    merged: list[tuple[float, float]] = []
    for cell in sorted((cell for line in lines for cell in pieces(line)), key=lambda cell: cell.x0):
        if merged and cell.x0 - merged[-1][1] < MIN_GUTTER * lines[0].size:
            merged[-1] = (merged[-1][0], max(merged[-1][1], cell.x1))
        else:
            merged.append((cell.x0, cell.x1))
    return tuple(merged)


def is_row(lines: Sequence[Line], parts: int) -> bool:
    """Say whether the parts can be the cells of a row: they are no item, heading, equation or code."""
    first = lines[0]
    if any(line.leader for line in lines) or all(line.mono for line in lines):
        return False
    if parts > 2:
        return True
    head = pieces(first)[0].text
    if _MARKER.match(head) or (
        _SECTION.match(head) and (first.bold or (len(first.cells) == 2 and "." in head))
    ):
        return False
    return not _EQUATION_NUMBER.match(pieces(lines[-1])[-1].text)
