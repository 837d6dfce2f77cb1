"""Search over the float32 vectors themselves: the reference that quantised codes are measured against."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np

from capsa.store.blocks import read_windows
from capsa.store.quantisers import Vectors
from capsa.store.reader import Reader
from capsa.store.vectors import Ids, NearestVectors, Ranked, best_windows


class ExactVectors:
    """Chunk ids with the float32 vectors of their windows; searched by FAISS's exact inner product."""

    def __init__(self, chunks: Ids, vectors: Vectors) -> None:
        self._chunks = chunks
        self._vectors = vectors

    def search(self, query: Vectors, count: int, allowed: Ids | None = None) -> Ranked:
        """Return (chunk id, cosine) by the ``count`` best vectors, best first, of the allowed chunks only."""
        import faiss

        places = np.arange(len(self._chunks))
        if allowed is not None:
            places = places[np.isin(self._chunks, allowed)]
        if not len(places):
            return []
        index = faiss.IndexFlatIP(self._vectors.shape[1])
        index.add(self._vectors if allowed is None else np.ascontiguousarray(self._vectors[places]))
        scores, found = index.search(query.reshape(1, -1), min(count, len(places)))
        return best_windows(self._chunks[places[found[0]]], scores[0])

    def score(self, query: Vectors, chunks: Ids) -> Ranked:
        """Return (chunk id, cosine) of the given chunks, best first."""
        places = np.flatnonzero(np.isin(self._chunks, chunks))
        scores = self._vectors[places] @ query
        order = np.argsort(-scores, kind="stable")
        return best_windows(self._chunks[places[order]], scores[order])


@dataclass(frozen=True, slots=True)
class Kept:
    """All vectors of a store: ids of chunks, ascending, and float32 [n, dimension]."""

    chunks: Ids
    vectors: Vectors


def read_kept(home: Path, by_key: Mapping[int, Vectors]) -> Kept:
    """Return the float32 vectors of a filled store in the order of their ids."""
    with Reader.open(home) as reader:
        _, chunks, keys = read_windows(reader.connection)
    return Kept(chunks, np.stack([by_key[key] for key in keys.tolist()]))


class IndexReader(Reader):
    """A reader whose dense arm searches an index that it is given; all else is the store's."""

    index: NearestVectors

    @classmethod
    def open_with(cls, home: Path, index: NearestVectors) -> Self:
        """Open the home with this index."""
        reader = cls.open(home)
        reader.index = index
        return reader

    def vectors(self) -> tuple[NearestVectors | None, tuple[str, ...]]:
        """The index that was given, with nothing to note."""
        return self.index, ()
