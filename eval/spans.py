"""Where evidence stands in a document, by characters: recall and precision of the retrieved text."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from capsa.chunkers.model import Span

_RUN = re.compile(r"[\x00-\x7f]+|[^\x00-\x7f]+")
_ALPHANUMERIC = np.array([chr(code).isalnum() for code in range(128)])


class Locator:
    """Finds strings in a text whatever white space, case, dashes, quotes, ligatures and hyphens are."""

    def __init__(self, text: str) -> None:
        self._letters, self._offsets = _skeleton(text)
        self._found: dict[str, Span | None] = {}

    def find(self, string: str) -> Span | None:
        """Return the span of the first occurrence in the text, None when there is none."""
        if string not in self._found:
            self._found[string] = self._search(string)
        return self._found[string]

    def _search(self, string: str) -> Span | None:
        letters, _ = _skeleton(string)
        place = self._letters.find(letters) if letters else -1
        if place < 0:
            return None
        return int(self._offsets[place]), int(self._offsets[place + len(letters) - 1]) + 1


def span_recall(relevant: Sequence[Span], retrieved: Sequence[Span]) -> float:
    """Characters of the relevant spans that are retrieved / characters of the relevant spans."""
    wanted = merge(relevant)
    return _length(_common(wanted, merge(retrieved))) / _length(wanted)


def span_precision(relevant: Sequence[Span], retrieved: Sequence[Span], elsewhere: int = 0) -> float:
    """Characters of the relevant spans that are retrieved / characters retrieved, overlap counted each time.

    Repeating text is paid for by the reader, so it counts, as does what was retrieved ``elsewhere``, in other
    documents; 0 when nothing is retrieved.
    """
    read = elsewhere + sum(end - start for start, end in retrieved)
    return _length(_common(merge(relevant), merge(retrieved))) / read if read else 0.0


def merge(spans: Iterable[Span]) -> list[Span]:
    """Return the spans sorted, those that touch joined."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _common(left: Sequence[Span], right: Sequence[Span]) -> list[Span]:
    """Return what two lists of disjoint spans have in common."""
    pairs = ((max(a, c), min(b, d)) for a, b in left for c, d in right)
    return [(start, end) for start, end in pairs if start < end]


def _length(spans: Iterable[Span]) -> int:
    return sum(end - start for start, end in spans)


def _skeleton(text: str) -> tuple[str, npt.NDArray[np.int64]]:
    """Return the letters and digits of a text, folded, with the offset of each."""
    letters: list[str] = []
    offsets: list[npt.NDArray[np.int64]] = []
    for run in _RUN.finditer(text):
        fold = _fold_ascii if run[0].isascii() else _fold
        folded, places = fold(run[0])
        letters.append(folded)
        offsets.append(places + run.start())
    return "".join(letters), np.concatenate(offsets) if offsets else np.zeros(0, dtype=np.int64)


def _fold_ascii(run: str) -> tuple[str, npt.NDArray[np.int64]]:
    codes = np.frombuffer(run.lower().encode("ascii"), dtype=np.uint8)
    kept = _ALPHANUMERIC[codes]
    return codes[kept].tobytes().decode("ascii"), np.flatnonzero(kept)


def _fold(run: str) -> tuple[str, npt.NDArray[np.int64]]:
    letters: list[str] = []
    offsets: list[int] = []
    for place, character in enumerate(run):
        for folded in unicodedata.normalize("NFKC", character):
            if folded.isalnum():
                letters.append(folded.lower())
                offsets.extend([place] * len(letters[-1]))
    return "".join(letters), np.array(offsets, dtype=np.int64)
