"""Tables of contents: pages of titles with the number of the page that each is on."""

from collections.abc import Sequence
from itertools import pairwise

from .pdf_lines import Cell, Line
from .pdf_paragraphs import same_row

TOC_ENTRIES = 8
"""Lines with a page number that make a table of contents without dots."""


def join_numbers(lines: Sequence[Line]) -> list[Line]:
    """Return the lines with each number that stands far to the right of a line as its last cell."""
    joined: list[Line] = []
    for line in lines:
        number = len(line.text) <= 4 and line.text.isdigit()
        if number and joined and same_row(last := joined[-1], line):
            cells = last.cells or (Cell(last.x0, last.x1, last.text),)
            cells = *cells, Cell(line.x0, line.x1, line.text)
            joined[-1] = last._replace(text=f"{last.text} {line.text}", x1=line.x1, cells=cells)
        else:
            joined.append(line)
    return joined


def is_toc_page(lines: Sequence[Line]) -> bool:
    """Say whether the page holds a table of contents: rows of dots, or titles with rising page numbers."""
    if sum([line.leader for line in lines]) >= 3:
        return True
    numbers = [int(line.cells[-1].text) for line in lines if is_entry(line)]
    return (
        len(numbers) >= TOC_ENTRIES
        and 2 * len(numbers) >= len(lines)
        and all(a <= b <= a + 99 for a, b in pairwise(numbers))
        # Numbered names, such as codes of errors, have no two numbers that are the same or far apart.
        and any(b - a != 1 for a, b in pairwise(numbers))
    )


def is_entry(line: Line) -> bool:
    """Say whether the line is a title and, set apart from it, a page number."""
    if len(line.cells) not in (2, 3) or not any(map(str.isalpha, line.cells[-2].text)):
        return False
    number = line.cells[-1].text
    return number.isascii() and number.isdigit() and len(number) <= 4
