"""Counts a text in the model's own word pieces, with character offsets: limits mean what the model sees."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import tokenizers

from .model import Span
from .token_words import LONGEST_WORD, Offsets, WordTokens, as_offsets, reads_by_words

PIECE = 65_536
# A longer word than LONGEST_WORD is one unknown token. Counted as one, base64 would make chunks of many
# megabytes; it is counted per slice of about 100 to 200 characters, which is unknown as well.
_SLICE = 200

_SPACE = re.compile(r"\s")


class TokenIndex:
    """Where the tokens of a text are: ``starts`` and ``ends`` are sorted character offsets, one a token."""

    def __init__(self, text: str, starts: Offsets, ends: Offsets) -> None:
        self.text = text
        self.starts = starts
        self.ends = ends
        # bisect over the buffer yields plain ints, several times faster than NumPy scalars.
        self._starts = starts.data
        self._ends = ends.data

    def __len__(self) -> int:
        return len(self._starts)

    def before(self, position: int) -> int:
        """Return how many tokens start before a position."""
        return bisect_left(self._starts, position)

    def count(self, start: int, end: int) -> int:
        """Return how many tokens start in ``text[start:end]``."""
        return bisect_left(self._starts, end) - bisect_left(self._starts, start)

    def cut(self, start: int, n: int) -> int:
        """Return where the ``n``-th token from ``start`` ends, or the end of the text when there are fewer.

        A character that is several tokens (Hangul) stays whole: the cut is before it, or after the first one.
        """
        first = bisect_left(self._starts, start)
        after = first + max(n, 1)
        if after >= len(self._starts):
            return len(self.text)
        while after > first + 1 and self._starts[after] < self._ends[after - 1]:
            after -= 1
        while after < len(self._starts) and self._starts[after] < self._ends[after - 1]:
            after += 1
        return self._ends[after - 1]


class Tokenizer:
    """A model's tokenizer without padding, truncation and special tokens."""

    def __init__(self, inner: tokenizers.Tokenizer) -> None:
        inner.no_padding()
        inner.no_truncation()
        self._inner = inner
        special = [token.content for token in inner.get_added_tokens_decoder().values()]
        self._words = WordTokens(self._spans, special) if reads_by_words(inner) else None

    @classmethod
    def from_file(cls, path: str | Path) -> "Tokenizer":
        """Read a ``tokenizer.json``."""
        return cls(tokenizers.Tokenizer.from_file(str(path)))

    def count(self, text: str) -> int:
        """Return how many tokens the model reads for a text, special tokens left out."""
        return sum(len(self._pairs(text[start:end])) for start, end in _pieces(text))

    def index(self, text: str) -> TokenIndex:
        """Tokenise a text; a word longer than the tokenizer reads counts as several tokens."""
        parts = [self._offsets(text, span) for span in _pieces(text)]
        offsets = np.concatenate(parts) if parts else np.zeros((0, 2), np.int32)
        starts, ends = np.ascontiguousarray(offsets[:, 0]), np.ascontiguousarray(offsets[:, 1])
        return TokenIndex(text, starts, ends)

    def _spans(self, piece: str) -> list[Span]:
        return self._inner.encode(piece, add_special_tokens=False).offsets

    def _pairs(self, piece: str) -> Offsets:
        """Return the offsets of a piece's tokens, int32 [n, 2]."""
        return self._words.offsets(piece) if self._words else as_offsets(self._spans(piece))

    def _offsets(self, text: str, span: Span) -> Offsets:
        pairs = self._pairs(text[span[0] : span[1]])
        if len(pairs) and int((pairs[:, 1] - pairs[:, 0]).max()) > LONGEST_WORD:
            pairs = _slice_long(pairs)
        return pairs + np.int32(span[0])


def _pieces(text: str) -> Iterator[Span]:
    """Yield spans of at most PIECE characters that end at white space where there is some."""
    start = 0
    while len(text) - start > PIECE:
        end = start + PIECE
        space = max(text.rfind(" ", start + 1, end), text.rfind("\n", start + 1, end))
        if space < 0 and not text[end].isspace():
            space = max((found.start() for found in _SPACE.finditer(text, start + 1, end)), default=-1)
        end = space if space > start else end
        yield start, end
        start = end
    if start < len(text):
        yield start, len(text)


def _slice_long(pairs: Offsets) -> Offsets:
    """Replace each pair longer than a word can be by even slices of at most _SLICE characters."""
    lengths = pairs[:, 1] - pairs[:, 0]
    slices = np.where(lengths > LONGEST_WORD, -(-lengths // _SLICE), 1)
    rows = np.repeat(np.arange(len(pairs)), slices)
    nth = np.arange(len(rows)) - np.repeat(np.cumsum(slices) - slices, slices)
    starts = pairs[rows, 0] + nth * lengths[rows] // slices[rows]
    ends = pairs[rows, 0] + (nth + 1) * lengths[rows] // slices[rows]
    return np.stack([starts, ends], axis=1).astype(np.int32)
