"""Lines that run to the left, as Hebrew and Arabic do: their cells are told by where the words stand."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import groupby
from typing import Protocol

from .pdf_text import clean

_LEFTWARD = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_LATIN = re.compile("[A-Za-z]")
_WORD = re.compile(r"\S+")

Part = tuple[float, float, str]
"""Where a part of a line begins and ends, and its text."""


class Boxes(Protocol):
    """The characters of a page."""

    def char_box(self, position: int) -> tuple[float, float, float, float]:
        """Return left, right, bottom and top of one character."""


def count_leftward(text: str) -> int:
    """Count the Hebrew and Arabic letters."""
    return 0 if text.isascii() else len(_LEFTWARD.findall(text))


def split_leftward(
    page: Boxes, start: int, text: str, limit: float, walls: Sequence[float] = ()
) -> list[Part]:
    """Return the line's parts between walls and gaps wider than the limit, from left to right.

    The words of a part are in the order of reading, and those of another script within it as well.
    """
    words = read_words(page, start, text)
    ends: list[float] = []
    for x0, x1, _ in sorted(words):
        wide = ends and (x0 - ends[-1] > limit or any(ends[-1] < wall < x0 for wall in walls))
        if wide or not ends:
            ends.append(x1)
        else:
            ends[-1] = max(ends[-1], x1)
    parts: list[list[Part]] = [[] for _ in ends]
    for word in words:
        parts[bisect_left(ends, word[1])].append(word)
    return [
        (min(x0 for x0, _, _ in part), end, clean(" ".join(word for _, _, word in part)))
        for end, part in zip(ends, parts, strict=True)
    ]


def read_words(page: Boxes, start: int, text: str) -> list[Part]:
    """Return the line's words in the order of reading; pdfium turns around a row of Latin ones."""
    words: list[Part] = []
    found = [_box(page, start, match) for match in _WORD.finditer(text)]
    for latin, run in groupby(found, key=lambda word: _is_latin(word[2])):
        part = list(run)
        words += sorted(part) if latin and part == sorted(part, reverse=True) else part
    return words


def _is_latin(word: str) -> bool:
    return _LATIN.search(word) is not None and not count_leftward(word)


def _box(page: Boxes, start: int, match: re.Match[str]) -> Part:
    # Not all fonts have their letters in the order of reading: the first and the last are not enough.
    boxes = [page.char_box(start + position) for position in range(*match.span())]
    return min([box[0] for box in boxes]), max([box[1] for box in boxes]), match[0]
