"""Running headers, footers and page numbers: found by what comes again at the edge of page after page."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from .pdf_captions import begins_caption
from .pdf_headings import is_bare_part
from .pdf_lines import Line

_WORD = re.compile(r"[^\W\d_]{4}")
_DIGITS = re.compile(r"\d+")
_NUMBER_AT_EDGE = re.compile(r"^(?:\W*(?:page|seite|p\.)?\W*)(\d{1,4})\b|\b(\d{1,4})\W*$", re.IGNORECASE)
_ROMAN_PAGE = re.compile(r"^\W*[ivxlc]{1,8}\W*$", re.IGNORECASE)
_BARE = re.compile(r"^\W*(?:page|seite)?\W*\d{1,4}(?:\s*(?:/|of|von|sur|de)\s*\d{1,4})?\W*$", re.IGNORECASE)
_SAME_HEIGHT = 4.0
_BASE = attrgetter("base")
EDGE_ROWS = 2
HUGE = 1.8
"""Times the body's size that a watermark is larger."""
LARGE = 1.25
"""A row this much larger than the body is a heading, and goes only when the very same words come again."""

UP_TO_NAME = 4.0
"""Ems from the word "Chapter" to the chapter's name below it."""


class Row(NamedTuple):
    """An outermost row of a page; ``gap`` is its distance to the next row towards the middle.

    ``number`` is what may be the page's number in it.
    """

    page: int
    side: str
    rank: int
    text: str
    base: float
    size: float
    gap: float
    lines: tuple[Line, ...]
    number: int | None


def edge_rows(page: int, lines: Sequence[Line]) -> list[Row]:
    """Return the two uppermost and the two lowest rows of the page."""
    found: list[Row] = []
    upward = sorted(lines, key=_BASE)
    for side, ordered in (("top", upward[-12:][::-1]), ("bottom", upward[:12])):
        rows = _rows(ordered)
        for rank, row in enumerate(rows[:EDGE_ROWS]):
            row.sort(key=lambda line: line.x0)
            text = " ".join(line.text for line in row)
            size = max(line.size for line in row)
            gap = abs(row[0].base - rows[rank + 1][0].base) if rank + 1 < len(rows) else 0.0
            found.append(
                Row(page, side, rank, text, row[0].base, size, gap, tuple(row), page_number_of(text))
            )
    return found


def _rows(ordered: Sequence[Line]) -> list[list[Line]]:
    """Return the first lines as rows, one more than are looked at."""
    rows: list[list[Line]] = []
    for line in ordered:
        if rows and abs(rows[-1][0].base - line.base) < _SAME_HEIGHT:
            rows[-1].append(line)
        elif len(rows) > EDGE_ROWS:
            break
        else:
            rows.append([line])
    return rows


def page_number_of(text: str) -> int | None:
    """Return the number at the start or the end of a row."""
    match = _NUMBER_AT_EDGE.search(text)
    return int(match[1] or match[2]) if match else None


def find_furniture(pages: Mapping[int, Sequence[Line]], body: float, confirmed: frozenset[int]) -> set[int]:
    """Return the ids of the lines that are furniture; lines confirmed as headings (by id) never are."""
    rows = [row for number, lines in pages.items() for row in edge_rows(number, lines)]
    need = 3 if len(pages) > 4 else 2
    same = _repeated({(row.page, row.side, row.text) for row in rows})
    alike = _repeated(
        {(row.page, row.side, _key(row)) for row in rows if row.rank == 0 and row.gap > 1.3 * body}
    )
    offset = _offset(rows, need)
    heights = Counter(_height(row) for row in rows if _is_numbered(row, offset))
    bands = _bands(rows, body, len(pages))
    found: set[int] = set()
    outer = False
    for row in rows:
        outer = outer and row.rank > 0
        if any(id(line) in confirmed for line in row.lines) and row.size >= body:
            continue
        if row.size >= LARGE * body and row.gap < UP_TO_NAME * row.size and is_bare_part(row.text):
            continue
        if (same[row.side, row.text] >= need and (row.rank == 0 or outer) and _stands_apart(row, body)) or (
            row.size < LARGE * body
            and row.rank == 0
            and not begins_caption(row.lines[0])
            and (
                alike[row.side, _key(row)] >= need
                or _height(row) in bands
                or (_is_numbered(row, offset) and (_BARE.match(row.text) or heights[_height(row)] >= need))
            )
        ):
            found.update(id(line) for line in row.lines)
            outer = True
    return found


