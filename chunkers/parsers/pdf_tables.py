"""Tables without ruling lines: rows of cells that share the gutters between their columns."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import islice, pairwise
from typing import NamedTuple

from .pdf_bands import MIN_GUTTER, Band, pieces
from .pdf_captions import begins_caption
from .pdf_lines import Line
from .pdf_text import Joiner
from .pdf_traps import is_trap

NUMERIC = re.compile(r"^[\W\d]*\d[\W\d]*%?$")
_YEAR = re.compile(r"(?:19|20)\d\d\W?")
MAX_HEADER = 3
LONG_RUN = 15
APART = 1.4
"""Times the widest step between two rows: another table begins after it, if it has other columns."""
PITCH = 3.2
"""Ems between two rows of one table at most."""


class Table(NamedTuple):
    """A table's rows of cell texts, its lines, how many rows are its header, and the columns' gutters."""

    rows: tuple[tuple[str, ...], ...]
    lines: tuple[Line, ...]
    header_rows: int
    gutters: tuple[tuple[float, float], ...] = ()


def free_ranges(band: Band) -> list[tuple[float, float]]:
    """Return the x ranges that the band leaves free, to both sides without end."""
    edges = [float("-inf"), *(x for part in band.parts for x in part), float("inf")]
    return list(zip(edges[::2], edges[1::2], strict=True))


def common(
    first: Sequence[tuple[float, float]], second: Sequence[tuple[float, float]]
) -> list[tuple[float, float]]:
    """Return the x ranges that are free in both, which are in order and do not overlap."""
    found = []
    place = 0
    for a0, a1 in first:
        while place < len(second) and second[place][1] <= a0:
            place += 1
        for b0, b1 in islice(second, place, None):
            if b0 >= a1:
                break
            found.append((max(a0, b0), min(a1, b1)))
    return found


def inner(free: Sequence[tuple[float, float]], size: float) -> list[tuple[float, float]]:
    """Return the gutters: free ranges between columns that are wide enough."""
    infinite = (float("-inf"), float("inf"))
    return [
        (low, high)
        for low, high in free
        if low not in infinite and high not in infinite and high - low >= MIN_GUTTER * size
    ]


def shared_gutters(bands: Sequence[Band], size: float) -> list[tuple[float, float]]:
    """Return the gutters that all rows leave free, but for one in ten when there are five rows or more."""
    return shared_spaces([band.parts for band in bands if band.row], size)


def shared_spaces(rows: Sequence[Sequence[tuple[float, float]]], size: float) -> list[tuple[float, float]]:
    """Return the gutters between the x ranges of rows; one row in ten may cross one of five or more."""
    crossing = 0 if len(rows) < 5 else max(1, len(rows) // 10)
    edges = sorted(edge for parts in rows for x0, x1 in parts for edge in ((x0, 1), (x1, -1)))
    gutters: list[tuple[float, float]] = []
    covered, start = 0, float("-inf")
    for x, step in edges:
        before, covered = covered, covered + step
        if before <= crossing < covered:
            if x - start >= MIN_GUTTER * size and start > edges[0][0]:
                gutters.append((start, x))
        elif covered <= crossing < before:
            start = x
    return gutters


class _Run:
    """Rows that may become one table, with the gutters that they share."""

    def __init__(self, band: Band) -> None:
        self.bands = [band]
        self.size = band.lines[0].size
        self.free = free_ranges(band)
        self.full = 1
        self.step = 0.0

    def takes(self, band: Band) -> bool:
        """Add the band as a row, or as a part of the row before it; say no when it belongs to no table."""
        if not self._follows(self.bands[-1], band):
            return False
        if band.row:
            free = common(self.free, free_ranges(band))
            if not inner(free, self.size) or self._begins_another(band):
                return False
            self.free = free
            self.full += 1
            self.step = max(self.step, self.bands[-1].low - band.high)
        elif not self._continues(band):
            return False
        self.bands.append(band)
        return True

    def _begins_another(self, band: Band) -> bool:
        """Say whether the row stands apart from those before, and most of its parts below none of theirs."""
        if self.full < 2 or self.bands[-1].low - band.high <= APART * self.step:
            return False
        parts = [part for row in self.bands for part in row.parts]
        below = sum(
            any(abs(x0 - a) < self.size / 2 or abs(x1 - b) < self.size / 2 for a, b in parts)
            for x0, x1 in band.parts
        )
        return below * 2 <= len(band.parts)

    def takes_between(self, band: Band, after: Band) -> bool:
        """Add a short line across the columns, the name of a group of rows, when a row comes after it."""
        left = self.bands[0].parts[0][0]
        if len(band.parts) != 1 or len(band.lines) > 1 or abs(band.parts[0][0] - left) > 0.5 * self.size:
            return False
        short = len(band.lines[0].text) < 50 and band.parts[0][1] <= self.right()
        short = short and not begins_caption(band.lines[0])
        if not (short and after.row and self._follows(self.bands[-1], band) and self._follows(band, after)):
            return False
        if not inner(common(self.free, free_ranges(after)), self.size):
            return False
        self.bands.append(band)
        return True

    def _follows(self, above: Band, below: Band) -> bool:
        return -0.5 * self.size < above.low - below.high <= PITCH * self.size

    def _continues(self, band: Band) -> bool:
        """A single part under a later column's start goes on with the cell above it."""
        x0, x1 = band.parts[0][0], band.parts[-1][1]
        if len(band.parts) != 1 or x1 > self.right() + 2 * self.size or begins_caption(band.lines[0]):
            return False
        gutters = inner(self.free, self.size)
        return any(high - 0.3 * self.size <= x0 for _, high in gutters) or (
            bool(gutters) and x1 <= gutters[0][0] + 1 and len(band.lines[0].text) < 60
        )

    def right(self) -> float:
        """Return the right edge of the rows."""
        return max(part[1] for band in self.bands for part in band.parts)

    def trim(self) -> list[Band]:
        """Drop what stands after the last full row and is in its first column: the text below the table."""
        gutters = inner(self.free, self.size)
        bands = list(self.bands)
        while bands and not bands[-1].row and bands[-1].parts[0][0] < gutters[0][1] - 0.3 * self.size:
            bands.pop()
        return bands


