"""Where the tokens of a text are, by its words: a word's pieces are asked of the tokenizer once and kept.

BERT's tokenizers read what stands between ASCII white space and ASCII punctuation by itself, and each such
mark as well, so a word has the same pieces wherever it stands. It takes a fifth of tokenising the text.
"""

import re
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import tokenizers

from .model import Span

Offsets = npt.NDArray[np.int32]

# WordPiece reads a word of more characters as one unknown token.
LONGEST_WORD = 100
# Words whose pieces are kept: some 10 MB.
KEPT = 50_000
# Bytes of the offsets of a piece.
_PAIR = 8
_MARKS = r"!-/:-@\[-`{-~"
_WORD = re.compile(rf"[^ \t\n\r{_MARKS}]+|[{_MARKS}]")
# What each ASCII character is: 0 white space, 1 a mark, 2 a part of a word; the last stands for all others.
_KINDS = np.array(
    [0 if char in " \t\n\r" else 1 if re.match(f"[{_MARKS}]", char) else 2 for char in map(chr, range(129))],
    dtype=np.uint8,
)


class WordTokens:
    """Finds tokens for a tokenizer that reads by words; ``encode`` gives the offsets of a text's tokens."""

    def __init__(self, encode: Callable[[str], Sequence[Span]], special: Sequence[str]) -> None:
        self._encode = encode
        self._special = tuple(special)
        # Offsets from the word's start, int32 pairs, as bytes: those of many words are joined in one step.
        self._kept: dict[str, bytes] = {}

    def offsets(self, text: str) -> Offsets:
        """Return where the tokens begin and end, int32 [n, 2]."""
        if any(token in text for token in self._special):
            return as_offsets(self._encode(text))
        words = _WORD.findall(text)
        long = self._learn(words)
        parts = list(map(self._kept.__getitem__, words))
        for word in long:
            del self._kept[word]
        counts = np.fromiter(map(len, parts), dtype=np.int64, count=len(parts)) // _PAIR
        pairs = np.frombuffer(b"".join(parts), dtype=np.int32).reshape(-1, 2)
        return pairs + np.repeat(_starts(text), counts)[:, None]

    def _learn(self, words: Sequence[str]) -> list[str]:
        """Find the pieces of words not kept yet, and return those that are too long to be kept for later."""
        if len(self._kept) > KEPT:
            self._kept.clear()
        new = [word for word in dict.fromkeys(words) if word not in self._kept]
        long = [word for word in new if len(word) > LONGEST_WORD]
        # Megabytes of one word are not worth tokenising.
        plain = {word for word in long if word.isascii() and word.isalnum()}
        self._kept.update((word, as_offsets([(0, len(word))]).tobytes()) for word in plain)
        self._keep([word for word in new if word not in plain])
        return long

    def _keep(self, words: Sequence[str]) -> None:
        lengths = np.fromiter(map(len, words), dtype=np.int64, count=len(words))
        starts = np.cumsum(lengths + 1) - lengths - 1
        pairs = as_offsets(self._encode(" ".join(words)))
        owners = np.searchsorted(starts, pairs[:, 0], side="right") - 1
        data = (pairs - starts[owners, None].astype(np.int32)).tobytes()
        bounds = (np.searchsorted(owners, np.arange(len(words) + 1)) * _PAIR).tolist()
        for word, begin, end in zip(words, bounds, bounds[1:], strict=False):
            self._kept[word] = data[begin:end]


def reads_by_words(tokenizer: tokenizers.Tokenizer) -> bool:
    """Return whether a word's pieces are the same wherever it stands."""
    return (
        isinstance(tokenizer.model, tokenizers.models.WordPiece)
        and isinstance(tokenizer.normalizer, tokenizers.normalizers.BertNormalizer)
        and isinstance(tokenizer.pre_tokenizer, tokenizers.pre_tokenizers.BertPreTokenizer)
    )


def as_offsets(spans: Sequence[Span]) -> Offsets:
    """Return spans as an array, int32 [n, 2]."""
    return np.array(spans, dtype=np.int32).reshape(-1, 2)


def _starts(text: str) -> Offsets:
    """Return where the words and marks begin, as _WORD finds them."""
    codes = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
    kinds = _KINDS[np.minimum(codes, 128)]
    begins = kinds == 2
    begins[1:] &= kinds[:-1] != 2
    return np.flatnonzero(begins | (kinds == 1)).astype(np.int32)
