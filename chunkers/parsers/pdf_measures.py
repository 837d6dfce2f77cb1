"""What is usual on a document's pages: the distance between lines, and where columns end."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import inf

from .pdf_lines import Line

SLOT = 4.0
"""Points between left edges that count as the same."""


class Page:
    """What the decisions need to know of a page: its lines' usual distance and right edge."""

    def __init__(self, lines: Sequence[Line], leading: Mapping[float, float]) -> None:
        self.leading = leading
        starts: dict[int, list[float]] = {}
        for line in lines:
            starts.setdefault(round(line.x0 / SLOT), []).append(line.x1)
        # One line that sticks out, such as a table's, does not make a column wider.
        self._starts = {slot: sorted(ends)[-2 if len(ends) > 5 else -1] for slot, ends in starts.items()}

    def usual(self, size: float) -> float:
        """Return the usual distance between two lines of that size."""
        return self.leading.get(round(size), 1.2 * size)

    def right(self, line: Line) -> float:
        """Return the right edge of the lines that start where the line does."""
        slot = round(line.x0 / SLOT)
        return max(self._starts.get(near, -inf) for near in (slot - 1, slot, slot + 1))

    def is_short(self, line: Line) -> bool:
        """Say whether the line ends well before the right edge of its column."""
        right = self.right(line)
        return line.x1 < right - max(0.12 * (right - line.x0), 2 * line.size)

    def breaks_early(self, line: Line, following: Line) -> bool:
        """Say whether the next line's first word would have had room in the line: its end was meant."""
        word = following.text.split(" ", 1)[0]
        width = (len(word) + 2.5) * (line.x1 - line.x0) / max(len(line.text), 1)
        return not line.hyphen and line.x1 + width < self.right(line)


def usual_leading(pages: Iterable[Sequence[Line]]) -> dict[float, float]:
    """Return the most frequent line distance for each font size, rounded to points."""
    counts: dict[float, Counter[float]] = {}
    for lines in pages:
        for above, below in pairwise(lines):
            size = above.size
            if size == below.size and 0.8 * size < (step := above.base - below.base) < 2.2 * size:
                size = round(size)
                if size not in counts:
                    counts[size] = Counter()
                counts[size][round(step * 2) / 2] += 1
    return {
        size: max(steps.items(), key=lambda item: (item[1], -item[0]))[0] + 0.25
        for size, steps in counts.items()
        if sum(steps.values()) >= 3
    }
