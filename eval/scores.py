"""Results of one evaluation as numbers: per question, averaged, by group, and as the table a person reads."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from . import metrics
from .questions import Question
from .runs import TOKEN_BUDGETS


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one question got: per retrieved chunk the evidence indexes (0 .. m-1) it holds and its tokens.

    ``covered`` is the evidence that some chunk of the document holds, ``parsed`` what its text holds. The
    spans' figures are by characters, in the first ten chunks, None where no span is known.
    """

    question: Question
    m: int
    matched: tuple[frozenset[int], ...]
    sizes: tuple[int, ...]
    covered: frozenset[int]
    parsed: frozenset[int]
    ms: float
    span_recall: float | None = None
    span_precision: float | None = None


def score(outcome: Outcome, ks: Sequence[int]) -> dict[str, float]:
    """All metrics of one question."""
    m, matched = outcome.m, outcome.matched
    values: dict[str, float] = {}
    for k in ks:
        values[f"evidence_recall@{k}"] = metrics.evidence_recall(matched, m, k)
        values[f"hit@{k}"] = metrics.hit(matched, k)
        values[f"full@{k}"] = metrics.full(matched, m, k)
    for k in (5, 10):
        values[f"ndcg@{k}"] = metrics.ndcg(matched, m, k)
        values[f"ndcg_capped@{k}"] = metrics.capped(values[f"ndcg@{k}"])
    for budget in TOKEN_BUDGETS:
        name = f"evidence_recall@{budget}tokens"
        values[name] = metrics.evidence_recall_in_tokens(matched, outcome.sizes, m, budget)
    values["mrr"] = metrics.reciprocal_rank(matched)
    values["evidence_coverage"] = metrics.evidence_coverage(outcome.covered, m)
    return values


def average(rows: Sequence[dict[str, float]]) -> dict[str, float]:
    """The mean of each metric over the questions."""
    return {name: fmean(row[name] for row in rows) for name in rows[0]} if rows else {}


def spans(outcomes: Iterable[Outcome]) -> dict[str, float]:
    """Mean recall and precision by characters, over the questions whose evidence has a known place."""
    pairs = [
        (outcome.span_recall, outcome.span_precision)
        for outcome in outcomes
        if outcome.span_recall is not None and outcome.span_precision is not None
    ]
    if not pairs:
        return {"questions": 0}
    recall, precision = (fmean(side) for side in zip(*pairs, strict=True))
    return {"questions": len(pairs), "recall": recall, "precision": precision}


def cut_share(outcomes: Iterable[Outcome]) -> float:
    """Of the evidence strings that the parser kept, the share that no chunk holds whole."""
    kept = cut = 0
    for outcome in outcomes:
        kept += len(outcome.parsed)
        cut += len(outcome.parsed - outcome.covered)
    return cut / kept if kept else 0.0


def group(
    outcomes: Sequence[Outcome], key: Callable[[Question], str], ks: Sequence[int]
) -> dict[str, dict[str, float]]:
    """Mean metrics by a property of the question, with the number of questions; {} when none has it."""
    groups: dict[str, list[dict[str, float]]] = {}
    for outcome in outcomes:
        if name := key(outcome.question):
            groups.setdefault(name, []).append(score(outcome, ks))
    return {name: {"questions": len(rows), **average(rows)} for name, rows in sorted(groups.items())}
