"""The piece of a chunk that shows best why it was found."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from math import fsum
from typing import NamedTuple

from .records import Snippet
from .stems import WORD, Stemmer

LENGTH = 240
# A word has all letters of its stem but the last ("say" becomes "sai"): others need no stemming.
CHANGED = 1
# So many letters are kept of the shortest stems.
COMMON = 2
# A letter outside ASCII: the word may begin with an accent that its stem has lost.
FOREIGN = r"[^\W_a-zA-Z0-9]"
# What may stand between two highlights that become one: the joints of foo_bar, 1.0.21 and std::vector.
JOINTS = re.compile(r"[-_.:/]{0,2}")


class Word(NamedTuple):
    """A word of a text that was asked for: its span and the stem that it counts for."""

    start: int
    end: int
    stem: str


class WordFinder:
    """Finds the words of a query in texts as the keyword index does; ``weights`` are by stem."""

    def __init__(self, weights: Mapping[str, float], prefixes: Iterable[str], stemmer: Stemmer) -> None:
        self.weights = dict(weights)
        self._stemmer = stemmer
        self._prefixes = tuple(prefix.lower() for prefix in prefixes)
        heads = {stem[: max(COMMON, len(stem) - CHANGED)] for stem in weights}
        self._heads = sorted({*heads, *self._prefixes} - {""})

    @cached_property
    def _any(self) -> re.Pattern[str]:
        """The pattern for texts beyond ASCII: words may begin there, and runs of a script without spaces."""
        # Without the ranges of SPACELESS, which would cost 8 ms to compile, once for each query.
        return re.compile(rf"(?<![^\W_])(?:{self._beginning()}|{FOREIGN})[^\W_]*|(?<=[a-zA-Z0-9]){FOREIGN}+")

    def _beginning(self) -> str:
        """Return a pattern of the heads, with a look at one letter first: that halves the time."""
        if not self._heads:
            return r"(?!)"
        firsts = sorted({letter for head in self._heads for letter in (head[0], head[0].upper())})
        letters, heads = "".join(map(re.escape, firsts)), "|".join(map(re.escape, self._heads))
        return f"(?=[{letters}])(?i:{heads})"

    def find(self, texts: Sequence[str]) -> list[list[Word]]:
        """Return the words of each text in order; the stems of all texts are looked up at once."""
        found = [self._candidates(text) for text in texts]
        stems = self._stemmer.stems(word for candidates in found for _, word in candidates)
        return [
            [read for start, word in candidates for read in self._read(start, word, stems[word])]
            for candidates in found
        ]

    def _candidates(self, text: str) -> list[tuple[int, str]]:
        """Return where words begin that may be asked for, and the words."""
        if not text.isascii():
            return [(match.start(), match[0]) for match in self._any.finditer(text)]
        # No pattern: to compile one takes longer than to look into ten passages.
        lowered = text.lower()
        starts = {start for head in self._heads for start in _beginnings(lowered, head)}
        return [(start, _word_at(text, start)) for start in sorted(starts)]

    def _read(self, start: int, word: str, stems: tuple[str, ...]) -> list[Word]:
        end = start + len(word)
        if len(stems) == 1 and stems[0] in self.weights:
            return [Word(start, end, stems[0])]
        if self._prefixes and word.lower().startswith(self._prefixes):
            prefix = next(prefix for prefix in self._prefixes if word.lower().startswith(prefix))
            return [Word(start, end, prefix)]
        # A run of a script without spaces: each of its characters is a word.
        return [
            Word(start + place, start + place + 1, character)
            for place, character in enumerate(word)
            if len(stems) > 1 and character in self.weights
        ]


def _beginnings(text: str, head: str) -> Iterator[int]:
    """Yield where words of the ASCII text begin with the head."""
    place = text.find(head)
    while place >= 0:
        if not place or not text[place - 1].isalnum():
            yield place
        place = text.find(head, place + 1)


def _word_at(text: str, start: int) -> str:
    match = WORD.match(text, start)
    return match[0] if match else ""


def make_snippets(texts: Sequence[str], finder: WordFinder, length: int = LENGTH) -> list[Snippet]:
    """Return of each text the ``length`` characters with the most weight of query words, and their spans."""
    found = finder.find(texts)
    return [_snippet(text, words, finder.weights, length) for text, words in zip(texts, found, strict=True)]


def _snippet(text: str, words: list[Word], weights: Mapping[str, float], length: int) -> Snippet:
    start, end = best_window(text, words, weights, length)
    inside = [
        (word.start - start, word.end - start) for word in words if start <= word.start and word.end <= end
    ]
    piece = text[start:end]
    return Snippet(piece, tuple(join_spans(piece, inside)))


def best_window(text: str, words: list[Word], weights: Mapping[str, float], length: int) -> tuple[int, int]:
    """Return the span of ``length`` characters that holds the most weight, each stem counted once."""
    if len(text) <= length:
        return 0, len(text)
    starts = [word.start for word in words]
    # A prefix has no weight of its own: it counts as a rare word.
    worth = {word.stem: max(weights.get(word.stem, 1.0), 1e-3) for word in words}
    most = fsum(worth.values())
    best, chosen = 0.0, (0, 0)
    for place, first in enumerate(words):
        inside = words[place : bisect_left(starts, first.start + length)]
        weight = fsum(worth[stem] for stem in {word.stem for word in inside})
        if weight > best:
            best, chosen = weight, (first.start, inside[-1].end)
        # A text that is full of the words has hundreds of such windows.
        if best == most:
            break
    middle = (chosen[0] + chosen[1]) // 2 if best else length // 2
    return _at_words(text, max(0, min(middle - length // 2, len(text) - length)), length)


def join_spans(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join spans with only a joint between them, so that an identifier is one highlight."""
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and JOINTS.fullmatch(text, joined[-1][1], start):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _at_words(text: str, start: int, length: int) -> tuple[int, int]:
    """Move both ends to white space if there is some near."""
    end = start + length
    if start:
        space = text.find(" ", start, start + length // 8)
        start = space + 1 if space >= 0 else start
    if end < len(text):
        space = text.rfind(" ", end - length // 8, end)
        end = space if space >= 0 else end
    return start, end
