"""Which point to choose: the frontier of bytes and what is kept, and the rule for each wish."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .mine_advice import FEWEST_QUESTIONS, TOLERANCE, in_words
from .pareto import frontier

Point = Mapping[str, Any]
METRIC = "kept"
# What a profile keeps of what float32 vectors find with the present chunks, at least.
PROFILES: Mapping[str, float] = {"tiny": 0.95, "balanced": 1 - TOLERANCE / 100}
# Questions whose loss may be chance.
CHANCE = 2


@dataclass(frozen=True, slots=True)
class Wish:
    """What the user wants: at most so many bytes, at least so much of the exact recall, or a profile."""

    budget: int | None = None
    recall: float | None = None
    profile: str = "balanced"


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen point and why; ``met`` is false when no point is as wished."""

    point: Point
    why: str
    met: bool = True


def on_frontier(points: Sequence[Point]) -> list[Point]:
    """Return the points that no other beats: each takes more bytes than the last and keeps more."""
    return list(frontier([dict(point) for point in points], "bytes", METRIC))


def choose(points: Sequence[Point], wish: Wish, questions: int) -> Choice:
    """Return the point for the wish, from figures that so many questions gave."""
    if wish.budget is not None:
        return _within(points, wish.budget)
    if wish.recall is None and wish.profile == "best":
        best = max(point[METRIC] for point in points)
        return Choice(_smallest(points, best), "the smallest that keeps the most")
    # A profile does not turn on one question more or less.
    rough = min(PROFILES.get(wish.profile, 1.0), 1 - CHANCE / questions)
    least = rough if wish.recall is None else wish.recall
    what = f"{least:.0%} of what float32 vectors find with the present chunks"
    if all(point[METRIC] < least for point in points):
        best = max(point[METRIC] for point in points)
        return Choice(_smallest(points, best), f"no setting keeps {what}; this one keeps most", met=False)
    return Choice(_smallest(points, least), f"the smallest that keeps {what}")


def roughness(questions: int) -> str:
    """Say how far the figures carry."""
    few = "; with so few questions this is rough" if questions < FEWEST_QUESTIONS else ""
    return f"one question more or less is {100 / questions:.1f} points{few}"


def _within(points: Sequence[Point], budget: int) -> Choice:
    fitting = [point for point in points if point["bytes"] <= budget]
    if not fitting:
        least = min(points, key=lambda point: int(point["bytes"]))
        return Choice(
            least, f"nothing fits into {in_words(budget)}; this is the smallest there is", met=False
        )
    best = max(point[METRIC] for point in fitting)
    why = f"of what fits into {in_words(budget)}, the smallest within {TOLERANCE:g} point of what keeps most"
    return Choice(_smallest(fitting, best - TOLERANCE / 100), why)


def _smallest(points: Sequence[Point], least: float) -> Point:
    """Return the smallest point that keeps at least so much."""
    enough = [point for point in points if point[METRIC] >= least - 1e-9]
    return min(enough, key=lambda point: (point["bytes"], -point[METRIC], -point["mrr"]))
