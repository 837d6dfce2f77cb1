"""Outcomes as rows of a run's table."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import lru_cache

from . import metrics
from .matching import Matcher
from .metrics import Matched
from .questions import Question
from .runs import DEPTH, KS, TOKEN_BUDGETS, Cell, Row, Value
from .scores import Outcome


def make_row(cell: Cell, outcome: Outcome, matcher: Matcher, miss: str) -> Row:
    """Return the row of one question, see runs.py."""
    matched, m, sizes = outcome.matched, outcome.m, outcome.sizes
    values: dict[str, Value] = {
        **_described(outcome.question),
        **_cell_values(cell),
        "matcher": matcher,
        "evidence": m,
        "coverage": metrics.evidence_coverage(outcome.covered, m),
        **_ranked_values(matched, m),
    }
    for budget in TOKEN_BUDGETS:
        values[f"er@{budget}t"] = metrics.evidence_recall_in_tokens(matched, sizes, m, budget)
    values["span_recall"], values["span_precision"] = outcome.span_recall, outcome.span_precision
    values["tokens"] = metrics.tokens_retrieved(sizes, DEPTH)
    values["latency_ms"] = outcome.ms
    values["miss"] = miss
    return values


@lru_cache(maxsize=4096)
def _ranked_values(matched: tuple[frozenset[int], ...], m: int) -> dict[str, Value]:
    """Return what follows from the ranks of the matches alone: most rankings share theirs with others."""
    recalls = list(recall_curve(matched, m, DEPTH))
    values: dict[str, Value] = {f"er@{k}": recalls[k - 1] for k in range(1, DEPTH + 1)}
    values.update({f"hit@{k}": float(recalls[k - 1] > 0) for k in KS})
    values.update({f"full@{k}": float(recalls[k - 1] == 1) for k in KS})
    values["rr"] = metrics.reciprocal_rank(matched)
    values.update({f"ndcg@{k}": metrics.ndcg(matched, m, k) for k in (5, 10)})
    return values


def recall_curve(matched: Matched, m: int, depth: int) -> Iterator[float]:
    """Yield ER@1 .. ER@depth, each rank looked at once."""
    seen: set[int] = set()
    for rank in range(depth):
        seen |= matched[rank] if rank < len(matched) else set()
        yield len(seen) / m


def mean(rows: Sequence[Row], column: str) -> float:
    """The mean of a column, over the rows that have a number there; 0 for none."""
    values = [value for row in rows if isinstance(value := row[column], int | float)]
    return sum(values) / len(values) if values else 0.0


@lru_cache(maxsize=8)
def _cell_values(cell: Cell) -> dict[str, Value]:
    return asdict(cell)


def _described(question: Question) -> dict[str, Value]:
    return {
        "question_id": question.id,
        "document": question.doc,
        "type": question.type,
        "phrasing": question.phrasing,
        "slice": question.slice,
    }
