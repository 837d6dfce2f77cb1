"""The six strategies of the chunking study (003) side by side: recall, size, cost, misses."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .compare import paired_interval
from .corpus import Chunking
from .costs import capped_share, document_costs, medians
from .grid import SIX, Group, Plan, do_group
from .heldout import SLICES, in_slice
from .misses import STEPS
from .options import QuestionSet
from .rows import mean
from .runs import Row
from .stations import CODED
from .workshop import Workshop

# What each rule adds, as the study adds it up; the last is overlap on top of all.
STEPS_OF_GAIN = (
    ("overlap", "fixed-overlap", "fixed"),
    ("sentence alignment", "sentence", "fixed"),
    ("structure", "structure", "sentence"),
    ("caption binding", "structure-caption", "structure"),
    ("overlap on top", "structure-caption-overlap", "structure-caption"),
    ("all together", "structure-caption-overlap", "fixed"),
)
RETRIEVERS = (CODED, "hybrid")
SHOWN = ("er@10", "er@2000t", "rr")
# The study's measure, and the same for equal amounts of retrieved text: shorter chunks lose at equal k.
GAINED = ("er@10", "er@2000t")
EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Strategy:
    """One strategy on one set: its rows (strict and others), and what it costs."""

    name: str
    rows: Sequence[Row]
    cells: Sequence[dict[str, Any]]
    costs: dict[str, float]


def measure(questions: QuestionSet, home: Path, model: str, parser: str = "native") -> Iterator[Strategy]:
    """Yield the six strategies on a set, searched as users search, all documents together."""
    chunkings = [Chunking(parser, name) for name in SIX]
    plan = Plan((questions,), tuple(chunkings), RETRIEVERS, (model,), ("corpus",))
    with Workshop(home) as workshop:
        for chunking in chunkings:
            rows, cells = do_group(plan, Group(questions, chunking), workshop)
            corpus = workshop.corpus(questions, chunking, whole=True, model=model)
            costs = list(document_costs(corpus, workshop.cached(model)))
            facts = {
                **{f"{kind}_ms": value for kind, value in medians(costs).items()},
                "capped_pdfs": capped_share(item.document for item in corpus.items.values()),
            }
            yield Strategy(chunking.chunker, rows, cells, {k: v for k, v in facts.items() if v is not None})


def report(questions: QuestionSet, strategies: Sequence[Strategy]) -> dict[str, Any]:
    """Return the result for one set in the shape of ``capsa eval strategies --json``."""
    slices = [part for part in SLICES if any(in_slice(each.rows, part) for each in strategies)]
    return {
        "set": questions.name,
        "parser": strategies[0].cells[0]["parser"],
        "slices": slices,
        "strategies": [_described(strategy, slices) for strategy in strategies],
        "gain": {
            retriever: {
                metric: {part: _gain(strategies, retriever, part, metric) for part in slices}
                for metric in GAINED
            }
            for retriever in _names(strategies)
        },
    }


def _names(strategies: Sequence[Strategy]) -> list[str]:
    return list(dict.fromkeys(str(row["retriever"]) for row in strategies[0].rows))


def _chosen(strategy: Strategy, retriever: str, part: str) -> list[Row]:
    rows = [row for row in strategy.rows if row["retriever"] == retriever and row["matcher"] == "strict"]
    return in_slice(rows, part)


def _described(strategy: Strategy, slices: Sequence[str]) -> dict[str, Any]:
    cell = strategy.cells[-1]
    return {
        "name": strategy.name,
        "chunks": cell["chunks"],
        "vectors": cell["vector_count"],
        "index_bytes": cell["index_bytes"],
        "cost_ms": {k.removesuffix("_ms"): v for k, v in strategy.costs.items() if k.endswith("_ms")},
        "capped_pdfs": strategy.costs.get("capped_pdfs"),
        "recall": {
            retriever: {part: _recall(_chosen(strategy, retriever, part)) for part in slices}
            for retriever in _names([strategy])
        },
    }


def _recall(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the means, and the misses by step: the boundary's share of them is the study's figure."""
    misses = Counter(str(row["miss"]) for row in rows if row["miss"])
    total = sum(misses.values())
    return {
        "questions": len(rows),
        **{name: mean(rows, name) for name in SHOWN},
        "misses": {step: misses[step] for step in STEPS if misses[step]},
        "boundary_share": misses["boundary"] / total if total else 0.0,
        "examples": examples(rows),
    }


def examples(rows: Sequence[Row]) -> dict[str, list[str]]:
    """Return the first questions that each step lost, to be read."""
    lost: dict[str, list[str]] = {}
    for row in rows:
        if row["miss"] and len(lost.setdefault(str(row["miss"]), [])) < EXAMPLES:
            lost[str(row["miss"])].append(str(row["question_id"]))
    return lost


def _gain(
    strategies: Sequence[Strategy], retriever: str, part: str, metric: str
) -> dict[str, dict[str, float]]:
    """Return what each rule adds to a metric, with the 95 % interval over questions."""
    values = {
        each.name: np.array([float(row[metric] or 0) for row in _chosen(each, retriever, part)])
        for each in strategies
    }
    return {
        name: asdict(paired_interval(values[ours], values[reference]))
        for name, ours, reference in STEPS_OF_GAIN
    }
