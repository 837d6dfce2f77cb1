"""Figures: areas that shapes or an image cover, with the short texts in them."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median

from capsa.chunkers.captions import is_caption

from .pdf_captions import Caption, box_of, gap
from .pdf_chars import turn_box
from .pdf_drawings import Box
from .pdf_grid import MIDDLE
from .pdf_lines import Line
from .pdf_listings import STEP, is_listing
from .pdf_rules import Rules, hull_of

NEAR = 12.0
"""Points between two parts of one drawing, one below the other, at most."""
BESIDE_ONE_ANOTHER = 40.0
"""Points between two parts of one drawing side by side."""
LEAST_SHAPES = 3
"""Curves and slanted lines that a drawing has: frames with round corners, bullets and roots have fewer."""
LEAST_SIDE = 30.0
LEAST_INK = 12.0
"""Points of the shorter side of what a caption can belong to; underlined words are less high."""
FAR = 110.0
"""Points from a caption to what is painted for it, the numbers of axes and empty space between."""
MAX_SHAPES = 400
MAX_PARTS = 40
"""Drawings of a page from which on they are decorations."""
MOST_LABELS = 100
"""Lines beside a drawing that can be labels of it: axes have 30."""
PROSE = 0.4
"""The part of the characters in a frame from which on it holds text, not labels."""
LONG_LABEL = 30
CLOSE = 1.7
"""Ems between two lines of a text at most."""
TITLE = 20.0
"""Points of letters that are a title over a picture, no label in it."""
BESIDE = 14.0
"""Points around a drawing in which the numbers of its axes stand."""
ALONG = 0.7
"""The part of a drawing's side that an axis runs along."""
TURNED = 2.0
"""Ems of height from which on a line has been turned upright: the name of an axis."""
STEPS = 4
"""Times that a drawing grows by what it touches."""
_SHORT = re.compile(r"^.{1,20}$")
_NUMBER = re.compile(r"^[-−]?[\d.,]{1,8}\W?$")


def find_drawings(rules: Rules, tables: Sequence[Box]) -> list[Box]:
    """Return the boxes of the drawings and the images outside of tables."""
    seeds = [box for box in rules.shapes[:MAX_SHAPES] if not _in_any(box, tables)]
    images = [box for box in rules.images if _side(box) >= LEAST_SIDE and not _in_any(box, tables)]
    if not images and len(seeds) < LEAST_SHAPES:
        return []
    clusters = merge_near([*seeds, *images])
    if len(clusters) > MAX_PARTS:
        return []
    return [box for box in _with_rules(clusters, rules, tables) if _is_drawn(box, seeds, images)]


def painted_parts(rules: Rules, tables: Sequence[Box]) -> list[Box]:
    """Return the boxes of all that is painted outside of tables, what is near to one another as one."""
    ink = [*rules.across, *rules.upright, *(fill.box for fill in rules.fills), *rules.shapes, *rules.images]
    parts = merge_near(box for box in ink[:MAX_SHAPES] if not _in_any(box, tables))
    return [box for box in parts if _side(box) >= LEAST_INK]


def drawn_beside(caption: Caption, painted: Iterable[Box], lines: Sequence[Line]) -> Box | None:
    """Return the box of what is painted above a caption, or else below it, up to the next running text."""
    distances = [(distance, box) for box in painted if (distance := gap(caption, box, FAR)) is not None]
    near = [(distance, box) for distance, box in distances if is_clear(caption.box, box, lines)]
    if not near:
        return None
    distance, found = min(near, key=lambda pair: (pair[0] < 0, abs(pair[0])))
    middle = (caption.box.y0 + caption.box.y1) / 2
    same = [box for box in painted if (box.y0 < middle) == (distance < 0)]
    for box in sorted(same, key=lambda box: abs(box.y0 - found.y0)):
        if meet(found, box, FAR, BESIDE_ONE_ANOTHER) and is_clear(caption.box, box, lines):
            found = hull_of((found, box))
    return found


