"""All chunks of a corpus in one row of numbers: which of them hold what evidence, stand on what page."""

import os
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from capsa.chunkers.model import Chunk, Span

from .corpus import Corpus, Item
from .matching import TOKEN, least_tokens

Numbers = npt.NDArray[np.int64]


class ChunkSet:
    """The chunks of all items in their order; a chunk's number is its place there."""

    def __init__(self, corpus: Corpus) -> None:
        self.items = list(corpus.items.values())
        self.chunks: list[Chunk] = [part for item in self.items for part in item.chunks]
        self.texts = [text for item in self.items for text in item.texts]
        self.sizes = [size for item in self.items for size in item.sizes]
        ends = list(accumulate(len(item.chunks) for item in self.items))
        self._ranges = {
            os.fsencode(item.path): range(end - len(item.chunks), end)
            for item, end in zip(self.items, ends, strict=True)
        }

        self._documents = [item.document for item in self.items for _ in item.chunks]

    def __len__(self) -> int:
        return len(self.chunks)

    def range_of(self, item: Item | None) -> range:
        """Return the numbers of an item's chunks, of all chunks for None."""
        return range(len(self)) if item is None else self._ranges[os.fsencode(item.path)]

    def number_of(self, path: bytes | None, span: Span) -> int | None:
        """Return the number of the chunk that is that span of the file, None when there is none."""
        return self._by_span.get((path, *span))

    def verbatim(self, number: int) -> str:
        """Return a chunk's text as it stands in its document."""
        part = self.chunks[number]
        return self._documents[number].text[part.start : part.end]

    def with_strict(self, evidence: str, among: range) -> frozenset[int]:
        """Return the numbers of the chunks that hold the normalised evidence whole."""
        return frozenset(number for number in among if evidence in self.texts[number])

    def with_paper(self, evidence: str, among: range) -> frozenset[int]:
        """Return the numbers of the chunks that hold it, or at least 80 % of its tokens."""
        tokens = TOKEN.findall(evidence)
        counts = np.zeros(len(self), dtype=np.int64)
        for token in tokens:
            if token in self._postings:
                counts[self._postings[token]] += 1
        part = counts[among.start : among.stop]
        near = np.flatnonzero(part >= least_tokens(len(tokens))) + among.start if tokens else ()
        return self.with_strict(evidence, among) | {int(number) for number in near}

    def with_page(self, page: int, among: range) -> frozenset[int]:
        """Return the numbers of the chunks that stand on the page, at least in part."""
        return frozenset(
            number
            for number in among
            if (first := self.chunks[number].page_first) is not None
            and first <= page <= (self.chunks[number].page_last or first)
        )

    @cached_property
    def _postings(self) -> dict[str, Numbers]:
        places: dict[str, list[int]] = defaultdict(list)
        for number, text in enumerate(self.texts):
            for token in set(TOKEN.findall(text)):
                places[token].append(number)
        return {token: np.array(numbers, dtype=np.int64) for token, numbers in places.items()}

    @cached_property
    def _by_span(self) -> dict[tuple[bytes | None, int, int], int]:
        found: dict[tuple[bytes | None, int, int], int] = {}
        for path, numbers in self._ranges.items():
            for number in numbers:
                found[path, self.chunks[number].start, self.chunks[number].end] = number
        return found


def union(held: Sequence[frozenset[int]], numbers: frozenset[int] | range) -> frozenset[int]:
    """Return the indexes of what any of the numbered chunks holds; ``held`` has a set for each index."""
    return frozenset(index for index, chunks in enumerate(held) if not chunks.isdisjoint(numbers))
