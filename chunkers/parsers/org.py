"""Org mode by lines: headings, begin/end blocks, tables, lists, keywords; blocks are source spans."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace

from ..charset import decode
from ..model import Block, BlockKind, Document
from .lines import Lines, source_document, stem

_HEADING = re.compile(r"(\*{1,20})[ \t]+\S")
_KEYWORD = re.compile(r"[ \t]*#\+(\w{1,40})(?:\[[^\]\n]{0,200}\])?:[ \t]*(.*)")
_BEGIN = re.compile(r"[ \t]*#\+begin_(\w{1,40})[ \t]*(\S{0,40})", re.IGNORECASE)
_END = re.compile(r"[ \t]*(?:#\+end_(\w{1,40})|:end:)[ \t]*", re.IGNORECASE)
_DRAWER = re.compile(r"[ \t]*:[\w-]{1,40}:[ \t]*")
_TABLE = re.compile(r"[ \t]*\|")
_RULE = re.compile(r"[ \t]*\|-")
_ITEM = re.compile(r"[ \t]*(?:[-+]|\d{1,4}[.)]|[a-zA-Z][.)])[ \t]+\S|[ \t]+\*[ \t]+\S")
_FIXED = re.compile(r"[ \t]*:[ \t]")
_COMMENT = re.compile(r"[ \t]*#(?:[ \t]|$)")
_FOOTNOTE = re.compile(r"\[fn:[^\]\n]{1,60}\]")
_PICTURE = re.compile(
    r"[ \t]*\[\[(?:file:|https?:|\.{0,2}/)[^\]\n]{1,500}\.(?:png|jpe?g|gif|svg|webp)\]\][ \t]*", re.I
)
_TAGS = re.compile(r"[ \t]+:[\w@#%:]{1,200}:[ \t]*$")
_TODO = re.compile(r"^(?:TODO|DONE|NEXT|WAITING|CANCELLED)[ \t]+|^\[#\w\][ \t]+")

_INSIDE: dict[str, BlockKind] = {
    "src": "code",
    "example": "code",
    "export": "code",
    "quote": "quote",
    "verse": "quote",
    "comment": "comment",
}
_LINE_KINDS: tuple[tuple[re.Pattern[str], BlockKind, str], ...] = (
    (_TABLE, "table", "org:table"),
    (_FIXED, "code", "org:fixed-width"),
    (_COMMENT, "comment", "org:comment"),
)


def parse(data: bytes, name: str) -> Document:
    """Parse Org source; ``#+TITLE``, ``#+DATE`` and ``#+AUTHOR`` are the document's."""
    text, encoding = decode(data)
    lines = Lines(text)
    document = source_document(text, _blocks(lines), "org")
    keywords = _keywords(lines)
    first = next((block for block in document.blocks if block.kind == "heading"), None)
    title = (
        keywords.pop("title", "")
        or (heading_text(text[first.start : first.end]) if first else "")
        or stem(name)
    )
    return replace(document, title=title, metadata=keywords | {"encoding": encoding})


def heading_text(source: str) -> str:
    """Return a heading without stars, state and tags."""
    return _TODO.sub("", _TAGS.sub("", source.lstrip("*").strip())).strip()


def _keywords(lines: Lines) -> dict[str, str]:
    found: dict[str, str] = {}
    for number in range(min(len(lines), 200)):
        match = _KEYWORD.match(lines[number][:1000])
        if match and match[1].lower() in ("title", "date", "author", "description") and match[2].strip():
            found.setdefault(match[1].lower(), match[2].strip().strip("<>[]"))
    return found


_Ends = dict[str, list[int]]


def _blocks(lines: Lines) -> Iterator[Block]:
    ends, number = _ends(lines), 0
    while number < len(lines):
        if lines.is_blank(number):
            number += 1
            continue
        block, number = _element(lines, number, ends)
        if block is not None:
            yield block


