"""Plain text: paragraphs by blank lines; headings, lists and code only where their signs are plain."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from ..charset import decode
from ..model import Block, Document
from .lines import Lines, source_document, stem

BULLET = re.compile(r"[ \t]{0,40}(?:[-*+•‣◦·–]|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})[.)])[ \t]+\S")
_NUMBERED = re.compile(
    r" {0,3}(?:(?:chapter|section|part|appendix|kapitel)\s)?(\d{1,3}(?:\.\d{1,3}){0,5})\.?[ \t]+(\w.*)", re.I
)
_UNDERLINE = re.compile(r"[ \t]{0,40}([=\-~^*_#\"'+])\1{2,}[ \t]*")
_LEADERS = re.compile(r"\.{3}|(?:\. ){3}|[.;:,!?]$")
_PAGE_MARK = re.compile(r"\[?page \d{1,4}\]?$|^\s*-?\s*\d{1,4}\s*-?\s*$", re.IGNORECASE)
_CODE_SIGNS = re.compile(
    r"[{}()\[\];=<>$|\\/_]|->|::|^[ \t]+(?:def|class|if|for|return|import|sudo|git|cd) ", re.MULTILINE
)
_LONGEST_HEADING = 90
_SAMPLE_LINES = 2000


def parse(data: bytes, name: str) -> Document:
    """Parse plain text in any encoding."""
    text, encoding = decode(data)
    return parse_text(text, name, "text", metadata={"encoding": encoding})


def parse_text(text: str, name: str, kind: str, **fields: object) -> Document:
    """Return the document of a decoded text."""
    lines = Lines(text)
    document = source_document(text, _blocks(lines), kind, **fields)
    first = next((block for block in document.blocks if block.kind == "heading"), None)
    early = first is not None and first.start < 2000
    title = text[first.start : first.end].split("\n")[0].strip() if first and early else stem(name)
    return replace(document, title=title)


def groups(lines: Lines) -> Iterator[tuple[int, int]]:
    """Yield the runs of lines that are not blank, as half-open ranges; a form feed starts another one."""
    first = None
    for number in range(len(lines)):
        if lines.is_blank(number):
            if first is not None:
                yield first, number
            first = None
        elif first is None:
            first = number
        elif lines.text[lines.starts[number]] == "\f":
            yield first, number
            first = number
    if first is not None:
        yield first, len(lines)


def _blocks(lines: Lines) -> Iterator[Block]:
    running_heads = _running_heads(lines)
    base = _base_indent(lines)
    ranges = list(groups(lines))
    for index, (first, after) in enumerate(ranges):
        if after - first == 1 and first in running_heads:
            yield from _some(lines.block("furniture", first, after, found_by="text:page"))
            continue
        heading = _heading(lines, ranges, index)
        if heading is not None:
            yield heading[0]
            first = heading[1]
        if first < after:
            yield from _body(lines, first, after, base)


def _some(block: Block | None) -> Iterator[Block]:
    if block is not None:
        yield block


def _heading(lines: Lines, ranges: list[tuple[int, int]], index: int) -> tuple[Block, int] | None:
    """Return the heading that the run of lines starts with and the first line after it."""
    first, after = ranges[index]
    line = lines[first] if lines.starts[first + 1] - lines.starts[first] < _LONGEST_HEADING else ""
    if not line or (BULLET.match(line) and not _NUMBERED.match(line)):
        return None
    if after - first > 1:
        underline = _UNDERLINE.fullmatch(lines[first + 1])
        if (
            underline is None
            or _UNDERLINE.fullmatch(line)
            or len(underline[0].strip()) < len(line.strip()) * 0.6
        ):
            return None
        level = {"=": 1, "-": 2}.get(underline[1], 3)
        return _made(lines, first, first + 2, level, "text:underline")
    level = _numbered_level(lines, ranges, index, line) or (2 if _is_capitals(line) else 0)
    return _made(
        lines, first, after, level, "text:numbered" if line[:4].strip()[:1].isdigit() else "text:capitals"
    )


def _made(lines: Lines, first: int, after: int, level: int, found_by: str) -> tuple[Block, int] | None:
    block = lines.block("heading", first, after, level=min(level, 6), found_by=found_by) if level else None
    return (block, after) if block else None


def _numbered_level(lines: Lines, ranges: list[tuple[int, int]], index: int, line: str) -> int:
    """Return the depth of a number like 2.1; "1. Milk" among its likes is a list, not a heading."""
    match = _NUMBERED.fullmatch(line.rstrip())
    if match is None or _LEADERS.search(line.rstrip()) or not (match[2][0].isupper() or "." in match[1]):
        return 0
    depth = match[1].count(".") + 1
    if depth == 1:
        beside = [ranges[near] for near in (index - 1, index + 1) if 0 <= near < len(ranges)]
        if any(
            after - first < 3 and _NUMBERED.match(lines[first][:_LONGEST_HEADING]) for first, after in beside
        ):
            return 0
    return depth


def _is_capitals(line: str) -> bool:
    letters = [char for char in line if char.isalpha()]
    return (
        len(letters) >= 4
        and len(line.strip()) <= 60
        and line.upper() == line
        and not _LEADERS.search(line.rstrip())
    )


def _body(lines: Lines, first: int, after: int, base: int) -> Iterator[Block]:
    """Cut a run of lines at its list items; what is indented throughout and has code's signs is code."""
    starts = [number for number in range(first, after) if BULLET.match(lines.text, lines.starts[number])]
    if not starts or (starts[0] != first and len(starts) < 2):
        is_code = _is_code(lines, first, after, base)
        yield from _some(
            lines.block("code" if is_code else "paragraph", first, after, found_by="text:blank-line")
        )
        return
    yield from _some(lines.block("paragraph", first, starts[0], found_by="text:blank-line"))
    indents = sorted({_indent(lines, number) for number in starts})
    for number, following in zip(starts, [*starts[1:], after], strict=True):
        level = indents.index(_indent(lines, number)) + 1
        yield from _some(lines.block("list_item", number, following, level=level, found_by="text:bullet"))


