"""reStructuredText by lines: headings, directives, literal blocks, tables, lists; blocks are source spans.

Not a reStructuredText reader: roles and substitutions stay as written, which is what a search needs.
"""

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field, replace

from ..charset import decode
from ..model import Block, BlockKind, Document
from .lines import Lines, source_document, stem

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1{2,}[ \t]*")
_DIRECTIVE = re.compile(r"[ \t]*\.\. (?:\|[^|\n]{1,99}\| )?([\w:+.-]{1,60})::[ \t]*(.*)")
_FOOTNOTE = re.compile(r"[ \t]*\.\. \[[^\]\n]{1,60}\] ")
_TARGET = re.compile(r"[ \t]*\.\. (?:_|\|)|__ ")
_COMMENT = re.compile(r"[ \t]*\.\.(?:[ \t]|$)")
_FIELD = re.compile(r"[ \t]*:[^:\n]{1,60}:(?:[ \t]|$)")
_ITEM = re.compile(r"[ \t]*(?:[-*+•‣]|\(?(?:\d{1,4}|[a-zA-Z]|#|[ivxlc]{1,6})[.)])[ \t]+\S")
_SIMPLE_RULE = re.compile(r"[ \t]*={2,}(?:[ \t]+={2,}){1,99}[ \t]*")
_GRID_RULE = re.compile(r"[ \t]*\+(?:[-=]{3,}\+){1,99}[ \t]*")
_HEADER_RULE = re.compile(r"[ \t]*\+(?:=+\+)+[ \t]*")

_CODE_NAMES = "code code-block sourcecode highlight literalinclude parsed-literal doctest testcode prompt"
_CODE = frozenset(_CODE_NAMES.split())
_TABLES = frozenset(("table", "list-table", "csv-table", "flat-table"))
_FIGURES = frozenset(("figure", "image", "graphviz", "plantuml", "mermaid"))
_OTHER: dict[str, BlockKind] = {
    "math": "equation",
    "meta": "metadata",
    "index": "metadata",
    "toctree": "metadata",
}


@dataclass(slots=True)
class _Reading:
    """Where the reading stands: the heading styles so far, the indent of a paragraph that ended in ``::``."""

    lines: Lines
    styles: list[str] = field(default_factory=list)
    announced: int | None = None


def parse(data: bytes, name: str) -> Document:
    """Parse reStructuredText source."""
    text, encoding = decode(data)
    document = source_document(text, _blocks(_Reading(Lines(text))), "rst", metadata={"encoding": encoding})
    first = next((block for block in document.blocks if block.kind == "heading"), None)
    return replace(document, title=_title(text, first) if first else stem(name))


def _title(text: str, heading: Block) -> str:
    written = text[heading.start : heading.end].split("\n")
    return next((line.strip() for line in written if not _ADORNMENT.fullmatch(line.strip())), "")


def _blocks(reading: _Reading) -> Iterator[Block]:
    lines, number = reading.lines, 0
    while number < len(lines):
        if lines.is_blank(number):
            number += 1
            continue
        number = yield from _element(reading, number)


# A generator of blocks that returns the number of the line after them.
_Element = Generator[Block, None, int]


def _element(reading: _Reading, first: int) -> _Element:
    """Yield the blocks of the element that starts on a line."""
    lines, announced = reading.lines, reading.announced
    reading.announced = None
    if announced is not None and _indent(lines, first) > announced:
        after = _literal_end(lines, first, announced)
        yield from _made(lines, "code", first, after, found_by="rst:literal")
        return after
    after = _heading_end(lines, first)
    if after:
        yield from _made(
            lines, "heading", first, after, level=_level(reading, first, after), found_by="rst:heading"
        )
        return after
    line = lines[first]
    directive = _DIRECTIVE.match(line)
    if directive is not None:
        return (yield from _directive(reading, first, directive[1].lower(), directive[2].strip()))
    for kind, pattern, found_by in _MARKED:
        if pattern.match(line):
            after = _indented_end(lines, first)
            yield from _made(lines, kind, first, after, found_by=found_by)
            return after
    if _GRID_RULE.fullmatch(line) or _SIMPLE_RULE.fullmatch(line):
        return (yield from _table(lines, first))
    return (yield from _running(reading, first))


_MARKED: tuple[tuple[BlockKind, re.Pattern[str], str], ...] = (
    ("footnote", _FOOTNOTE, "rst:footnote"),
    ("metadata", _TARGET, "rst:target"),
    ("comment", _COMMENT, "rst:comment"),  # last of the three: all of them start with two dots
    ("metadata", _FIELD, "rst:field"),
)


def _made(lines: Lines, kind: BlockKind, first: int, after: int, **fields: object) -> Iterator[Block]:
    block = lines.block(kind, first, after, **fields)
    if block is not None:
        yield block


def _heading_end(lines: Lines, first: int) -> int:
    """Return the line after a title with its adornment, 0 when there is none here."""
    line = lines[first]
    if len(line) > 300 or (line[:1].isspace() and not _ADORNMENT.fullmatch(line.strip())):
        return 0
    over = _ADORNMENT.fullmatch(line) is not None
    title, under = first + over, first + 1 + over
    if under >= len(lines) or lines.is_blank(title) or not _ADORNMENT.fullmatch(lines[under]):
        return 0
    text = lines[title]
    if _ADORNMENT.fullmatch(text) or (over and lines[under].rstrip() != line.rstrip()):
        return 0
    return under + 1 if len(lines[under].rstrip()) >= len(text.strip()) * 0.7 else 0


