"""The vector index in memory: codes and their chunks, filtered before ranking, ranked by FAISS fast scan."""

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
Ranked = list[tuple[int, float]]
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
    """What the dense arm asks of an index. A chunk of several windows has the cosine of its best one."""

    def search(self, query: Vectors, count: int, allowed: Ids | None = None) -> Ranked:
        """Return (chunk id, cosine) by the ``count`` best vectors, best first, of the allowed chunks only."""

    def score(self, query: Vectors, chunks: Ids) -> Ranked:
        """Return (chunk id, cosine) of the given chunks, those that have vectors, best first."""


class VectorIndex:
    """Vector ids with their chunks' ids and their codes, in ascending order of vector id."""

    def __init__(self, ids: Ids, chunks: Ids, codes: Codes, bits: Bits, dimension: int) -> None:
        if codes.shape != (len(ids), dimension * bits // 8):
            raise ValueError(
                f"{len(ids)} vectors of {dimension} dimensions cannot have codes of shape {codes.shape}"
            )
        self.ids = ids
        self.chunks = chunks
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

    def add(self, ids: Ids, chunks: Ids, codes: Codes) -> None:
        """Append vectors whose ids are higher than all before."""
        if len(ids):
            self.ids = np.concatenate([self.ids, ids])
            self.chunks = np.concatenate([self.chunks, chunks])
            self.codes = np.concatenate([self.codes, codes.reshape(len(ids), -1)])
            self._scan = None

    def remove(self, ids: Ids) -> None:
        """Drop the vectors; ids that are not there are ignored."""
        alive = np.isin(self.ids, ids, invert=True) if len(ids) else np.ones(len(self.ids), dtype=bool)
        if not alive.all():
            self.ids, self.chunks, self.codes = self.ids[alive], self.chunks[alive], self.codes[alive]
            self._scan = None

    def search(self, query: Vectors, count: int, allowed: Ids | None = None) -> Ranked:
        """Return (chunk id, cosine) by the ``count`` best vectors, best first, of the allowed chunks only."""
        places = None if allowed is None else self._places(allowed)
        total = len(self.ids) if places is None else len(places)
        return self._ranked(query, self._candidates(query, min(total, int(count * OVERFETCH)), places), count)

    def score(self, query: Vectors, chunks: Ids) -> Ranked:
        """Return (chunk id, cosine) of the given chunks, those that have vectors, best first."""
        places = self._places(chunks)
        return self._ranked(query, places, len(places))

    def _places(self, chunks: Ids) -> Ids:
        """Return where the chunks' vectors are: by marks, since chunk ids are dense enough."""
        marks = np.zeros(1 + int(max(chunks.max(initial=0), self.chunks.max(initial=0))), dtype=bool)
        marks[chunks] = True
        return np.flatnonzero(marks[self.chunks])

    def _ranked(self, query: Vectors, places: Ids, count: int) -> Ranked:
        scores = self._cosines(query, places)
        # Ties are broken by id, so that an index rebuilt in any way gives the same order.
        best = np.lexsort((self.ids[places], -scores))[:count]
        return best_windows(self.chunks[places[best]], scores[best])

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


def best_windows(chunks: Ids, scores: Vectors) -> Ranked:
    """Keep the first of each chunk's places in a ranking."""
    first: dict[int, float] = {}
    for chunk_id, score in zip(chunks.tolist(), scores.tolist(), strict=True):
        first.setdefault(chunk_id, score)
    return list(first.items())


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
) -> tuple[Ids, Ids, Codes]:
    """Read ids, chunks' ids and codes of the vectors newer than the id ``after``."""
    rows = connection.execute(
        "SELECT id, chunk_id, code FROM vectors WHERE id > ? ORDER BY id", (after,)
    ).fetchall()
    ids = np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))
    chunks = np.fromiter((row[1] for row in rows), dtype=np.int64, count=len(rows))
    codes = np.frombuffer(b"".join(row[2] for row in rows), dtype=np.uint8)
    return ids, chunks, codes.reshape(len(rows), dimension * bits // 8)


def read_removed(connection: sqlite3.Connection) -> Ids:
    """Read the ids of the vectors that were deleted since the FAISS file was written."""
    rows = connection.execute("SELECT id FROM removed_vectors").fetchall()
    return np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))
