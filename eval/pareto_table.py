"""The frontiers as tables for a terminal."""

from collections.abc import Iterator, Mapping
from typing import Any

from .grid_table import columns
from .pareto import COSTS, Point
from .stats_table import label


def pareto_lines(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield for each set its frontiers, cheapest first."""
    for group in found["sets"]:
        yield (
            f"{group['set']}, scope {found['scope']}: {len(group['points'])} configurations, "
            f"{group['questions']} questions, {found['match']} match"
        )
        for cost, name in COSTS.items():
            yield ""
            yield f"{label(found['metric'])} against {name}: each line finds more than all that cost less"
            rows = [["parser", "chunker", "retriever", "embedding", found["metric"].upper(), "kB", "p50 ms"]]
            rows += [_row(point, found["metric"]) for point in group["frontiers"][cost]]
            yield from columns(rows, left=4)
        yield ""
    for note in found["notes"]:
        yield f"note: {note}"


def _row(point: Point, metric: str) -> list[str]:
    name = [point[part] for part in ("parser", "chunker", "retriever", "embedding")]
    figures = f"{point[metric]:.3f}", f"{point['index_bytes'] / 1000:.0f}", f"{point['latency_p50_ms']:.2f}"
    return [*name, *figures]
