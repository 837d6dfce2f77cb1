"""The smallest pieces that chunks are packed from: sentences, table rows, lines of code, whole headings."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from .model import Block, Document, Span
from .sentences import split
from .tokens import TokenIndex

# How good a place a unit's start is to begin a chunk.
CUT, SENTENCE, PARAGRAPH, BLOCK = range(4)

_ROWS = {"table", "code"}
_WHOLE = {"heading", "caption", "figure", "equation", "metadata"}
_FARTHEST = 256
_VISIBLE = re.compile(r"\S")
# Han, kana and full-width forms: their words are not parted by spaces, so a line may break between letters.
_UNSPACED = re.compile("[\u2e80-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uff65]")


class Unit(NamedTuple):
    """A span that is kept whole; ``before`` and ``after`` count the tokens before its start and its end.

    ``rank`` tells how well a chunk begins here, ``repeats`` that overlap may repeat it, ``leads`` that it
    must not be the last of a chunk.
    """

    start: int
    end: int
    before: int
    after: int
    block: int
    rank: int = SENTENCE
    repeats: bool = True
    leads: bool = False


def join(units: Sequence[Unit], *, repeats: bool = True) -> Unit:
    """Return neighbouring units as one."""
    first, last = units[0], units[-1]
    repeats = repeats and all(unit.repeats for unit in units)
    return first._replace(end=last.end, after=last.after, repeats=repeats, leads=last.leads)


def make_units(document: Document, index: TokenIndex, limit: int) -> list[Unit]:
    """Return the units of a document's body; one longer than ``limit`` tokens is cut at lines or words."""
    spans: list[Span] = []
    owners: list[int] = []
    for number, block in enumerate(document.blocks):
        if block.kind != "furniture":
            found = _block_spans(document, block)
            spans.extend(found)
            owners.extend([number] * len(found))
    befores = np.searchsorted(index.starts, np.array([start for start, _ in spans], np.int32)).tolist()
    afters = np.searchsorted(index.starts, np.array([end for _, end in spans], np.int32)).tolist()
    units: list[Unit] = []
    previous = -1
    for (start, end), owner, before, after in zip(spans, owners, befores, afters, strict=True):
        rank = _rank(document, start, owner, previous)
        repeats = document.blocks[owner].kind not in _ROWS
        unit = Unit(start, end, before, after, owner, rank, repeats, _leads(document, end, owner))
        units.extend([unit] if after - before <= limit else _cut_unit(index, unit, limit))
        previous = owner
    return units


def _block_spans(document: Document, block: Block) -> list[Span]:
    text = document.text
    if block.kind in _ROWS:
        return list(lines(text, block.start, block.end))
    if block.kind in _WHOLE:
        return [(block.start, block.end)] if text[block.start : block.end].strip() else []
    body = text[block.start : block.end]
    return [(block.start + a, block.start + b) for a, b in split(body, document.language or "en")]


def lines(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the lines with something on them, indentation kept, without white space at their ends."""
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        width = len(text[start:stop].rstrip())
        if width:
            yield start, start + width
        start = stop + 1


def _rank(document: Document, start: int, owner: int, previous: int) -> int:
    blocks = document.blocks
    if owner != previous:
        same_list = previous >= 0 and blocks[owner].kind == blocks[previous].kind == "list_item"
        return PARAGRAPH if same_list else BLOCK
    gap = document.text[max(0, start - 80) : start]
    return PARAGRAPH if gap.count("\n", len(gap.rstrip())) > 1 else SENTENCE


def _leads(document: Document, end: int, owner: int) -> bool:
    """Tell whether what follows belongs to this unit: a heading, or the sentence that introduces a list."""
    block = document.blocks[owner]
    if block.kind == "heading":
        return True
    if (
        block.kind != "paragraph"
        or owner + 1 >= len(document.blocks)
        or document.blocks[owner + 1].kind != "list_item"
    ):
        return False
    return not document.text[end : block.end].strip()


def _cut_unit(index: TokenIndex, unit: Unit, limit: int) -> Iterator[Unit]:
    ends = [end for _, end in lines(index.text, unit.start, unit.end)]
    spans = divide(index, (unit.start, unit.end), limit, ends)
    for number, (start, end) in enumerate(spans):
        rank = CUT if number else unit.rank
        leads = unit.leads and number == len(spans) - 1
        yield Unit(start, end, index.before(start), index.before(end), unit.block, rank, False, leads)


def divide(index: TokenIndex, span: Span, limit: int, ends: Sequence[int]) -> list[Span]:
    """Cut a span into the fewest even parts of at most ``limit`` tokens, at the given ends where possible.

    ``ends`` are sorted positions that are good to end at; where none is in reach a part ends at a word.
    """
    position, end = span
    parts: list[Span] = []
    left = -(-index.count(position, end) // limit)
    while index.count(position, end) > limit:
        left = max(left, -(-index.count(position, end) // limit))
        stop = _near_end(index, (position, end), left, limit, ends)
        if stop is None:
            stop = _near_end(index, (position, end), left + 1, limit, ends)
            left += stop is not None
        if stop is None:
            stop = word_end(index, position, -(-index.count(position, end) // left), end)
        parts.append((position, stop))
        visible = _VISIBLE.search(index.text, stop, end)
        position = visible.start() if visible else end
        left -= 1
    if position < end:
        parts.append((position, end))
    return parts


def _near_end(index: TokenIndex, span: Span, parts: int, limit: int, ends: Sequence[int]) -> int | None:
    """Return the good end nearest to an even share that leaves what the other parts can hold."""
    position, end = span
    rest = index.count(position, end)
    least, share = max(1, rest - (parts - 1) * limit), -(-rest // parts)
    after = bisect_left(ends, index.cut(position, share))
    best: tuple[int, int] | None = None
    for candidate in ends[max(0, after - 1) : after + 1]:
        tokens = index.count(position, candidate) if position < candidate < end else 0
        if least <= tokens <= limit and (best is None or abs(tokens - share) < best[0]):
            best = abs(tokens - share), candidate
    return best[1] if best else None


def word_end(index: TokenIndex, start: int, tokens: int, end: int) -> int:
    """Return where the last whole word ends within ``tokens`` tokens from ``start``; a longer word is cut."""
    text = index.text
    stop = min(index.cut(start, tokens), end)
    if stop >= end or breaks_at(text, stop):
        return stop
    space = max(
        text.rfind(" ", start + 1, stop), text.rfind("\n", start + 1, stop), text.rfind("\t", start + 1, stop)
    )
    if space > start:
        trimmed = start + len(text[start:space].rstrip())
        if trimmed > start:
            return trimmed
    return _part_end(index, start, stop)


def breaks_at(text: str, position: int) -> bool:
    """Tell whether a position inside a text is between two words."""
    left, right = text[position - 1], text[position]
    if left.isspace() or right.isspace():
        return True
    return bool(_UNSPACED.match(left) or _UNSPACED.match(right))


def _part_end(index: TokenIndex, start: int, stop: int) -> int:
    """Step back from inside a run of letters or digits to where it begins, if that is near."""
    text, position = index.text, stop
    least = max(start, stop - _FARTHEST)
    while position > least and text[position - 1].isalnum() and text[position].isalnum():
        position -= 1
    return position if position > least else stop
