"""How much text, link text and prose the elements of a tree hold; kept right while elements are taken out."""

from collections import defaultdict
from typing import Any

from .html_tree import drop

# A run of text shorter than this is a label, a date or a menu entry, a longer one reads as a sentence.
_SENTENCE = 60
_MOSTLY_LINKS = 0.4
# What is left of inline elements when a page is measured.
_INLINE = frozenset(("a", "br", "img", "span"))


class Measures:
    """Characters by element: all ``text``, text inside ``links``, and ``prose``.

    Prose is the text of sentence length that stands in one block and is not mostly links, without its links,
    and all text of code. Measured at once, bottom up; only ``drop`` changes the numbers.
    """

    def __init__(self, root: Any) -> None:
        # The list keeps the elements alive: lxml would make new, unequal ones for the same nodes.
        self._elements = list(root.iter())
        self.text: dict[Any, int] = defaultdict(int)
        self.links: dict[Any, int] = defaultdict(int)
        self.prose: dict[Any, int] = defaultdict(int)
        self._measure(root)

    def _measure(self, root: Any) -> None:
        """Add each element to its parent, last ones first, so that all below one is added before itself."""
        text, links, prose = self.text, self.links, self.prose
        run: dict[Any, int] = defaultdict(int)
        linked: dict[Any, int] = defaultdict(int)
        for element in reversed(self._elements):
            tag, own = element.tag, _width(element.text)
            text[element] += own
            run[element] += own
            if tag == "a" and element.get("href"):
                links[element], linked[element] = text[element], run[element]
            inline = tag in _INLINE
            if not inline and (tag == "pre" or _is_prose(run[element], linked[element])):
                prose[element] += run[element] - linked[element]
            if element is root:
                break
            parent, after = element.getparent(), _width(element.tail)
            text[parent] += text[element] + after
            links[parent] += links[element]
            prose[parent] += prose[element]
            run[parent] += run[element] + after if inline else after
            linked[parent] += linked[element] if inline else 0

    def density(self, element: Any) -> float:
        """Return the share of an element's characters that are link text; 1 without any text."""
        return self.links[element] / self.text[element] if self.text[element] else 1.0

    def drop(self, element: Any) -> None:
        """Take an element out of the tree and out of the numbers of those around it."""
        for around in element.iterancestors():
            self.text[around] -= self.text[element]
            self.links[around] -= self.links[element]
            self.prose[around] -= self.prose[element]
        drop(element)


def _is_prose(run: int, linked: int) -> bool:
    return run >= _SENTENCE and linked < run * _MOSTLY_LINKS


def _width(text: str | None) -> int:
    """Count characters, those of dense scripts for two: sentences are then about as long in all scripts."""
    if not text:
        return 0
    stripped = text.strip()
    return len(stripped) if stripped.isascii() else len(stripped.encode("utf-8", "replace")) * 2 // 3