def _stands_apart(row: Row, body: float) -> bool:
    """Say whether the row is not the first or last line of a paragraph that comes again, such as a notice."""
    return row.gap == 0 or row.gap > 1.3 * body or not row.lines[-1].hyphen


def _height(row: Row) -> tuple[str, int]:
    return row.side, round(row.base / _SAME_HEIGHT)


def _repeated(found: set[tuple[int, str, str]]) -> Counter[tuple[str, str]]:
    """Count the pages of each row text that comes again within two pages, as left and right pages do."""
    counts: Counter[tuple[str, str]] = Counter()
    for page, side, key in found:
        if any((page + step, side, key) in found for step in (-2, -1, 1, 2)):
            counts[side, key] += 1
    return counts


def _bands(rows: Sequence[Row], body: float, pages: int) -> set[tuple[str, int]]:
    """Return the heights at which outermost rows stand apart from the text on most of many pages."""
    total: Counter[tuple[str, int]] = Counter()
    apart: Counter[tuple[str, int]] = Counter()
    for row in rows:
        if row.rank == 0:
            total[_height(row)] += 1
            apart[_height(row)] += row.gap > 1.7 * body and len(row.text) < 150
    return {
        place
        for place, count in apart.items()
        if count >= max(4, 0.2 * pages) and count >= 0.8 * total[place]
    }


def _key(row: Row) -> str:
    """Return the row's text without what changes from page to page."""
    return "#" if _ROMAN_PAGE.match(row.text) else _DIGITS.sub("#", row.text)


def _offset(rows: Sequence[Row], need: int) -> int | None:
    """Return printed page number minus page position, when enough pages agree on one."""
    pairs = {(row.page, row.number - row.page) for row in rows if row.number is not None}
    counts = Counter(offset for _, offset in pairs)
    if not counts:
        return None
    offset, count = max(counts.items(), key=lambda item: (item[1], -abs(item[0])))
    return offset if count >= need else None


def _is_numbered(row: Row, offset: int | None) -> bool:
    return row.rank == 0 and offset is not None and row.number == row.page + offset


def find_watermarks(pages: Mapping[int, Sequence[Line]], body: float) -> set[int]:
    """Return the ids of large lines that stand at the same place on half of the pages, and three at least."""
    places: dict[tuple[str, int, int], list[Line]] = {}
    for lines in pages.values():
        for line in lines:
            if line.size >= HUGE * body and not is_bare_part(line.text):
                place = line.text, round(line.x0 / _SAME_HEIGHT), round(line.base / _SAME_HEIGHT)
                places.setdefault(place, []).append(line)
    need = max(3, len(pages) / 2)
    return {id(line) for found in places.values() if len(found) >= need for line in found}


def find_turned_furniture(turned: Mapping[int, Sequence[Line]], upright: Iterable[Line] = ()) -> set[int]:
    """Return the ids of turned lines that are furniture.

    These are on three pages or more, as watermarks are, or read as ``upright`` furniture of other pages does,
    as the running heads do of a page that is turned for its table.
    """
    counts = Counter(text for lines in turned.values() for text in {line.text for line in lines})
    keys = {_DIGITS.sub("#", line.text) for line in upright if _WORD.search(line.text)}
    return {
        id(line)
        for lines in turned.values()
        for line in lines
        if counts[line.text] >= 3 or _DIGITS.sub("#", line.text) in keys
    }
