"""How deep list items are nested, told by how far they are indented."""

from .pdf_paragraphs import NUMBERED, Group

SAME = 0.9
"""Ems that labels of one level differ by at most: "9." and "10." are set to end at the same place."""
FAR = 6.0
"""Ems to the right that are another column and not a deeper level."""
DEEPEST = 8


def is_item(group: Group) -> bool:
    """Say whether the group begins with the label of an item."""
    if group.kind == "list_item":
        return True
    return group.kind == "text" and not group.found_by and NUMBERED.match(group.lines[0].text) is not None


class Nesting:
    """Sees the groups between two headings in order and gives items their depth."""

    def __init__(self) -> None:
        self._edges: list[float] = []
        self._page = 0

    def clear(self) -> None:
        """Begin anew, as after a heading."""
        self._edges = []

    def see(self, group: Group) -> None:
        """Set the depth of an item that no tag has told; other text at the margin ends the list."""
        first = group.lines[0]
        if first.page != self._page:
            self._edges, self._page = [], first.page
        if not is_item(group):
            if self._edges and group.kind == "text" and first.x0 <= self._edges[0] + SAME * first.size:
                self.clear()
        elif not group.found_by:
            group.depth = self._depth(first.x0, first.size)

    def _depth(self, x: float, size: float) -> int:
        if self._edges and x > self._edges[-1] + FAR * size:
            self.clear()
        while self._edges and x < self._edges[-1] - SAME * size:
            self._edges.pop()
        if not self._edges or x > self._edges[-1] + SAME * size:
            self._edges.append(x)
        return min(len(self._edges), DEEPEST)
