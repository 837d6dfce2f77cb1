"""The grid: parser x chunker x retriever x model over question sets, one group of cells after another.

A group is a set cut in one way; its cells share the chunks. Groups are independent of each other, so that
they can be done on other machines, and each is kept when it is done.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from capsa.store.stems import Stemmer

from . import metrics
from .chunkset import ChunkSet
from .corpus import Chunking, Corpus
from .gaps import Gap
from .judging import DEPTH, Judge, Ranking, Scope
from .misses import Misses, Retry, plain_words
from .options import QuestionSet
from .questions import Question
from .rows import make_row, mean
from .run import MATCHERS
from .runs import Cell, Row
from .stations import RETRIEVERS, Bench, Station
from .store_engine import Codes, StoreEngine
from .workshop import Workshop

# The strategies of the chunking study, in its order, after those of the parser study.
SIX = (
    "fixed",
    "fixed-overlap",
    "sentence",
    "structure",
    "structure-caption",
    "structure-caption-overlap",
)
CHUNKERS = ("basic", "medium", "advanced", *SIX)
# Columns whose means a cell's record has, by matcher.
MEANS = ("coverage", "er@5", "er@10", "er@1000t", "rr", "ndcg@10")


@dataclass(frozen=True, slots=True)
class Plan:
    """What a grid is over, gaps left out; chunks are cut in tokens of the first model."""

    sets: tuple[QuestionSet, ...]
    chunkings: tuple[Chunking, ...]
    retrievers: tuple[str, ...] = RETRIEVERS
    models: tuple[str, ...] = ()
    scopes: tuple[Scope, ...] = ("document", "corpus")
    codes: Codes = "pq96"

    def groups(self) -> Iterator["Group"]:
        """Yield the groups, those of one parser one after another, as parsed files are kept."""
        for questions in self.sets:
            for chunking in sorted(self.chunkings, key=lambda each: each.parser):
                yield Group(questions, chunking)


@dataclass(frozen=True, slots=True)
class Group:
    """One question set cut in one way."""

    questions: QuestionSet
    chunking: Chunking

    @property
    def name(self) -> str:
        """What the group is known by in a run."""
        chunking = self.chunking
        parts = (self.questions.name, chunking.parser, chunking.chunker, chunking.size, chunking.overlap)
        return "/".join("" if part is None else str(part) for part in parts)


def do_group(
    plan: Plan, group: Group, workshop: Workshop, gaps: list[Gap] | None = None
) -> tuple[list[Row], list[dict[str, Any]]]:
    """Do all cells of a group; return their rows and their records.

    A model that cannot read the chunks is added to ``gaps``; UnavailableError where there is no such list.
    """
    whole = "corpus" in plan.scopes
    corpus = workshop.corpus(group.questions, group.chunking, whole, plan.models[0] if plan.models else None)
    chunks = ChunkSet(corpus)
    judge = Judge(corpus, chunks, group.questions.questions)
    rows: list[Row] = []
    records: list[dict[str, Any]] = []
    prepared = preparing_s(corpus)
    with (
        Bench(group.chunking, corpus, chunks, workshop) as bench,
        closing(Stemmer()) as stemmer,
    ):
        misses = Misses(chunks, judge, stemmer)
        models = bench.readable(plan.models, gaps)
        for station in bench.stations(plan.retrievers, models, plan.codes):
            for scope in plan.scopes:
                cell = make_cell(group, station, scope)
                found = do_cell(cell, station, scope, judge, misses)
                rows += found
                records.append(make_record(cell, station, corpus, prepared, found))
    return rows, records


def preparing_s(corpus: Corpus) -> float:
    """Return the CPU seconds that parsing and cutting took."""
    return sum(item.source.parse_ms + item.cut_ms for item in corpus.items.values()) / 1000


def make_cell(group: Group, station: Station, scope: Scope) -> Cell:
    """Return what is held constant over the rows of a station in a scope."""
    chunking = group.chunking
    return Cell(
        set=group.questions.name,
        scope=scope,
        parser=chunking.parser,
        chunker=chunking.chunker,
        size=chunking.size,
        overlap=chunking.overlap,
        retriever=station.retriever,
        model=station.model,
        vectors=station.vectors,
        dimension=station.dimension,
    )


def do_cell(cell: Cell, station: Station, scope: Scope, judge: Judge, misses: Misses) -> list[Row]:
    """Ask every question; return a row for each by each matcher that it has something for."""
    rows: list[Row] = []
    for question in judge.questions:
        if station.queries:
            station.queries.embed_query(question.text)
        found = judge.ask(station.engine, question, scope, DEPTH)
        extra = station.queries.ms(question.text) if station.queries else 0.0
        ranking = Ranking(found.numbers, found.ms + extra)
        retry = _retry(station, question, scope, judge)
        for matcher in MATCHERS:
            outcome = judge.outcome(question, ranking, matcher)
            if outcome is not None:
                miss = misses.step(outcome, ranking, matcher, retry, vectors=bool(station.vectors))
                rows.append(make_row(cell, outcome, matcher, miss))
    return rows


def _retry(station: Station, question: Question, scope: Scope, judge: Judge) -> Retry:
    """Return the other ways to ask; only the store's search has codes and reads signs in a question."""
    exact = station.exact
    plain = plain_words(question.text) if isinstance(station.engine, StoreEngine) else None
    item = judge.items[question.id] if scope == "document" else None
    return Retry(
        exact=partial(judge.ask, exact, question, scope, DEPTH) if exact else None,
        plain=partial(station.engine.ask, plain, item, DEPTH) if plain else None,
    )


def make_record(
    cell: Cell, station: Station, corpus: Corpus, prepared_s: float, rows: Sequence[Row]
) -> dict[str, Any]:
    """Return what a run\'s record says of a cell."""
    by_matcher = {name: [row for row in rows if row["matcher"] == name] for name in ("strict", "paper")}
    strict = by_matcher["strict"]
    latencies = [float(row["latency_ms"] or 0) for row in strict]
    means = {name: {column: mean(chosen, column) for column in MEANS} for name, chosen in by_matcher.items()}
    return {
        **asdict(cell),
        "documents": len(corpus.items),
        "chunks": sum(len(item.chunks) for item in corpus.items.values()),
        "vector_count": station.vector_count,
        "index_bytes": station.index_bytes,
        "seconds": round(prepared_s + station.seconds, 3),
        "questions": len(strict),
        "full_coverage": sum(row["coverage"] == 1 for row in strict) / len(strict) if strict else 0.0,
        "latency_p50_ms": metrics.percentile(latencies, 0.5),
        "latency_p95_ms": metrics.percentile(latencies, 0.95),
        **means["strict"],
        "means": means,
    }
