"""What stands in rows and columns without rules and is no table: code, equations, justified text."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median_low

from .pdf_bands import Band, pieces
from .pdf_lines import Cell

_CODE = re.compile(r"[;{}]$|^(?:/\*|//|#\w|[{}=]|\*/)|\w\(.*\)$|^--\w")
_RELATION = re.compile(r"(?:^|[\s\w)\]])[=≤≥≈≡∈≠⇒⇔:]?[=≤≥≈≡∈≠⇒⇔](?:[\s\w(–−-]|$)")
_BRACKET = re.compile("[\uf8e0-\uf8ff\u239b-\u23b1]")
FEW_ROWS = 8
"""Rows from which on relations in the cells are those of a table's conditions, not of an equation."""
SAME_EDGE = 0.6
"""Ems between the edges of cells that are aligned."""
MOST = 0.6
"""The part of the rows that must agree."""


def is_trap(bands: Sequence[Band], edges: Sequence[float]) -> bool:
    """Say whether the rows, whose columns meet at the edges, are no table's."""
    rows = [[cell for line in band.lines for cell in pieces(line)] for band in bands if band.row]
    texts = [[cell.text.strip() for cell in row] for row in rows]
    size = bands[0].lines[0].size
    if is_code(texts) or is_equation(texts) or not is_aligned(rows, edges, size):
        return True
    return sum(len({_column(cell, edges) for cell in row}) > 1 for row in rows) < 2 or runs_on(bands, size)


def runs_on(bands: Sequence[Band], size: float) -> bool:
    """Say whether a word broken at the end of a row goes on in no part below: the row is a line of text."""
    for band, below in pairwise(bands):
        if band.row and any(line.hyphen for line in band.lines):
            x0, x1 = band.parts[-1]
            if not any(x0 - size <= a < x1 for a, _ in below.parts):
                return True
    return False


def looks_like_code(text: str) -> bool:
    """Say whether the text begins or ends as lines of code do."""
    return _CODE.search(text) is not None


def is_code(rows: Sequence[Sequence[str]]) -> bool:
    """Say whether the rows are lines of code, numbered ones as well."""
    marked = sum(1 for row in rows if any(map(looks_like_code, row)))
    numbers = [int(row[0]) for row in rows if row[0].isdecimal() and len(row[0]) < 6]
    if len(numbers) == len(rows) and all(a < b <= a + 3 for a, b in pairwise(numbers)):
        return marked * 4 >= len(rows)
    return marked * 2 > len(rows)


def is_equation(rows: Sequence[Sequence[str]]) -> bool:
    """Say whether most rows relate two terms, or brackets of several lines stand in them."""
    if any(_BRACKET.search(cell) for row in rows for cell in row):
        return True
    related = sum(1 for row in rows if any(_RELATION.search(cell) for cell in row))
    return len(rows) < FEW_ROWS and related * 2 >= len(rows)


def is_aligned(rows: Iterable[Sequence[Cell]], edges: Sequence[float], size: float) -> bool:
    """Say whether half of the columns have their left edges, right edges or middles below one another."""
    columns: list[dict[int, tuple[float, float]]] = [{} for _ in range(len(edges) + 1)]
    for number, row in enumerate(rows):
        for cell in row:
            column = columns[_column(cell, edges)]
            x0, x1 = column.get(number, (cell.x0, cell.x1))
            column[number] = min(x0, cell.x0), max(x1, cell.x1)
    several = [list(column.values()) for column in columns[1:] if len(column) > 1]
    return sum(_agree(cells, SAME_EDGE * size) for cells in several) * 2 >= len(several)


def _column(cell: Cell, edges: Sequence[float]) -> int:
    return bisect_left(edges, (cell.x0 + min(cell.x1, cell.x0 + 8)) / 2)


def _agree(cells: Sequence[tuple[float, float]], room: float) -> bool:
    for edges in ([x0 for x0, _ in cells], [x1 for _, x1 in cells], [(x0 + x1) / 2 for x0, x1 in cells]):
        middle = median_low(edges)
        if sum(1 for edge in edges if abs(edge - middle) <= room) >= MOST * len(edges):
            return True
    return False
