"""Tables with rules: cells cut at the rules where there are some, elsewhere at gutters and baselines."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from .pdf_drawings import Box, Fill
from .pdf_lines import Line
from .pdf_rules import NEAR, TOUCH, Frame
from .pdf_tables import MAX_HEADER, NUMERIC, Table, header_rows, shared_spaces, stands_apart
from .pdf_text import Joiner

LONG_CELL = 300
"""Mean characters of a cell from which on rules are there for the page's layout."""
SAME_BASE = 0.45
"""Ems between the baselines of parts of one line."""
EACH_LINE = 0.7
"""The part of the lines between two rules that must look like rows, for them to be rows."""
LAST_THIRD = 0.7
"""A line that ends before this part of its column's width was not cut by the column's end."""
FEW_CELLS = 40
FEW_LETTERS = 6
"""Mean characters in the boxes of a figure at most."""
MIDDLE = 0.3
"""Ems from the baseline to the middle of small letters."""


class Piece(NamedTuple):
    """A part of a line that lies in one cell."""

    x0: float
    x1: float
    base: float
    text: str
    hyphen: bool
    line: Line

    @property
    def middle(self) -> float:
        """The height of the middle of the letters."""
        return self.base + MIDDLE * self.line.size


Row = list[Piece]


def cut_pieces(lines: Iterable[Line]) -> list[Piece]:
    """Return the parts of the lines that wide gaps or rules set apart."""
    found = []
    for line in lines:
        if not line.cells:
            found.append(Piece(line.x0, line.x1, line.base, line.text, line.hyphen, line))
            continue
        for number, (x0, x1, text) in enumerate(line.cells, start=1):
            broken = line.hyphen and number == len(line.cells)
            found.append(Piece(x0, x1, line.base, text, broken, line))
    return found


def text_rows(found: Iterable[Piece]) -> list[Row]:
    """Return the parts that stand at one height, from top to bottom, from left to right."""
    rows: list[Row] = []
    for piece in sorted(found, key=lambda piece: -piece.base):
        if rows and rows[-1][0].base - piece.base < SAME_BASE * max(piece.line.size, 4.0):
            rows[-1].append(piece)
        else:
            rows.append([piece])
    for row in rows:
        row.sort(key=lambda piece: piece.x0)
    return rows


def column_spaces(rows: Sequence[Row]) -> list[tuple[float, float]]:
    """Return the gutters that the rows of more than one part share."""
    full = [[(piece.x0, piece.x1) for piece in row] for row in rows if len(row) > 1]
    return shared_spaces(full, rows[0][0].line.size) if full else []


