"""Lines of a PDF page with their boxes and fonts, read through pdfium's own functions; decides on no layout.

A few calls a line instead of one a character: the page's text comes in one string, a line's box from its
rectangles, and word positions are asked for only where a line looks wider than its font.
"""

import math
import re
import time
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from .pdf_chars import SPACES, PageText, Paint
from .pdf_fonts import Font, FontCache
from .pdf_leftward import count_leftward, read_words, split_leftward
from .pdf_pitch import Pitch
from .pdf_rules import Rules
from .pdf_text import clean

_WORD_START = re.compile(r"\s+")
LEADER = re.compile(r"(?:\. ?){5}|(?:·|…|_){4}")
GAP = 1.0
"""Ems between the words of two cells: justified text stays under 0.9, LaTeX columns start at 1.2."""
MONO_GAP = 1.6
"""The same in fonts of fixed pitch, and where letters are drawn out to fill a line, as in Arabic."""
RETURN = 5.0
"""Ems that the text goes back within a line that is several ones."""
BY_WALL = 1.5
"""Points by which a letter may reach over a rule between cells."""
LEAST_SIZE = 2.0
LINES_A_LOOK = 10
"""Lines between two looks at the clock: they take a third of a millisecond, rows of 40 cells five."""
TALL = 2.0
"""Ems of height from which on a line may hold words that run in another direction."""
SOLID = 0.5
"""Ems that a line of fixed pitch may be wider than its characters without a gap in it."""
WIDE = 1.08
"""A line this much wider per character than its font's running mean is looked at word by word."""


class Cell(NamedTuple):
    """A part of a line that a wide gap sets apart."""

    x0: float
    x1: float
    text: str


class Line(NamedTuple):
    """One line of text, turned upright: x to the right, y up, in points; ``base`` is its baseline.

    ``mark`` is the number of the line's stretch of the page's structure tree, -1 when it is in none;
    ``hidden`` that nobody sees it: painted invisibly, or off the page; ``bullet`` that one is drawn before
    it.
    """

    text: str
    x0: float
    x1: float
    base: float
    top: float
    bottom: float
    size: float
    font: Font
    page: int
    angle: int
    bold: bool
    mono: bool
    hyphen: bool
    leader: bool
    cells: tuple[Cell, ...]
    mark: int = -1
    hidden: bool = False
    bullet: bool = False


def may_have_leader(text: str) -> bool:
    """Say whether the text holds a part of a row of dots."""
    return "..." in text or ". . ." in text or "·" in text or "…" in text or "__" in text


def has_leader(text: str) -> bool:
    """Say whether the line holds a row of dots, as entries of a table of contents do."""
    return may_have_leader(text) and LEADER.search(text) is not None


def physical_lines(text: str) -> Iterator[tuple[int, str, bool]]:
    """Yield start and text of each line that is not empty, and whether a hyphen at its end breaks a word.

    pdfium puts U+FFFE for such a hyphen and goes on without a line break.
    """
    start = 0
    for row in text.replace("\r", "\n").split("\n"):
        pieces = row.split("\ufffe")
        for left, piece in enumerate(pieces, 1 - len(pieces)):
            if piece:
                yield start, piece, left < 0
            start += len(piece) + 1


