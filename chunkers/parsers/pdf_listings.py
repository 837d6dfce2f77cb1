"""Listings: code whose font does not tell, by its lines' numbers at the margin, its words, or its caption."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile
from operator import attrgetter

from capsa.chunkers.captions import CaptionOf

from .pdf_bands import pieces
from .pdf_captions import Caption, begins_caption
from .pdf_drawings import Box
from .pdf_lines import Line
from .pdf_traps import looks_like_code

LEAST = 4
"""Lines of a numbered listing."""
MARKED = 0.25
"""The part of the lines that must look like code: others are comments or go on."""
_WORD = re.compile(
    r"(?:for|foreach|while|repeat|until|if|else|end|return|begin|do|then|case|function|procedure|def|input|output"
    r"|require|ensure|select|from|where|import|public|private|int|void|var|let|const|print)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"^\d{1,4}[:.]?\s+")
CODE_WORDS = 0.4
"""The part of the lines between rules, below a listing's caption, that begin or end as code does."""
SURE = 0.75
"""The same part from which on their widths do not matter."""
_SURE_SIGNS = re.compile(r"^(?:\$ |>>> |</?[\w:]{1,40}[ />]|\\[a-z]{2})")
"""How lines begin that are commands or tags."""
_SIGNS = re.compile(
    r"^(?:[$%#>@\\<\[(|]|--|\+\+)\S?|^[\w.*\[\]]{1,40} ?[-+*/:|]?= ?\S|^\w{1,40}: ?\S{1,40}$|[\\:,(=>&|]$"
)
"""How lines begin or end that may be code beside a caption that says so: commands, tags, settings."""
BLANK = 1.5
"""Times the usual step from line to line that is an empty one."""
STEP = 2.6
"""Ems from line to line of a listing at most, with an empty one between them."""
NEXT = 3.6
"""Ems from a caption to its listing at most."""
SCATTERED = 3.0
"""Mean characters of the words of code whose letters stand apart; those of prose have four and more."""
LETTERS = 2.0
"""The same where the caption says that it is a figure, which may hold a formula."""
PROSE = 3
"""Lines one after another without a sign of code, and long, that are prose before or after a listing."""
LONG = 40
"""Characters of a line of prose; comments in code are shorter."""
RAGGED = 0.7
"""The part of the widest line's width up to which another one is short."""
LONGEST = 120
"""Lines of a listing without rules that are looked at."""
SAME_EDGE = 3.0
"""Points between the edges of numbers below one another, of which the letters are not as wide."""


def part_numbers(lines: Sequence[Line]) -> tuple[list[Line], list[Line]]:
    """Return the lines with those of numbered listings as code, and the numbers that stood before them."""
    found: list[Line] = []
    numbers: list[Line] = []
    for run in _runs(lines):
        if len(run) < LEAST or not _is_code(run):
            found += run
            continue
        for line in run:
            number, *rest = pieces(line)
            numbers.append(line._replace(text=number.text, x1=number.x1, cells=(), hyphen=False))
            if rest:
                text = " ".join(cell.text for cell in rest)
                cells = tuple(rest) if len(rest) > 1 else ()
                found.append(line._replace(text=text, x0=rest[0].x0, cells=cells, mono=True))
    return found, numbers


def is_listing(lines: Sequence[Line], kind: CaptionOf = "figure", least: float = CODE_WORDS) -> bool:
    """Say whether lines beside a caption of the kind are a listing: code, or steps of an algorithm."""
    marked = sum(1 for line in lines if _is_marked(line, kind))
    return len(lines) > 1 and marked >= least * len(lines)


def _is_marked(line: Line, kind: CaptionOf) -> bool:
    text = _NUMBER.sub("", line.text)
    if line.mono or _WORD.match(text) or looks_like_code(text) or _SURE_SIGNS.match(text):
        return True
    if kind == "figure":
        return _is_scattered(text, LETTERS) and 2 * sum(map(str.isalpha, text)) > len(text.replace(" ", ""))
    return _SIGNS.search(text) is not None or _is_scattered(text)


def _is_scattered(text: str, mean: float = SCATTERED) -> bool:
    """Say whether the words are so short as those of code, or of letters each set in a box of one width."""
    words = text.split()
    return len(words) >= LEAST and sum(map(len, words)) <= mean * len(words)


