"""Listings that the end of a page has cut: which lines go on with them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from capsa.chunkers.captions import caption_of

from .pdf_lines import Line

if TYPE_CHECKING:
    from .pdf_paragraphs import Group

LISTING = 25
"""Lines of code that are a listing of its own on their page, not an example among text."""
FLOATS = 6
"""Groups of tables and figures with captions that may stand at the top of the next page."""


def continues_code(code: Sequence[Line], line: Line) -> bool:
    """Code that a page's end has cut begins the next page in the same font; a long listing stays in pages."""
    last = code[-1]
    if line.page != last.page + 1 or code[0].page != last.page or len(code) > LISTING:
        return False
    return (line.font, line.size) == (last.font, last.size)


def cut_listing(groups: Sequence["Group"], line: Line) -> "Group | None":
    """Return the code at the end of the page before that a line goes on with, floats between them."""
    for group in groups[: -FLOATS - 1 : -1]:
        if group.kind == "code":
            return group if continues_code(group.lines, line) else None
        first = group.lines[0]
        floating = group.kind in ("table", "figure") or caption_of(first.text) in ("table", "figure")
        if first.page != line.page or not floating:
            return None
    return None