def _indent(lines: Lines, number: int) -> int:
    line = lines.text[
        lines.starts[number] : min(lines.starts[number + 1], lines.starts[number] + 80)
    ].expandtabs(4)
    return len(line) - len(line.lstrip())


def _base_indent(lines: Lines) -> int:
    """Return the usual indentation, which is 3 in an RFC."""
    counts = Counter(
        _indent(lines, number)
        for number in range(min(len(lines), _SAMPLE_LINES))
        if not lines.is_blank(number)
    )
    return counts.most_common(1)[0][0] if counts else 0


def _is_code(lines: Lines, first: int, after: int, base: int) -> bool:
    if any(_indent(lines, number) < base + 4 for number in range(first, min(after, first + _SAMPLE_LINES))):
        return False
    sample = lines.text[lines.starts[first] : min(lines.starts[after], lines.starts[first] + 4000)]
    return len(_CODE_SIGNS.findall(sample)) > len(sample) * 0.02


def _running_heads(lines: Lines) -> set[int]:
    """Return the lines beside form feeds that come again on other pages, numbers aside."""
    if lines.text.count("\f") < 2:
        return set()
    feeds = [number for number in range(len(lines)) if "\f" in lines[number]]
    near = [_next_line(lines, feed, step) for feed in feeds for step in (-1, 1)]
    near += [_next_line(lines, -1, 1), _next_line(lines, len(lines), -1)]
    beside = {
        number: re.sub(r"\d{1,9}", "0", lines[number].strip("\f").strip())
        for number in near
        if number is not None
    }
    counts = Counter(beside.values())
    return {number for number, words in beside.items() if counts[words] > 1 or _PAGE_MARK.search(words)}


def _next_line(lines: Lines, feed: int, step: int) -> int | None:
    """Return the first line with text from a form feed on, at most 5 lines away."""
    numbers = [feed] if step > 0 and feed >= 0 and lines[feed].strip() else []
    numbers += [feed + step * distance for distance in range(1, 6)]
    return next(
        (number for number in numbers if 0 <= number < len(lines) and not lines.is_blank(number)), None
    )
