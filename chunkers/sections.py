"""The outline of a document: which blocks form a section, and the heading path at a block."""

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence

from .model import Block, Document

BlockRange = tuple[int, int]

_MARKS = " \t#=*_-~^`+\"'"
_INLINE = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)")
_LONGEST_HEADING = 200


def heading_text(document: Document, block: Block) -> str:
    """Return a heading's words in one line, without the marks of Markdown, reStructuredText and Org."""
    for line in document.text[block.start : block.end].splitlines():
        words = " ".join(_INLINE.sub(r"\1", line).strip(_MARKS).split())
        if words:
            return words[:_LONGEST_HEADING]
    return ""


def body_runs(blocks: Sequence[Block]) -> list[BlockRange]:
    """Return the ranges of blocks between furniture."""
    return _ranges(blocks, lambda index: False)


def heading_sections(blocks: Sequence[Block], is_heading: Callable[[int], bool]) -> list[BlockRange]:
    """Return a range of blocks for each section; headings without a body join the section that follows."""
    return _ranges(blocks, lambda index: is_heading(index) and not is_heading(index - 1))


def _ranges(blocks: Sequence[Block], starts: Callable[[int], bool]) -> list[BlockRange]:
    ranges: list[BlockRange] = []
    first = 0
    for index, block in enumerate(blocks):
        furniture = block.kind == "furniture"
        if index > first and (furniture or starts(index)):
            ranges.append((first, index))
            first = index
        if furniture:
            first = index + 1
    if first < len(blocks):
        ranges.append((first, len(blocks)))
    return ranges


class Outline:
    """The heading path of every block of a document."""

    def __init__(self, document: Document) -> None:
        self._blocks = document.blocks
        self._starts = [block.start for block in document.blocks]
        self._paths = _paths(document)

    def block_at(self, position: int) -> int:
        """Return the index of the last block that starts at or before a position (0 before the first)."""
        return max(bisect_right(self._starts, position) - 1, 0)

    def path(self, position: int, end: int) -> tuple[str, ...]:
        """Return the heading path at a position; of headings in a row before ``end``, that of the last."""
        if not self._blocks:
            return ()
        index = self.block_at(position)
        while self._blocks[index].kind == "heading" and self._heads(index + 1, end):
            index += 1
        return self._paths[index]

    def pages(self, start: int, end: int) -> tuple[int | None, int | None]:
        """Return the first and the last page of a span."""
        if not self._blocks:
            return None, None
        last = bisect_right(self._starts, max(end - 1, start))
        pages = [block.page for block in self._blocks[self.block_at(start) : last] if block.page is not None]
        return (min(pages), max(pages)) if pages else (None, None)

    def _heads(self, index: int, end: int) -> bool:
        if index >= len(self._blocks):
            return False
        return self._blocks[index].kind == "heading" and self._blocks[index].start < end


def _paths(document: Document) -> list[tuple[str, ...]]:
    paths: list[tuple[str, ...]] = []
    levels: list[int] = []
    path: tuple[str, ...] = ()
    for block in document.blocks:
        text = heading_text(document, block) if block.kind == "heading" else ""
        if text:
            level = max(block.level, 1)
            depth = sum(1 for open_level in levels if open_level < level)
            levels = [*levels[:depth], level]
            path = (*path[:depth], text)
        paths.append(path)
    return paths
