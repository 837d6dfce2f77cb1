"""The pages of a PDF, read one by one while the layout budget lasts, as plain text after that."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pypdfium2 as pdfium

from .pdf_areas import Area
from .pdf_bullets import find_bullets, without
from .pdf_chars import PageText
from .pdf_clock import LayoutClock
from .pdf_drawings import Drawings, read_drawings
from .pdf_finder import find_areas
from .pdf_hidden import mark_hidden
from .pdf_lines import Line, LineReader, plain_lines
from .pdf_order import is_right_to_left, mirror
from .pdf_rules import make_rules, mirror_rules
from .pdf_struct import Tree, is_tagged, read_tree
from .pdf_tree import silent_lines

MOST_CHARACTERS = 40_000
"""Characters of a page that gets its layout: dense newspaper pages have 20,000."""
MOST_LINES = 1000
"""Lines of a page that gets its layout, which then takes under 50 ms."""

LAYOUT_OF_LINES = 0.85
"""Times what reading lines has taken that laying them out takes: 0.7 to 1.2 in long documents."""


@dataclass(slots=True)
class Pages:
    """What was read: lines, trees and areas of the pages with layout, plain lines of the others.

    The pages that ``crowded`` names are plain for what is on them, all other plain ones because the budget
    has ended before them.
    """

    lines: dict[int, list[Line]] = field(default_factory=dict)
    trees: dict[int, Tree] = field(default_factory=dict)
    areas: dict[int, list[Area]] = field(default_factory=dict)
    plain: dict[int, list[str]] = field(default_factory=dict)
    failed: set[int] = field(default_factory=set)
    crowded: set[int] = field(default_factory=set)

    @property
    def cut(self) -> bool:
        """Whether the budget has ended before the last page."""
        return len(self.plain) > len(self.crowded)


class PageReader:
    """Reads the pages of one document into ``pages``."""

    def __init__(self, pdf: Any, clock: LayoutClock) -> None:
        self.pages = Pages()
        self._pdf = pdf
        self._clock = clock
        self._tagged = is_tagged(pdf)
        self._lines = LineReader()
        self._line_seconds = 0.0
        self._before: Any = None

    def read_layout(self, count: int) -> None:
        """Read lines until the rest of the budget is needed to lay them out; a page cut short is left out."""
        for number in range(1, count + 1):
            if self._end() <= time.thread_time():
                return
            with self._open(number) as page:
                if page is not None and not self._read_page(page, number):
                    return

    def read_rest(self, count: int) -> None:
        """Read the text of the pages that have not been read."""
        pages = self.pages
        for number in range(1, count + 1):
            if number in pages.lines or number in pages.plain or number in pages.failed:
                continue
            with self._open(number) as page, open_text(page) as textpage:
                if textpage is not None:
                    pages.plain[number] = plain_lines(self._text(textpage).text)

    def _end(self) -> float:
        """Return when the rest of the budget is needed to lay out what has been read."""
        return self._clock.end(LAYOUT_OF_LINES * self._line_seconds)

    @contextmanager
    def _open(self, number: int) -> Iterator[Any]:
        """Open a page, and only then close the one before: pdfium forgets the fonts that no open page has."""
        before = self._before
        with open_page(self._pdf, number, self.pages.failed, close=False) as page:
            self._before = page
            if before is not None:
                before.close()
            yield page

    def _text(self, textpage: Any) -> PageText:
        return PageText(textpage, self._lines.fonts)

    def _read_page(self, page: Any, number: int) -> bool:
        """Read one page, and say whether its lines or its text were read before the time was over."""
        with open_text(page) as textpage:
            text = self._text(textpage)
            if text.count > MOST_CHARACTERS or text.text.count("\n") > MOST_LINES:
                self.pages.plain[number] = plain_lines(text.text)
                self.pages.crowded.add(number)
                return True
            until = self._end()
            with self._clock:
                return self._read_layout(page, text, number, until)

    def _read_layout(self, page: Any, text: PageText, number: int, until: float) -> bool:
        tree = read_tree(page, until) if self._tagged else Tree()
        drawings = Drawings() if tree.stretches else read_drawings(page)
        rules = make_rules(drawings, page.get_height())
        began = time.thread_time()
        found = self._lines.read(text, number, until, tree.places, rules)
        self._line_seconds += time.thread_time() - began
        if found is None or time.thread_time() > until:
            return False
        lines = mark_hidden(page, *found)
        if drawings.dots:
            bullets = find_bullets(lines, drawings.dots)
            lines = [line._replace(bullet=True) if n in bullets else line for n, line in enumerate(lines)]
            rules = without(rules, list(bullets.values()))
        leftward = is_right_to_left(lines)
        lines = [mirror(line) for line in lines] if leftward else lines
        visible = [line for line in lines if not line.hidden]
        silent = silent_lines(number, visible, tree) if tree.stretches else visible
        if tree.stretches and silent:
            rules = make_rules(read_drawings(page), page.get_height())
        laid = find_areas(silent, mirror_rules(rules) if leftward else rules, until)
        if laid is None:
            return False
        changed, areas = laid
        self.pages.lines[number] = [
            *(changed if silent is visible else put_back(visible, silent, changed)),
            *(line for line in lines if line.hidden),
        ]
        self.pages.trees[number], self.pages.areas[number] = tree, areas
        return True


def put_back(lines: Sequence[Line], some: Sequence[Line], changed: Sequence[Line]) -> list[Line]:
    """Return the lines with others in the places of some; there may be more of them."""
    places = {id(line) for line in some}
    left = list(changed)
    last = id(some[-1]) if some else 0
    found: list[Line] = []
    for line in lines:
        if id(line) not in places:
            found.append(line)
        elif id(line) == last:
            found += left
        else:
            found.append(left.pop(0))
    return found


@contextmanager
def open_page(pdf: Any, number: int, failed: set[int], close: bool = True) -> Iterator[Any]:
    """Open a page for a while, or give None and note its number when pdfium cannot load it."""
    try:
        page = pdf[number - 1]
    except pdfium.PdfiumError:
        failed.add(number)
        yield None
        return
    try:
        yield page
    except pdfium.PdfiumError:
        failed.add(number)
    finally:
        if close:
            page.close()


@contextmanager
def open_text(page: Any) -> Iterator[Any]:
    """Open the text of a page, if there is one, for a while."""
    if page is None:
        yield None
        return
    textpage = page.get_textpage()
    try:
        yield textpage
    finally:
        textpage.close()
