"""One configuration over one question file: build the index, ask every question, keep what was matched."""

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from capsa.chunkers.tokens import Tokenizer
from capsa.store.embedder import Embedder
from capsa.store.reader import Reader
from capsa.store.records import CODES, Query, Results, Retriever
from capsa.store.search import search

from . import metrics, report
from .corpus import Chunking, Corpus, Item
from .exact import ExactReader
from .index import fill
from .matching import MATCHERS, Match, normalise
from .questions import Question
from .report import Outcome

Scope = Literal["corpus", "document"]
Vectors = Literal["pq96", "pq48", "flat"]


@dataclass(frozen=True, slots=True)
class Configuration:
    """What is evaluated: how documents become chunks, how chunks are found, and what counts as found."""

    chunking: Chunking
    retriever: Retriever = "hybrid"
    vectors: Vectors = "pq96"
    scope: Scope = "corpus"
    ks: tuple[int, ...] = (1, 3, 5, 10)

    @property
    def depth(self) -> int:
        """How many hits each search asks for."""
        return max(10, *self.ks)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The outcomes of one configuration by matcher, with what the index costs."""

    configuration: Configuration
    outcomes: Mapping[Match, Sequence[Outcome]]
    storage: Mapping[str, Any]
    corpus: Corpus
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class Steps:
    """Callbacks of the long parts, each told how much is done of how much."""

    index: Callable[[int], None] = field(default=lambda done: None)
    ask: Callable[[int], None] = field(default=lambda done: None)


def evaluate(
    corpus: Corpus,
    questions: Sequence[Question],
    configuration: Configuration,
    embedder: Embedder | None,
    tokenizer: Tokenizer,
    steps: Steps,
) -> Evaluation:
    """Index the corpus in a temporary home and ask every question there; BM25 alone needs no vectors."""
    if configuration.retriever == "bm25":
        embedder = None
    with tempfile.TemporaryDirectory(prefix="capsa-eval-") as folder:
        home = Path(folder)
        # Exact search keeps codes too, and leaves them alone.
        bits = CODES.get(configuration.vectors, 2)
        vectors = fill(home, corpus, configuration.chunking, embedder, bits, steps.index)
        exact = configuration.vectors == "flat" and vectors
        with ExactReader.open_exact(home, vectors) if exact else Reader.open(home) as reader:
            answers = []
            for question in questions:
                answers.append(_ask(reader, corpus, question, configuration, embedder))
                steps.ask(1)
            storage = dict(reader.storage())
    outcomes = {match: _judge(corpus, questions, answers, match, tokenizer) for match in MATCHERS}
    notes = tuple(dict.fromkeys(note for answer in answers for note in answer.notes))
    return Evaluation(configuration, outcomes, storage, corpus, notes)


def summary(evaluation: Evaluation) -> dict[str, Any]:
    """The result in the shape of ``capsa eval run --json``, schema capsa.eval/1."""
    configuration, strict = evaluation.configuration, evaluation.outcomes["strict"]
    ks = configuration.ks
    latency = [outcome.ms for outcome in strict]
    return {
        "schema": "capsa.eval/1",
        "config": asdict(configuration),
        "documents": len(evaluation.corpus.items),
        "chunks": sum(len(item.chunks) for item in evaluation.corpus.items.values()),
        "failures": {str(path): reason for path, reason in evaluation.corpus.failures.items()},
        "questions": len(strict),
        "metrics": {
            match: report.average([report.score(outcome, ks) for outcome in outcomes])
            for match, outcomes in evaluation.outcomes.items()
        },
        "cut_share": report.cut_share(strict),
        "by_type": report.group(strict, lambda question: question.type, ks),
        "by_phrasing": report.group(strict, lambda question: question.phrasing, ks),
        "storage": evaluation.storage,
        "latency_ms": {"p50": metrics.percentile(latency, 0.5), "p95": metrics.percentile(latency, 0.95)},
        "notes": list(evaluation.notes),
    }


def _ask(
    reader: Reader,
    corpus: Corpus,
    question: Question,
    configuration: Configuration,
    embedder: Embedder | None,
) -> Results:
    item = corpus.resolve(question) if configuration.scope == "document" else None
    folder = os.fsencode(item.path) if item else None
    query = Query(question.text, limit=configuration.depth, retriever=configuration.retriever, folder=folder)
    return search(reader, query, embedder)


def _judge(
    corpus: Corpus,
    questions: Sequence[Question],
    answers: Sequence[Results],
    match: Match,
    tokenizer: Tokenizer,
) -> list[Outcome]:
    judge = _Judge(corpus, match, tokenizer)
    return [judge.outcome(question, answer) for question, answer in zip(questions, answers, strict=True)]


class _Judge:
    """Holds evidence against hits and chunks, each text normalised and counted once."""

    def __init__(self, corpus: Corpus, match: Match, tokenizer: Tokenizer) -> None:
        self._corpus = corpus
        self._matches = MATCHERS[match]
        self._tokenizer = tokenizer
        self._items = {os.fsencode(path): item for path, item in corpus.items.items()}

    def outcome(self, question: Question, answer: Results) -> Outcome:
        """Judge one answer; only chunks of the document that the question names count, if it names one."""
        evidence = [normalise(string) for string in question.evidence]
        wanted = self._corpus.resolve(question)
        matched = [
            self._found(evidence, normalise(hit.text)) if self._counts(hit.path, wanted) else frozenset()
            for hit in answer.hits
        ]
        searched = [wanted] if wanted else list(self._corpus.items.values())
        return Outcome(
            question=question,
            matched=tuple(matched),
            sizes=tuple(self._tokenizer.count(hit.text) for hit in answer.hits),
            covered=self._union(evidence, (text for item in searched for text in item.texts)),
            parsed=self._union(evidence, (item.text for item in searched)),
            ms=answer.took_ms,
        )

    def _counts(self, path: bytes | None, wanted: Item | None) -> bool:
        return wanted is None or (path is not None and self._items.get(path) is wanted)

    def _found(self, evidence: Sequence[str], text: str) -> frozenset[int]:
        return frozenset(number for number, string in enumerate(evidence) if self._matches(string, text))

    def _union(self, evidence: Sequence[str], texts: Any) -> frozenset[int]:
        return frozenset().union(*(self._found(evidence, text) for text in texts))
