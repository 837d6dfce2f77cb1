"""Reading order of a page: pdfium's own order, changed only where it certainly is none."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Protocol

from .pdf_leftward import count_leftward
from .pdf_lines import Cell, Line

MIN_ROWS = 6
"""Rows that must share a gutter before a page counts as columns that were painted row by row."""
MIN_SIDE = 18
"""Characters that the sides of such rows have on average; table cells are shorter."""
MOST_COLUMNS = 4
SWITCHES = 0.6
"""The part of the lines that stand on the other side of the gutter than the line before them."""
UPWARD = 0.3
"""The part of the lines that stand above the line before them where a page is painted without any order."""
SLOT = 4.0
LIST_ROWS = 10
"""Rows of columns of words in the order of the alphabet from which on they are lists, not a table."""
LIST_WORDS = 24
"""Characters of an entry of such a list at most, on average."""
SORTED = 0.8
"""The part of the entries of each column that must follow the one above in the alphabet."""


def order(lines: Sequence[Line]) -> tuple[list[Line], list[Line]]:
    """Return the page's upright lines in reading order, and the lines that run in another direction."""
    if not lines:
        return [], []
    upright, turned = list(lines), []
    if len({line.angle for line in lines}) > 1:
        weights: Counter[int] = Counter()
        for line in lines:
            weights[line.angle] += len(line.text)
        main = max(weights, key=lambda angle: (weights[angle], -angle))
        upright = [line for line in lines if line.angle == main]
        turned = [line for line in lines if line.angle != main]
    return in_columns(in_lists(from_the_top(upright))), turned


def from_the_top(lines: list[Line]) -> list[Line]:
    """Return the lines, by position where they are painted neither downwards nor in columns."""
    upward = sum([below.base > above.base + above.size for above, below in pairwise(lines)])
    if len(lines) < MIN_ROWS or upward < UPWARD * len(lines):
        return lines
    return sorted(lines, key=lambda line: (-round(line.base), line.x0))


class Written(Protocol):
    """A line of text, however it was found."""

    @property
    def text(self) -> str:
        """What is written there."""


def is_right_to_left(lines: Sequence[Written]) -> bool:
    """Say whether most letters of the page are Hebrew or Arabic."""
    letters = sum([count_leftward(line.text) for line in lines if not line.text.isascii()])
    return letters > 0 and letters * 2 > sum([len(line.text) for line in lines])


def mirror(line: Line) -> Line:
    """Return the line with x counted to the left, so that it starts at x0 as a line to the right does."""
    cells = tuple(cell._replace(x0=-cell.x1, x1=-cell.x0) for cell in reversed(line.cells))
    return line._replace(x0=-line.x1, x1=-line.x0, cells=cells)


def in_columns(lines: list[Line], columns: int = MOST_COLUMNS) -> list[Line]:
    """Return the lines with columns that are painted row by row read one after the other."""
    if columns < 2 or len(lines) < MIN_ROWS:
        return lines
    gutter = find_gutter(lines)
    return lines if gutter is None else split_columns(lines, gutter, columns)


def in_lists(lines: list[Line]) -> list[Line]:
    """Return the lines with lists of words that stand side by side read one after the other."""
    rows = [line for line in lines if len(line.cells) > 1]
    if len(rows) < LIST_ROWS:
        return lines
    count = Counter(len(line.cells) for line in rows).most_common(1)[0][0]
    columns = list(zip(*[line.cells for line in rows if len(line.cells) == count], strict=True))
    gutters = [max(cell.x1 for cell in column) + 1 for column in columns[:-1]]
    clear = all(
        gutter < min(cell.x0 for cell in column) for gutter, column in zip(gutters, columns[1:], strict=True)
    )
    if len(columns[0]) < LIST_ROWS or not (clear and _are_lists(columns)):
        return lines
    for gutter in reversed(gutters):
        lines = split_columns(lines, gutter, 1)
    return lines


