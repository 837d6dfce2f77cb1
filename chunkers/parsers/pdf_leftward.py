"""Lines that run to the left, as Hebrew and Arabic do: where their words stand tells order and cells."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple, Protocol

from .pdf_text import clean

_LETTERS = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
_LEFTWARD = re.compile(f"[{_LETTERS}]")
_ARABIC = re.compile("[\u0620-\u064a\u066e-\u06d3\u0750-\u077f\ufb50-\ufdff\ufe70-\ufefc]")
# Arabic digits run to the right, and its points and commas belong to no word.
_PIECE = re.compile(
    rf"(?P<space>\s+)|(?P<leftward>(?:(?![\d\u060c\u061b\u061f\u066a-\u066d])[{_LETTERS}])+)"
    rf"|(?P<other>(?:[^\s{_LETTERS}]|[\d\u060c\u061b\u061f\u066a-\u066d])+)"
)
_LATIN = re.compile(r"[^\W\d_]")
# A currency or a percent sign beside a number goes with it; after Arabic letters a hyphen does not.
_NUMBER = re.compile(r"[#$€£₪]?\d+(?:[.,:/\u066b\u066c]\d+)*[%°$€£₪]?")
_RANGE = re.compile(r"[#$€£₪]?\d+(?:[-.,:/]\d+)*[%°$€£₪]?")
_OPENING = {"(": ")", "[": "]", "{": "}"}
_CLOSING = frozenset(_OPENING.values())


class Part(NamedTuple):
    """A part of a line: where it begins and ends, and its text."""

    x0: float
    x1: float
    text: str

    @property
    def middle(self) -> float:
        """Half way along it."""
        return (self.x0 + self.x1) / 2


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
        parts[bisect_left(ends, word.x1)].append(word)
    return [
        Part(min(word.x0 for word in part), end, clean(" ".join(word.text for word in part)))
        for end, part in zip(ends, parts, strict=True)
    ]


def read_words(page: Boxes, start: int, text: str) -> list[Part]:
    """Return the line's words in the order of reading.

    pdfium turns around rows of Latin words, and what a font spells from the left; it takes points and
    brackets beside numbers for parts of them. Where they stand tells more than its order.
    """
    parts = _with_spaces([_place(page, start, text, piece) for piece in _cut(text)])
    words = list(_words(parts))
    if 2 * sum(after.middle > before.middle for before, after in pairwise(words)) < len(words):
        parts = _turn_brackets(_with_phrases(sorted(parts, key=lambda part: -part.middle)))
    return list(_words(parts))


def _with_spaces(parts: Sequence[Part]) -> list[Part]:
    """Return the parts with spaces that pdfium has made up, which have no width, between their words."""
    words = [list(run) for _, run in groupby(parts, key=lambda part: part.text.isspace())]
    found: list[Part] = []
    for before, some, after in zip([[], *words], words, [*words[1:], []], strict=False):
        if before and after and some[0].text.isspace() and some[0].x1 <= some[0].x0:
            middle = (min(part.x0 for part in before) + max(part.x1 for part in after)) / 2
            some = [Part(middle, middle, " ")]
        found += some
    return found


def _words(parts: Iterable[Part]) -> Iterator[Part]:
    for space, run in groupby(parts, key=lambda part: part.text.isspace()):
        if not space:
            word = list(run)
            x0, x1 = min(part.x0 for part in word), max(part.x1 for part in word)
            yield Part(x0, x1, "".join(part.text for part in word))


def _cut(text: str) -> Iterator[tuple[int, int]]:
    """Yield the bounds of spaces, of letters to the left, of Latin words, of numbers, and of single marks."""
    number = _RANGE
    for match in _PIECE.finditer(text):
        done, end = match.span()
        number = _NUMBER if number is _NUMBER or _ARABIC.match(match[0]) else _RANGE
        if match.lastgroup == "other":
            for first, after in _cores(match[0], number):
                yield from ((place, place + 1) for place in range(done, match.start() + first))
                yield match.start() + first, match.start() + after
                done = match.start() + after
            yield from ((place, place + 1) for place in range(done, end))
        else:
            yield done, end


def _cores(piece: str, number: re.Pattern[str]) -> list[tuple[int, int]]:
    """Return the bounds of the one Latin word of a piece without its outer marks, else of its numbers."""
    if not _LATIN.search(piece):
        return [match.span() for match in number.finditer(piece)]
    inner = [place for place, mark in enumerate(piece) if mark.isalnum()]
    return [(inner[0], inner[-1] + 1)]


def _place(page: Boxes, start: int, text: str, bounds: tuple[int, int]) -> Part:
    """Return a part with its box, spelled from the right when it is of letters to the left."""
    # Not all fonts have their letters in the order of reading: the first and the last are not enough.
    boxes = [page.char_box(start + position) for position in range(*bounds)]
    found = text[slice(*bounds)]
    if _LEFTWARD.match(found):
        rises = sum(after[0] > before[0] for before, after in pairwise(boxes))
        falls = sum(after[0] < before[0] for before, after in pairwise(boxes))
        found = found[::-1] if rises > falls else found
    return Part(min(box[0] for box in boxes), max(box[1] for box in boxes), found)


def _with_phrases(parts: list[Part]) -> list[Part]:
    """Return parts, which stand from right to left, with rows of Latin words and their numbers turned."""
    found: list[Part] = []
    for leftward, run in groupby(parts, key=lambda part: _LEFTWARD.match(part.text) is not None):
        some = list(run)
        latin = [place for place, part in enumerate(some) if _LATIN.search(part.text)]
        if latin and not leftward:
            first = latin[0]
            if first > 1 and some[first - 1].text.isspace() and some[first - 2].text[-1].isdecimal():
                first -= 2
            some[first : latin[-1] + 1] = some[first : latin[-1] + 1][::-1]
        found += some
    return found


def _turn_brackets(parts: Sequence[Part]) -> list[Part]:
    """Return a line's parts with brackets as they are meant: pdfium gives the signs that are painted.

    It has the space before the first one of a pair after it.
    """
    found = list(parts)
    inside, first = 0, -1
    for place, (_, _, text) in enumerate(parts):
        if text in _CLOSING and not inside:
            first = place
        elif text in _CLOSING:
            inside -= 1
        elif text in _OPENING and first >= 0 and found[first].text == _OPENING[text] and _ends(found, place):
            found[first], found[place] = (
                found[first]._replace(text=text),
                parts[place]._replace(text=_OPENING[text]),
            )
            if first and found[first + 1].text.isspace() and not found[first - 1].text.isspace():
                found[first : first + 2] = found[first + 1], found[first]
            first = -1
        elif text in _OPENING:
            inside += 1
    return found


def _ends(parts: Sequence[Part], place: int) -> bool:
    """Say whether a word ends with the part."""
    after = parts[place + 1].text if place + 1 < len(parts) else " "
    return not (parts[place - 1].text.isspace() or after[0].isalnum())
