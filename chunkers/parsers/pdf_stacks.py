"""Tables whose rules run along x only: the parts of a stack of rules between which text stands in columns."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from .pdf_drawings import Box
from .pdf_grid import MIDDLE, SAME_BASE, Piece, Row, column_spaces, cut_pieces, text_rows
from .pdf_lines import Line
from .pdf_rules import Frame
from .pdf_tables import MAX_HEADER

LONG_PART = 48
"""Mean characters of the parts of rows that only columns of running text have."""
SHORT_NAME = 20
"""Mean characters of a column beside which another may hold running text."""
LOOSE = 2.6
"""Ems of height for each line between two rules; where there is more, one table ends and another begins."""
TITLE = 1.6
"""Times as much room for the name of a group of rows."""
MONO = 0.8
"""The part of the lines in a font of fixed pitch from which on they are code."""
NEXT_ROW = 1.7
"""Ems to a row outside of the outermost rules."""


def tabular_parts(frame: Frame, lines: Sequence[Line]) -> list[Frame]:
    """Return the parts of a stack of rules between which the text stands in columns."""
    between = [line for line in lines if frame.box.y0 < line.base < frame.box.y1]
    if sum(line.mono for line in between) > MONO * len(between):
        return []
    if not may_have_columns(_at_height(lines, frame.box)):
        return []
    rows = text_rows(cut_pieces(lines))
    found: list[Frame] = []
    first, ys = 0, frame.ys
    while first + 1 < len(ys):
        last, run = first, list[Row]()
        while last + 1 < len(ys):
            more = _between(rows, ys[last + 1], ys[last])
            if not _goes_on(run, more, Box(frame.box.x0, ys[last + 1], frame.box.x1, ys[last])):
                break
            run += more
            last += 1
        if sum(1 for row in run if len(row) > 1) >= 2:
            found.append(_extended(frame, rows, run, (ys[first], ys[last])))
        first = max(last, first + 1)
    return found


def _at_height(lines: Sequence[Line], box: Box) -> list[Line]:
    """Return the lines that can be in one row with one whose middle is at the height of the box."""
    reach = (SAME_BASE + MIDDLE) * max([4.0, *[line.size for line in lines]])
    return [line for line in lines if box.y0 - reach < line.base < box.y1 + reach]


def may_have_columns(lines: Sequence[Line]) -> bool:
    """Say whether two rows may have several parts: a line with cells, or lines that can be at one height."""
    near = SAME_BASE * max([4.0, *[line.size for line in lines]])
    bases = sorted([line.base for line in lines])
    rows = sum([b - a < near for a, b in pairwise(bases)])
    return rows > 1 or rows + sum([bool(line.cells) for line in lines]) > 1


def _between(rows: Iterable[Row], low: float, high: float) -> list[Row]:
    return [row for row in rows if low < row[0].middle < high]


def _goes_on(run: Sequence[Row], more: Sequence[Row], box: Box) -> bool:
    """Say whether what stands in the box between the next two rules is of the same table."""
    size = more[0][0].line.size if more else (run[-1][0].line.size if run else 10.0)
    if not any(len(row) > 1 for row in more):
        loose = LOOSE * (TITLE if all(_is_centred(row[0], box) for row in more) else 1)
        if box.y1 - box.y0 > loose * size * max(1, len(more)):
            return False
    return not more or is_tabular([*run, *more], more)


def _is_centred(piece: Piece, box: Box) -> bool:
    """Say whether the part stands in the middle of the table, as the name of a group of rows does."""
    return bool(abs(piece.x0 + piece.x1 - box.x0 - box.x1) < 0.1 * (box.x1 - box.x0))


def is_tabular(rows: Sequence[Row], more: Sequence[Row]) -> bool:
    """Say whether rows of text stand in columns, those to be added as well."""
    spaces = column_spaces(rows)
    if not spaces or any(piece.line.leader for row in more for piece in row):
        return False
    crossing = sum(1 for row in more if _crosses(row, spaces))
    if crossing > max(1, 0.2 * len(more)):
        return False
    return not is_prose([row for row in more if len(row) > 1])


def is_prose(rows: Sequence[Row]) -> bool:
    """Say whether the rows are lines of columns of running text: long in each, and mostly in mid-sentence."""
    texts = [[piece.text for piece in row] for row in rows]
    if not texts or any(sum(len(row[side]) for row in texts) <= SHORT_NAME * len(texts) for side in (0, -1)):
        return False
    parts = [text for row in texts for text in row]
    inside = sum(1 for text in parts if text[:1].islower())
    return inside * 2 > len(parts) or sum(map(len, parts)) > LONG_PART * len(parts)


def _crosses(row: Row, spaces: Sequence[tuple[float, float]]) -> bool:
    """Say whether a part of the row runs across a gutter."""
    return any(piece.x0 < low and high < piece.x1 for piece in row for low, high in spaces)


def _extended(frame: Frame, rows: Sequence[Row], run: Sequence[Row], ends: tuple[float, float]) -> Frame:
    """Return the part of the stack with rows of the same columns right above or below its rules."""
    spaces = column_spaces(run)
    high, low = ends
    size = run[0][0].line.size
    for row in reversed(_between(rows, high, high + 2 * MAX_HEADER * size)):
        if len(row) * 2 <= len(spaces) + 1 or _crosses(row, spaces) or row[0].base - high > NEXT_ROW * size:
            break
        high = row[0].base + size
    for row in _between(rows, frame.box.y0 - 60 * size, low):
        goes_on = len(row) > 1 or row[0].x0 > spaces[0][0]
        if not goes_on or _crosses(row, spaces) or low - row[0].base > NEXT_ROW * size:
            break
        low = row[0].base - 0.4 * size
    ys = (high, *(y for y in frame.ys if low + 1 < y < high - 1), low)
    return Frame(Box(frame.box.x0, low, frame.box.x1, high), frame.xs, ys, frame.across, frame.upright)
