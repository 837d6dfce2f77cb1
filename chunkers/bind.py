"""Caption binding: which neighbouring blocks stay together because one explains the other."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from .captions import caption_of
from .model import Block, ChunkKind, Document

_BOUND: dict[str, ChunkKind] = {"table": "table", "figure": "figure", "code": "code"}

_ANNOUNCING = frozenset(("list_item", "definition", "footnote", "quote"))
_COLONS = (":", "：")
LONGEST_PASSED = 200
"""Characters of a running head that may stand inside of a group, and in its chunk."""
# A break that the author has set, and words that nobody sees.
_DIVIDING = frozenset(("markdown:hr", "pdf:hidden"))


class Group(NamedTuple):
    """``blocks[first:last]`` stay together; ``item`` is the table, figure or code block they are about.

    The item of a picture without words is its caption.
    """

    first: int
    last: int
    item: int
    kind: ChunkKind


def find_groups(document: Document) -> list[Group]:
    """Return the groups of a document, sorted and disjoint.

    A table, figure or code block takes its captions, the paragraph or the announcing item before it, a
    caption before that and a heading right before that; figures without a word between them are one group.
    Running heads and page numbers between these are passed over, and are in the group then.
    """
    places = [place for place, block in enumerate(document.blocks) if not _is_passed(block)]
    if len(places) == len(document.blocks):
        return _find(document)
    body = replace(document, blocks=tuple(document.blocks[place] for place in places))
    return [
        Group(places[first], places[last - 1] + 1, places[item], kind)
        for first, last, item, kind in _find(body)
    ]


def _is_passed(block: Block) -> bool:
    return (
        block.kind == "furniture"
        and block.end - block.start <= LONGEST_PASSED
        and block.found_by not in _DIVIDING
    )


def _find(document: Document) -> list[Group]:
    blocks = document.blocks
    owners = _caption_owners(document)
    groups: list[Group] = []
    index = 0
    while index < len(blocks):
        if _item(blocks, index) is None and not _is_picture(blocks[index]):
            index += 1
            continue
        taken = groups[-1].last if groups else 0
        group = Group(
            _first(document, owners, index, taken), _last(blocks, owners, index), index, _kind(blocks[index])
        )
        groups.append(group)
        index = group.last
    return groups


def _kind(block: Block) -> ChunkKind:
    return _BOUND.get(block.kind, "figure")


def _is_picture(block: Block) -> bool:
    """Say whether the block is the caption of a picture in which the parser has found no words."""
    return block.kind == "caption" and block.found_by.endswith(":picture")


def _first(document: Document, owners: dict[int, int], item: int, taken: int) -> int:
    blocks, first = document.blocks, item
    while first > taken and owners.get(first - 1) == item:
        first -= 1
    if first > taken and (blocks[first - 1].kind == "paragraph" or _announces(document, first - 1)):
        first -= 1
        if first > taken and blocks[first - 1].kind == "caption" and first - 1 not in owners:
            first -= 1
    if first > taken and blocks[first - 1].kind == "heading":
        first -= 1
    return first


def _announces(document: Document, index: int) -> bool:
    """Say whether a list item or a definition ends by announcing what follows it."""
    block = document.blocks[index]
    return (
        block.kind in _ANNOUNCING and document.text[block.start : block.end].rstrip("*_` \n")[-1:] in _COLONS
    )


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
        if block.kind == "caption" and index not in owners and not _is_picture(block):
            end = _caption_run(blocks, index)
            before, after = _item(blocks, index - 1), _item(blocks, end)
            for caption in range(index, end):
                owner = _owner(document, caption, before, after)
                if owner is None:
                    owner = after if _belongs_after(document, caption, (before, after), owners) else before
                if owner is not None:
                    owners[caption] = owner
    return owners


def _caption_run(blocks: Sequence[Block], index: int) -> int:
    while index < len(blocks) and blocks[index].kind == "caption" and not _is_picture(blocks[index]):
        index += 1
    return index


def _item(blocks: Sequence[Block], index: int) -> int | None:
    return index if 0 <= index < len(blocks) and blocks[index].kind in _BOUND else None


def _owner(document: Document, caption: int, before: int | None, after: int | None) -> int | None:
    """Return the owner that a caption names, of two neighbours of different kinds, or the only neighbour."""
    if before is None or after is None:
        return after if before is None else before
    kinds: dict[str, int] = {document.blocks[before].kind: before, document.blocks[after].kind: after}
    named = _named(document, caption)
    if not named or len(kinds) < 2:
        return None
    # A figure's own caption is below it, so the one above belongs to what stands before: a figure of code.
    return before if named == "figure" == _named(document, after + 1) else kinds.get(named)


def _named(document: Document, index: int) -> str | None:
    """Return the kind that a caption names."""
    if index >= len(document.blocks) or document.blocks[index].kind != "caption":
        return None
    block = document.blocks[index]
    return caption_of(document.text[block.start : block.end])


def _belongs_after(
    document: Document, caption: int, beside: tuple[int | None, int | None], owners: dict[int, int]
) -> bool:
    """Decide between two neighbours: who has none yet, then the custom of print.

    Figures have their caption below, tables and listings above, unless the item after has one below as well.
    """
    blocks, (before, after) = document.blocks, beside
    if before is None or after is None:
        return before is None
    if owners.get(before - 1) == before:
        return True
    end = _caption_run(blocks, after + 1)
    below = end > after + 1 and _item(blocks, end) is None
    figures = "figure" in (blocks[before].kind, blocks[after].kind, _named(document, caption))
    return not below and not figures
