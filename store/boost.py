"""The small part that visits have in a page's score: what was opened lately and often is looked for again.

A page's score is multiplied by 1 + RECENCY · 2^(-age / HALF_LIFE_DAYS) + FREQUENCY · log(1 + visits) / log(1
+ MANY), at most 1 + RECENCY + FREQUENCY. What is no visited page keeps its score exactly.
"""

import math
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

# A tenth in all: between two equal matches visits decide, against a clearly better one they do nothing.
# Twice as much finds more of what is visited again (tests/bench/visit_boost.py), but even this much puts some
# pages without text before documents that answer.
RECENCY = 0.06
FREQUENCY = 0.04
HALF_LIFE_DAYS = 30.0
MANY = 100
# Hits that may change their places; those after them are too far behind.
BOOSTED = 100
_DAY = 86_400.0

Ranked = Sequence[tuple[int, float]]


@dataclass(frozen=True, slots=True)
class Boosts:
    """The factors by chunk, of those chunks that are of visited pages."""

    factors: Mapping[int, float]

    def apply(self, ranked: Ranked) -> list[tuple[int, float]]:
        """Return the ranking with the first BOOSTED of it in the order of their new scores."""
        if not self.factors:
            return list(ranked)
        first = [(chunk, raised(score, self.of(chunk))) for chunk, score in ranked[:BOOSTED]]
        # Equal scores keep their order.
        return [*sorted(first, key=lambda pair: -pair[1]), *ranked[BOOSTED:]]

    def of(self, chunk: int) -> float:
        """Return the factor of a chunk."""
        return self.factors.get(chunk, 1.0)


NO_BOOSTS = Boosts({})


def read_boosts(connection: sqlite3.Connection, ranked: Ranked, now: float) -> Boosts:
    """Read the visits of the best chunks; ``now`` is seconds since 1970."""
    if connection.execute("SELECT 1 FROM pages LIMIT 1").fetchone() is None:
        return NO_BOOSTS
    chunks = [chunk for chunk, _ in ranked[:BOOSTED]]
    marks = ", ".join("?" * len(chunks))
    rows = connection.execute(
        "SELECT c.id, p.last, p.visits FROM chunks AS c JOIN pages AS p ON p.document_id = c.document_id"
        f" WHERE c.id IN ({marks}) AND p.last IS NOT NULL",
        chunks,
    )
    return Boosts({chunk: factor(now - last / 1e6, visits) for chunk, last, visits in rows})


def factor(age: float, visits: int) -> float:
    """Return what a score is multiplied by, for a last visit ``age`` seconds ago and so many visits."""
    recency: float = 0.5 ** (max(age, 0.0) / (_DAY * HALF_LIFE_DAYS))
    frequency: float = min(math.log1p(visits) / math.log1p(MANY), 1.0)
    return 1.0 + RECENCY * recency + FREQUENCY * frequency


def raised(score: float, by: float) -> float:
    """Return a score that is better by the factor, below zero too."""
    return score * by if score > 0 else score / by
