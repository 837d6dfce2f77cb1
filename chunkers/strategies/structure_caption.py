"""Sections in which tables, figures and code stay with caption and preceding paragraph at any length."""

from collections.abc import Iterator, Sequence

from ..bind import Group, find_groups
from ..pack import Draft, glue, pack
from ..sections import BlockRange
from ..task import Task
from ..units import Unit, join

# The longest chunk. A table of megabytes is cut, at rows, as it can neither be shown nor ranked as one hit.
LONGEST = 4096


def split(task: Task) -> list[Draft]:
    """Pack the sentences and the bound groups of each section; overlap repeats sentences only."""
    drafts: list[Draft] = []
    groups = _groups_of(task)
    for units in task.units_of(_joined(task.sections, groups)):
        bound = list(_bind(units, groups, max(LONGEST, task.size)))
        drafts.extend(pack(list(glue(bound, task.size)), task.size, task.overlap, tidy=True))
    return drafts


def _joined(sections: Sequence[BlockRange], groups: dict[int, Group]) -> list[BlockRange]:
    """Return the sections, as one those that a group goes across with furniture between."""
    found: list[BlockRange] = []
    for first, last in sections:
        if found and first in groups and groups[first].first < first:
            found[-1] = found[-1][0], last
        else:
            found.append((first, last))
    return found


def _groups_of(task: Task) -> dict[int, Group]:
    """Map blocks to their groups; a source file is code throughout, so its code explains itself."""
    if task.document.kind == "code":
        return {}
    groups = find_groups(task.document)
    return {block: group for group in groups for block in range(group.first, group.last)}


def _bind(units: Sequence[Unit], groups: dict[int, Group], longest: int) -> Iterator[Unit]:
    position = 0
    while position < len(units):
        group = groups.get(units[position].block)
        if group is None:
            yield units[position]
            position += 1
            continue
        start = position
        while position < len(units) and units[position].block < group.last:
            position += 1
        yield from _whole(units[start:position], longest)


def _whole(units: Sequence[Unit], longest: int) -> Iterator[Unit]:
    """Yield a group as one unit, or as several when it is longer than any chunk may be."""
    first = 0
    for position in range(1, len(units) + 1):
        if position == len(units) or units[position].after - units[first].before > longest:
            yield join(units[first:position], repeats=False)
            first = position
