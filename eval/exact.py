"""Search over the float32 vectors themselves: the reference that quantised codes are measured against."""

from collections.abc import Mapping
from pathlib import Path
from typing import Self

import numpy as np

from capsa.store.quantiser import Vectors
from capsa.store.reader import Reader
from capsa.store.vectors import Ids, NearestVectors


class ExactVectors:
    """Vector ids with their float32 vectors; searched by FAISS's exact inner product (IndexFlatIP)."""

    def __init__(self, ids: Ids, vectors: Vectors) -> None:
        self._ids = ids
        self._vectors = vectors

    def search(self, query: Vectors, count: int, allowed: Ids | None = None) -> list[tuple[int, float]]:
        """Return (id, cosine) of the best vectors, best first, among the allowed ids only."""
        import faiss

        kept = (
            np.flatnonzero(np.isin(self._ids, allowed)) if allowed is not None else np.arange(len(self._ids))
        )
        if not len(kept):
            return []
        index = faiss.IndexFlatIP(self._vectors.shape[1])
        index.add(self._vectors if allowed is None else np.ascontiguousarray(self._vectors[kept]))
        scores, places = index.search(query.reshape(1, -1), min(count, len(kept)))
        return list(zip(self._ids[kept[places[0]]].tolist(), scores[0].tolist(), strict=True))

    def score(self, query: Vectors, ids: Ids) -> list[tuple[int, float]]:
        """Return (id, cosine) of the given vectors, in ascending order of id."""
        places = np.flatnonzero(np.isin(self._ids, ids))
        scores = self._vectors[places] @ query
        return list(zip(self._ids[places].tolist(), scores.tolist(), strict=True))


class ExactReader(Reader):
    """A reader whose dense arm is exact: the store's other parts stay as they are."""

    _exact: ExactVectors

    @classmethod
    def open_exact(cls, home: Path, by_key: Mapping[int, Vectors]) -> Self:
        """Open the home with the float32 vector of each vector key."""
        reader = cls.open(home)
        rows = reader.connection.execute("SELECT id, key FROM vectors ORDER BY id").fetchall()
        ids = np.array([row[0] for row in rows], dtype=np.int64)
        reader._exact = ExactVectors(ids, np.stack([by_key[row[1]] for row in rows]))
        return reader

    def vectors(self) -> tuple[NearestVectors | None, tuple[str, ...]]:
        """The exact index, with nothing to note."""
        return self._exact, ()