def is_clear(first: Box, second: Box, lines: Iterable[Line]) -> bool:
    """Say whether no running text stands between two boxes, one above the other, where both are."""
    low, high = min(first.y1, second.y1), max(first.y0, second.y0)
    left, right = max(first.x0, second.x0), min(first.x1, second.x1)
    return not any(
        low < line.base < high
        and len(line.text) > LONG_LABEL
        and not line.cells
        and line.x0 < right
        and line.x1 > left
        for line in lines
    )


def merge_near(boxes: Iterable[Box]) -> list[Box]:
    """Return the hulls of the boxes that lie near to one another."""
    clusters: list[Box] = []
    for box in boxes:
        merged, near = box, True
        while near:
            rest = [other for other in clusters if not meet(other, merged, BESIDE_ONE_ANOTHER, NEAR)]
            near = len(rest) < len(clusters)
            if near:
                merged = hull_of((merged, *(other for other in clusters if other not in rest)))
                clusters = rest
        clusters.append(merged)
    return clusters


def meet(first: Box, second: Box, beside: float = 0.0, below: float = 0.0) -> bool:
    """Say whether two boxes overlap, or are as near as that side by side and one below the other."""
    return (
        first.x0 - beside < second.x1
        and second.x0 < first.x1 + beside
        and first.y0 - below < second.y1
        and second.y0 < first.y1 + below
    )


def _side(box: Box) -> float:
    return min(box.x1 - box.x0, box.y1 - box.y0)


def _in_any(box: Box, boxes: Iterable[Box]) -> bool:
    x, y = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
    return any(other.x0 <= x <= other.x1 and other.y0 <= y <= other.y1 for other in boxes)


def _is_drawn(box: Box, seeds: Sequence[Box], images: Sequence[Box]) -> bool:
    if _side(box) < LEAST_SIDE:
        return False
    return (
        any(meet(box, image, 0, 0) for image in images)
        or sum(1 for seed in seeds if meet(box, seed, 0, 0)) >= LEAST_SHAPES
    )


def _with_rules(drawn: Sequence[Box], rules: Rules, tables: Sequence[Box]) -> list[Box]:
    """Return the boxes grown by the rules and filled boxes that they touch, and by those that these do."""
    others = [*rules.across, *rules.upright, *(fill.box for fill in rules.fills)]
    others = [box for box in others if not _in_any(box, tables)]
    boxes = [hull_of((box, *_axes_of(box, rules))) for box in drawn]
    for _ in range(STEPS):
        grown = merge_near(
            hull_of((box, *(other for other in others if meet(box, other, 1, 1)))) for box in boxes
        )
        if grown == boxes:
            break
        boxes = grown
    return boxes


def _axes_of(box: Box, rules: Rules) -> list[Box]:
    """Return two rules that meet at a corner and run along the drawing: its axes need not touch it."""
    near = Box(box.x0 - BESIDE, box.y0 - BESIDE, box.x1 + BESIDE, box.y1 + BESIDE)
    across = [rule for rule in rules.across if meet(near, rule) and _share(rule, box, 0) > ALONG]
    upright = [rule for rule in rules.upright if meet(near, rule) and _share(rule, box, 1) > ALONG]
    pairs = ([one, other] for one in across[:MAX_PARTS] for other in upright[:MAX_PARTS])
    return next((pair for pair in pairs if meet(pair[0], pair[1], 1, 1)), [])


def _share(rule: Box, box: Box, side: int) -> float:
    """Return the part of the box's width (side 0) or height (1) that the rule runs along."""
    low, high = max(rule[side], box[side]), min(rule[side + 2], box[side + 2])
    return (high - low) / max(box[side + 2] - box[side], 1)


