"""BM25Okapi, the paper's sparse baseline ("BM25-Naive": no expansion, no tuning; paper 000 section 4.3).

    score(q, d) = sum over t in q of idf(t) f(t, d) (k1 + 1) / (f(t, d) + k1 (1 - b + b |d| / avg|d|))
    idf(t) = ln((N - n(t) + 0.5) / (n(t) + 0.5)); a negative one is replaced by epsilon times the mean idf

with k1 = 1.5, b = 0.75, epsilon = 0.25 and tokens split at white space, as the package rank_bm25 has it.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

K1, B, EPSILON = 1.5, 0.75, 0.25
# Bytes of a posting when it is packed: the chunk's number and the frequency.
POSTING_BYTES = 8


def tokens_of(text: str) -> list[str]:
    """Lower-case words between white space, as in the paper."""
    return text.lower().split()


class Okapi:
    """The scores of a fixed list of tokenised texts for any query."""

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        lengths = np.array([len(text) for text in texts], dtype=np.float64)
        mean = lengths.mean() if lengths.any() else 1.0
        self._norms = K1 * (1 - B + B * lengths / mean)
        self._postings = _post(texts)
        self._idf = _idf({token: len(places) for token, (places, _) in self._postings.items()}, len(texts))

    @property
    def size(self) -> int:
        """Bytes of the packed postings and the tokens."""
        return sum(
            len(token.encode()) + POSTING_BYTES * len(places) for token, (places, _) in self._postings.items()
        )

    def scores(self, query: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return the score of each text, float64 [n]; a token asked for twice counts twice."""
        scores = np.zeros(len(self._norms))
        for token in query:
            if token in self._postings:
                places, counts = self._postings[token]
                scores[places] += self._idf[token] * counts * (K1 + 1) / (counts + self._norms[places])
        return scores


def _post(
    texts: Sequence[Sequence[str]],
) -> dict[str, tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]]:
    found: dict[str, tuple[list[int], list[int]]] = {}
    for place, text in enumerate(texts):
        for token, count in Counter(text).items():
            places, counts = found.setdefault(token, ([], []))
            places.append(place)
            counts.append(count)
    return {
        token: (np.array(places, dtype=np.int64), np.array(counts, dtype=np.float64))
        for token, (places, counts) in found.items()
    }


def _idf(frequencies: dict[str, int], total: int) -> dict[str, float]:
    tokens = list(frequencies)
    counts = np.array([frequencies[token] for token in tokens], dtype=np.float64)
    idf = np.log(total - counts + 0.5) - np.log(counts + 0.5)
    if len(idf):
        idf = np.where(idf < 0, EPSILON * idf.mean(), idf)
    return dict(zip(tokens, idf.tolist(), strict=True))
