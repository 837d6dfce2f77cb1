"""Pages without layout: their text as paragraphs, with the headings that bookmarks name."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from .pdf_elements import Element
from .pdf_headings import Bookmark, bare_key
from .pdf_text import Joiner, clean, squeeze

LONG_PARAGRAPH = 20_000
EDGE_LINES = 2
_SENTENCE_END = re.compile(r"[.!?:;。！？][\"'”’)\]]*$")
_DIGITS = re.compile(r"\d+")


def plain_elements(pages: Mapping[int, Sequence[str]], bookmarks: Sequence[Bookmark] = ()) -> list[Element]:
    """Return the pages' paragraphs and headings; a line that ends in U+FFFE ends in a broken word."""
    joiner = Joiner(
        (line.rstrip("\ufffe"), line.endswith("\ufffe")) for lines in pages.values() for line in lines
    )
    titles: dict[int, dict[str, int]] = {}
    for bookmark in bookmarks:
        titles.setdefault(bookmark.page, {})[bare_key(bookmark.title)] = bookmark.level
    repeated = repeated_lines(pages)
    elements: list[Element] = []
    for number, lines in pages.items():
        kept = [line for line in lines if (number, line) not in repeated]
        elements += _page_elements(number, kept, titles.get(number, {}), joiner)
    return elements


def repeated_lines(pages: Mapping[int, Sequence[str]]) -> set[tuple[int, str]]:
    """Return page and line of each first or last line that pages nearby have too, but for their numbers."""
    edges = {(n, line) for n, lines in pages.items() for line in (*lines[:EDGE_LINES], *lines[-EDGE_LINES:])}
    keys = {(number, _DIGITS.sub("#", line)) for number, line in edges}
    counts = Counter(key for page, key in keys if any((page + step, key) in keys for step in (-2, -1, 1, 2)))
    return {(number, line) for number, line in edges if counts[_DIGITS.sub("#", line)] >= 3}


def _page_elements(
    number: int, lines: Sequence[str], levels: dict[str, int], joiner: Joiner
) -> Iterator[Element]:
    """Yield paragraphs, which end where a short line ends a sentence, and headings that bookmarks name."""
    widest = max(map(len, lines), default=0)
    open_lines: list[tuple[str, bool]] = []
    length = 0
    for raw_line in [*lines, ""]:
        line = squeeze(clean(raw_line.rstrip("\ufffe")))
        level = levels.pop(bare_key(line), 0) if line and levels else 0
        if line and not level:
            open_lines.append((line, raw_line.endswith("\ufffe")))
            length += len(line)
            if length < LONG_PARAGRAPH and not (len(line) < 0.8 * widest and _SENTENCE_END.search(line)):
                continue
        if open_lines:
            yield Element("paragraph", joiner.run(open_lines), number, found_by="pdf:plain")
        open_lines, length = [], 0
        if level:
            yield Element("heading", line, number, level, "pdf:bookmark")
