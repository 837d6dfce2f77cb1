"""The points of a tuning as a plot: on a terminal, as SVG, or as a page."""

from collections.abc import Iterator, Mapping, Sequence
from math import log10
from pathlib import Path
from typing import Any

from capsa.chunkers.errors import CapsaError, UsageError

from .mine_advice import in_words
from .report_markup import Markup, tag
from .report_page import Section, page
from .report_svg import scatter
from .tuning_choice import METRIC, on_frontier

Point = Mapping[str, Any]
WIDTH, HEIGHT = 64, 14
# What stands for a point of each kind: any, on the frontier, the present one, the chosen one.
OTHER, FRONT, NOW, CHOSEN = "·", "o", "@", "#"
_STYLE = """text{font:11px sans-serif;fill:#59636e}.grid{stroke:#d9dee3}.front{fill:none;stroke:#1d2329;
stroke-dasharray:4 3}.s0{fill:#1f6fb2}.s1{fill:#c8500a}.s2{fill:#16845b}.s3{fill:#a3398d}.s4{fill:#9a7400}"""


def draw(points: Sequence[Point], now: Point, chosen: Point) -> Iterator[str]:
    """Yield the lines of a plot, bytes to the right (logarithmic), recall upwards."""
    front = on_frontier(points)
    xs = [log10(point["bytes"]) for point in points]
    ys = [point[METRIC] for point in points]
    cells: dict[tuple[int, int], str] = {}
    marked = [(OTHER, points), (FRONT, front), (NOW, [now]), (CHOSEN, [chosen])]
    for letter, group in marked:
        for point in group:
            column = _place(log10(point["bytes"]), min(xs), max(xs), WIDTH)
            cells[_place(point[METRIC], min(ys), max(ys), HEIGHT), column] = letter
    for row in reversed(range(HEIGHT)):
        name = f"{max(ys):.3f}" if row == HEIGHT - 1 else f"{min(ys):.3f}" if row == 0 else ""
        line = "".join(cells.get((row, column), " ") for column in range(WIDTH))
        yield f"{name:>6} |{line}".rstrip()
    yield f"{'':>6} +{'-' * WIDTH}"
    low, high = in_words(min(point["bytes"] for point in points)), in_words(max(p["bytes"] for p in points))
    yield f"{'':>8}{low}{high:>{WIDTH - len(low)}}"
    yield f"{'':>8}share kept against bytes: {FRONT} frontier  {NOW} now  {CHOSEN} chosen"


def write(path: Path, points: Sequence[Point]) -> None:
    """Write the plot to a file whose name ends in .svg or .html."""
    title = "Share kept of what float32 vectors find, by the bytes of the index"
    if path.suffix == ".svg":
        text: Markup = _svg(title, points)
    elif path.suffix in (".html", ".htm"):
        text = page("capsa tune", "", [Section("frontier", title, _chart(title, points))])
    else:
        raise UsageError(f"{path}: a plot is written as .svg or .html")
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CapsaError(f"{path}: cannot be written: {error.strerror}") from error


def describe(point: Point) -> str:
    """Name a point's settings in a few words."""
    axes = " with axes of its own" if point["made_axes"] else ""
    return f"{point['vectors']}{axes}, {point['chunker']}"


def _svg(title: str, points: Sequence[Point]) -> Markup:
    drawn = str(_chart(title, points))
    inner = drawn[drawn.index("<svg") : drawn.index("</svg>") + len("</svg>")]
    style = tag("style", Markup(_STYLE))
    return Markup(
        inner.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1).replace(">", f">{style}", 1)
    )


def _chart(title: str, points: Sequence[Point]) -> Markup:
    series = {
        name: [(p["bytes"], p[METRIC], describe(p)) for p in points if p["chunker"] == name]
        for name in dict.fromkeys(point["chunker"] for point in points)
    }
    front = [(point["bytes"], point[METRIC]) for point in on_frontier(points)]
    return scatter(title, series, front, "bytes of the index")


def _place(value: float, low: float, high: float, cells: int) -> int:
    return round((value - low) / (high - low) * (cells - 1)) if high > low else 0
