"""Tables that the end of a page or of a column has cut: which go on, and as one again."""

from .pdf_tables import Table

FOOT = 0.42
"""The part of the height of the page's first row under which a table ends that is cut by the page's end; half
of it for one that goes on in another column."""


def continues(first: Table, second: Table) -> bool:
    """Say whether the second table is the rest of the first, on the next page or in the next column."""
    step = second.lines[0].page - first.lines[-1].page
    if step not in (0, 1) or len(first.rows[0]) != len(second.rows[0]):
        return False
    head = first.rows[: first.header_rows]
    again = bool(head) and second.rows[: len(head)] == head
    size = second.lines[0].size
    # Only with its head can a table go on elsewhere on a page: in the next column, from the top.
    shift = min(line.x0 for line in second.lines) - min(line.x0 for line in first.lines) if again else 0.0
    if step == 0 and not (again and shift > size and _top(second) > _top(first) + 2 * size):
        return False
    lowest = min(line.base for line in first.lines if line.page == first.lines[-1].page)
    foot = FOOT if abs(shift) < size else FOOT / 2
    if (step and lowest > foot * _top(second)) or len(first.gutters) != len(second.gutters):
        return False
    moved = [(low + shift, high + shift) for low, high in first.gutters]
    return all(_agree(a, b, size) for a, b in zip(moved, second.gutters, strict=True))


def _top(table: Table) -> float:
    return max(line.base for line in table.lines if line.page == table.lines[0].page)


def _agree(first: tuple[float, float], second: tuple[float, float], size: float) -> bool:
    """Say whether the columns after the gutters begin at one place, or the gutters are mostly the same."""
    if abs(first[1] - second[1]) <= size:
        return True
    shared = min(first[1], second[1]) - max(first[0], second[0])
    return shared >= 0.5 * (max(first[1], second[1]) - min(first[0], second[0]))


def joined(first: Table, second: Table) -> Table:
    """Return both as one table, without the header that the second repeats."""
    head = first.rows[: max(first.header_rows, 1)]
    rows = second.rows[len(head) :] if second.rows[: len(head)] == head else second.rows
    return first._replace(rows=first.rows + rows, lines=first.lines + second.lines, gutters=second.gutters)
