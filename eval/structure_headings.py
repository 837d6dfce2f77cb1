"""Headings of PDFs against their bookmarks, which are hidden from the parser for this."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import NamedTuple

import pypdfium2 as pdfium

from .structure_html import words
from .structure_library import Library, PdfText, Work, ratio

LEAST_BOOKMARKS = 4
PRINTED_SHARE = 0.5
"""Bookmarks of which fewer are printed on their pages say nothing of the headings."""
_PART = frozenset(("chapter", "appendix", "part", "section", "kapitel", "anhang", "teil"))
_NUMBER = re.compile(r"\d+|[a-z]|[ivxl]{1,4}")


class Heading(NamedTuple):
    """A heading by its page, depth from 1, and key; ``numbered`` when it is nothing but a number."""

    page: int
    level: int
    key: str
    numbered: bool
    text: str


@dataclass(frozen=True, slots=True)
class HeadingScore:
    """One PDF: bookmarks, those that are printed, headings found, right ones, and right levels of these."""

    document: str
    bookmarks: int
    printed: int
    found: int
    right: int
    level_right: int
    misses: Sequence[str] = field(default=(), repr=False)

    @property
    def usable(self) -> bool:
        """Whether enough bookmarks are printed where they point to."""
        return self.printed >= PRINTED_SHARE * self.bookmarks


def prepare(library: Library) -> Work:
    """Measure the PDFs that have bookmarks."""
    bookmarks = {name: found for name in library.pdfs() if len(found := read_bookmarks(library.data(name)))}
    few = [
        f"{name}: only {len(found)} bookmarks"
        for name, found in bookmarks.items()
        if len(found) < LEAST_BOOKMARKS
    ]
    chosen = [name for name, found in bookmarks.items() if len(found) >= LEAST_BOOKMARKS]
    return Work(chosen, lambda name: [measure(library, name, bookmarks[name])], summarise, _misses, few)


def read_bookmarks(data: bytes) -> list[Heading]:
    """Return the bookmarks that point to a page; none of a file that pdfium does not open."""
    try:
        pdf = pdfium.PdfDocument(data)
    except pdfium.PdfiumError:
        return []
    found = []
    for bookmark in pdf.get_toc():
        destination = bookmark.get_dest()
        page = None if destination is None else destination.get_index()
        if page is not None:
            found.append(_heading(page + 1, bookmark.level + 1, bookmark.get_title()))
    return found


def _heading(page: int, level: int, text: str) -> Heading:
    all_words = words([text])
    rest = without_number(all_words)
    return Heading(page, level, "".join(rest or all_words), not rest, text)


def without_number(spoken: Sequence[str]) -> list[str]:
    """Return the words of a heading without "Chapter One", "2.3" or "A" before them."""
    rest = list(spoken)
    if len(rest) > 1 and rest[0] in _PART:
        rest = rest[2:]
    while rest and _NUMBER.fullmatch(rest[0]):
        rest = rest[1:]
    return rest


def measure(library: Library, document: str, bookmarks: Sequence[Heading]) -> HeadingScore:
    """Match bookmarks with headings of the same words on the same page, or the one before or after.

    Headings before the first page with a bookmark are left out: bookmarks say nothing of front matter.
    """
    pages = ["".join(words([text])) for text in PdfText(library.data(document)).pages]
    wanted = [mark for mark in bookmarks if mark.key and _is_printed(mark, pages)]
    parsed = library.bare(document)
    first = min((mark.page for mark in wanted), default=0)
    found = [
        _heading(block.page or 0, block.level, parsed.text[block.start : block.end])
        for block in parsed.blocks
        if block.kind == "heading" and (block.page or 0) >= first
    ]
    pairs = match(wanted, found)
    matched = set(pairs.values())
    wrong = [found[n] for n in range(len(found)) if n not in matched and not found[n].numbered]
    return HeadingScore(
        document,
        len(bookmarks),
        len(wanted),
        len(matched) + len(wrong),
        len(pairs),
        sum(wanted[mark].level == found[heading].level for mark, heading in pairs.items()),
        [f"missed p{mark.page} {mark.text[:60]}" for n, mark in enumerate(wanted) if n not in pairs]
        + [f"no bookmark p{heading.page} {heading.text[:60]}" for heading in wrong],
    )


def _is_printed(mark: Heading, pages: Sequence[str]) -> bool:
    return any(mark.key in page for page in pages[max(0, mark.page - 2) : mark.page + 1])


def match(wanted: Sequence[Heading], found: Sequence[Heading]) -> dict[int, int]:
    """Return the number of the heading for each bookmark that has one, each heading taken once."""
    places: dict[tuple[int, str], list[int]] = {}
    for number, heading in enumerate(found):
        places.setdefault((heading.page, heading.key), []).append(number)
    pairs: dict[int, int] = {}
    for shift in (0, 1, -1):
        for number, mark in enumerate(wanted):
            candidates = places.get((mark.page + shift, mark.key))
            if number not in pairs and candidates:
                pairs[number] = candidates.pop(0)
    return pairs


def summarise(scores: Sequence[HeadingScore]) -> Mapping[str, float | None]:
    """Return precision and recall over all bookmarks (micro) and as means over documents (macro)."""
    usable = [score for score in scores if score.usable]
    right = sum(score.right for score in usable)
    return {
        "documents": len(usable),
        "unusable": len(scores) - len(usable),
        "bookmarks": sum(score.printed for score in usable),
        "recall": ratio(right, sum(score.printed for score in usable)),
        "precision": ratio(right, sum(score.found for score in usable)),
        "recall_macro": _mean([score.right / score.printed for score in usable if score.printed]),
        "precision_macro": _mean([score.right / score.found for score in usable if score.found]),
        "level": ratio(sum(score.level_right for score in usable), right),
    }


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def _misses(score: HeadingScore) -> Sequence[str]:
    if not score.usable:
        return [
            f"not counted: {score.printed} of {score.bookmarks} bookmarks are printed where they point to"
        ]
    return score.misses
