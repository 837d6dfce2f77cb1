"""Reading order of a page: pdfium's own order, changed only where two columns are certain."""

import re
from collections import Counter
from collections.abc import Sequence

from .pdf_lines import Line

_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
MIN_ROWS = 6
"""Rows that must share a gutter before a page counts as two columns that pdfium has read across."""
MIN_SIDE = 18
"""Characters that the sides of such rows have on average; table cells are shorter."""


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
    gutter = find_gutter(upright)
    ordered = split_columns(upright, gutter) if gutter is not None else upright
    return ([mirror(line) for line in ordered] if is_right_to_left(ordered) else ordered), turned


def is_right_to_left(lines: Sequence[Line]) -> bool:
    """Say whether most letters of the page are Hebrew or Arabic."""
    letters = sum(len(_RIGHT_TO_LEFT.findall(line.text)) for line in lines if not line.text.isascii())
    return letters * 2 > sum(len(line.text) for line in lines)


def mirror(line: Line) -> Line:
    """Return the line with x counted to the left, so that it starts at x0 as a line to the right does."""
    cells = tuple(cell._replace(x0=-cell.x1, x1=-cell.x0) for cell in line.cells)
    return line._replace(x0=-line.x1, x1=-line.x0, cells=cells)


def find_gutter(lines: Sequence[Line]) -> float | None:
    """Return the x between two columns whose lines pdfium has joined row by row, or None."""
    wide = [line for line in lines if len(line.cells) == 2 and len(line.text) > 2 * MIN_SIDE]
    if len(wide) < MIN_ROWS or len(wide) < 0.4 * len(lines):
        return None
    left, right = max(line.cells[0].x1 for line in wide), min(line.cells[1].x0 for line in wide)
    if left >= right:
        return None
    sides = [len(line.cells[side].text) for line in wide for side in (0, 1)]
    shortest = min(sum(sides[::2]), sum(sides[1::2])) / len(wide)
    return (left + right) / 2 if shortest >= MIN_SIDE * 1.4 else None


def split_columns(lines: Sequence[Line], gutter: float) -> list[Line]:
    """Return the lines with each stretch of two columns read down the left one, then down the right one."""
    ordered: list[Line] = []
    left: list[Line] = []
    right: list[Line] = []
    for line in lines:
        if len(line.cells) == 2 and line.cells[0].x1 < gutter < line.cells[1].x0:
            first, second = line.cells
            left.append(line._replace(text=first.text, x1=first.x1, hyphen=False, cells=()))
            right.append(line._replace(text=second.text, x0=second.x0, cells=()))
        elif line.x1 < gutter and (left or right):
            left.append(line)
        elif line.x0 > gutter and (left or right):
            right.append(line)
        else:
            ordered += [*left, *right, line]
            left, right = [], []
    return [*ordered, *left, *right]
