"""Charts as inline SVG, drawn 360 units wide so that their text can be read on a telephone.

Colours are classes s0, s1, ... of the page's style, so that they follow light and dark; each series has a
marker of its own too.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, log10

from .report_markup import Markup, tag

WIDTH = 360
_LEFT, _RIGHT, _TOP = 40, 12, 10
_PLOT = 190  # height of a plot without its axis
_NAME = 54  # letters that a row's name has room for
_ROW = 34  # height of a row that has its name above it
SERIES = 8  # classes that the page's style has colours for

Points = Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Scale:
    """Turns values into places on the page; ``ticks`` are the values to name."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """Return the place of a value."""
        low, high, value = (log10(each) if self.log else each for each in (self.low, self.high, value))
        share = (value - low) / (high - low) if high > low else 0.5
        return self.start + share * (self.end - self.start)

    @property
    def ticks(self) -> list[float]:
        """Round values inside the scale: powers of ten and their 2 and 5 fold, or four to eight steps."""
        if self.log:
            powers = range(floor(log10(self.low)), ceil(log10(self.high)) + 1)
            found = [digit * 10.0**power for power in powers for digit in (1, 2, 5)]
            within = [value for value in found if self.low <= value <= self.high]
            return within if len(within) <= 5 else [v for v in within if f"{v:e}".startswith("1")] or within
        step = _round_step((self.high - self.low) / 4 or 1.0)
        first, last = ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9)
        return [number * step for number in range(first, last + 1)]


def lines(title: str, names: Sequence[str], series: Mapping[str, Sequence[float]], x_name: str) -> Markup:
    """Return a chart of lines over named places, one for each series."""
    y = _y_scale([value for values in series.values() for value in values])
    inner = (WIDTH - _LEFT - _RIGHT) / len(names)
    places = [_LEFT + inner * (number + 0.5) for number in range(len(names))]
    parts = [*_grid(y), *_x_names(zip(places, names, strict=True), x_name)]
    for number, values in enumerate(series.values()):
        points = [(place, y(value)) for place, value in zip(places, values, strict=True)]
        parts.append(_path(points, number))
        parts += [
            _marker(point, number, f"{name}: {value:.3f}")
            for point, name, value in zip(points, names, values, strict=True)
        ]
    return _svg(title, _TOP + _PLOT + 36, parts, list(series))


def scatter(
    title: str, series: Mapping[str, Sequence[tuple[float, float, str]]], front: Points, x_name: str
) -> Markup:
    """Return points (x, y, what it is) on a logarithmic x, and the line of the frontier."""
    points = [point for group in series.values() for point in group]
    xs = [x for x, _, _ in points]
    x = Scale(min(xs) / 1.15, max(xs) * 1.15, _LEFT, WIDTH - _RIGHT, log=True)
    y = _y_scale([value for _, value, _ in points])
    parts = [*_grid(y), *_x_names([(x(tick), _plain(tick)) for tick in x.ticks], x_name)]
    parts.append(_path(_steps([(x(cost), y(value)) for cost, value in front]), None))
    for number, group in enumerate(series.values()):
        parts += [_marker((x(cost), y(value)), number, what) for cost, value, what in group]
    return _svg(title, _TOP + _PLOT + 36, parts, list(series))


def dots(title: str, rows: Mapping[str, Mapping[str, float]]) -> Markup:
    """Return a row for each name with a marker for each series, values along x."""
    names = list(dict.fromkeys(series for row in rows.values() for series in row))
    values = [value for row in rows.values() for value in row.values()]
    x = Scale(*_padded(values), start=14, end=WIDTH - 14)
    bottom = _TOP + _ROW * len(rows)
    parts = [tag("line", x1=x(tick), x2=x(tick), y1=_TOP, y2=bottom, class_="grid") for tick in x.ticks]
    parts += [_text(x(tick), bottom + 14, f"{tick:.2f}", "middle") for tick in x.ticks]
    for place, (name, row) in enumerate(rows.items()):
        middle = _TOP + _ROW * place + 22
        ends = [x(value) for value in row.values()]
        parts.append(_text(2, middle - 9, _clip(name), "start"))
        parts.append(tag("line", x1=min(ends), x2=max(ends), y1=middle, y2=middle, class_="span"))
        parts += [
            _marker((x(value), middle), names.index(series), f"{series}: {value:.3f}")
            for series, value in row.items()
        ]
    return _svg(title, bottom + 22, parts, names)


def stacked(title: str, rows: Mapping[str, Mapping[str, float]], unit: str) -> Markup:
    """Return a bar for each name, made of its parts one after another."""
    names = list(dict.fromkeys(part for row in rows.values() for part in row))
    longest = max((sum(row.values()) for row in rows.values()), default=0) or 1
    x = Scale(0, longest, 2, WIDTH - 50)
    parts = []
    for place, (name, row) in enumerate(rows.items()):
        top = _TOP + _ROW * place
        total = sum(row.values())
        parts.append(_text(2, top + 10, _clip(name), "start"))
        parts.append(_text(x(total) + 5, top + 25, f"{total:g} {unit}".strip(), "start"))
        begin = 0.0
        for part, value in row.items():
            width = x(begin + value) - x(begin)
            label = tag("title", f"{part}: {value:g}")
            shape = tag(
                "rect", x=x(begin), y=top + 14, width=width, height=15, class_=_class(names.index(part))
            )
            parts.append(tag("g", label, shape))
            begin += value
    return _svg(title, _TOP + _ROW * len(rows) + 4, parts, names)


def _svg(title: str, height: float, parts: Sequence[Markup], names: Sequence[str]) -> Markup:
    drawing = tag(
        "svg", tag("title", title), *parts, viewBox=f"0 0 {WIDTH} {height:g}", role="img", class_="chart"
    )
    entries = [
        tag("span", tag("svg", _marker((7, 7), number, name), viewBox="0 0 14 14", class_="key"), name)
        for number, name in enumerate(names)
    ]
    return tag("div", drawing, tag("p", *entries, class_="legend")) if len(names) > 1 else drawing


def _y_scale(values: Sequence[float]) -> Scale:
    return Scale(*_padded(values), start=_TOP + _PLOT, end=_TOP)


def _padded(values: Sequence[float]) -> tuple[float, float]:
    """Return the range of values with a little room, not beyond 0 and 1 when none of them is."""
    low, high = min(values), max(values)
    room = (high - low) * 0.08 or 0.05
    return max(low - room, min(low, 0.0)), min(high + room, max(high, 1.0))


def _grid(y: Scale) -> Iterator[Markup]:
    for tick in y.ticks:
        yield tag("line", x1=_LEFT, x2=WIDTH - _RIGHT, y1=y(tick), y2=y(tick), class_="grid")
        yield _text(_LEFT - 5, y(tick) + 4, f"{tick:.2f}", "end")


def _x_names(
    names: Iterator[tuple[float, str]] | Sequence[tuple[float, str]], x_name: str
) -> Iterator[Markup]:
    for place, name in names:
        yield _text(place, _TOP + _PLOT + 15, name, "middle")
    yield _text((_LEFT + WIDTH - _RIGHT) / 2, _TOP + _PLOT + 31, x_name, "middle")


def _text(x: float, y: float, text: str, anchor: str) -> Markup:
    return tag("text", text, x=float(x), y=float(y), text_anchor=anchor)


def _path(points: Points, number: int | None) -> Markup:
    track = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return tag("path", d=track, class_="front" if number is None else f"line {_class(number)}")


def _steps(points: Points) -> Points:
    """Return the corners of the steps through points that rise from left to right."""
    corners = list(points[:1])
    for (_, before), (x, y) in pairwise(points):
        corners += [(x, before), (x, y)]
    return corners


def _marker(point: tuple[float, float], number: int, what: str) -> Markup:
    x, y = point
    shapes = (
        f"M{x - 4:.1f} {y:.1f}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
        f"M{x - 3.7:.1f} {y - 3.7:.1f}h7.4v7.4h-7.4z",
        f"M{x:.1f} {y - 5:.1f}l4.7 8.2h-9.4z",
        f"M{x:.1f} {y - 5:.1f}l5 5l-5 5l-5 -5z",
    )
    path = tag("path", d=shapes[number % len(shapes)], class_=f"dot {_class(number)}")
    return tag("g", tag("title", what), path)


def _class(number: int) -> str:
    return f"s{number % SERIES}"


def _plain(value: float) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"


def _round_step(step: float) -> float:
    """Return the largest of 1, 2, 5 times a power of ten that is no larger."""
    power = 10.0 ** floor(log10(step))
    return max(digit * power for digit in (1, 2, 5) if digit * power <= step * 1.0001)


def _clip(name: str) -> str:
    """Keep the end of a long name: of a path, the file."""
    return name if len(name) <= _NAME else f"…{name[1 - _NAME :]}"
