"""What a ranking of chunks is worth: evidence and pages held against it, by matcher."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from capsa.chunkers.model import Span

from .chunkset import ChunkSet
from .corpus import Corpus, Item
from .matching import Matcher, normalise
from .questions import Question
from .scores import Outcome
from .spans import span_precision, span_recall

Scope = Literal["corpus", "document"]
DEPTH = 10


@dataclass(frozen=True, slots=True)
class Ranking:
    """The answer to a question: chunk numbers, best first, and the milliseconds it took."""

    numbers: Sequence[int]
    ms: float


class Engine(Protocol):
    """Ranks chunks for a question."""

    def ask(self, text: str, item: Item | None, depth: int) -> Ranking:
        """Rank the chunks of an item, of all items for None; best first, ``depth`` of them."""


_NOTHING: frozenset[int] = frozenset()


class Judge:
    """Holds questions against a corpus; what the chunks hold is looked up once for all rankings.

    Only chunks of the document that a question names count, if it names one.
    """

    def __init__(self, corpus: Corpus, chunks: ChunkSet, questions: Sequence[Question]) -> None:
        self._chunks = chunks
        self.questions = tuple(questions)
        self.items = {question.id: corpus.resolve(question) for question in questions}
        self.lost = frozenset(question.id for question in questions if corpus.lost(question))
        self._held: dict[tuple[str, Matcher], list[frozenset[int]]] = {}
        self._by_chunk: dict[tuple[str, Matcher], dict[int, frozenset[int]]] = {}
        self._parsed: dict[tuple[str, Matcher], frozenset[int]] = {}
        self._spans_of: dict[tuple[str, int], Span | None] = {}
        self._judged: tuple[object, tuple[float | None, float | None]] = None, (None, None)

    def ask(self, engine: Engine, question: Question, scope: Scope, depth: int) -> Ranking:
        """Ask an engine in the question's document or in all; of a document not read, nothing is found."""
        if scope == "corpus":
            return engine.ask(question.text, None, depth)
        if question.id in self.lost:
            return Ranking([], 0.0)
        return engine.ask(question.text, self.items[question.id], depth)

    def outcome(self, question: Question, ranking: Ranking, matcher: Matcher) -> Outcome | None:
        """Judge one ranking; None where the question has nothing that this matcher looks for."""
        held = self.held(question, matcher)
        if not held:
            return None
        recall, precision = self._spans(question, ranking) if matcher != "pages" else (None, None)
        by_chunk = self._by_chunk[question.id, matcher]
        return Outcome(
            question=question,
            m=len(held),
            matched=tuple(by_chunk.get(number, _NOTHING) for number in ranking.numbers),
            sizes=tuple(self._chunks.sizes[number] for number in ranking.numbers),
            covered=_NOTHING.union(*by_chunk.values()),
            parsed=self.parsed(question, matcher),
            ms=ranking.ms,
            span_recall=recall,
            span_precision=precision,
        )

    def held(self, question: Question, matcher: Matcher) -> list[frozenset[int]]:
        """Return for each evidence string (or page) the numbers of the chunks that hold it."""
        key = (question.id, matcher)
        if key not in self._held:
            self._held[key] = self._look_up(question, matcher)
            self._by_chunk[key] = _turned(self._held[key])
        return self._held[key]

    def span(self, question: Question, index: int) -> Span | None:
        """Return where the evidence stands in the question's document, None where that is not known."""
        key = (question.id, index)
        if key not in self._spans_of:
            item = self.items[question.id]
            self._spans_of[key] = item.source.locator.find(question.evidence[index]) if item else None
        return self._spans_of[key]

    def _look_up(self, question: Question, matcher: Matcher) -> list[frozenset[int]]:
        among = range(0) if question.id in self.lost else self._chunks.range_of(self.items[question.id])
        if matcher == "pages":
            return [self._chunks.with_page(page, among) for page in question.pages]
        find = self._chunks.with_strict if matcher == "strict" else self._chunks.with_paper
        return [find(normalise(string), among) for string in question.evidence]

    def parsed(self, question: Question, matcher: Matcher) -> frozenset[int]:
        """Return the indexes of the evidence (or pages) that the parser kept."""
        key = (question.id, matcher)
        if key not in self._parsed:
            self._parsed[key] = self._find_parsed(question, matcher)
        return self._parsed[key]

    def _find_parsed(self, question: Question, matcher: Matcher) -> frozenset[int]:
        item = self.items[question.id]
        if question.id in self.lost:
            return frozenset()
        if matcher == "pages":
            last = item.document.pages if item else 0
            return frozenset(index for index, page in enumerate(question.pages) if page <= last)
        sources = [each.source for each in ([item] if item else self._chunks.items)]
        return frozenset(
            index
            for index, string in enumerate(map(normalise, question.evidence))
            if any(source.holds(string, matcher) for source in sources)
        )

    def _spans(self, question: Question, ranking: Ranking) -> tuple[float | None, float | None]:
        """Return recall and precision by characters of the first ten chunks, None without known spans.

        Those of the last ranking are kept, as each matcher asks for them.
        """
        asked = (question.id, *ranking.numbers[:DEPTH])
        if self._judged[0] != asked:
            self._judged = asked, self._measure(question, ranking)
        return self._judged[1]

    def _measure(self, question: Question, ranking: Ranking) -> tuple[float | None, float | None]:
        item = self.items[question.id]
        relevant = self._locate(question)
        if not relevant:
            return None, None
        own = self._chunks.range_of(item)
        mine: list[Span] = []
        elsewhere = 0
        for number in ranking.numbers[:DEPTH]:
            part = self._chunks.chunks[number]
            # Most chunks of the document hold none of it either: they are only counted.
            if number in own and any(part.start < end and start < part.end for start, end in relevant):
                mine.append((part.start, part.end))
            else:
                elsewhere += part.end - part.start
        return span_recall(relevant, mine), span_precision(relevant, mine, elsewhere)

    def _locate(self, question: Question) -> list[Span]:
        found = (self.span(question, index) for index in range(len(question.evidence)))
        return [span for span in found if span is not None]


def _turned(held: Sequence[frozenset[int]]) -> dict[int, frozenset[int]]:
    """Return by chunk the indexes of what it holds, from the chunks by index."""
    numbers = _NOTHING.union(*held)
    return {
        number: frozenset(index for index, found in enumerate(held) if number in found) for number in numbers
    }