def find_listing(lines: Sequence[Line], caption: Caption) -> list[Line]:
    """Return the lines, among upright ones in order, of the listing that follows or precedes a caption.

    Where the font tells that it is code, there is none but below a caption of code.
    """
    first = next((n for n, line in enumerate(lines) if line is caption.lines[0]), None)
    if first is None:
        return []
    sides = [lines[first + len(caption.lines) :], lines[:first][::-1]]
    starts = [caption.lines[-1], caption.lines[0]]
    if caption.kind == "figure":
        sides, starts = sides[::-1], starts[::-1]
    runs = [_run_from(start, side[:LONGEST]) for start, side in zip(starts, sides, strict=True)]
    if any(run and run[0].mono for run in runs):
        return list(takewhile(attrgetter("mono"), runs[0])) if caption.kind == "code" else []
    return next((found for run in runs if (found := _marked_part(run, caption.kind))), [])


def _run_from(start: Line, lines: Sequence[Line]) -> list[Line]:
    """Return the lines up to the next caption, wide gap, change of size, or turn to another column."""
    run: list[Line] = []
    for line in lines:
        step, limit = abs(line.base - (run[-1] if run else start).base), (STEP if run else NEXT) * line.size
        back = run and (line.base - run[-1].base) * (run[0].base - start.base) < 0
        other = run and abs(line.size - run[0].size) > 1 and not line.text.isdecimal()
        if step > limit or back or other or begins_caption(line):
            break
        run.append(line)
    return run


def _marked_part(run: Sequence[Line], kind: CaptionOf) -> list[Line]:
    """Return the first lines of a run, up to an empty line after which there is no more code."""
    found: list[Line] = []
    more: list[Line] = []
    for stretch in _stretches(_before_prose(run, kind)):
        more += stretch
        # A line between empty ones says little by itself.
        if len(more) > 1:
            if not is_listing(more, kind):
                break
            found += more
            more = []
    if len(more) == 1 and _is_marked(more[0], kind):
        found += more
    return found if is_ragged(found) or (len(found) > 2 and is_listing(found, kind, SURE)) else []


def _before_prose(run: Sequence[Line], kind: CaptionOf) -> Sequence[Line]:
    """Return the lines up to where a paragraph begins."""
    prose = 0
    for number, line in enumerate(run):
        prose = 0 if len(line.text) < LONG or _is_marked(line, kind) else prose + 1
        if prose == PROSE:
            return run[: number + 1 - PROSE]
    return run


def is_ragged(lines: Sequence[Line], zone: Box | None = None) -> bool:
    """Say whether a line before the last is much shorter than another, or all are than the zone around them.

    In prose only the last one is.
    """
    widths = [line.x1 - line.x0 for line in sorted(lines, key=lambda line: -line.base)][:-1]
    if len(widths) < 2:
        return False
    return min(widths) < RAGGED * max(widths) or (
        zone is not None and max(widths) < RAGGED * (zone.x1 - zone.x0)
    )


def _stretches(run: Sequence[Line]) -> Iterator[list[Line]]:
    """Yield the lines between empty ones."""
    steps = [abs(line.base - above.base) for above, line in pairwise(run)]
    usual = min((step for step in steps if step > 1), default=0.0)
    stretch: list[Line] = list(run[:1])
    for step, line in zip(steps, run[1:], strict=True):
        if step > BLANK * usual:
            yield stretch
            stretch = []
        stretch.append(line)
    if stretch:
        yield stretch


def _runs(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Yield the lines in runs that are numbered one after another; others are runs of one."""
    run: list[Line] = []
    for line in lines:
        if run and _number(line) == (_number(run[-1]) or -2) + 1 and _is_below(run[-1], line):
            run.append(line)
            continue
        if run:
            yield run
        run = [line]
    if run:
        yield run


def _number(line: Line) -> int:
    text = pieces(line)[0].text
    return int(text) if text.isdecimal() and len(text) < 6 else -1


def _is_below(above: Line, line: Line) -> bool:
    """Say whether the numbers of two lines begin or end at one place."""
    first, second = pieces(above)[0], pieces(line)[0]
    return line.base < above.base and (
        abs(first.x1 - second.x1) < SAME_EDGE or abs(first.x0 - second.x0) < SAME_EDGE
    )


def _is_code(run: Sequence[Line]) -> bool:
    texts = [cell.text for line in run for cell in pieces(line)[1:]]
    return sum(map(looks_like_code, texts)) > MARKED * len(run)
