"""Tables of a page: which ones are data, and their rows as lines with cells apart."""

import re
from collections.abc import Iterator
from itertools import takewhile

from bs4 import Tag

MOST_COLUMNS = 1000
MOST_CELLS = 2_000_000
_ADMONITION = re.compile(r"(?:^|\s)(?:note|tip|warning|caution|important|admonition\w{0,20})(?:\s|$)")
# A cell longer than this in a table without any sign of data holds a page's column, not a value.
_LONG_CELL = 600
# A spanning cell shorter than this is a key that its rows are read by, so each of them repeats it.
_KEY = 80


def rows_of(table: Tag) -> Iterator[tuple[Tag, bool]]:
    """Yield the table's own rows, not those of tables inside it, and whether each stands in the thead."""
    for child in _tags(table):
        if child.name == "tr":
            yield child, False
        elif child.name in ("thead", "tbody", "tfoot"):
            for row in _tags(child):
                if row.name == "tr":
                    yield row, child.name == "thead"


def cells_of(row: Tag) -> list[Tag]:
    """Return the header and data cells of a row."""
    return [cell for cell in _tags(row) if cell.name in ("td", "th")]


def is_layout(table: Tag) -> bool:
    """Tell a table that only places things on the page from one that holds data."""
    if table.get("role") in ("presentation", "none") or is_admonition(table):
        return True
    rows = [cells_of(row) for row, _ in rows_of(table)]
    if sum(len(row) for row in rows) <= 1:
        return True
    if any(cell.name == "th" for row in rows for cell in row) or table.find(
        ["caption", "thead"], recursive=False
    ):
        return False
    if max(len(row) for row in rows) == 1 or table.find(["table", "h1", "h2", "h3", "h4", "pre", "form"]):
        return True
    return any(len(cell.get_text()) > _LONG_CELL for row in rows for cell in row)


def is_admonition(table: Tag) -> bool:
    """DocBook and AsciiDoc set notes as a table of an icon and a text."""
    around = table.parent
    return around is not None and _ADMONITION.search(str(around.get("class", ""))) is not None


def render_table(table: Tag) -> tuple[str, int | None]:
    """Return the rows as lines, cells parted by tabs, and where the header rows end in that text."""
    lines, header_flags = [], []
    for texts, is_header in _grid(table):
        line = "\t".join(texts).rstrip("\t")
        if line.strip():
            lines.append(line)
            header_flags.append(is_header)
    headers = sum(1 for _ in takewhile(bool, header_flags))
    if not headers or headers == len(lines):
        return "\n".join(lines), None
    return "\n".join(lines), len("\n".join(lines[:headers]))


def _grid(table: Tag) -> Iterator[tuple[list[str], bool]]:
    """Yield the texts of each row with row and column spans laid out, and whether it is a header row."""
    below: dict[int, tuple[int, str]] = {}
    budget = MOST_CELLS
    for row, in_head in rows_of(table):
        texts: list[str] = []
        cells = cells_of(row)
        for cell in cells:
            _fill_from_above(texts, below)
            text = cell_text(cell)
            width = _span(cell, "colspan", MOST_COLUMNS - len(texts))
            height = _span(cell, "rowspan", 65534)
            if height > 1:
                below[len(texts)] = (height - 1, text if len(text) <= _KEY else "")
            texts += [text, *[""] * (width - 1)]
        _fill_from_above(texts, below)
        budget -= len(texts)
        if budget < 0:
            return
        yield texts, in_head or (bool(cells) and all(cell.name == "th" for cell in cells))


def _fill_from_above(texts: list[str], below: dict[int, tuple[int, str]]) -> None:
    while len(texts) in below:
        column = len(texts)
        left, text = below.pop(column)
        if left > 1:
            below[column] = (left - 1, text)
        texts.append(text)


def _span(cell: Tag, name: str, most: int) -> int:
    value = str(cell.get(name, "1")).strip()
    number = int(value) if value.isascii() and value.isdigit() and len(value) < 6 else 1
    return max(1, min(number, most))


def cell_text(cell: Tag) -> str:
    """Return a cell's text on one line; an icon alone speaks by its alternative text."""
    text = " ".join(cell.get_text(" ").split())
    if not text:
        image = cell.find("img")
        text = " ".join(str(image.get("alt", "")).split()) if isinstance(image, Tag) else ""
    return text


def _tags(parent: Tag) -> Iterator[Tag]:
    return (child for child in parent.children if isinstance(child, Tag))
