"""Raw HTML inside Markdown: what kind of block a stretch of it is."""

import re
from collections.abc import Iterator
from dataclasses import replace

from ..model import Block, BlockKind
from .lines import span_block

# Bounded so that a page of unclosed headings costs no more than linear time.
_HEADING = re.compile(r"<h([1-6])(?=[\s>])[^<>]{0,1000}>.{0,2000}?</h\1\s{0,9}>", re.IGNORECASE | re.DOTALL)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TAG = re.compile(r"<[^<>]{1,3000}>")
_PICTURE = re.compile(r"<(?:img|picture|figure|svg|video)[\s>]", re.IGNORECASE)
_TABLE = re.compile(r"<table[\s>]", re.IGNORECASE)
_TABLE_END = re.compile(r"</table\s{0,9}>", re.IGNORECASE)
_HEAD_END = re.compile(r"</thead\s{0,9}>", re.IGNORECASE)
_CODE = re.compile(r"\s{0,99}<pre[\s>]", re.IGNORECASE)
# Blank lines end an HTML block, also inside a table; its end is looked for this far.
_TABLE_REACH = 30_000


def html_blocks(text: str, start: int, end: int) -> Iterator[Block]:
    """Yield the blocks of an HTML stretch: headings by themselves, the parts between by what they hold."""
    if _TABLE.match(text, start + _indent(text, start, end), end):
        yield from _table(text, start, end)
        return
    position = start
    for match in _HEADING.finditer(text, start, end):
        yield from _part(text, position, match.start())
        found_by = f"markdown:html-h{match[1]}"
        yield Block("heading", match.start(), match.end(), level=int(match[1]), found_by=found_by)
        position = match.end()
    yield from _part(text, position, end)


def visible_text(markup: str) -> str:
    """Return what is left of markup without its tags and comments, on one line."""
    return " ".join(_TAG.sub(" ", _COMMENT.sub(" ", markup)).split())


def is_picture(markup: str) -> bool:
    """Say whether the markup shows pictures and no text."""
    return _PICTURE.search(markup) is not None and not visible_text(markup)


def _indent(text: str, start: int, end: int) -> int:
    return len(text[start:end]) - len(text[start:end].lstrip())


def _table(text: str, start: int, end: int) -> Iterator[Block]:
    """A table's block reaches to its end tag; what Markdown found inside is overlapped by it."""
    if not _TABLE_END.search(text, start, end):
        closing = _TABLE_END.search(text, end, end + _TABLE_REACH)
        end = closing.end() if closing else end
    block = span_block(text, "table", start, end, found_by="markdown:html-table")
    head = _HEAD_END.search(text, start, end)
    if block is not None:
        yield replace(block, header_end=head.end()) if head else block


def _part(text: str, start: int, end: int) -> Iterator[Block]:
    block = span_block(text, "paragraph", start, end, found_by="markdown:html")
    if block is not None:
        yield replace(block, kind=_kind(text[block.start : block.end]))


def _kind(markup: str) -> BlockKind:
    if not _COMMENT.sub("", markup).strip():
        return "comment"
    if _TABLE.search(markup):
        return "table"
    if is_picture(markup):
        return "figure"
    if _CODE.match(markup):
        return "code"
    return "paragraph" if visible_text(markup) else "furniture"
