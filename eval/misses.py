"""Which step lost the evidence that is not in the first ten chunks, looked for in the order of the steps.

    parse          the parser's text does not hold it, or the document could not be read
    boundary       the text holds it, no chunk holds it whole
    window         a chunk holds it, but no vector was made of text that does
    quantisation   exact vectors would have put it into the first ten, the codes do not
    filter         it was ranked and left out: the question reads as a query with quotes or minus signs, or
                   another chunk has the same text
    vocabulary     ranked low, and the chunk has at most a third of the question's content words
    ranking        ranked low, though the words are there

A question's miss is the earliest step that lost any of its missing evidence.
"""

import re
from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from capsa.store.querysyntax import parse_query
from capsa.store.stems import Stemmer
from capsa.store.stopwords import STOP_WORDS

from .chunkset import ChunkSet
from .judging import DEPTH, Judge, Ranking
from .matching import Matcher
from .questions import Question
from .scores import Outcome

Miss = Literal["", "parse", "boundary", "window", "quantisation", "filter", "vocabulary", "ranking"]
STEPS: tuple[Miss, ...] = ("parse", "boundary", "window", "quantisation", "filter", "vocabulary", "ranking")
# Share of the question's content words at which its evidence counts as using other words.
FEW_WORDS = 1 / 3

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Retry:
    """Other ways to ask the same engine, to see whether one step alone lost the evidence.

    ``exact`` ranks by the float32 vectors, ``plain`` reads the question's signs as plain words; None where
    that is no other way.
    """

    exact: Callable[[], Ranking] | None = None
    plain: Callable[[], Ranking] | None = None


class Misses:
    """Attributes the misses over one corpus."""

    def __init__(self, chunks: ChunkSet, judge: Judge, stemmer: Stemmer) -> None:
        self._chunks = chunks
        self._judge = judge
        self._stemmer = stemmer

    def step(
        self, outcome: Outcome, ranking: Ranking, matcher: Matcher, retry: Retry, vectors: bool = True
    ) -> Miss:
        """Return the earliest step that lost evidence of a question; "" when all is in the first ten.

        ``vectors`` says that the retriever uses any.
        """
        missing = set(range(outcome.m)).difference(*outcome.matched[:DEPTH])
        if not missing:
            return ""
        if missing - outcome.parsed:
            return "parse"
        if missing - outcome.covered:
            return "boundary"
        question = outcome.question
        held = self._judge.held(question, matcher)
        holders = [held[index] for index in sorted(missing)]
        if matcher == "pages":
            return self._wording(question, holders)
        if vectors and any(self._outside(question, index, held[index]) for index in missing):
            return "window"
        if _recovers(retry.exact, holders):
            return "quantisation"
        if self._is_twin(ranking, holders) or _recovers(retry.plain, holders):
            return "filter"
        return self._wording(question, holders)

    def _outside(self, question: Question, index: int, holders: Iterable[int]) -> bool:
        """Whether none of the chunks that hold the evidence has a window that does."""
        span = self._judge.span(question, index)
        if span is None:
            return False
        windows = [window for number in holders for window in self._chunks.chunks[number].windows]
        return bool(windows) and not any(
            window.start <= span[0] and span[1] <= window.end for window in windows
        )

    def _is_twin(self, ranking: Ranking, holders: Iterable[Set[int]]) -> bool:
        """Whether a retrieved chunk has the very text of one that holds missing evidence."""
        seen = {self._chunks.texts[number] for number in ranking.numbers[:DEPTH]}
        return any(self._chunks.texts[number] in seen for chunks in holders for number in chunks)

    def _wording(self, question: Question, holders: Iterable[Set[int]]) -> Miss:
        wanted = self._stems(question.text)
        shares = [
            max((len(wanted & self._stems(self._chunks.texts[number])) for number in chunks), default=0)
            for chunks in holders
        ]
        few = bool(wanted) and min(shares, default=0) <= FEW_WORDS * len(wanted)
        return "vocabulary" if few else "ranking"

    def _stems(self, text: str) -> frozenset[str]:
        words = [word for word in _WORD.findall(text.lower()) if word not in STOP_WORDS]
        found = self._stemmer.stems(words)
        return frozenset(stem for word in words for stem in found[word])


@lru_cache(maxsize=4096)
def plain_words(question: str) -> str | None:
    """Return the question without the signs of a query, None when it has none."""
    parsed = parse_query(question)
    return " ".join(_WORD.findall(question)) if parsed.required or parsed.excluded else None


def _recovers(ask: Callable[[], Ranking] | None, holders: Iterable[Set[int]]) -> bool:
    """Whether the other ranking has a chunk for each missing piece of evidence in its first ten."""
    if ask is None:
        return False
    first = set(ask().numbers[:DEPTH])
    return all(first & chunks for chunks in holders)