class LineReader:
    """Reads the lines of one document's pages; it learns each font's usual width on the way."""

    def __init__(self) -> None:
        self.fonts: FontCache = {}
        self._widths: dict[str, tuple[float, int]] = {}
        self._pitch = Pitch()
        self._rules = Rules()
        self._leaders = True

    def read(
        self,
        page: PageText,
        number: int,
        until: float = math.inf,
        places: Mapping[int, int] | None = None,
        rules: Rules | None = None,
    ) -> tuple[list[Line], list[Paint]] | None:
        """Return the page's lines in pdfium's order, with whether each can be seen.

        It is None when the thread's CPU time passes ``until`` on the way. ``places`` gives the stretch of
        each marked content: lines are cut where it changes. ``rules`` tell where cells are.
        """
        self._rules = rules or Rules()
        known = len(self._pitch.fixed)
        found = self._lines(page, number, until, places or {})
        if found is None or len(self._pitch.fixed) == known:
            return found
        fixed = self._pitch.fixed
        return [line._replace(mono=line.font.name in fixed or line.mono) for line in found[0]], found[1]

    def _lines(
        self, page: PageText, number: int, until: float, places: Mapping[int, int]
    ) -> tuple[list[Line], list[Paint]] | None:
        lines: list[Line] = []
        paints: list[Paint] = []
        self._leaders = may_have_leader(page.text)
        for count, (start, piece, broken) in enumerate(physical_lines(page.text)):
            if count % LINES_A_LOOK == 0 and time.thread_time() > until:
                return None
            text = piece.strip()
            if not text:
                continue
            start += len(piece) - len(piece.lstrip()) if piece[0] != text[0] else 0
            whole = ((-1, start, text),)
            for mark, first, part in split_marks(page, start, text, places) if places else whole:
                hyphen = broken and first + len(part) == start + len(text)
                found = self._line(page, first, part, number, hyphen)
                if found is None:
                    continue
                line, paint = found
                if line.cells and any([cell.x1 < cell.x0 for cell in line.cells]):
                    several = self._several(page, line, split_returns(page, first, part, RETURN * line.size))
                elif line.top - line.bottom > TALL * line.size:
                    several = self._several(page, line, split_turns(page, first, part))
                else:
                    lines.append(line if mark < 0 else line._replace(mark=mark))
                    paints.append(paint)
                    continue
                lines += several
                paints += [paint] * len(several)
        return lines, paints

    def _several(self, page: PageText, line: Line, parts: Iterable[tuple[int, str]]) -> list[Line]:
        """Return the lines that pdfium has taken for one, of which ``parts`` gives starts and texts."""
        found = [self._line(page, start, text, line.page, False) for start, text in parts]
        lines = [one[0]._replace(mark=line.mark) for one in found if one is not None]
        return [*lines[:-1], lines[-1]._replace(hyphen=line.hyphen)] if lines else []

    def _line(
        self, page: PageText, start: int, text: str, number: int, hyphen: bool
    ) -> tuple[Line, Paint] | None:
        """Return the line and how it is painted, or None when nothing of it has an extent."""
        measures = page.measure(start, len(text))
        if measures is None:
            return None
        size, angle, base, font, paint, (x0, x1, bottom, top, runs, gap) = measures
        scaled = size < LEAST_SIZE
        if scaled:
            # Some generators scale the text in a way that pdfium does not tell.
            size = max(size, top - bottom)
        bold, mono = font.bold, font.mono
        if runs > 1:
            # A bullet or a name in another font at an end does not make the line another size.
            middle, last = start + len(text) // 2, start + len(text) - 1
            if scaled:
                size = max(size, page.size_and_angle(middle)[0])
            elif (end := page.size_and_angle(last)[0]) != size:
                size = sorted((size, page.size_and_angle(middle)[0], end))[1]
            if bold or mono:
                others = page.font(middle - (text[middle - start] == " ")), page.font(last)
                bold = bold and others[0].bold and others[1].bold
                mono = mono and others[0].mono and others[1].mono
        cells: tuple[Cell, ...] = ()
        leader = self._leaders and has_leader(text)
        walls = self._rules.walls(x0, x1, base + size / 4) if self._rules.upright else ()
        plain = text.isascii()
        leftward = not plain and count_leftward(text) > 0
        ems = (x1 - x0) / size
        if not (leader or angle) and (
            walls
            or leftward
            or (
                " " in text
                and (
                    gap > GAP * size
                    or self._is_wide(text, ems, font)
                    or (
                        self._rules.zones
                        and self._rules.in_zone(x0, base)
                        and not (font.mono and self._is_set_solid(text, ems, font))
                    )
                )
            )
        ):
            cells = split_cells(page, start, text, size * (MONO_GAP if mono or leftward else GAP), walls)
        if not cells:
            self._learn(font, ems, len(text))
        if not (angle or font.mono):
            self._pitch.see(page, start, text, font, self.fonts)
        if leftward and not angle:
            text = " ".join(word for _, _, word in read_words(page, start, text))
        # As a bare tuple in the order of the fields: by their names it would take three times as long.
        return tuple.__new__(Line, (
            text if plain and text.isprintable() else clean(text), x0, x1, base, top, bottom, round(size, 1),
            font, number, angle, bold, mono, hyphen, leader, cells, -1, False, False,
        )), paint  # fmt: skip

    def _is_wide(self, text: str, ems: float, font: Font) -> bool:
        """Say whether the line is wider than its font's lines are, so that it may have gaps in it."""
        usual = self._usual(font)
        if usual is None:
            usual = 0.62 if font.mono else 0.50
        return ems > usual * WIDE * len(text)

    def _is_set_solid(self, text: str, ems: float, font: Font) -> bool:
        """Say whether a line of fixed pitch is as wide as its characters, so that it has no gap in it."""
        usual = self._usual(font)
        return usual is not None and ems < usual * len(text) + SOLID

    def _usual(self, font: Font) -> float | None:
        """Return the ems that a character of the font takes on average, None while too few are known."""
        total, count = self._widths.get(font.name, (0.0, 0))
        return total / count if count > 200 else None

    def _learn(self, font: Font, ems: float, characters: int) -> None:
        if characters > 20:
            total, count = self._widths.get(font.name, (0.0, 0))
            self._widths[font.name] = (total + ems, count + characters)


