"""Rules of a page made frames: grids of crossing rules, and stacks of rules with the same ends."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .pdf_chars import turn_box
from .pdf_drawings import SHORT, THIN, Box, Drawings, Fill

TOUCH = 3.0
"""Points by which two rules may miss one another and still meet."""
NEAR = 4.0
"""Points between rules that stand at one place, as the two of a double rule do."""
SAME_HEIGHT = 1.5
"""Points between the middles of rules that go on from one another."""
SAME_END = 5.0
"""Points between the ends of rules that belong to one stack."""
MAX_RULES = 500
"""Rules of a page from which on they are a drawing."""
WHITE_ROW = 50.0
"""Points between two shaded rows of one table, and of the height of two such rows, at most."""
MAX_STACKS = 50
HIGHEST_ZONE = 0.45
"""The part of the page's height from which on two rules are those of running head and foot."""
LARGEST_FILL = 0.8
"""The part of the page's height from which on a filled box is a background."""


class Rules(NamedTuple):
    """Merged rules along x, from low to high, and along y, from left to right; fills, shapes and images.

    ``zones`` are the boxes between two rules along x that have the same ends.
    """

    across: Sequence[Box] = ()
    upright: Sequence[Box] = ()
    fills: Sequence[Fill] = ()
    shapes: Sequence[Box] = ()
    images: Sequence[Box] = ()
    zones: Sequence[Box] = ()

    def walls(self, x0: float, x1: float, y: float) -> list[float]:
        """Return the x between the ends of a line at which upright rules pass its height."""
        return [x for x, low, _, high in self.upright if x0 < x < x1 and low <= y <= high]

    def in_zone(self, x: float, y: float) -> bool:
        """Say whether the point is in a zone."""
        return any([y0 <= y <= y1 and x0 - TOUCH <= x <= x1 for x0, y0, x1, y1 in self.zones])


class Frame(NamedTuple):
    """Rules that may be a table's: their hull, the x and descending y where they stand, and the rules."""

    box: Box
    xs: tuple[float, ...]
    ys: tuple[float, ...]
    across: Sequence[Box]
    upright: Sequence[Box]


def make_rules(drawings: Drawings, height: float) -> Rules:
    """Return the rules of a page that is so many points high, the edges of filled boxes among them."""
    fills = merge_fills(fill for fill in drawings.fills if fill.box.y1 - fill.box.y0 < LARGEST_FILL * height)
    if len(drawings.across) + len(drawings.upright) + 2 * len(fills) > MAX_RULES:
        shapes = [*drawings.shapes, *drawings.across, *drawings.upright][:MAX_RULES]
        return Rules((), (), (), shapes, drawings.images)
    across, upright = [*drawings.across], [*drawings.upright]
    for (x0, y0, x1, y1), _ in fills:
        across += Box(x0, y0, x1, y0), Box(x0, y1, x1, y1)
        upright += Box(x0, y0, x0, y1), Box(x1, y0, x1, y1)
    merged = merge_across(across)
    zones = make_zones(merged, HIGHEST_ZONE * height)
    return Rules(merged, merge_upright(upright), fills, drawings.shapes, drawings.images, zones)


def make_zones(across: Iterable[Box], highest: float) -> list[Box]:
    """Return the boxes between neighbouring rules with the same ends, up to so many points high."""
    zones: list[Box] = []
    lower: dict[tuple[int, int], Box] = {}
    for rule in across:
        ends = round(rule.x0 / SAME_END), round(rule.x1 / SAME_END)
        below = lower.get(ends)
        if below is not None and SHORT < rule.y0 - below.y0 < highest:
            zones.append(Box(rule.x0, below.y0, rule.x1, rule.y1))
        lower[ends] = rule
    return zones


def mirror_rules(rules: Rules) -> Rules:
    """Return the rules with x counted to the left, as the lines of a page are whose text runs there."""

    def mirror(boxes: Iterable[Box]) -> list[Box]:
        return [Box(-box.x1, box.y0, -box.x0, box.y1) for box in boxes]

    boxes = mirror(fill.box for fill in rules.fills)
    fills = [Fill(box, fill.colour) for box, fill in zip(boxes, rules.fills, strict=True)]
    others = (mirror(part) for part in (rules.shapes, rules.images, rules.zones))
    return Rules(mirror(rules.across), mirror(rules.upright)[::-1], fills, *others)


def turn_rules(rules: Rules, angle: int) -> Rules:
    """Return the rules of a page whose text runs at that angle, turned so that it runs to the right."""

    def turn(boxes: Iterable[Box]) -> list[Box]:
        found = (turn_box(box.x0, box.y1, box.x1, box.y0, angle) for box in boxes)
        return sorted((Box(x0, y0, x1, y1) for x0, y1, x1, y0 in found), key=lambda box: box.y0)

    across, upright = (rules.upright, rules.across) if angle % 180 else (rules.across, rules.upright)
    boxes = turn(fill.box for fill in rules.fills)
    fills = [Fill(box, fill.colour) for box, fill in zip(boxes, rules.fills, strict=True)]
    return Rules(turn(across), turn(upright), fills, turn(rules.shapes), turn(rules.images))


def merge_fills(fills: Iterable[Fill]) -> list[Fill]:
    """Return the filled boxes, those of one colour joined that follow one another without an edge to see."""
    merged: list[Fill] = []
    for fill in sorted(fills, key=lambda fill: (round(fill.box.x0), round(fill.box.x1), fill.box.y0)):
        last = merged[-1] if merged else None
        if last is not None and last.colour == fill.colour and _follows(last.box, fill.box):
            merged[-1] = Fill(hull_of((last.box, fill.box)), fill.colour)
        else:
            merged.append(fill)
    return merged


