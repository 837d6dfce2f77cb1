"""Greedy packing: units in order are put into chunks of at most a number of tokens."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .model import Span
from .tokens import TokenIndex
from .units import Unit, breaks_at, join, word_end

_SPACE = re.compile(r"\s")
_VISIBLE = re.compile(r"\S")


class Draft(NamedTuple):
    """The span of a chunk to be; what lies before ``core_start`` repeats the chunk before."""

    start: int
    end: int
    core_start: int
    headings: tuple[str, ...] | None = None


def pack(units: Sequence[Unit], size: int, overlap: int = 0, *, tidy: bool = False) -> list[Draft]:
    """Pack units into drafts of at most ``size`` tokens, the overlap of whole units included.

    ``tidy`` ends a draft that is at least half full at a paragraph rather than between two sentences; code
    always ends at a blank line rather than between two lines.
    """
    drafts: list[Draft] = []
    core = first = 0
    while core < len(units):
        start = _repeat_from(units, first, core, size, overlap) if drafts else core
        stop = _fill(units, start, core, size)
        if tidy or not units[stop - 1].repeats:
            stop = _tidy_end(units, start, core, stop, size)
        drafts.append(Draft(units[start].start, units[stop - 1].end, units[core].start))
        first, core = core, stop
    return drafts


def _fill(units: Sequence[Unit], start: int, core: int, size: int) -> int:
    stop = core + 1
    if units[core].after - units[core].before > size:
        return stop
    while stop < len(units) and units[stop].after - units[start].before <= size:
        stop += 1
    return stop


def _repeat_from(units: Sequence[Unit], first: int, core: int, size: int, overlap: int) -> int:
    """Return the first unit to repeat: whole units that fit the overlap, never all of the chunk before."""
    start = core
    while start - 1 > first and units[start - 1].repeats:
        if units[core].before - units[start - 1].before > overlap:
            break
        if units[core].after - units[start - 1].before > size:
            break
        start -= 1
    return start


def _tidy_end(units: Sequence[Unit], start: int, core: int, stop: int, size: int) -> int:
    if stop == len(units):
        return stop
    best = stop
    for candidate in range(stop - 1, core, -1):
        if 2 * (units[candidate - 1].after - units[start].before) < size:
            break
        if units[candidate].rank > units[best].rank:
            best = candidate
    return best


def glue(units: Sequence[Unit], size: int) -> Iterator[Unit]:
    """Join each unit that leads (a heading, a list's introduction) with the next, where both fit a chunk."""
    held: list[Unit] = []
    for unit in units:
        if held and unit.after - held[0].before > size:
            yield join(held)
            held = []
        held.append(unit)
        if not unit.leads:
            yield join(held) if len(held) > 1 else unit
            held = []
    if held:
        yield join(held)


def token_windows(index: TokenIndex, span: Span, size: int, overlap: int) -> Iterator[Draft]:
    """Yield windows of ``size`` tokens that end at words; each repeats ``overlap`` tokens of the last."""
    core, end = span
    start = core
    while core < end:
        stop = word_end(index, start, size, end)
        if stop <= core:
            start, stop = core, word_end(index, core, size, end)
        draft = Draft(start, stop, core)
        yield draft
        visible = _VISIBLE.search(index.text, stop, end)
        core = visible.start() if visible else end
        start = tail_start(index, draft, overlap, core)


def tail_start(index: TokenIndex, draft: Draft, overlap: int, core: int) -> int:
    """Return where the whole words in the last ``overlap`` tokens of a draft begin, ``core`` when none do."""
    first = index.before(core) - overlap
    if overlap <= 0 or first <= index.before(draft.core_start):
        return core
    position = int(index.starts[first])
    if not breaks_at(index.text, position):
        space = _SPACE.search(index.text, position, core)
        position = space.start() if space else core
    visible = _VISIBLE.search(index.text, position, core)
    return visible.start() if visible else core