def split_marks(
    page: PageText, start: int, text: str, places: Mapping[int, int]
) -> Iterator[tuple[int, int, str]]:
    """Yield stretch, start and text of each part of the line that is in one stretch, -1 for in none."""
    begin, last = 0, places.get(page.mark(start), -1)
    for match in _WORD_START.finditer(text):
        mark = places.get(page.mark(start + match.end()), -1)
        if mark != last:
            yield last, start + begin, text[begin : match.start()]
            begin, last = match.end(), mark
    yield last, start + begin, text[begin:]


def split_returns(page: PageText, start: int, text: str, limit: float) -> Iterator[tuple[int, str]]:
    """Yield start and text of each part between places where the text goes back further than the limit."""
    begin = 0
    for match in SPACES.finditer(text):
        end, following = match.span()
        if page.left(start + following) < page.left(start + end - 1) - limit:
            yield start + begin, text[begin:end]
            begin = following
    yield start + begin, text[begin:]


def split_turns(page: PageText, start: int, text: str) -> Iterator[tuple[int, str]]:
    """Yield start and text of each part that runs in one direction."""
    begin, last = 0, page.size_and_angle(start)[1]
    for match in SPACES.finditer(text):
        angle = page.size_and_angle(start + match.end())[1]
        if angle != last:
            yield start + begin, text[begin : match.start()]
            begin, last = match.end(), angle
    yield start + begin, text[begin:]


def split_cells(
    page: PageText, start: int, text: str, limit: float, walls: Sequence[float] = ()
) -> tuple[Cell, ...]:
    """Return the line's parts between walls and gaps wider than the limit, or nothing when it has none."""
    if count_leftward(text):
        parts = split_leftward(page, start, text, limit, walls)
        return tuple(Cell(*part) for part in parts) if len(parts) > 1 else ()
    cuts = {*page.gaps(start, text, limit), *(_wall_cuts(page, start, text, walls) if walls else ())}
    if not cuts:
        return ()
    cells: list[Cell] = []
    begin = 0
    for end, following in [*sorted(cuts), (len(text), 0)]:
        left, right = page.char_box(start + begin)[0], page.char_box(start + end - 1)[1]
        cells.append(Cell(left, right, clean(text[begin:end])))
        begin = following
    return tuple(cells)


def _wall_cuts(page: PageText, start: int, text: str, walls: Sequence[float]) -> Iterator[tuple[int, int]]:
    """Yield the same for each wall that no letter stands across; there need not be a space."""

    def left(position: int) -> float:
        # pdfium may have put a space where there is none on the page.
        return page.left(start + position + (text[position] == " "))

    for wall in walls:
        following = bisect_left(range(len(text)), wall - BY_WALL, key=left)
        end = len(text[:following].rstrip())
        following += text[following : following + 1] == " "
        if 0 < end <= following < len(text) and page.char_box(start + end - 1)[1] <= wall + BY_WALL:
            yield end, following


def plain_lines(text: str) -> list[str]:
    """Return the lines of a page's text, with U+FFFE at the end of one that breaks a word."""
    return [line + "\ufffe" * broken for _, line, broken in physical_lines(text)]
