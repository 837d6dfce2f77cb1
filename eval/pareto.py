"""What recall costs: the configurations that no other beats in bytes, or in time, without losing recall."""

from collections.abc import Sequence
from typing import Any

from .rows import mean
from .runs import CELL_COLUMNS, Cell
from .stats_runs import Loaded, setup_names

SCHEMA = "capsa.eval.pareto/1"
# The costs: what a point calls each, and how tables do.
COSTS = {"index_bytes": "bytes of the index", "latency_p50_ms": "median latency"}

Point = dict[str, Any]


def pareto(loaded: Loaded, scope: str, matcher: str, metric: str) -> dict[str, Any]:
    """Return for each set all points and the frontiers, in the shape of ``capsa eval pareto --json``."""
    points = make_points(loaded, scope, matcher, metric)
    sets = []
    for name in dict.fromkeys(point["set"] for point in points):
        group = [point for point in points if point["set"] == name]
        frontiers = {cost: frontier(group, cost, metric) for cost in COSTS}
        sets.append(
            {"set": name, "questions": group[0]["questions"], "points": group, "frontiers": frontiers}
        )
    head = {"schema": SCHEMA, "scope": scope, "match": matcher, "metric": metric}
    return {**head, "sets": sets, "notes": list(loaded.notes)}


def make_points(loaded: Loaded, scope: str, matcher: str, metric: str) -> list[Point]:
    """Return a point for each cell: what it is, its mean of the metric, and its costs."""
    cells = loaded.cells_with(matcher=matcher, scope=scope)
    records = {Cell(*(cell[name] for name in CELL_COLUMNS)): cell for cell in loaded.cells}
    return [
        {
            "set": cell.set,
            **setup._asdict(),
            "questions": len(cells[cell]),
            metric: mean(cells[cell], metric),
            **{cost: records[cell][cost] for cost in COSTS},
        }
        for cell, setup in setup_names(cells).items()
    ]


def frontier(points: Sequence[Point], cost: str, metric: str) -> list[Point]:
    """Return the points that no other beats, cheapest first: each costs more than the last and finds more.

    Of points that are equal in both, the first is kept.
    """
    kept: list[Point] = []
    for point in sorted(points, key=lambda point: (point[cost], -point[metric])):
        if not kept or point[metric] > kept[-1][metric]:
            kept.append(point)
    return kept
