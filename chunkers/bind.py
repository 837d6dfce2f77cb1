"""Caption binding: which neighbouring blocks stay together because one explains the other."""

from collections.abc import Sequence
from typing import NamedTuple

from .captions import caption_of
from .model import Block, ChunkKind, Document

_BOUND: dict[str, ChunkKind] = {"table": "table", "figure": "figure", "code": "code"}


class Group(NamedTuple):
    """``blocks[first:last]`` stay together; ``item`` is the table, figure or code block they are about."""

    first: int
    last: int
    item: int
    kind: ChunkKind


def find_groups(document: Document) -> list[Group]:
    """Return the groups of a document, sorted and disjoint.

    A table, figure or code block takes its captions, the paragraph before it and a heading right before that;
    figures without a word between them are one group.
    """
    blocks = document.blocks
    owners = _caption_owners(document)
    groups: list[Group] = []
    index = 0
    while index < len(blocks):
        if blocks[index].kind not in _BOUND:
            index += 1
            continue
        taken = groups[-1].last if groups else 0
        group = Group(
            _first(blocks, owners, index, taken), _last(blocks, owners, index), index, _kind(blocks[index])
        )
        groups.append(group)
        index = group.last
    return groups


def _kind(block: Block) -> ChunkKind:
    return _BOUND[block.kind]


def _first(blocks: Sequence[Block], owners: dict[int, int], item: int, taken: int) -> int:
    first = item
    while first > taken and owners.get(first - 1) == item:
        first -= 1
    if first > taken and blocks[first - 1].kind == "paragraph":
        first -= 1
    if first > taken and blocks[first - 1].kind == "heading":
        first -= 1
    return first


def _last(blocks: Sequence[Block], owners: dict[int, int], item: int) -> int:
    last = item + 1
    while last < len(blocks):
        if owners.get(last) in range(item, last) or blocks[last].kind == blocks[last - 1].kind == "figure":
            last += 1
        else:
            break
    return last


def _caption_owners(document: Document) -> dict[int, int]:
    """Map each caption to the block it belongs to, before or after it."""
    blocks = document.blocks
    owners: dict[int, int] = {}
    for index, block in enumerate(blocks):
        if block.kind != "caption" or index in owners:
            continue
        end = _caption_run(blocks, index)
        neighbours = [at for at in (index - 1, end) if 0 <= at < len(blocks) and blocks[at].kind in _BOUND]
        if len(neighbours) == 2 and _belongs_after(document, index, neighbours, set(owners.values())):
            neighbours.reverse()
        if neighbours:
            owners.update(dict.fromkeys(range(index, end), neighbours[0]))
    return owners


def _caption_run(blocks: Sequence[Block], index: int) -> int:
    while index < len(blocks) and blocks[index].kind == "caption":
        index += 1
    return index


def _belongs_after(document: Document, caption: int, neighbours: list[int], captioned: set[int]) -> bool:
    """Decide between two neighbours: what the caption names, who has none yet, then the custom of print.

    Figures have their caption below, tables and listings above.
    """
    before, after = (document.blocks[at].kind for at in neighbours)
    block = document.blocks[caption]
    said = caption_of(document.text[block.start : block.end])
    if before != after and said in (before, after):
        return said == after
    if neighbours[0] in captioned:
        return True
    return before != "figure" and after != "figure"