class Grid:
    """A frame with the lines inside of it, seen as rows and columns."""

    def __init__(self, frame: Frame, lines: Sequence[Line], fills: Sequence[Fill] = ()) -> None:
        self.frame = frame
        self.lines = tuple(lines)
        self._fills = fills
        self._pieces = cut_pieces(lines)
        self.edges = self._column_edges()
        self._heights = [-y for y in frame.ys[1:-1]]
        self.bands, self._head = self._make_bands()

    def _column_edges(self) -> list[float]:
        """Return the x between two columns: of rules, and of gutters that the rows leave free."""
        xs = self.frame.xs
        rows = text_rows(self._pieces)
        size = self.lines[0].size
        edges = list(xs[1:-1])
        for low, high in column_spaces(rows):
            place = bisect_left(xs, (low + high) / 2)
            near = any(low - size < edge < high + size for edge in xs[1:-1])
            if not near and (len(xs) == 2 or _divides(rows, (low, high), xs[place - 1 : place + 1])):
                edges.append((low + high) / 2)
        return sorted(edges)

    def _interval(self, piece: Piece) -> int:
        """Return the rules above the part; those that leave a merged cell open do not count."""
        row = bisect_left(self._heights, -piece.middle)
        x = (piece.x0 + piece.x1) / 2
        while row and not _cover(self.frame.across, 0, x, -self._heights[row - 1]):
            row -= 1
        return row

    def columns(self, row: Row) -> list[int]:
        """Return each part's column; what stands alone in a merged cell is in its first one."""
        found = [bisect_left(self.edges, (piece.x0 + min(piece.x1, piece.x0 + 8)) / 2) for piece in row]
        homes = []
        for number, piece in enumerate(row):
            column, before = found[number], found[number - 1] if number else -1
            shared = number + 1 < len(row) and found[number + 1] == column
            while not shared and column - 1 > before and self._is_open(self.edges[column - 1], piece.middle):
                column -= 1
            homes.append(column)
        return homes

    def _is_open(self, edge: float, height: float) -> bool:
        """Say whether the rule that parts two columns elsewhere is missing at that height."""
        return edge in self.frame.xs and not _cover(self.frame.upright, 1, height, edge)

    def _make_bands(self) -> tuple[list[list[Row]], int]:
        """Return the rows of text of each table row, and how many rows a rule sets apart as the head."""
        between: dict[int, list[Piece]] = {}
        for piece in self._pieces:
            between.setdefault(self._interval(piece), []).append(piece)
        bands: list[list[Row]] = []
        head = 0
        for number, place in enumerate(sorted(between)):
            rows = text_rows(between[place])
            bands += self._split(rows, number == 0 and len(between) > 1)
            if number == 0:
                head = sum(1 for band in bands if not any(map(_is_figures, band)))
        few = 1 < len(between) < len(bands) if len(self.frame.xs) == 2 else len(between) * 2 <= len(bands)
        return bands, head if few and head <= MAX_HEADER else 0

    def _split(self, rows: list[Row], first: bool) -> list[list[Row]]:
        """Return the rows of text between two rules as rows of the table: all as one, or each as its own."""
        head = first and len(rows) <= MAX_HEADER and not any(map(_is_figures, rows[1:]))
        if len(rows) < 2 or head:
            return [rows]
        columns = [self.columns(row) for row in rows]
        full = [len(set(found)) >= max(3, 0.6 * len(self.edges) + 0.6) for found in columns]
        if sum(full) > 1 and all(
            _is_figures(row) for row, is_full in zip(rows, full, strict=True) if is_full
        ):
            # What stands above the first full row is centred in a cell that several rows share.
            full[full.index(True)] = False
            return _cut(rows, full)
        if self._is_each_a_row(rows, columns):
            return _cut(rows, [found[0] == 0 for found in columns])
        return [rows]

    def _is_each_a_row(self, rows: Sequence[Row], columns: Sequence[list[int]]) -> bool:
        """Say whether the lines between two rules are rows of their own, not lines of one cell."""
        first = [row for row, found in zip(rows, columns, strict=True) if found[0] == 0]
        full = sum(1 for found in columns if found[0] == 0 and len(set(found)) > 1)
        if len(first) < 2 or full < EACH_LINE * len(first) or self._is_cut(first):
            return False
        names = [found[0] == 0 for found in columns]
        # A name below a line without one begins a row; the lines of one cell follow one another.
        apart = any(name and not above for above, name in pairwise(names)) and names[0]
        every = min(len(set(found)) for found in columns) == len(self.edges) + 1
        return apart or (len(first) == len(rows) and (len(rows) > 2 or (every and len(self.frame.xs) == 2)))

    def _is_cut(self, first: Sequence[Row]) -> bool:
        """Say whether most lines in the first column go on with what the column's end has cut above."""
        if first[0][0].text[:1].islower():
            return False
        left, right = self.frame.box.x0, self.edges[0] if self.edges else self.frame.box.x1
        limit = left + LAST_THIRD * (right - left)
        cut = sum(1 for above, row in pairwise(first) if row[0].text[:1].islower() and above[0].x1 > limit)
        return cut * 2 >= len(first)

    @cached_property
    def cells(self) -> list[list[Row]]:
        """Each row's cells as the parts of their text."""
        table: list[list[Row]] = []
        for band in self.bands:
            cells: list[Row] = [[] for _ in range(len(self.edges) + 1)]
            for row in band:
                for piece, column in zip(row, self.columns(row), strict=True):
                    cells[column].append(piece)
            table.append(cells)
        return table

    def looks_like_table(self) -> bool:
        """Say whether the cells are those of a table: several in most rows, none of them a page's text."""
        cells = self.cells
        filled = [[cell for cell in row if cell] for row in cells]
        columns = sum(1 for column in zip(*cells, strict=True) if any(column))
        wide = sum(1 for row in filled if len(row) > 1)
        if columns < 2 or wide < 2 or wide * 3 < len(cells):
            return False
        every = [sum(len(piece.text) for piece in cell) for row in filled for cell in row]
        return sum(every) <= LONG_CELL * len(every)

    def is_of_letters(self) -> bool:
        """Say whether the cells hold a few letters each and no row is a heading, as boxes in a figure do."""
        every = [len(piece.text) for piece in self._pieces]
        bold = any(piece.line.bold for piece in self._pieces)
        return not bold and len(every) <= FEW_CELLS and sum(every) <= FEW_LETTERS * len(every)

    def table(self, joiner: Joiner) -> Table:
        """Return the table."""
        texts = tuple(
            tuple(joiner.run((piece.text, piece.hyphen) for piece in cell) for cell in row)
            for row in self.cells
        )
        bold = [all(piece.line.bold for row in band for piece in row) for band in self.bands]
        head = self._head or self._shaded() or header_rows(texts, bold) or int(self._is_set_apart())
        return Table(texts, self.lines, head, tuple((edge, edge) for edge in self.edges))

    def _is_set_apart(self) -> bool:
        """Say whether the first row is in another font, or in the middle of columns that others begin."""
        if stands_apart([[piece.line for row in band for piece in row] for band in self.bands]):
            return True
        xs = (self.frame.box.x0, *self.edges, self.frame.box.x1)
        centred = 0
        for number, (first, *others) in enumerate(zip(*self.cells, strict=True)):
            lefts = sorted(cell[0].x0 for cell in others if cell)
            if first and len(lefts) > 1 and lefts[-1] - lefts[0] < NEAR / 2:
                off = abs(first[0].x0 + first[-1].x1 - xs[number] - xs[number + 1]) / 2
                centred += off < NEAR and first[0].x0 - lefts[0] > NEAR
        return centred > 1 and centred * 2 > len(self.edges)

    def _shaded(self) -> int:
        """Count the first rows that alone are on a ground of another colour."""
        grounds = [self._ground(band[0][0]) for band in self.bands]
        first = grounds[0] if grounds else None
        head = next((number for number, ground in enumerate(grounds) if ground != first), 0)
        return head if first and head <= MAX_HEADER and first not in grounds[head:] else 0

    def _ground(self, piece: Piece) -> tuple[int, ...] | None:
        """Return the colour that is painted last behind the part."""
        x, y = piece.x0 + 1, piece.middle
        for box, colour in reversed(self._fills):
            if box.x0 <= x <= box.x1 and box.y0 <= y <= box.y1:
                return colour
        return None


