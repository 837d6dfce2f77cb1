"""Several configurations on the same questions: means, paired differences, the best of both arms."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from .run import Configuration, Evaluation
from .scores import Outcome, score

Axis = Literal["arms", "vectors"]
# What the comparison shows; all of them are shares or ranks from 0 to 1.
SHOWN = ("evidence_recall@5", "evidence_recall@10", "mrr")
RESAMPLES = 10_000
SEED = 20_260_101  # any number: the same questions then always give the same interval

Scores = Mapping[str, npt.NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean paired difference with the bounds of its 95 % bootstrap interval."""

    mean: float
    low: float
    high: float


def variants(axis: Axis, configuration: Configuration) -> dict[str, Configuration]:
    """Return the configurations that differ along the axis only, the reference first."""
    if axis == "arms":
        return {name: replace(configuration, retriever=name) for name in ("hybrid", "bm25", "dense")}
    return {name: replace(configuration, vectors=name) for name in ("flat", "pq96", "pq48")}


def paired_interval(
    ours: npt.NDArray[np.float64], reference: npt.NDArray[np.float64], resamples: int = RESAMPLES
) -> Interval:
    """Bootstrap the mean of ``ours - reference`` over questions, both float64 [n] (percentile interval)."""
    differences = ours - reference
    draws = np.random.default_rng(SEED).integers(0, len(differences), (resamples, len(differences)))
    low, high = np.percentile(differences[draws].mean(axis=1), [2.5, 97.5])
    return Interval(float(differences.mean()), float(low), float(high))


def comparison(axis: Axis, evaluations: Mapping[str, Evaluation]) -> dict[str, Any]:
    """The result in the shape of ``capsa eval run --compare AXIS --json``, schema capsa.eval.compare/1."""
    scores = {name: _scores(evaluation.outcomes["strict"]) for name, evaluation in evaluations.items()}
    if axis == "arms":
        scores["best of both arms"] = _best(scores["bm25"], scores["dense"])
    reference = next(iter(scores))
    outcomes = evaluations[reference].outcomes["strict"]
    groups = {"all": np.arange(len(outcomes))} | _phrasings(outcomes)
    return {
        "schema": "capsa.eval.compare/1",
        "axis": axis,
        "questions": len(outcomes),
        "reference": reference,
        "groups": {group: len(places) for group, places in groups.items()},
        "rows": {
            name: {
                group: {metric: float(values[metric][places].mean()) for metric in SHOWN}
                for group, places in groups.items()
            }
            for name, values in scores.items()
        },
        "differences": {
            name: _differences(values, scores[reference])
            for name, values in scores.items()
            if name != reference
        },
    }


def _scores(outcomes: Sequence[Outcome]) -> Scores:
    rows = [score(outcome, (5, 10)) for outcome in outcomes]
    return {metric: np.array([row[metric] for row in rows]) for metric in SHOWN}


def _best(bm25: Scores, dense: Scores) -> Scores:
    """The better arm, question by question: what a perfect choice between the two would give."""
    return {metric: np.maximum(bm25[metric], dense[metric]) for metric in SHOWN}


def _phrasings(outcomes: Sequence[Outcome]) -> dict[str, npt.NDArray[np.int64]]:
    names = sorted({outcome.question.phrasing for outcome in outcomes} - {""})
    return {
        name: np.array([n for n, outcome in enumerate(outcomes) if outcome.question.phrasing == name])
        for name in names
    }


def _differences(ours: Scores, reference: Scores) -> dict[str, dict[str, float]]:
    return {metric: asdict(paired_interval(ours[metric], reference[metric])) for metric in SHOWN}
