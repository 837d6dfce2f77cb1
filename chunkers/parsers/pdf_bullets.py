"""Bullets that are drawn and not written, as browsers print them: discs, circles and squares before lines."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from statistics import median

from .pdf_drawings import LARGEST_DOT, Box
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
    items = sorted(
        (line.base, place) for place, line in enumerate(lines) if line.size <= largest and len(line.text) > 1
    )
    found: dict[int, Box] = {}
    for dot in dots:
        middle = (dot.y0 + dot.y1) / 2
        first = bisect_left(items, (middle - HIGH * largest,))
        after = bisect_left(items, (middle - LOW * largest, len(lines)))
        place = _nearest(dot, lines, [place for _, place in items[first:after]])
        if place is not None:
            found[place] = dot
    return found if len(found) >= LIKELY * len(dots) else {}


def _nearest(dot: Box, lines: Sequence[Line], places: Iterable[int]) -> int | None:
    """Return the place of the nearest line that begins right of the dot, at its height."""
    _, y0, x1, y1 = dot
    middle = (y0 + y1) / 2
    gaps = [
        (line.x0 - x1, place)
        for place in places
        if 0 < (line := lines[place]).x0 - x1 < FAR * line.size
        and LOW * line.size <= middle - line.base <= HIGH * line.size
        and y1 - y0 <= HIGHEST * line.size
        and line.angle == 0
    ]
    return min(gaps)[1] if gaps else None


def without(rules: Rules, bullets: Sequence[Box]) -> Rules:
    """Return the rules of a page without its bullets and their edges."""
    if not bullets:
        return rules

    def is_other(box: Box) -> bool:
        # Most boxes are larger than any bullet, which is soon seen.
        small = box.x1 - box.x0 <= LARGEST_DOT and box.y1 - box.y0 <= LARGEST_DOT
        return not (small and any(_holds(bullet, box) for bullet in bullets))

    return rules._replace(
        across=list(filter(is_other, rules.across)),
        upright=list(filter(is_other, rules.upright)),
        fills=[fill for fill in rules.fills if is_other(fill.box)],
        shapes=list(filter(is_other, rules.shapes)),
    )


def _holds(outer: Box, box: Box) -> bool:
    return outer.x0 <= box.x0 and box.x1 <= outer.x1 and outer.y0 <= box.y0 and box.y1 <= outer.y1
