"""The report's sections on ablations, costs and failures."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from .misses import STEPS
from .pareto import COSTS, Point, frontier, make_points
from .report_markup import Content, Markup, join, table, tag
from .report_page import Section, note, pair
from .report_svg import lines, scatter, stacked
from .report_view import View
from .rows import mean
from .runs import Cell, Row
from .stats_runs import Setup
from .stats_table import label

# What the chunking study starts from, and what it arrives at.
BEFORE, AFTER = "fixed", "structure-caption-overlap"
_AXES = {"index_bytes": "bytes of the index", "latency_p50_ms": "median latency, ms"}


def sweep(view: View, metric: str) -> Section | None:
    """Size x overlap (figure 4); None without a sweep."""
    cells = {cell: rows for cell, rows in view.cells.items() if cell.size is not None}
    if not cells:
        return None
    parts: list[Content] = []
    for key in dict.fromkeys((cell.parser, cell.chunker, cell.model or cell.retriever) for cell in cells):
        group = {c: rows for c, rows in cells.items() if (c.parser, c.chunker, c.model or c.retriever) == key}
        sizes = _complete(group)
        if not sizes:
            continue
        overlaps = sorted({cell.overlap or 0 for cell in group})
        found = {
            f"overlap {overlap:g}": [_pooled(group, metric, size=size, overlap=overlap) for size in sizes]
            for overlap in overlaps
        }
        names = [str(size) for size in sizes]
        title = f"{' / '.join(key)}: {label(metric)} by chunk size and overlap"
        figures = table(
            ("tokens", *found), ([n, *(f"{v[p]:.3f}" for v in found.values())] for p, n in enumerate(names))
        )
        parts += [tag("h3", title), pair(lines(title, names, found, "tokens in a chunk"), figures)]
    return Section("sweep", "Chunk size and overlap", join(parts))


def dimensions(view: View, metric: str) -> Section | None:
    """Fewer dimensions (figure 5); None where no model has several."""
    dense = {cell: rows for cell, rows in view.cells.items() if cell.retriever == "dense" and cell.dimension}
    parts: list[Content] = []
    for key in dict.fromkeys((cell.parser, cell.chunker, cell.model) for cell in dense):
        group = {c: rows for c, rows in dense.items() if (c.parser, c.chunker, c.model) == key}
        sizes = sorted({cell.dimension or 0 for cell in group})
        if len(sizes) > 1:
            parts += _dimensions(view, " / ".join(key), group, sizes, metric)
    return Section("dimensions", "Fewer dimensions", join(parts)) if parts else None


def frontiers(view: View, metric: str) -> Section:
    """What recall costs in time and bytes (figure 6), for each set."""
    points = make_points(view.loaded, view.scope, view.matcher, metric)
    parts: list[Content] = []
    for name in dict.fromkeys(point["set"] for point in points):
        group = [point for point in points if point["set"] == name]
        for cost in reversed(COSTS):
            parts += [
                tag("h3", f"{name}: {label(metric)} against {COSTS[cost]}"),
                _frontier(view, group, cost, metric),
            ]
    parts.append(
        note(
            "Each row finds more than all that cost less; the dashed line joins them. Latencies are of the "
            "machine that made the run, the question's embedding included; bytes are of what is searched."
        )
    )
    return Section("frontiers", "What recall costs", join(parts))


def failures(view: View) -> Section:
    """Which step lost each miss, before and after structure (the chunking study's failures)."""
    retriever = view.retrievers[0]
    there = {(name.parser, name.chunker) for name in view.main.values() if name.retriever == retriever}
    lost = {pair: _lost(view, *pair, retriever) for pair in there}
    # The same steps for all parsers, so that a colour means the same in each chart.
    steps = [step for step in STEPS if any(found[step] for found in lost.values())]
    parts: list[Content] = []
    for parser in view.parsers:
        found = {name: lost[parser, name] for name in view.chunkers if (parser, name) in there}
        if any(found.values()):
            parts += [tag("h3", f"{parser}, {retriever}"), *_failures(found, steps)]
    if not parts:
        parts.append(note("No question lost any evidence."))
    parts.append(
        note(
            "A miss is a question some of whose evidence is not in the first ten; cut is the share of them "
            "that a boundary lost. parse: the parser lost it; "
            "boundary: no chunk holds it whole; window: no vector has read it; quantisation: exact vectors "
            "find it; filter: ranked and left out; vocabulary: ranked low, the chunk has few of the "
            "question's words; ranking: ranked low though the words are there."
        )
    )
    return Section("failures", "What lost the misses", join(parts))


def _complete(cells: Collection[Cell]) -> list[int]:
    """Return the sizes that were cut with every overlap."""
    pairs = {(cell.size or 0, cell.overlap or 0) for cell in cells}
    overlaps = {overlap for _, overlap in pairs}
    return sorted({size for size, _ in pairs if overlaps == {o for s, o in pairs if s == size}})


def _pooled(cells: Mapping[Cell, Sequence[Row]], metric: str, **wanted: object) -> float:
    rows = [
        row
        for cell, found in cells.items()
        if all((getattr(cell, name) or 0) == (value or 0) for name, value in wanted.items())
        for row in found
    ]
    return mean(rows, metric)


def _dimensions(
    view: View, name: str, group: Mapping[Cell, Sequence[Row]], sizes: Sequence[int], metric: str
) -> list[Content]:
    ways = {"flat": "cut off", "pca": "after PCA"}
    there = [way for way in ways if any(cell.vectors == way for cell in group)]
    rows = {
        (way, size): [
            row
            for cell, found in group.items()
            if (cell.vectors, cell.dimension) == (way, size)
            for row in found
        ]
        for way in there
        for size in sizes
    }
    drawn = {ways[way]: [mean(rows[way, size], metric) for size in sizes] for way in there}
    figures = [
        [
            str(size),
            ways[way],
            f"{mean(some, metric):.3f}",
            f"{mean(some, 'er@10'):.3f}",
            f"{mean(some, 'rr'):.3f}",
            str(4 * size),
        ]
        for (way, size), some in rows.items()
        if some
    ]
    title = f"{name}: {label(metric)} by dimensions"
    head = ("dimensions", "vectors", metric.upper(), "ER@10", "MRR", "bytes a vector")
    chart = lines(title, [str(size) for size in sizes], drawn, "dimensions")
    return [tag("h3", title), pair(chart, table(head, figures, left=2))]


def _frontier(view: View, points: Sequence[Point], cost: str, metric: str) -> Markup:
    # On a logarithmic axis there is no place for nothing.
    drawn = [point for point in points if point[cost] > 0]
    kept = frontier(points, cost, metric)
    # In the order of the page's other charts, so that a colour means the same in each.
    series: dict[str, list[tuple[float, float, str]]] = {name: [] for name in view.retrievers}
    for point in drawn:
        what = f"{_told(view, point)}: {point[metric]:.3f}, {point[cost]:,.4g}"
        series.setdefault(point["retriever"], []).append((point[cost], point[metric], what))
    front = [(point[cost], point[metric]) for point in kept if point[cost] > 0]
    rows = [
        [
            _told(view, point),
            f"{point[metric]:.3f}",
            f"{point['index_bytes'] / 1000:.0f}",
            f"{point['latency_p50_ms']:.2f}",
        ]
        for point in kept
    ]
    figures = table(("on the frontier", metric.upper(), "kB", "p50 ms"), rows)
    return pair(scatter(f"{label(metric)} against {COSTS[cost]}", series, front, _AXES[cost]), figures)


def _told(view: View, point: Point) -> str:
    return view.told(Setup(*(point[name] for name in Setup._fields)))


def _lost(view: View, parser: str, chunker: str, retriever: str) -> Counter[str]:
    return Counter(
        str(row["miss"])
        for cell, name in view.main.items()
        if (name.parser, name.chunker, name.retriever) == (parser, chunker, retriever)
        for row in view.cells[cell]
        if row["miss"]
    )


def _failures(found: Mapping[str, Counter[str]], steps: Sequence[str]) -> list[Content]:
    bars = {chunker: {step: float(lost[step]) for step in steps} for chunker, lost in found.items()}
    rows = [
        [chunker, str(lost.total()), _share(lost), *(str(lost[step]) for step in steps)]
        for chunker, lost in found.items()
    ]
    figures = table(("chunker", "misses", "cut", *steps), rows)
    parts: list[Content] = [pair(stacked("Misses by the step that lost them", bars, "misses"), figures)]
    if BEFORE in found and AFTER in found:
        before, after = map(_told_misses, (found[BEFORE], found[AFTER]))
        parts.append(tag("p", f"{BEFORE}: {before}. {AFTER}: {after}."))
    return parts


def _told_misses(lost: Counter[str]) -> str:
    return f"{lost.total()} misses, {_share(lost)} of them cut" if lost.total() else "no misses"


def _share(lost: Counter[str]) -> str:
    return f"{lost['boundary'] / lost.total():.0%}" if lost.total() else "–"
