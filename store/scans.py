"""All codes of an index in FAISS, in parts: what is added costs the last part, and building copies but one.

FAISS makes a fast scan out of a copy of the codes: made at once, a million take 100 MB more meanwhile. Of
very many vectors only the signs are scanned, half of the default code's bytes, and the best of these are
ranked by their whole codes.
"""

import numpy as np
import numpy.typing as npt

from .quantisers import Codes, Quantiser, Scan, Vectors, open_quantiser

Places = npt.NDArray[np.int64]

# Vectors in a part, built in 15 ms. A search of 1,245,000 vectors takes a tenth longer in such parts.
PART = 131_072
# From so many vectors on their signs are scanned first: of 373,000 that takes as long as their whole codes.
MANY = 500_000
# So many are ranked by their whole codes for each that is wanted: of 997,000 real vectors and noisy copies of
# them 99.9 % of the first ten and 96 % of the first 250 are then found, with 5 of them 99.5 and 92 %.
ROUGHLY = 10


class Scans:
    """The parts of an index in order."""

    def __init__(self, quantiser: Quantiser) -> None:
        self._quantiser = quantiser
        self._signs: Quantiser | None = None
        self._parts: list[Scan] = []
        self._count = 0

    def cover(self, codes: Codes) -> None:
        """Take in what stands behind the codes that were there at the last time."""
        if len(codes) == self._count:
            return
        if self._signs is None and len(codes) >= MANY and _pays(self._quantiser):
            self._signs, self._parts, self._count = open_quantiser("pq48", self._quantiser.dimension), [], 0
        whole = self._count // PART
        del self._parts[whole:]
        for start in range(whole * PART, len(codes), PART):
            self._parts.append(self._scan(codes[start : start + PART]))
        self._count = len(codes)

    def _scan(self, codes: Codes) -> Scan:
        signs = self._quantiser.signs(codes) if self._signs is not None else None
        if self._signs is None or signs is None:
            return self._quantiser.scan(codes)
        return self._signs.scan(signs)

    def search(self, query: Vectors, count: int, codes: Codes) -> Places:
        """Return the places of the ``count`` codes with the highest inner products, best first."""
        if self._signs is None:
            return self._best(query, count)
        rough = self._best(query, ROUGHLY * count)
        order = np.argsort(-self._quantiser.products(query, codes[rough]), kind="stable")
        best: Places = rough[order[:count]]
        return best

    def _best(self, query: Vectors, count: int) -> Places:
        """Return the places of the best of all parts, best first."""
        # A part is asked for twice its share first: the more it is asked for, the longer it takes.
        share = min(count, 2 * count // len(self._parts) + 1)
        found = [part.search(query, share) for part in self._parts]
        least = np.sort(np.concatenate([scores for _, scores in found]))[-count:][0]
        for number, (places, scores) in enumerate(found):
            if share < count and len(places) == share and scores[-1] >= least:
                found[number] = self._parts[number].search(query, count)
        places = np.concatenate([PART * number + places for number, (places, _) in enumerate(found)])
        scores = np.concatenate([scores for _, scores in found])
        best: Places = places[np.argsort(-scores, kind="stable")[:count]]
        return best


def _pays(quantiser: Quantiser) -> bool:
    """Return whether the signs are part of the codes, and so much smaller that scanning them is faster."""
    signs = quantiser.signs(np.empty((0, quantiser.size), dtype=np.uint8))
    return signs is not None and 2 * signs.shape[1] <= quantiser.size
