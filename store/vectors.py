"""The vector index in memory: codes and their chunks, filtered before ranking, ranked by FAISS fast scan."""

from typing import Protocol

import numpy as np
import numpy.typing as npt

from .growing import Growing
from .quantisers import Codes, Quantiser, Vectors
from .quantisers.lookup import nearest
from .scans import Scans

Ids = npt.NDArray[np.int64]
Ranked = list[tuple[int, float]]
# Fast scan rounds its distance tables to 8 bits: so many candidates per wanted hit are scored again exactly.
# Of 124,000 vectors it then finds all of the first ten and 99.8 % of the first 200; with 1.0, 98.5 %.
OVERFETCH = 1.2
# Up to so many vectors all are decoded and scored exactly (about 1 ms).
DIRECT = 2048
# A filter that lets this share of all vectors pass is applied to the scan's result, which is in order: the
# first that pass are the best that pass.
BROAD = 0.08
# So few chunks' vectors are found by bisection.
FEW = 256
# Vectors that are gone are only marked, up to this share of all.
DEAD_SHARE = 0.05
# So many of the dead may be among a scan's best whatever their share.
SURPLUS = 16


class NearestVectors(Protocol):
    """What the dense arm asks of an index. A chunk of several windows has the cosine of its best one."""

    def search(self, query: Vectors, count: int, allowed: Ids | None = None) -> Ranked:
        """Return (chunk id, cosine) by the ``count`` best vectors, best first, of the allowed chunks only."""

    def score(self, query: Vectors, chunks: Ids) -> Ranked:
        """Return (chunk id, cosine) of the given chunks, those that have vectors, best first."""


