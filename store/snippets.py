"""The piece of a chunk that shows best why it was found."""

from bisect import bisect_left
from collections.abc import Mapping

from .records import Snippet
from .stems import SPACELESS, WORD, Stemmer

LENGTH = 240
# A word keeps its first letters when it is stemmed ("fly" becomes "fli"): other words need no stemming.
COMMON = 2

Spans = list[tuple[int, int, str]]


def make_snippet(text: str, weights: Mapping[str, float], stemmer: Stemmer, length: int = LENGTH) -> Snippet:
    """Return the ``length`` characters with the most weight of query stems, cut at words, and the spans of these."""
    found = find_words(text, weights, stemmer)
    start, end = best_window(text, found, weights, length)
    inside = tuple(
        (first - start, last - start) for first, last, _ in found if start <= first and last <= end
    )
    return Snippet(text[start:end], inside)


def find_words(text: str, weights: Mapping[str, float], stemmer: Stemmer) -> Spans:
    """Return the spans of the words whose stem is asked for, with the stem."""
    heads = tuple({stem[:COMMON] for stem in weights})
    words = [match for match in WORD.finditer(text) if _may_match(match[0], heads)]
    stems = stemmer.stems(match[0] for match in words)
    found: Spans = []
    for match in words:
        if SPACELESS.search(match[0]):
            found += [
                (match.start() + place, match.start() + place + 1, character)
                for place, character in enumerate(match[0])
                if character in weights
            ]
        else:
            found += [(match.start(), match.end(), stem) for stem in stems[match[0]][:1] if stem in weights]
    return found


def best_window(text: str, found: Spans, weights: Mapping[str, float], length: int) -> tuple[int, int]:
    """Return the span of ``length`` characters that holds the most weight, each stem counted once."""
    if len(text) <= length:
        return 0, len(text)
    starts = [first for first, _, _ in found]
    best, chosen = 0.0, (0, 0)
    for place, (first, _, _) in enumerate(found):
        last = bisect_left(starts, first + length)
        inside = [span for span in found[place:last] if span[1] <= first + length]
        weight = sum(weights[stem] for stem in {stem for _, _, stem in inside})
        if weight > best:
            best, chosen = weight, (first, max(end for _, end, _ in inside))
    middle = (chosen[0] + chosen[1]) // 2 if best else length // 2
    return _at_words(text, max(0, min(middle - length // 2, len(text) - length)), length)


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


def _may_match(word: str, heads: tuple[str, ...]) -> bool:
    return not word.isascii() or word.lower().startswith(heads)