def find_tables(bands: Sequence[Band]) -> list[tuple[int, int, list[tuple[float, float]]]]:
    """Return each table as first band, last band + 1 and its gutters."""
    found = []
    index = 0
    while index < len(bands):
        if not bands[index].row:
            index += 1
            continue
        run = _Run(bands[index])
        after = index + 1
        while after < len(bands) and (
            run.takes(bands[after])
            or (after + 1 < len(bands) and run.takes_between(bands[after], bands[after + 1]))
        ):
            after += 1
        kept = run.trim()
        gutters = shared_gutters(kept, run.size)
        edges = [(low + high) / 2 for low, high in gutters]
        if run.full >= 2 and _looks_like_table(kept) and not is_trap(kept, edges):
            found.append((index, index + len(kept), gutters))
            index += len(kept)
        else:
            # Every row of a long run as a first one would take time by the square of their number.
            index += max(1, len(kept) - LONG_RUN)
    return found


def _looks_like_table(bands: Sequence[Band]) -> bool:
    """Two long texts side by side are columns of prose, and two rows of two parts need short ones."""
    rows = [band for band in bands if band.row]
    if any(len(band.parts) > 2 for band in rows):
        return True
    texts = [cell.text for band in rows for line in band.lines for cell in pieces(line)]
    mean = sum(map(len, texts)) / len(texts)
    return mean < (28 if len(rows) == 2 else 50)


def build_table(bands: Sequence[Band], gutters: Sequence[tuple[float, float]], joiner: Joiner) -> Table:
    """Return the table of the bands, its cells cut at the gutters."""
    edges = [(low + high) / 2 for low, high in gutters]
    rows: list[list[list[tuple[str, bool]]]] = []
    for band in bands:
        cells: list[list[tuple[str, bool]]] = [[] for _ in range(len(edges) + 1)]
        for line in sorted(band.lines, key=lambda line: (-round(line.base / 3), line.x0)):
            for number, cell in enumerate(pieces(line)):
                column = bisect_left(edges, (cell.x0 + min(cell.x1, cell.x0 + 8)) / 2)
                cells[column].append((cell.text, line.hyphen and number == len(pieces(line)) - 1))
        if rows and not band.row and not cells[0]:
            for column, parts in enumerate(cells):
                rows[-1][column] += parts
        else:
            rows.append(cells)
    texts = tuple(tuple(joiner.run(cell) for cell in row) for row in rows)
    lines = tuple(line for band in bands for line in band.lines)
    bold = [all(line.bold for line in band.lines) for band in bands]
    head = header_rows(texts, bold) or int(stands_apart([band.lines for band in bands]))
    return Table(texts, lines, head, tuple(gutters))


def stands_apart(rows: Sequence[Sequence[Line]]) -> bool:
    """Say whether the first row is in fonts, or in a size, that none of the others has."""
    first, *others = [{(line.font.name, round(line.size)) for line in row} for row in rows]
    return len(others) > 1 and all(map(first.isdisjoint, others))


def header_rows(rows: Sequence[Sequence[str]], bold: Sequence[bool]) -> int:
    """Count the first rows that alone are bold, or without numbers; or the first is all short names."""
    if len(rows) < 2:
        return 0
    heavy = _leading(bold)
    if heavy and not all(bold):
        return heavy if heavy <= MAX_HEADER else 1
    if (_counts(rows[0]) or _is_of_years(rows[0])) and not (_counts(rows[1]) or _is_of_years(rows[1])):
        return 1
    wordy = _leading([not any(NUMERIC.match(cell) for cell in row) for row in rows[: MAX_HEADER + 1]])
    if not wordy:
        return 0
    if wordy < len(rows) and wordy <= MAX_HEADER and _has_numbers(rows[wordy:]):
        # Only a heading over several columns leaves cells empty.
        return wordy if not all(rows[0]) else 1
    first = rows[0]
    filled = [cell for cell in first if cell]
    names = all(cell[:1].isupper() and len(cell) <= 30 and cell[-1] not in ".,;" for cell in filled)
    enough = bool(first[0]) and len(filled) > 0.6 * len(first)
    return int(_has_numbers(rows[1:]) or (len(rows) >= 4 and enough and names))


def _counts(row: Sequence[str]) -> bool:
    """Say whether the row's cells count upwards by one, as the names of columns do."""
    numbers = [int(cell) for cell in row if cell.isdecimal() and len(cell) < 6]
    return len(numbers) > 2 and all(a + 1 == b for a, b in pairwise(numbers))


def _is_of_years(row: Sequence[str]) -> bool:
    """Say whether the row's numbers are years, two at least."""
    numbers = [cell for cell in row if NUMERIC.match(cell)]
    return len(numbers) > 1 and all(_YEAR.fullmatch(cell) for cell in numbers)


def _leading(flags: Sequence[bool]) -> int:
    """Count the flags before the first that is not set."""
    return next((number for number, flag in enumerate(flags) if not flag), len(flags))


def _has_numbers(rows: Sequence[Sequence[str]]) -> bool:
    """Say whether a column has numbers in most of the rows."""
    columns = range(max(map(len, rows)))
    return any(
        sum(bool(NUMERIC.match(row[c])) for row in rows if c < len(row)) * 2 > len(rows) for c in columns
    )
