"""Listings: code whose font does not tell, by its lines' numbers at the margin, or by its words."""

import re
from collections.abc import Iterator, Sequence

from .pdf_bands import pieces
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


def is_listing(lines: Sequence[Line]) -> bool:
    """Say whether lines between rules, beside a caption, are a listing: code, or steps of an algorithm."""
    texts = [_NUMBER.sub("", line.text) for line in lines]
    marked = sum(1 for text in texts if _WORD.match(text) or looks_like_code(text))
    return len(texts) > 1 and marked >= CODE_WORDS * len(texts)


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