def _follows(below: Box, above: Box) -> bool:
    same = abs(below.x0 - above.x0) < 1 and abs(below.x1 - above.x1) < 1
    return same and below.y0 <= above.y0 <= below.y1 + 0.7


def find_frames(rules: Rules) -> tuple[list[Frame], list[Frame]]:
    """Return grids, whose rules cross, and stacks of rules along x only."""
    grids: list[Frame] = []
    loose: list[Box] = []
    for level, steep in _components(rules.across, rules.upright):
        if not steep:
            loose += level
            continue
        frame = make_frame(level, steep)
        if len(frame.xs) > 2 and len(frame.ys) > 1:
            grids.append(frame)
        elif len(frame.ys) > 2:
            loose += level
    shaded = {id(frame) for frame in grids if _is_shaded_row(frame, grids)}
    loose += [rule for frame in grids if id(frame) in shaded for rule in frame.across]
    stacks = _stacks(sorted(loose, key=lambda rule: rule.y0))
    return [frame for frame in grids if id(frame) not in shaded], [make_frame(stack, ()) for stack in stacks]


def _is_shaded_row(frame: Frame, grids: Sequence[Frame]) -> bool:
    """Say whether the frame is a row or two of shaded cells, near to another of the same columns."""

    def is_row(other: Frame) -> bool:
        low = len(other.ys) <= 3 and other.box.y1 - other.box.y0 < WHITE_ROW
        return low and len(other.xs) == len(frame.xs)

    return is_row(frame) and any(
        is_row(other)
        and max(abs(a - b) for a, b in zip(frame.xs, other.xs, strict=True)) < NEAR
        and 0 < max(frame.box.y0 - other.box.y1, other.box.y0 - frame.box.y1) < WHITE_ROW
        for other in grids
    )


def make_frame(across: Sequence[Box], upright: Sequence[Box]) -> Frame:
    """Return the frame of the rules."""
    box = hull_of([*across, *upright])
    xs = cluster([*((rule.x0 + rule.x1) / 2 for rule in upright), box.x0, box.x1])
    ys = cluster([*((rule.y0 + rule.y1) / 2 for rule in across), box.y0, box.y1])
    return Frame(box, tuple(xs), tuple(reversed(ys)), across, upright)


def hull_of(boxes: Iterable[Box]) -> Box:
    """Return the smallest box around all."""
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return Box(min(x0), min(y0), max(x1), max(y1))


def cluster(values: Iterable[float]) -> list[float]:
    """Return the values in order, those near to one another as their mean."""
    groups: list[list[float]] = []
    for value in sorted(values):
        if groups and value - groups[-1][-1] <= NEAR:
            groups[-1].append(value)
        else:
            groups.append([value])
    return [sum(group) / len(group) for group in groups]


def merge_across(rules: Iterable[Box]) -> list[Box]:
    """Return the rules along x with those that go on from one another joined, from low to high."""
    rows: list[list[Box]] = []
    for rule in sorted(rules, key=_height):
        if rows and _height(rule) - _height(rows[-1][0]) < SAME_HEIGHT:
            rows[-1].append(rule)
        else:
            rows.append([rule])
    return sorted((rule for row in rows for rule in _merge_row(row)), key=lambda box: box.y0)


def _height(rule: Box) -> float:
    return (rule.y0 + rule.y1) / 2


def _merge_row(row: Iterable[Box]) -> list[Box]:
    """Return the rules at one height from left to right, those that touch or overlap as one."""
    merged: list[Box] = []
    for rule in sorted(row, key=lambda box: box.x0):
        last = merged[-1] if merged else None
        if last is not None and rule.x0 <= last.x1 + TOUCH:
            merged[-1] = last._replace(x1=max(last.x1, rule.x1))
        else:
            merged.append(rule)
    return merged


def merge_upright(rules: Iterable[Box]) -> list[Box]:
    """Return the rules along y with those that go on from one another joined, from left to right."""
    turned = [Box(box.y0, box.x0, box.y1, box.x1) for box in rules]
    return [Box(box.y0, box.x0, box.y1, box.x1) for box in merge_across(turned)]


def _components(across: Sequence[Box], upright: Sequence[Box]) -> list[tuple[list[Box], list[Box]]]:
    """Return the sets of rules that hang together; ``across`` is sorted from low to high."""
    owner = list(range(len(across) + len(upright)))

    def root(number: int) -> int:
        while owner[number] != number:
            owner[number] = owner[owner[number]]
            number = owner[number]
        return number

    heights = [box.y0 for box in across]
    for number, rule in enumerate(upright, start=len(across)):
        first = bisect_left(heights, rule.y0 - TOUCH - THIN)
        for other in range(first, bisect_right(heights, rule.y1 + TOUCH)):
            if across[other].x0 - TOUCH <= rule.x1 and rule.x0 <= across[other].x1 + TOUCH:
                owner[root(number)] = root(other)
    found: dict[int, tuple[list[Box], list[Box]]] = {}
    for number, rule in enumerate((*across, *upright)):
        found.setdefault(root(number), ([], []))[number >= len(across)].append(rule)
    return list(found.values())


def _stacks(rules: Iterable[Box]) -> list[list[Box]]:
    """Return the sets of rules along x that have the same ends, two or more."""
    stacks: list[list[Box]] = []
    for rule in rules:
        for stack in stacks[:MAX_STACKS]:
            if abs(stack[0].x0 - rule.x0) <= SAME_END and abs(stack[0].x1 - rule.x1) <= SAME_END:
                stack.append(rule)
                break
        else:
            stacks.append([rule])
    return [stack for stack in stacks if len(stack) > 1]