def _are_lists(columns: Sequence[Sequence[Cell]]) -> bool:
    """Say whether each column is in alphabetical order, and of two the second goes on from the first."""
    texts = [[cell.text.casefold() for cell in column] for column in columns]
    if len(texts) == 2 and texts[0][-1] > texts[1][0]:
        return False
    return all(
        sum(above < text and text[0].isalpha() for above, text in pairwise(column))
        >= SORTED * (len(column) - 1)
        and sum(map(len, column)) <= LIST_WORDS * len(column)
        for column in texts
    )


def find_gutter(lines: Sequence[Line]) -> float | None:
    """Return the x between the first column and the next one, when both are painted row by row, or None."""
    wide = [line for line in lines if len(line.cells) > 1 and len(line.text) > 2 * MIN_SIDE]
    if len(wide) >= MIN_ROWS and len(wide) >= 0.4 * len(lines):
        return _gutter_in(wide)
    beside = [below for above, below in pairwise(lines) if below.x0 > above.x1 or below.x1 < above.x0]
    if len(beside) < 2 * MIN_ROWS or len(beside) < SWITCHES * len(lines) / 2:
        return None
    return _gutter_between(lines)


def _gutter_in(wide: Sequence[Line]) -> float | None:
    """Return the gutter that lines of two or more cells leave free between their first and their others."""
    count = Counter(len(line.cells) for line in wide).most_common(1)[0][0]
    full = [line.cells for line in wide if len(line.cells) == count]
    if len(full) < MIN_ROWS or len(full) < 0.6 * len(wide) or count > MOST_COLUMNS:
        return None
    left, right = max(cells[0].x1 for cells in full), min(cells[1].x0 for cells in full)
    if left >= right:
        return None
    shortest = min(sum(len(cells[side].text) for cells in full) for side in range(count)) / len(full)
    return (left + right) / 2 if shortest >= MIN_SIDE * (1.4 if count == 2 else 1.1) else None


def _gutter_between(lines: Sequence[Line]) -> float | None:
    """Return the gutter between lines that alternate between two sides of the page."""
    left = min(line.x0 for line in lines)
    starts = Counter(round(line.x0 / SLOT) for line in lines if line.x0 > left + 5 * line.size)
    slot, count = max(starts.items(), key=lambda item: (item[1], -item[0]), default=(0, 0))
    if count < MIN_ROWS:
        return None
    gutter = (slot - 0.6) * SLOT
    sides = [line.x0 > gutter for line in lines if line.x0 > gutter or line.x1 <= gutter]
    switches = sum([before != after for before, after in pairwise(sides)])
    if len(sides) < 0.7 * len(lines) or switches < SWITCHES * len(sides):
        return None
    longest = [
        [len(line.text) for line in lines if line.x0 > gutter],
        [len(line.text) for line in lines if line.x1 <= gutter],
    ]
    return (
        gutter
        if all(len(side) >= MIN_ROWS and sum(side) >= MIN_SIDE * 1.4 * len(side) for side in longest)
        else None
    )


def split_columns(lines: Sequence[Line], gutter: float, columns: int = 2) -> list[Line]:
    """Return the lines with each stretch of columns read down the first one, then down the others."""
    ordered: list[Line] = []
    left: list[Line] = []
    right: list[Line] = []
    for line in lines:
        first, second = cut_at(line, gutter)
        if first is not None and second is None and line.x1 >= gutter:
            ordered += [*left, *in_columns(right, columns - 1), line]
            left, right = [], []
            continue
        if first is not None:
            left.append(first)
        if second is not None:
            right.append(second)
    return [*ordered, *left, *in_columns(right, columns - 1)]


def cut_at(line: Line, gutter: float) -> tuple[Line | None, Line | None]:
    """Return the parts of the line on both sides of the gutter; one that runs across it is the first."""
    if line.x0 > gutter:
        return None, line
    for number in range(1, len(line.cells)):
        if line.cells[number - 1].x1 < gutter < line.cells[number].x0:
            first = _part(line, line.cells[:number])
            return first._replace(hyphen=False), _part(line, line.cells[number:])
    return line, None


def _part(line: Line, cells: tuple[Cell, ...]) -> Line:
    text = " ".join(cell.text for cell in cells)
    return line._replace(text=text, x0=cells[0].x0, x1=cells[-1].x1, cells=cells if len(cells) > 1 else ())