def _ends(lines: Lines) -> _Ends:
    """Return the lines that end blocks, by name; under "*" the headings, which end all."""
    ends: _Ends = {"*": [], "": []}
    for number in range(len(lines)):
        line = lines[number][:100]
        match = _END.fullmatch(line)
        if match:
            ends.setdefault((match[1] or "").lower(), []).append(number)
        elif _HEADING.match(line):
            ends["*"].append(number)
    return ends


def _element(lines: Lines, first: int, ends: _Ends) -> tuple[Block | None, int]:
    """Return the block that starts on a line and the line after it."""
    line = lines[first][:2000]
    heading = _HEADING.match(line)
    if heading:
        level = min(len(heading[1]), 6)
        return lines.block("heading", first, first + 1, level=level, found_by="org:heading"), first + 1
    begin = _BEGIN.match(line)
    if begin:
        return _delimited(lines, first, begin[1].lower(), begin[2].lower(), ends)
    keyword = _KEYWORD.match(line)
    if keyword:
        kind: BlockKind = "caption" if keyword[1].lower() == "caption" else "metadata"
        return lines.block(kind, first, first + 1, found_by=f"org:{keyword[1].lower()}"), first + 1
    if _DRAWER.fullmatch(line):
        after = _find(lines, first, "", ends)
        return lines.block("metadata", first, after, found_by="org:drawer"), after
    for pattern, run_kind, found_by in _LINE_KINDS:
        if pattern.match(line):
            return _run(lines, first, pattern, run_kind, found_by)
    return _running(lines, first)


def _delimited(lines: Lines, first: int, name: str, language: str, ends: _Ends) -> tuple[Block | None, int]:
    after = _find(lines, first, name, ends)
    kind = _INSIDE.get(name, "paragraph")
    language = language if name == "src" else ""
    return lines.block(kind, first, after, language=language, found_by=f"org:{name}"), after


def _find(lines: Lines, first: int, name: str, ends: _Ends) -> int:
    """Return the line after a block's end; without an end before the next heading, a blank line."""
    end, heading = _next(ends.get(name, []), first), _next(ends["*"], first)
    if end is not None and (heading is None or end < heading):
        return end + 1
    return _run_end(lines, first)


def _next(numbers: list[int], after: int) -> int | None:
    index = bisect_right(numbers, after)
    return numbers[index] if index < len(numbers) else None


def _run_end(lines: Lines, first: int) -> int:
    number = first + 1
    while number < len(lines) and not lines.is_blank(number):
        number += 1
    return number


def _run(
    lines: Lines, first: int, pattern: re.Pattern[str], kind: BlockKind, found_by: str
) -> tuple[Block | None, int]:
    after = first + 1
    while after < len(lines) and pattern.match(lines[after][:100]):
        after += 1
    block = lines.block(kind, first, after, found_by=found_by)
    if block is not None and kind == "table":
        rule = next(
            (number for number in range(first + 1, after - 1) if _RULE.match(lines[number][:100])), None
        )
        block = replace(block, header_end=None if rule is None else lines.starts[rule] + len(lines[rule]))
    return block, after


def _running(lines: Lines, first: int) -> tuple[Block | None, int]:
    line = lines[first]
    if _PICTURE.fullmatch(line[:1000]):
        return lines.block("figure", first, first + 1, found_by="org:link"), first + 1
    after = first + 1
    while after < len(lines) and not lines.is_blank(after) and not _starts_anew(lines[after][:300]):
        after += 1
    if _ITEM.match(line[:300]):
        level = (len(line) - len(line.lstrip())) // 2 + 1
        return lines.block("list_item", first, after, level=level, found_by="org:list-item"), after
    kind: BlockKind = "footnote" if _FOOTNOTE.match(line[:100]) else "paragraph"
    return lines.block(kind, first, after, found_by=f"org:{kind}"), after


def _starts_anew(line: str) -> bool:
    patterns = (_HEADING, _ITEM, _TABLE, _KEYWORD, _BEGIN, _COMMENT, _FOOTNOTE)
    return any(pattern.match(line) for pattern in patterns)
