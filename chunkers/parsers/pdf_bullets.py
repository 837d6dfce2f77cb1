"""Bullets that are drawn and not written, as browsers print them: discs, circles and squares before lines."""

from collections.abc import Iterable, Sequence
from statistics import median

from .pdf_drawings import Box
from .pdf_lines import Line
from .pdf_rules import Rules

HIGHEST = 0.7
"""Ems that a bullet is high at most."""
LOW, HIGH = -0.05, 0.75
"""Ems above the baseline between which the middle of a bullet is."""
FAR = 2.5
"""Ems between a bullet and its line at most."""
MOST = 400
"""Dots of a page with bullets: more are a drawing's."""
LARGER = 1.15
"""Times the page's usual size from which on a line with a dot is a heading with an ornament."""
LIKELY = 0.8
"""The part of a page's dots that stand before lines when they are bullets and not the points of a plot."""


def find_bullets(lines: Sequence[Line], dots: Sequence[Box]) -> dict[int, Box]:
    """Return the bullet of each line that has one, by the line's place."""
    if not (lines and 0 < len(dots) <= MOST):
        return {}
    largest = LARGER * median(line.size for line in lines)
    items = [(place, line) for place, line in enumerate(lines) if line.size <= largest and len(line.text) > 1]
    found: dict[int, Box] = {}
    for dot in dots:
        place = _line_of(dot, items)
        if place is not None:
            found[place] = dot
    return found if len(found) >= LIKELY * len(dots) else {}


def _line_of(dot: Box, lines: Iterable[tuple[int, Line]]) -> int | None:
    """Return the place of the nearest line that begins right of the dot, at its height."""
    _, y0, x1, y1 = dot
    middle = (y0 + y1) / 2
    nearest, best = None, float("inf")
    for place, line in lines:
        size, gap = line.size, line.x0 - x1
        if not (
            0 < gap < min(best, FAR * size)
            and LOW * size <= middle - line.base <= HIGH * size
            and y1 - y0 <= HIGHEST * size
            and line.angle == 0
        ):
            continue
        nearest, best = place, gap
    return nearest


def without(rules: Rules, bullets: Sequence[Box]) -> Rules:
    """Return the rules of a page without its bullets and their edges."""

    def kept(boxes: Sequence[Box]) -> list[Box]:
        return [box for box in boxes if not any(_holds(bullet, box) for bullet in bullets)]

    return rules._replace(
        across=kept(rules.across),
        upright=kept(rules.upright),
        fills=[fill for fill in rules.fills if not any(_holds(bullet, fill.box) for bullet in bullets)],
        shapes=kept(rules.shapes),
    )


def _holds(outer: Box, box: Box) -> bool:
    return outer.x0 <= box.x0 and box.x1 <= outer.x1 and outer.y0 <= box.y0 and box.y1 <= outer.y1
