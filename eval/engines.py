"""The paper's retrievers over the chunks of a corpus in memory: BM25Okapi, exact vectors, and both fused."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from capsa.chunkers.context import embedding_texts, keyword_text
from capsa.store.embedder import Embedder
from capsa.store.models import Model
from capsa.store.quantisers import Vectors

from .bm25 import Okapi, tokens_of
from .chunkset import ChunkSet
from .corpus import Corpus, Item
from .judging import Ranking

# Of reciprocal rank fusion: Cormack, Clarke and Büttcher (2009), SIGIR. Not tuned.
RRF_K = 60
RRF_DEPTH = 100


class MemoQueries:
    """An Embedder that embeds no question twice, and knows what each took; used by one thread at a time."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: dict[str, Vectors] = {}
        self._ms: dict[str, float] = {}

    @property
    def model(self) -> Model:
        """The model whose vectors these are."""
        return self._embedder.model

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of passages, float32 [n, dimension]."""
        return self._embedder.embed(texts)

    def embed_query(self, text: str) -> Vectors:
        """The vector of a question, float32 [dimension]."""
        if text not in self._vectors:
            began = time.perf_counter()
            self._vectors[text] = self._embedder.embed_query(text)
            self._ms[text] = 1000 * (time.perf_counter() - began)
        return self._vectors[text]

    def ms(self, text: str) -> float:
        """Milliseconds that embedding the question took."""
        self.embed_query(text)
        return self._ms[text]

    def close(self) -> None:
        """The wrapped embedder stays open."""


class HeldVectors:
    """An Embedder whose passages are those given, with their vectors in memory; questions are passed on."""

    def __init__(self, queries: MemoQueries, texts: Sequence[str], vectors: Vectors) -> None:
        self._queries = queries
        self._places = {text: place for place, text in enumerate(texts)}
        self._vectors = vectors

    @property
    def model(self) -> Model:
        """The model whose vectors these are."""
        return self._queries.model

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of passages, float32 [n, dimension]; KeyError for one that is not known."""
        return self._vectors[[self._places[text] for text in texts]]

    def embed_query(self, text: str) -> Vectors:
        """The vector of a question, float32 [dimension]."""
        return self._queries.embed_query(text)

    def close(self) -> None:
        """The embedder that questions are passed to stays open."""


class OkapiEngine:
    """BM25Okapi; the words' rarity is that in the chunks searched, one document's or all, as in the paper."""

    def __init__(self, chunks: ChunkSet) -> None:
        self._chunks = chunks
        self._texts = [
            tokens_of(keyword_text(item.document, part)) for item in chunks.items for part in item.chunks
        ]
        self._indexes: dict[range, Okapi] = {}

    def build(self) -> None:
        """Build the index over all chunks; those of single documents are built when they are asked."""
        self._index(range(len(self._texts)))

    @property
    def size(self) -> int:
        """Bytes of the index over all chunks."""
        return self._index(range(len(self._texts))).size

    def ask(self, text: str, item: Item | None, depth: int) -> Ranking:
        """Rank the chunks of an item, of all items for None."""
        among = self._chunks.range_of(item)
        index = self._index(among)
        began = time.perf_counter()
        best = np.argsort(-index.scores(tokens_of(text)), kind="stable")[:depth] + among.start
        return Ranking(best.tolist(), 1000 * (time.perf_counter() - began))

    def _index(self, among: range) -> Okapi:
        if among not in self._indexes:
            self._indexes[among] = Okapi(self._texts[among.start : among.stop])
        return self._indexes[among]


@dataclass(frozen=True, slots=True)
class WindowVectors:
    """The vectors of all windows, float32 [n, dimension], and the number of each one's chunk, ascending."""

    vectors: Vectors
    owners: npt.NDArray[np.int64]

    @classmethod
    def of(cls, corpus: Corpus, embedder: Embedder) -> "WindowVectors":
        """Embed the windows of all chunks; a text that occurs again gets the same vector."""
        texts, owners = window_texts(corpus)
        return cls(embedder.embed(texts), owners)


def window_texts(corpus: Corpus) -> tuple[list[str], npt.NDArray[np.int64]]:
    """Return what the model reads of each window, and the number of its chunk."""
    texts: list[str] = []
    owners: list[int] = []
    number = 0
    for item in corpus.items.values():
        for part in item.chunks:
            windows = embedding_texts(item.document, part)
            texts += windows
            owners += [number] * len(windows)
            number += 1
    return texts, np.array(owners, dtype=np.int64)


@dataclass(slots=True)
class DenseEngine:
    """Exact inner product (FAISS IndexFlatIP); a chunk counts by its best window."""

    chunks: ChunkSet
    windows: WindowVectors
    embedder: Embedder
    indexes: dict[range, Any] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Bytes of the vectors."""
        return self.windows.vectors.nbytes

    def ask(self, text: str, item: Item | None, depth: int) -> Ranking:
        """Rank the chunks of an item, of all items for None; the query's embedding is not in the time."""
        vector = self.embedder.embed_query(text)
        among = self.chunks.range_of(item)
        index, first = self._index(among)
        began = time.perf_counter()
        numbers = self._best(index, first, vector, depth)
        return Ranking(numbers, 1000 * (time.perf_counter() - began))

    def _best(self, index: Any, first: int, vector: Vectors, depth: int) -> list[int]:
        """Look at more and more windows until there are chunks enough."""
        wanted = 4 * depth
        while True:
            _, places = index.search(vector.reshape(1, -1), min(wanted, index.ntotal))
            numbers = list(dict.fromkeys(self.windows.owners[places[0] + first].tolist()))
            if len(numbers) >= depth or wanted >= index.ntotal:
                return numbers[:depth]
            wanted *= 4

    def _index(self, among: range) -> tuple[Any, int]:
        if among not in self.indexes:
            import faiss

            first, last = np.searchsorted(self.windows.owners, [among.start, among.stop])
            index = faiss.IndexFlatIP(self.windows.vectors.shape[1])
            index.add(np.ascontiguousarray(self.windows.vectors[first:last]))
            self.indexes[among] = index, int(first)
        found: tuple[Any, int] = self.indexes[among]
        return found


@dataclass(frozen=True, slots=True)
class FusedEngine:
    """Two engines by reciprocal rank fusion, equal weights: the textbook baseline for a hybrid."""

    left: OkapiEngine
    right: DenseEngine

    @property
    def size(self) -> int:
        """Bytes of both indexes."""
        return self.left.size + self.right.size

    def ask(self, text: str, item: Item | None, depth: int) -> Ranking:
        """Rank by the sum of 1 / (60 + rank) over both rankings' first hundred."""
        sides = [engine.ask(text, item, RRF_DEPTH) for engine in (self.left, self.right)]
        scores: dict[int, float] = {}
        for side in sides:
            for rank, number in enumerate(side.numbers, 1):
                scores[number] = scores.get(number, 0.0) + 1 / (RRF_K + rank)
        best = sorted(scores, key=lambda number: (-scores[number], number))[:depth]
        return Ranking(best, sum(side.ms for side in sides))
