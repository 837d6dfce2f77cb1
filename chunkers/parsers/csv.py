"""Comma- or tab-separated values: one table block over the source, its first record the header."""

import re

from ..charset import decode
from ..model import Block, Document
from .lines import fill_gaps, span_block, stem

_NUMBER = re.compile(r"[-+]?[\d.,:/ %€$-]+")
_LONGEST_HEADER = 10_000


def parse(data: bytes, name: str) -> Document:
    """Parse a table of values; a first record without a number in it is the header."""
    text, encoding = decode(data)
    table = span_block(text, "table", 0, len(text), found_by="csv:table")
    blocks: tuple[Block, ...] = ()
    if table is not None:
        blocks = tuple(fill_gaps(text, [_with_header(text, table)]))
    metadata = {"encoding": encoding}
    return Document(text, blocks, "csv", stem(name), outcome="ok" if blocks else "empty", metadata=metadata)


def _with_header(text: str, table: Block) -> Block:
    end = _record_end(text, table.start)
    cells = re.split(r"[,;\t|]", text[table.start : end].strip()) if end else []
    header = len(cells) > 1 and not any(_NUMBER.fullmatch(cell.strip().strip('"')) for cell in cells)
    if not header or end is None or end >= table.end:
        return table
    return Block("table", table.start, table.end, header_end=end, found_by=table.found_by)


def _record_end(text: str, start: int) -> int | None:
    """Return the end of the first record, whose quoted cells may hold line breaks."""
    quotes, position = 0, start
    while position - start < _LONGEST_HEADER:
        end = text.find("\n", position)
        if end < 0:
            return None
        quotes += text.count('"', position, end)
        if quotes % 2 == 0:
            return end
        position = end + 1
    return None
