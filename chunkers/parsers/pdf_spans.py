"""Cells of tagged tables that cover several columns or rows."""

import ctypes
from collections.abc import Container, Iterable, Sequence
from functools import partial
from typing import Any

import pypdfium2.raw as raw

from .pdf_lines import Line

MOST = 100
"""Columns or rows that one cell covers at most."""
MAX_ATTRIBUTES = 8


class Columns:
    """Gives the cells of a page's tables their columns, counted from 1, row after row."""

    def __init__(self) -> None:
        self._next: dict[int, int] = {}
        self._hanging: dict[int, dict[int, int]] = {}
        self._blocked: dict[int, set[int]] = {}

    def start_row(self, table: int, row: int) -> None:
        """Begin a row of a table, which cells of the rows above may reach into."""
        hanging = {column: left for column, left in self._hanging.get(table, {}).items() if left}
        self._blocked[row] = set(hanging)
        self._hanging[table] = {column: left - 1 for column, left in hanging.items()}
        self._next[row] = 1

    def place(self, table: int, row: int, spans: tuple[int, int]) -> int:
        """Return the column of the next cell, which covers so many columns and rows."""
        blocked = self._blocked[row]
        column = self._next[row]
        while column in blocked:
            column += 1
        across, down = spans
        self._next[row] = column + across
        if down > 1:
            self._hanging[table].update(dict.fromkeys(range(column, column + across), down - 1))
        return column


Cells = dict[tuple[int, int], list[Line]]
"""The lines of cells by row and column, counted from 1."""


def by_sight(cells: Cells, width: int, spanned: Container[int]) -> Cells:
    """Return the cells with those of short rows in the columns that they stand in.

    Programs leave out empty cells. The rows that ``spanned`` names have cells over several columns.
    """
    rows: dict[int, list[int]] = {}
    for row, column in cells:
        rows.setdefault(row, []).append(column)
    full = [row for row, columns in rows.items() if len(columns) == width and row not in spanned]
    if not full:
        return cells
    sides = [_sides([line for row in full for line in cells[row, n]]) for n in range(1, width + 1)]
    found: Cells = {}
    for row, columns in rows.items():
        short = len(columns) < width and max(columns) == len(columns) and row not in spanned
        last = 0
        for number, column in enumerate(columns):
            place = column
            if short:
                free = range(last + 1, width - len(columns) + number + 2)
                place = last = max(free, key=partial(_shared, sides, _sides(cells[row, column])))
            found[row, place] = cells[row, column]
    return found


def _sides(lines: Iterable[Line]) -> tuple[float, float]:
    return min(line.x0 for line in lines), max(line.x1 for line in lines)


def _shared(columns: Sequence[tuple[float, float]], sides: tuple[float, float], column: int) -> float:
    """Return the points that a cell shares with a column, negative for those between them."""
    low, high = columns[column - 1]
    return min(high, sides[1]) - max(low, sides[0])


def spans_of(cell: Any) -> tuple[int, int]:
    """Return how many columns and rows a cell's element covers."""
    element = ctypes.cast(cell, raw.FPDF_STRUCTELEMENT)
    found = {b"ColSpan": 1, b"RowSpan": 1}
    number = ctypes.c_float()
    for index in range(min(raw.FPDF_StructElement_GetAttributeCount(element), MAX_ATTRIBUTES)):
        attributes = raw.FPDF_StructElement_GetAttributeAtIndex(element, index)
        for name in found:
            value = raw.FPDF_StructElement_Attr_GetValue(attributes, name) if attributes else None
            if value and raw.FPDF_StructElement_Attr_GetNumberValue(value, number):
                found[name] = min(max(int(number.value), 1), MOST)
    return found[b"ColSpan"], found[b"RowSpan"]