def _cover(rules: Iterable[Box], side: int, along: float, at: float) -> bool:
    """Say whether a rule at a place covers a position along it; ``side`` is 0 for rules along x."""
    for rule in rules:
        # The test that most rules fail comes first.
        if (
            rule[1 - side] - NEAR <= at <= rule[3 - side] + NEAR
            and rule[side] - TOUCH <= along <= rule[side + 2] + TOUCH
        ):
            return True
    return False


def _divides(rows: Sequence[Row], gutter: tuple[float, float], column: tuple[float, ...]) -> bool:
    """Say whether a gutter divides most rows of a column between two rules."""
    left, right = column
    inside = [[piece for piece in row if left <= (piece.x0 + piece.x1) / 2 <= right] for row in rows]
    both = sum(1 for row in inside if row and row[0].x1 <= gutter[0] + 1 and row[-1].x0 >= gutter[1] - 1)
    return both >= max(3, 0.6 * sum(map(bool, inside)))


def _is_figures(row: Row) -> bool:
    """Say whether two parts or more of the row are numbers."""
    return sum(1 for piece in row if NUMERIC.match(piece.text)) >= 2


def _cut(rows: Sequence[Row], starts: Sequence[bool]) -> list[list[Row]]:
    """Return the rows in groups that begin where a start is set."""
    bands: list[list[Row]] = []
    for row, start in zip(rows, starts, strict=True):
        if start or not bands:
            bands.append([row])
        else:
            bands[-1].append(row)
    return bands
