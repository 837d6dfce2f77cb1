"""What a strategy is given: the document with its units, and what it is asked for."""

from dataclasses import dataclass
from functools import cached_property

from .model import Document, Span
from .sections import BlockRange, body_runs, heading_sections
from .tokens import TokenIndex
from .units import Unit, make_units


@dataclass(frozen=True)
class Task:
    """One document to cut into chunks of ``size`` tokens, of which up to ``overlap`` are repeated."""

    document: Document
    index: TokenIndex
    size: int
    overlap: int

    @cached_property
    def units(self) -> list[Unit]:
        """The sentences, rows and lines of the body, none longer than a chunk."""
        return make_units(self.document, self.index, self.size)

    @cached_property
    def ends(self) -> list[int]:
        """Where sentences, rows and lines end."""
        return [unit.end for unit in self.units]

    @cached_property
    def runs(self) -> list[BlockRange]:
        """The ranges of blocks between furniture."""
        return body_runs(self.document.blocks)

    @cached_property
    def sections(self) -> list[BlockRange]:
        """The ranges of blocks under one heading."""
        blocks = self.document.blocks
        return heading_sections(blocks, lambda index: index >= 0 and blocks[index].kind == "heading")

    def span(self, blocks: BlockRange) -> Span:
        """Return the span of a range of blocks."""
        return self.document.blocks[blocks[0]].start, self.document.blocks[blocks[1] - 1].end

    def units_of(self, ranges: list[BlockRange]) -> list[list[Unit]]:
        """Return the units of each range of blocks; the ranges are in order."""
        found: list[list[Unit]] = []
        position = 0
        for _, last in ranges:
            start = position
            while position < len(self.units) and self.units[position].block < last:
                position += 1
            found.append(self.units[start:position])
        return found
