"""One configuration over one question file: build the index, ask every question, keep what was matched."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from capsa.chunkers.errors import UsageError
from capsa.store.records import Retriever

from . import metrics, scores
from .cache import CachedEmbedder
from .chunkset import ChunkSet
from .corpus import Chunking, Corpus
from .engines import window_texts
from .judging import Judge, Scope
from .matching import Matcher
from .questions import Question
from .scores import Outcome
from .store_engine import Codes, open_store

MATCHERS: tuple[Matcher, ...] = ("strict", "paper", "pages")


@dataclass(frozen=True, slots=True)
class Configuration:
    """What is evaluated: how documents become chunks, how chunks are found, and what counts as found.

    ``layout_budget_ms`` is the CPU time that a PDF's layout pass may take, None for all that it needs.
    """

    chunking: Chunking
    retriever: Retriever = "hybrid"
    vectors: Codes = "pq96"
    scope: Scope = "corpus"
    layout_budget_ms: float | None = None
    ks: tuple[int, ...] = (1, 3, 5, 10)

    @property
    def depth(self) -> int:
        """How many hits each search asks for."""
        return max(10, *self.ks)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The outcomes of one configuration by matcher, with what the index costs; ``index_s`` are CPU seconds.

    A matcher has an outcome for each question that has what it looks for; ``pages`` may have none.
    """

    configuration: Configuration
    outcomes: Mapping[Matcher, Sequence[Outcome]]
    storage: Mapping[str, Any]
    corpus: Corpus
    index_s: float = 0.0
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
    embedder: CachedEmbedder | None,
    steps: Steps,
) -> Evaluation:
    """Index the corpus in a temporary home and ask every question there; BM25 alone needs no vectors."""
    if configuration.retriever == "bm25":
        embedder = None
    chunks = ChunkSet(corpus)
    judge = Judge(corpus, chunks, questions)
    filled = open_store(corpus, chunks, configuration.chunking, embedder, configuration.vectors, steps.index)
    clock = _IndexClock(corpus, embedder)
    with filled as store:
        index_s = clock.seconds()
        engine = store.engine(configuration.retriever, exact=configuration.vectors == "flat")
        rankings = []
        for question in questions:
            rankings.append(judge.ask(engine, question, configuration.scope, configuration.depth))
            steps.ask(1)
        storage = dict(store.storage())
    outcomes = {
        matcher: [
            outcome
            for question, ranking in zip(questions, rankings, strict=True)
            if (outcome := judge.outcome(question, ranking, matcher)) is not None
        ]
        for matcher in MATCHERS
    }
    notes = (*engine.notes, *_absent_notes(outcomes["strict"]))
    return Evaluation(configuration, outcomes, storage, corpus, index_s, notes)


class _IndexClock:
    """CPU seconds of an index from its start: parsing, cutting, storing, and embedding whenever that was."""

    def __init__(self, corpus: Corpus, embedder: CachedEmbedder | None) -> None:
        self._corpus = corpus
        self._embedder = embedder
        self._spent_s = embedder.spent_s if embedder else 0.0
        self._began = time.process_time()

    def seconds(self) -> float:
        """Return the seconds so far; what was embedded before counts what it took then."""
        stored = time.process_time() - self._began
        prepared = sum(item.source.parse_ms + item.cut_ms for item in self._corpus.items.values()) / 1000
        if self._embedder is None:
            return prepared + stored
        texts = list(dict.fromkeys(window_texts(self._corpus)[0]))
        embedded = sum(self._embedder.costs(texts)) / 1000
        return prepared + stored - (self._embedder.spent_s - self._spent_s) + embedded


def _absent_notes(outcomes: Sequence[Outcome]) -> list[str]:
    """Return a line when evidence is nowhere in the corpus; UsageError when all of it is."""
    absent = [outcome for outcome in outcomes if len(outcome.parsed) < outcome.m]
    if not absent:
        return []
    where = absent[0].question.where
    if not any(outcome.parsed for outcome in outcomes):
        raise UsageError(
            f"{where}: this evidence and all other is nowhere in the corpus; is it the right one?"
        )
    count = f"{len(absent)} of {len(outcomes)} questions have"
    return [f"{count} evidence that is nowhere in the corpus, first {where} (`capsa eval check` lists them)"]


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
            matcher: scores.average([scores.score(outcome, ks) for outcome in outcomes])
            for matcher, outcomes in evaluation.outcomes.items()
            if outcomes
        },
        "cut_share": scores.cut_share(strict),
        "by_type": scores.group(strict, lambda question: question.type, ks),
        "by_phrasing": scores.group(strict, lambda question: question.phrasing, ks),
        "spans": scores.spans(strict),
        "storage": evaluation.storage,
        "index_cpu_s": evaluation.index_s,
        "latency_ms": {"p50": metrics.percentile(latency, 0.5), "p95": metrics.percentile(latency, 0.95)},
        "notes": list(evaluation.notes),
    }
