"""How much text, link text and prose the elements of a tree hold; kept right while elements are taken out."""

from typing import Any

from .html_tree import drop

# A run of text shorter than this is a label, a date or a menu entry, a longer one reads as a sentence.
_SENTENCE = 60
_MOSTLY_LINKS = 0.4
# What is summed up of an element; a run is the text in one block, with what of it is linked.
_TEXT, _LINKS, _PROSE, _RUN, _LINKED = range(5)
# What is left of inline elements when a page is measured.
_INLINE = frozenset(("a", "br", "img", "span"))


class Measures:
    """Characters by element: all text, text inside links, and prose.

    Prose is the text of sentence length that stands in one block and is not mostly links, without its links,
    and all text of code. Measured at once, bottom up; only ``drop`` changes the numbers.
    """

    def __init__(self, root: Any) -> None:
        # Also keeps the elements alive: lxml would make new, unequal ones for the same nodes.
        self._of: dict[Any, list[int]] = {element: [0] * 5 for element in root.iter()}
        for element in reversed(list(self._of)):
            self._close(element)
            if element is not root:
                self._pass_up(element)

    def _close(self, element: Any) -> None:
        """Add an element's own text to what its children have passed up; all below it is complete."""
        sums, tag = self._of[element], element.tag
        if element.text:
            own = _width(element.text)
            sums[_TEXT] += own
            sums[_RUN] += own
        if tag == "a":
            if element.get("href"):
                sums[_LINKS], sums[_LINKED] = sums[_TEXT], sums[_RUN]
        elif tag == "pre" or (
            sums[_RUN] >= _SENTENCE and sums[_LINKED] < sums[_RUN] * _MOSTLY_LINKS and tag not in _INLINE
        ):
            sums[_PROSE] += sums[_RUN] - sums[_LINKED]

    def _pass_up(self, element: Any) -> None:
        sums, around = self._of[element], self._of[element.getparent()]
        around[_TEXT] += sums[_TEXT]
        around[_LINKS] += sums[_LINKS]
        around[_PROSE] += sums[_PROSE]
        if element.tag in _INLINE:
            around[_RUN] += sums[_RUN]
            around[_LINKED] += sums[_LINKED]
        if element.tail:
            after = _width(element.tail)
            around[_TEXT] += after
            around[_RUN] += after

    def text(self, element: Any) -> int:
        """Count the characters of an element's text."""
        return self._of[element][_TEXT]

    def prose(self, element: Any) -> int:
        """Count the characters of an element's prose; none outside the tree that was measured."""
        return self._of[element][_PROSE] if element in self._of else 0

    def links(self, element: Any) -> int:
        """Count the characters of an element's link text."""
        return self._of[element][_LINKS]

    def density(self, element: Any) -> float:
        """Return the share of an element's characters that are link text; 1 without any text."""
        sums = self._of[element]
        return sums[_LINKS] / sums[_TEXT] if sums[_TEXT] else 1.0

    def drop(self, element: Any) -> None:
        """Take an element out of the tree and out of the numbers of those around it."""
        sums = self._of[element]
        for above in element.iterancestors():
            around = self._of.get(above)
            if around is not None:
                for index in (_TEXT, _LINKS, _PROSE):
                    around[index] -= sums[index]
        drop(element)


def _width(text: str) -> int:
    """Count characters, those of dense scripts for two: sentences are then about as long in all scripts."""
    stripped = text.strip()
    return len(stripped) if stripped.isascii() else len(stripped.encode("utf-8", "replace")) * 2 // 3