def _level(reading: _Reading, first: int, after: int) -> int:
    """Adornments mean levels in the order in which they first appear."""
    style = reading.lines[after - 1][0] * (after - first - 1)
    if style not in reading.styles:
        reading.styles.append(style)
    return min(reading.styles.index(style) + 1, 6)


def _indented_end(lines: Lines, first: int) -> int:
    """Return the line after the last one that is indented deeper than ``first``."""
    own = _indent(lines, first)
    number = last = first + 1
    while number < len(lines):
        if not lines.is_blank(number):
            if _indent(lines, number) <= own:
                break
            last = number + 1
        number += 1
    return last


def _indent(lines: Lines, number: int) -> int:
    line = lines.text[
        lines.starts[number] : min(lines.starts[number + 1], lines.starts[number] + 200)
    ].expandtabs(8)
    return len(line) - len(line.lstrip())


def _directive(reading: _Reading, first: int, name: str, argument: str) -> _Element:
    lines = reading.lines
    if name not in _CODE | _FIGURES | _TABLES and name not in _OTHER:
        # The body of a note or of an unknown directive is read as text of its own.
        after = _options_end(lines, first + 1, len(lines))
        yield from _made(lines, "paragraph", first, after, found_by=f"rst:{name}")
        return after
    after = _indented_end(lines, first)
    if name in _CODE:
        language = argument.split(" ")[0].lower()[:30] if name != "literalinclude" else ""
        yield from _made(lines, "code", first, after, language=language, found_by=f"rst:{name}")
    elif name in _OTHER:
        yield from _made(lines, _OTHER[name], first, after, found_by=f"rst:{name}")
    elif name in _FIGURES:
        options = _options_end(lines, first + 1, after)
        yield from _made(lines, "figure", first, options, found_by=f"rst:{name}")
        yield from _made(lines, "caption", options, after, found_by=f"rst:{name}")
    else:
        body = _options_end(lines, first + 1, after)
        yield from _made(lines, "caption", first, body, found_by=f"rst:{name}")
        yield from _table_body(lines, name, body, after)
    return after


def _options_end(lines: Lines, first: int, after: int) -> int:
    number = first
    while number < after and not lines.is_blank(number) and (_FIELD.match(lines[number])):
        number += 1
    return number


def _table_body(lines: Lines, name: str, first: int, after: int) -> Iterator[Block]:
    while first < after and lines.is_blank(first):
        first += 1
    if first >= after:
        return
    if name == "table":
        yield from _table(lines, first)
    else:
        yield from _made(lines, "table", first, after, found_by=f"rst:{name}")


def _table(lines: Lines, first: int) -> _Element:
    """A grid table ends at a blank line, a simple one at the rule before a blank line."""
    simple = _SIMPLE_RULE.fullmatch(lines[first]) is not None
    header, rules, number = None, 0, first
    while number < len(lines):
        line = lines[number]
        rules += simple and _SIMPLE_RULE.fullmatch(line) is not None
        ended = lines.is_blank(number) and (not simple or rules > 2 or not _rule_follows(lines, number))
        if ended:
            break
        if header is None and number > first and (rules == 2 if simple else _HEADER_RULE.fullmatch(line)):
            header = number
        number += 1
    block = lines.block("table", first, number, found_by="rst:simple-table" if simple else "rst:grid-table")
    if block is not None:
        header_end = None if header is None else lines.starts[header] + len(lines[header])
        yield replace(block, header_end=header_end if header_end and header_end < block.end else None)
    return number


def _rule_follows(lines: Lines, number: int) -> bool:
    """Rows of a simple table may be parted by blank lines; look for its last rule nearby."""
    for following in range(number + 1, min(number + 60, len(lines))):
        if _SIMPLE_RULE.fullmatch(lines[following]):
            return not lines.is_blank(number - 1) and _SIMPLE_RULE.fullmatch(lines[number - 1]) is None
    return False


def _running(reading: _Reading, first: int) -> _Element:
    """Read a paragraph, a list item or a definition."""
    lines, after = reading.lines, first + 1
    item = _ITEM.match(lines[first]) is not None
    while after < len(lines) and not lines.is_blank(after) and not _ITEM.match(lines[after]):
        after += 1
    kind: BlockKind = (
        "list_item" if item else "definition" if _is_definition(lines, first, after) else "paragraph"
    )
    level = _indent(lines, first) // 2 + 1 if item else 0
    if kind == "paragraph" and lines[first].startswith(">>> "):
        kind = "code"
    if lines[after - 1].rstrip().endswith("::"):
        reading.announced = _indent(lines, first)
    yield from _made(lines, kind, first, after, level=level, found_by=f"rst:{kind.replace('_', '-')}")
    return after


def _is_definition(lines: Lines, first: int, after: int) -> bool:
    indents = {_indent(lines, number) for number in range(first + 1, min(after, first + 50))}
    return bool(indents) and min(indents) > _indent(lines, first)


def _literal_end(lines: Lines, first: int, announced: int) -> int:
    number = last = first
    while number < len(lines) and (lines.is_blank(number) or _indent(lines, number) > announced):
        last = last if lines.is_blank(number) else number
        number += 1
    return last + 1
