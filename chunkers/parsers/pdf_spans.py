"""Cells of tagged tables that cover several columns or rows."""

import ctypes
from typing import Any

import pypdfium2.raw as raw

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
