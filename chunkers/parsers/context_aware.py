"""The paper's `context_aware` parser: as `normal`, with headings by rule and a section tag on each element.

An element that begins with a heading's line gives that heading and, tagged, what follows the line.
"""

from capsa.chunkers.build import TextBuilder
from capsa.chunkers.heading_rule import is_heading
from capsa.chunkers.model import Document

from .normal import elements, finish, read_raw


def parse(data: bytes, name: str) -> Document:
    """Return the elements with headings found, and with the nearest heading before each body element."""
    raw = read_raw(data, name)
    builder = TextBuilder()
    heading = ""
    for page, element in elements(raw):
        body = element
        if is_heading(element):
            first, _, body = element.lstrip().partition("\n")
            heading = first.strip().strip("#").strip()
            builder.add("heading", first, page=page, level=heading_level(first), found_by="rule")
        if body.strip():
            builder.add("paragraph", tagged(body, heading), page=page, found_by="blank-line")
    return finish(builder, raw)


def tagged(body: str, heading: str) -> str:
    """Return the body element with its section tag, or as it is before the first heading."""
    return f"[Section: {heading}]\n{body}" if heading else body


def heading_level(line: str) -> int:
    """Return how many number signs a Markdown header has, or 1 for any other heading."""
    signs = len(line.lstrip()) - len(line.lstrip().lstrip("#"))
    return min(signs, 6) or 1