class VectorIndex:
    """Vector ids with their chunks' ids and their codes, in ascending order of vector id.

    An array of codes that is given belongs to the index from then on.
    """

    def __init__(self, ids: Ids, chunks: Ids, codes: Codes | Growing, quantiser: Quantiser) -> None:
        self._codes = codes if isinstance(codes, Growing) else Growing(codes, len(codes))
        if self.codes.shape != (len(ids), quantiser.size):
            raise ValueError(
                f"{len(ids)} vectors cannot have {quantiser.name} codes of shape {self.codes.shape}"
            )
        self.ids = ids
        self.chunks = chunks
        self.quantiser = quantiser
        self._alive = np.ones(len(ids), dtype=bool)
        self._dead = 0
        self._scans: Scans | None = None
        # A search by itself is done before a fast-scan index is built.
        self._asked = False
        self._sorted: bool | None = None

    def __len__(self) -> int:
        return len(self.ids) - self._dead

    @property
    def codes(self) -> Codes:
        """The codes, uint8 [n, size], until the next change."""
        return self._codes.rows

    @property
    def last_id(self) -> int:
        """The highest id, 0 when there is none."""
        return int(self.ids[-1]) if len(self.ids) else 0

    def add(self, ids: Ids, chunks: Ids, codes: Codes) -> None:
        """Append vectors whose ids are higher than all before."""
        if len(ids):
            self.ids = np.concatenate([self.ids, ids])
            self.chunks = np.concatenate([self.chunks, chunks])
            self._alive = np.concatenate([self._alive, np.ones(len(ids), dtype=bool)])
            self._codes.append(codes.reshape(len(ids), -1))
            self._sorted = None

    def remove(self, ids: Ids) -> None:
        """Find the vectors no more; ids that are not there are ignored."""
        places = np.searchsorted(self.ids, ids)
        within = places < len(self.ids)
        places = places[within]
        self._alive[places[self.ids[places] == ids[within]]] = False
        self._dead = len(self.ids) - int(np.count_nonzero(self._alive))
        if self._dead > DEAD_SHARE * len(self.ids):
            self.close_ranks()

    def close_ranks(self) -> None:
        """Give back the memory of the vectors that were removed."""
        if self._dead:
            self.ids, self.chunks = self.ids[self._alive], self.chunks[self._alive]
            self._codes.keep(self._alive)
            self._alive = np.ones(len(self.ids), dtype=bool)
            self._dead = 0
            self._scans = None

    def search(self, query: Vectors, count: int, allowed: Ids | None = None) -> Ranked:
        """Return (chunk id, cosine) by the ``count`` best vectors, best first, of the allowed chunks only."""
        places = None if allowed is None else self._places(allowed)
        total = len(self) if places is None else len(places)
        return self._ranked(query, self._candidates(query, min(total, int(count * OVERFETCH)), places), count)

    def score(self, query: Vectors, chunks: Ids) -> Ranked:
        """Return (chunk id, cosine) of the given chunks, those that have vectors, best first."""
        places = self._places(chunks)
        return self._ranked(query, places, len(places))

    def _places(self, chunks: Ids) -> Ids:
        """Return where the chunks' vectors are, ascending."""
        places = self._of_chunks(chunks)
        return places[self._alive[places]] if self._dead else places

    def _of_chunks(self, chunks: Ids) -> Ids:
        if len(chunks) < FEW and self._in_order():
            # Not np.unique: its first call takes 13 ms.
            wanted = np.array(sorted(set(chunks.tolist())), dtype=np.int64)
            starts, ends = (np.searchsorted(self.chunks, wanted, side) for side in ("left", "right"))
            return np.concatenate([np.arange(*span) for span in zip(starts, ends, strict=True)] or [starts])
        # By marks, since chunk ids are dense enough.
        marks = np.zeros(1 + int(max(chunks.max(initial=0), self.chunks.max(initial=0))), dtype=bool)
        marks[chunks] = True
        return np.flatnonzero(marks[self.chunks])

    def _in_order(self) -> bool:
        """Return whether the vectors' chunks ascend, as they do unless vectors were made anew."""
        if self._sorted is None:
            self._sorted = bool((self.chunks[1:] >= self.chunks[:-1]).all())
        return self._sorted

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
        return self.quantiser.cosines(query, self.codes[places])

    def _candidates(self, query: Vectors, count: int, places: Ids | None) -> Ids:
        if count == 0:
            return np.empty(0, dtype=np.int64)
        if places is None and len(self) <= DIRECT:
            return np.flatnonzero(self._alive)
        if places is not None and len(places) <= DIRECT:
            return places
        first, self._asked = not self._asked, True
        if places is not None:
            return self._among(query, count, places, scanning=not first)
        if first:
            return nearest(query, self.codes, self.quantiser, count, self._alive)
        return self._scanned(query, count)

    def _among(self, query: Vectors, count: int, places: Ids, scanning: bool) -> Ids:
        """Scan all and leave out what is not allowed, where that costs less than looking up what is."""
        share = len(places) / len(self)
        if scanning and share >= BROAD:
            allowed = np.zeros(len(self.ids), dtype=bool)
            allowed[places] = True
            found = self._scanned(query, min(len(self), int(2 * count / share)))
            found = found[allowed[found]]
            if len(found) >= count:
                return found[:count]
        return places[nearest(query, self.codes[places], self.quantiser, count)]

    def _scanned(self, query: Vectors, count: int) -> Ids:
        """Return the places of the best vectors, best first."""
        if self._scans is None:
            self._scans = Scans(self.quantiser)
        self._scans.cover(self.codes)
        total = len(self.ids)
        # More than the dead that are to be expected among them: asking twice takes twice as long.
        asked = min(total, count + 4 * self._dead * count // total + min(self._dead, SURPLUS))
        while True:
            found = self._scans.search(query, asked, self.codes)
            found = found[self._alive[found]]
            if len(found) >= count or asked >= total:
                return found[:count]
            asked = min(total, 2 * asked)


def best_windows(chunks: Ids, scores: Vectors) -> Ranked:
    """Keep the first of each chunk's places in a ranking."""
    first: dict[int, float] = {}
    for chunk_id, score in zip(chunks.tolist(), scores.tolist(), strict=True):
        first.setdefault(chunk_id, score)
    return list(first.items())
