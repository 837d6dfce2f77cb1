"""The vector index in memory: codes by id, filtered before ranking, ranked by FAISS fast scan."""

import sqlite3
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from .linear import inner_products, nearest, norms
from .quantiser import Codes, Vectors, pq_index
from .records import Bits

if TYPE_CHECKING:
    import faiss

Ids = npt.NDArray[np.int64]
# Fast scan rounds its distance tables to 8 bits: so many candidates per wanted hit are scored again exactly.
OVERFETCH = 2
# Up to so many vectors all are decoded and scored exactly (about 1 ms).
DIRECT = 2048
# A filter that lets this share of all vectors pass is applied to the scan's result, which is in order: the
# first that pass are the best that pass.
BROAD = 0.2
# Vectors in a block of IndexPQFastScan, fixed by its SIMD kernels.
BLOCK = 32


class NearestVectors(Protocol):
    """What the dense arm asks of an index."""

    def search(self, query: Vectors, count: int, allowed: Ids | None = None) -> list[tuple[int, float]]:
        """Return (id, cosine) of the best vectors, best first, among the allowed ids only."""

    def score(self, query: Vectors, ids: Ids) -> list[tuple[int, float]]:
        """Return (id, cosine) of the given vectors, those that are there, in ascending order of id."""


class VectorIndex:
    """Vector ids with their codes, in ascending order of id."""

    def __init__(self, ids: Ids, codes: Codes, bits: Bits, dimension: int) -> None:
        if codes.shape != (len(ids), dimension * bits // 8):
            raise ValueError(
                f"{len(ids)} vectors of {dimension} dimensions cannot have codes of shape {codes.shape}"
            )
        self.ids = ids
        self.codes = codes
        self.bits: Bits = bits
        self.dimension = dimension
        self._scan: faiss.IndexPQFastScan | None = None
        # A search by itself is done before a fast-scan index is built.
        self._asked = False

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def last_id(self) -> int:
        """The highest id, 0 when there is none."""
        return int(self.ids[-1]) if len(self.ids) else 0

    def add(self, ids: Ids, codes: Codes) -> None:
        """Append vectors whose ids are higher than all before."""
        if len(ids):
            self.ids = np.concatenate([self.ids, ids])
            self.codes = np.concatenate([self.codes, codes.reshape(len(ids), -1)])
            self._scan = None

    def remove(self, ids: Ids) -> None:
        """Drop the vectors; ids that are not there are ignored."""
        alive = np.isin(self.ids, ids, invert=True) if len(ids) else np.ones(len(self.ids), dtype=bool)
        if not alive.all():
            self.ids, self.codes, self._scan = self.ids[alive], self.codes[alive], None

    def search(self, query: Vectors, count: int, allowed: Ids | None = None) -> list[tuple[int, float]]:
        """Return (id, cosine) of the best vectors, best first, among the allowed ids only."""
        places = None if allowed is None else np.flatnonzero(np.isin(self.ids, allowed))
        total = len(self.ids) if places is None else len(places)
        candidates = self._candidates(query, min(total, int(count * OVERFETCH)), places)
        scores = self._cosines(query, candidates)
        # Ties are broken by id, so that an index rebuilt in any way gives the same order.
        best = np.lexsort((self.ids[candidates], -scores))[:count]
        return list(zip(self.ids[candidates[best]].tolist(), scores[best].tolist(), strict=True))

    def score(self, query: Vectors, ids: Ids) -> list[tuple[int, float]]:
        """Return (id, cosine) of the given vectors, those that are there, in ascending order of id."""
        places = np.searchsorted(self.ids, ids)
        places = np.unique(places[places < len(self.ids)])
        places = places[np.isin(self.ids[places], ids)]
        return list(zip(self.ids[places].tolist(), self._cosines(query, places).tolist(), strict=True))

    def _cosines(self, query: Vectors, places: Ids) -> Vectors:
        """Return the cosines of the decoded vectors, float32 [n].

        A code's vector has a norm of 0.94 on average, not 1: dividing by it finds 1-2 % more of the exact
        first ten.
        """
        codes = self.codes[places]
        scores: Vectors = inner_products(query, codes, self.bits) / norms(codes, self.bits)
        return scores

    def _candidates(self, query: Vectors, count: int, places: Ids | None) -> Ids:
        if count == 0:
            return np.empty(0, dtype=np.int64)
        if len(self.ids if places is None else places) <= DIRECT:
            return np.arange(len(self.ids)) if places is None else places
        if places is not None:
            return self._among(query, count, places)
        if not self._asked:
            self._asked = True
            return nearest(query, self.codes, self.bits, count)
        return self._scanned(query, count)

    def _among(self, query: Vectors, count: int, places: Ids) -> Ids:
        """Scan all and leave out what is not allowed, where that costs less than looking up what is."""
        share = len(places) / len(self.ids)
        if self._scan is not None and share >= BROAD:
            allowed = np.zeros(len(self.ids), dtype=bool)
            allowed[places] = True
            found = self._scanned(query, min(len(self.ids), int(2 * count / share)))
            found = found[allowed[found]]
            if len(found) >= count:
                return found[:count]
        return places[nearest(query, self.codes[places], self.bits, count)]

    def _scanned(self, query: Vectors, count: int) -> Ids:
        """Return the places of the best vectors, best first."""
        if self._scan is None:
            self._scan = fast_scan(self.codes, self.bits, self.dimension)
        _, found = self._scan.search(query.reshape(1, -1), count)
        best: Ids = found[0][found[0] >= 0].astype(np.int64)
        return best


def fast_scan(codes: Codes, bits: Bits, dimension: int) -> "faiss.IndexPQFastScan":
    """Return a fast-scan index over the codes, in their order."""
    import faiss

    # One query is one thread's work; the others would only spin beside it.
    faiss.omp_set_num_threads(1)
    plain: Any = plain_index(codes, bits, dimension)
    return faiss.IndexPQFastScan(plain, BLOCK)


def plain_index(codes: Codes, bits: Bits, dimension: int) -> "faiss.IndexPQ":
    """Return an IndexPQ that holds the codes, in their order."""
    index = pq_index(bits, dimension)
    index.add_sa_codes(np.ascontiguousarray(codes))
    return index


def read_vectors(
    connection: sqlite3.Connection, bits: Bits, dimension: int, after: int = 0
) -> tuple[Ids, Codes]:
    """Read ids and codes of the vectors newer than the id ``after``."""
    rows = connection.execute("SELECT id, code FROM vectors WHERE id > ? ORDER BY id", (after,)).fetchall()
    ids = np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))
    codes = np.frombuffer(b"".join(row[1] for row in rows), dtype=np.uint8)
    return ids, codes.reshape(len(rows), dimension * bits // 8)


def read_removed(connection: sqlite3.Connection) -> Ids:
    """Read the ids of the vectors that were deleted since the FAISS file was written."""
    rows = connection.execute("SELECT id FROM removed_vectors").fetchall()
    return np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))
