"""Tables of a page: which ones are data, and their rows as lines with cells apart."""

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import Any

from .html_titles import TITLE_ATTRIBUTE
from .html_tree import drop, settable, text_of

# A data table after this step: an element of text alone. The name keeps it out of the way of HTML's rules.
FLAT_TABLE = "data-table"
HEADER_ATTRIBUTE = "data-header-end"

MOST_COLUMNS = 1000
MOST_CELLS = 2_000_000
_ADMONITION = re.compile(r"(?:^|\s)(?:note|tip|warning|caution|important|admonition\w{0,20})(?:\s|$)")
# A cell longer than this in a table without any sign of data holds a page's column, not a value.
_LONG_CELL = 600
# A spanning cell shorter than this is a key that its rows are read by, so each of them repeats it.
_KEY = 80
_PARTS = ("thead", "tbody", "tfoot")
_PAGE_PARTS = ("table", "h1", "h2", "h3", "h4", "pre", "form", FLAT_TABLE)
_BREAKS = (
    "p",
    "li",
    "div",
    "dt",
    "dd",
    "pre",
    "br",
    "tr",
    "td",
    "th",
    "ul",
    "ol",
    "dl",
    "blockquote",
    FLAT_TABLE,
)


def flatten_tables(root: Any) -> None:
    """Turn data tables, inner ones first, into elements of text with tabs, and all others into divisions."""
    for table in reversed(list(root.iter("table"))):
        _lift_captions(table)
        if is_layout(table):
            _unwrap(table)
        else:
            _flatten(table)


def _lift_captions(table: Any) -> None:
    for caption in table.findall("caption"):
        drop(caption)
        caption.tag = "figcaption"
        caption.tail = None
        table.addprevious(caption)


def _flatten(table: Any) -> None:
    text, header_end = render_table(table)
    tail = settable(table.tail or "")
    table.clear()
    table.tag, table.text, table.tail = FLAT_TABLE, settable(text), tail
    if header_end is not None:
        table.set(HEADER_ATTRIBUTE, str(header_end))


def _unwrap(table: Any) -> None:
    """Of a note, the icon goes; its word is the title when the note has no other."""
    if _is_admonition(table):
        titled = next(
            (True for element in table.iter("p") if element.get(TITLE_ATTRIBUTE) is not None), False
        )
        for icon in list(table.iter("img")):
            word = icon.get("alt", "").strip("[] ")
            if word and not titled:
                icon.tag, icon.text, titled = "p", settable(word), True
                icon.set(TITLE_ATTRIBUTE, "")
            else:
                drop(icon)
    for element in (table, *_rows_and_parts(table)):
        element.tag = "div"


def _rows_and_parts(table: Any) -> list[Any]:
    rows = [row for row, _ in rows_of(table)]
    return [*table.iterchildren(*_PARTS), *rows, *(cell for row in rows for cell in cells_of(row))]


def rows_of(table: Any) -> Iterator[tuple[Any, bool]]:
    """Yield the table's own rows, not those of tables inside it, and whether each stands in the thead."""
    for child in table.iterchildren("tr", *_PARTS):
        if child.tag == "tr":
            yield child, False
        else:
            for row in child.iterchildren("tr"):
                yield row, child.tag == "thead"


def cells_of(row: Any) -> list[Any]:
    """Return the header and data cells of a row."""
    return list(row.iterchildren("td", "th"))


def is_layout(table: Any) -> bool:
    """Tell a table that only places things on the page from one that holds data."""
    if table.get("role") in ("presentation", "none") or _is_admonition(table):
        return True
    rows = [cells_of(row) for row, _ in rows_of(table)]
    if sum(len(row) for row in rows) <= 1:
        return True
    if table.find("thead") is not None or any(cell.tag == "th" for row in rows for cell in row):
        return False
    before = table.getprevious()
    if before is not None and before.tag == "figcaption":
        return False
    if max(len(row) for row in rows) == 1 or next(table.iterdescendants(*_PAGE_PARTS), None) is not None:
        return True
    return any(len(text_of(cell)) > _LONG_CELL for row in rows for cell in row)


def _is_admonition(table: Any) -> bool:
    """DocBook and AsciiDoc set notes as a table of an icon and a text."""
    around = table.getparent()
    return around is not None and _ADMONITION.search(around.get("class", "")[:300]) is not None


def render_table(table: Any) -> tuple[str, int | None]:
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


def _grid(table: Any) -> Iterator[tuple[list[str], bool]]:
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
        yield texts, in_head or (bool(cells) and all(cell.tag == "th" for cell in cells))


def _fill_from_above(texts: list[str], below: dict[int, tuple[int, str]]) -> None:
    while len(texts) in below:
        column = len(texts)
        left, text = below.pop(column)
        if left > 1:
            below[column] = (left - 1, text)
        texts.append(text)


def _span(cell: Any, name: str, most: int) -> int:
    value = str(cell.get(name, "1")).strip()
    number = int(value) if value.isascii() and value.isdigit() and len(value) < 6 else 1
    return max(1, min(number, most))


def cell_text(cell: Any) -> str:
    """Return a cell's text on one line; an icon alone speaks by its alternative text."""
    for element in cell.iterdescendants(*_BREAKS):
        element.tail = settable(" " + (element.tail or ""))
        element.text = settable(" " + (element.text or ""))
    text = " ".join(text_of(cell).split())
    if not text:
        image = next(cell.iter("img"), None)
        text = "" if image is None else " ".join(image.get("alt", "").split())
    return text
