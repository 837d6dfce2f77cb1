"""Vectors as they are, the reference that codes are measured against."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ..codes import Code
from .levels import Codes, Found, Vectors, cosines, pack

if TYPE_CHECKING:
    import faiss


class Flat:
    """Four bytes a dimension: nothing is lost."""

    def __init__(self, code: Code, dimension: int) -> None:
        self.name = code.name
        self.dimension = dimension
        self.size = code.size(dimension)

    def encode(self, vectors: Vectors) -> Codes:
        """Return the bytes of float32 vectors: uint8 [n, size]; ValueError for a value that is not finite."""
        if not np.isfinite(vectors).all():
            raise ValueError("a vector with a value that is not finite has no code")
        return np.ascontiguousarray(vectors, dtype="<f4").view(np.uint8).reshape(len(vectors), self.size)

    def decode(self, codes: Codes) -> Vectors:
        """Return the vectors, float32 [n, dimension]."""
        decoded: Vectors = np.ascontiguousarray(codes).view("<f4").reshape(len(codes), self.dimension)
        return decoded

    def signs(self, codes: Codes) -> Codes | None:
        """Return the same vectors' codes in 1 bit a dimension."""
        return pack(self.decode(codes), 1, self.dimension)

    def products(self, query: Vectors, codes: Codes) -> Vectors:
        """Return the inner product of the query with each vector, float32 [n]."""
        products: Vectors = self.decode(codes) @ query
        return products

    def cosines(self, query: Vectors, codes: Codes) -> Vectors:
        """Return the cosine of the unit query with each vector, float32 [n]."""
        return cosines(query, self.decode(codes))

    def index(self) -> "faiss.Index":
        """Return an empty FAISS index (inner product) that takes these codes by ``add_sa_codes``."""
        import faiss

        return faiss.IndexFlatIP(self.dimension)

    def scan(self, codes: Codes) -> "FlatScan":
        """Return what searches all of the vectors."""
        return FlatScan(self.decode(codes))


class FlatScan:
    """All vectors, searched exactly."""

    def __init__(self, vectors: Vectors) -> None:
        import faiss

        self._index: Any = faiss.IndexFlatIP(vectors.shape[1])
        self._index.add(vectors)

    def search(self, query: Vectors, count: int) -> Found:
        """Return places and inner products of the ``count`` vectors where these are highest, best first."""
        scores, places = self._index.search(query.reshape(1, -1), min(count, self._index.ntotal))
        return places[0], scores[0]
