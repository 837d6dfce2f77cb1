"""A document's heading paths, kept once as a tree; a chunk names the node where its path ends."""

import json
from collections.abc import Iterable, Sequence
from functools import cached_property

import zstandard

# Below this, compression does not pay for its header.
PLAIN = 200


class Outline:
    """The tree: node n (from 1) is ``nodes[n - 1]`` = (parent node or 0, heading)."""

    def __init__(self, nodes: Iterable[tuple[int, str]] = ()) -> None:
        self.nodes = list(nodes)

    @cached_property
    def _places(self) -> dict[tuple[int, str], int]:
        return {node: place for place, node in enumerate(self.nodes, 1)}

    def add(self, headings: Sequence[str]) -> int:
        """Return the node where the path ends, adding what is missing; 0 for the empty path."""
        place = 0
        for heading in headings:
            node = (place, heading)
            if node not in self._places:
                self.nodes.append(node)
                self._places[node] = len(self.nodes)
            place = self._places[node]
        return place

    def path(self, place: int) -> tuple[str, ...]:
        """Return the headings from the top to the node."""
        found: list[str] = []
        while place:
            place, heading = self.nodes[place - 1]
            found.append(heading)
        return tuple(reversed(found))


def dump_outline(outline: Outline) -> bytes:
    """Return the tree as JSON, compressed when that helps."""
    data = json.dumps(outline.nodes, separators=(",", ":")).encode()
    return data if len(data) < PLAIN else zstandard.compress(data, 9)


def load_outline(data: bytes) -> Outline:
    """Return the tree that ``dump_outline`` wrote."""
    if not data.startswith(b"["):
        data = zstandard.decompress(data)
    return Outline(map(tuple, json.loads(data)))