def labels_of(lines: Sequence[Line], box: Box) -> list[Line]:
    """Return the lines in the drawing, and the rows of short words right above or below it; no caption."""
    captions = [line for line in lines if is_caption(line.text)][:MOST_LABELS]
    found = [line for line in lines if _is_within(line, box, 0) and not _is_of_caption(line, captions)]
    for _ in range(STEPS):
        known = {id(line) for line in found}
        beside = [line for line in lines if id(line) not in known and _is_within(line, box, BESIDE)]
        ticks = [
            line
            for line in beside[:MOST_LABELS]
            if _is_tick(line, beside, box) and not _is_of_caption(line, captions)
        ]
        if not ticks or len(beside) > MOST_LABELS:
            break
        found += ticks
        box = hull_of((box, *map(box_of, ticks)))
    return found


def set_upright(line: Line, main: int) -> Line:
    """Return the line as if it ran in the main direction of its page, in the same place."""
    x0, top, x1, bottom = turn_box(line.x0, line.top, line.x1, line.bottom, main - line.angle)
    return line._replace(x0=x0, x1=x1, base=bottom, bottom=bottom, top=top, angle=main, cells=())


def between(lines: Iterable[Line], box: Box, caption: Caption) -> list[Line]:
    """Return the short lines that stand between a drawing and its caption, as the names of axes do."""
    low, high = min(box.y1, caption.box.y1), max(box.y0, caption.box.y0)
    return [
        line
        for line in lines
        if low <= line.base < high
        and len(line.text) <= LONG_LABEL
        and line.x0 < max(box.x1, caption.box.x1)
        and line.x1 > min(box.x0, caption.box.x0)
    ]


def _is_within(line: Line, box: Box, room: float) -> bool:
    """Say whether the line's middle is in the box, or a part of it is in the room beside it."""
    y = line.base + MIDDLE * line.size
    if not box.y0 - room <= y <= box.y1 + room:
        return False
    if room and box.y0 <= y <= box.y1:
        return line.x0 <= box.x1 + room and line.x1 >= box.x0 - room
    return box.x0 - room <= (line.x0 + line.x1) / 2 <= box.x1 + room


def _is_of_caption(line: Line, captions: Iterable[Line]) -> bool:
    """Say whether the line is a caption's first or second."""
    return any(
        line is first or (0 < first.base - line.base < 1.6 * line.size and abs(first.x0 - line.x0) < 90)
        for first in captions
    )


def _is_tick(line: Line, beside: Iterable[Line], box: Box) -> bool:
    """Say whether the line is a number or short words, in a row or at the side, as on an axis."""
    if line.top - line.bottom > TURNED * line.size:
        return True
    parts = [cell.text for cell in line.cells] or [line.text]
    if not all(_SHORT.match(part) for part in parts):
        return False
    row = [other for other in beside if abs(other.base - line.base) < 1]
    return len(parts) > 1 or len(row) > 1 or box.y0 <= line.base <= box.y1 or bool(_NUMBER.match(line.text))


def is_title(labels: Iterable[Line]) -> bool:
    """Say whether one of the lines is a title over a picture."""
    return any(line.size >= TITLE for line in labels)


def is_text(labels: Sequence[Line]) -> bool:
    """Say whether the lines are a text in a frame: lines of a paragraph or of code."""
    total = sum(len(line.text) for line in labels)
    prose = sum(
        len(line.text)
        for above, line in pairwise(labels)
        if len(line.text) >= LONG_LABEL
        and 0 < above.base - line.base < CLOSE * line.size
        and abs(above.x0 - line.x0) < 2 * line.size
    )
    mono = sum(len(line.text) for line in labels if line.mono)
    return prose > PROSE * total or mono > 0.5 * total or (is_listing(labels) and _is_in_lines(labels))


def _is_in_lines(labels: Iterable[Line]) -> bool:
    """Say whether each line stands below the one before, most of them close to it."""
    rows = sorted(labels, key=lambda line: -line.base)
    steps = [(above.base - line.base) / line.size for above, line in pairwise(rows)]
    return all(0 < step < STEP for step in steps) and median(steps) < CLOSE
