"""A page as text recognition sees it: lines with their boxes, and the order in which they are read."""

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

MIN_LINES = 5
"""Lines that a column has at least."""
MIN_CHARACTERS = 18
"""Characters that the lines of a column have on average; table cells have fewer."""


class OcrLine(NamedTuple):
    """Recognised text with its box in points, x to the right and y up, and the confidence from 0 to 1."""

    text: str
    x0: float
    x1: float
    top: float
    bottom: float
    score: float

    @property
    def middle(self) -> float:
        """Half way up the line."""
        return (self.top + self.bottom) / 2

    @property
    def height(self) -> float:
        """How high the line is."""
        return self.top - self.bottom


class OcrPage(NamedTuple):
    """Width and height in points of the page turned upright, and its lines as they were found."""

    width: float
    height: float
    lines: tuple[OcrLine, ...]


def dump_page(page: OcrPage) -> bytes:
    """Return the page as JSON."""
    return json.dumps(page, separators=(",", ":")).encode("ascii")


def join_pages(pages: Mapping[int, bytes]) -> bytes:
    """Return pages of ``dump_page``, by number, as one JSON object; nothing when there are none."""
    if not pages:
        return b""
    return b"{%s}" % b",".join(b'"%d":%s' % item for item in pages.items())


def load_pages(data: bytes) -> dict[int, OcrPage]:
    """Return the pages that ``join_pages`` was given."""
    return {int(number): _page(*fields) for number, fields in json.loads(data).items()}


def _page(width: float, height: float, lines: Sequence[Sequence[Any]]) -> OcrPage:
    return OcrPage(width, height, tuple(OcrLine(*line) for line in lines))


def mirror_page(page: OcrPage) -> OcrPage:
    """Return the page with x counted to the left, as one that is read from the right needs it."""
    return page._replace(lines=tuple(line._replace(x0=-line.x1, x1=-line.x0) for line in page.lines))


def reading_order(page: OcrPage) -> list[OcrLine]:
    """Return the lines as they are read: column after column between the lines that run across columns."""
    lines = in_rows(page.lines)
    gutters = find_gutters(lines)
    ordered: list[OcrLine] = []
    columns: list[list[OcrLine]] = [[] for _ in range(len(gutters) + 1)]
    for line in lines:
        if any(line.x0 < gutter < line.x1 for gutter in gutters):
            ordered += [member for column in columns for member in column] + [line]
            columns = [[] for _ in columns]
        else:
            columns[sum(line.x0 >= gutter for gutter in gutters)].append(line)
    return ordered + [member for column in columns for member in column]


def in_rows(lines: Sequence[OcrLine]) -> list[OcrLine]:
    """Return the lines from the top to the bottom, those beside one another from the left to the right."""
    rows: list[list[OcrLine]] = []
    for line in sorted(lines, key=lambda line: (-line.middle, line.x0)):
        if rows and rows[-1][0].middle - line.middle < 0.5 * min(line.height, rows[-1][0].height):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [line for row in rows for line in sorted(row, key=lambda line: line.x0)]


def find_gutters(lines: Sequence[OcrLine]) -> list[float]:
    """Return the x between columns of running text, from the left; none on a page of one column."""
    if len(lines) < 2 * MIN_LINES:
        return []
    left, right = min(line.x0 for line in lines), max(line.x1 for line in lines)
    # A line that is wider than half of the page is in no column.
    narrow = [line for line in lines if line.x1 - line.x0 < 0.55 * (right - left)]
    free = _free_ranges(narrow)
    gutters = [(start + end) / 2 for start, end in free]
    edges = [left - 1, *gutters, right + 1]
    for low, high in pairwise(edges):
        inside = [line for line in narrow if low <= line.x0 and line.x1 <= high]
        if len(inside) < MIN_LINES or _characters(inside) < MIN_CHARACTERS * len(inside):
            return []
    return gutters if _characters(narrow) * 2 > _characters(lines) else []


def _characters(lines: Sequence[OcrLine]) -> int:
    return sum(len(line.text) for line in lines)


def _free_ranges(lines: Sequence[OcrLine]) -> list[tuple[float, float]]:
    """Return the ranges of x inside the lines' extent that no line covers."""
    free = []
    reach: float | None = None
    for line in sorted(lines, key=lambda line: line.x0):
        if reach is not None and line.x0 > reach + 1:
            free.append((reach, line.x0))
        reach = line.x1 if reach is None else max(reach, line.x1)
    return free
