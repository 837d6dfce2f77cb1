"""Headings of PDFs against their bookmarks, which are hidden from the parser for this, and labelled pages."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from statistics import fmean
from typing import Any, NamedTuple

from .structure_html import words
from .structure_library import Library, PdfText, Work, open_pdf, ratio

LEAST_BOOKMARKS = 4
PRINTED_SHARE = 0.5
"""Bookmarks of which fewer are printed on their pages say nothing of the headings."""
_PART = frozenset(("chapter", "appendix", "part", "section", "kapitel", "anhang", "teil"))
_NUMBER = re.compile(
    r"\d+|[a-z]|[ivxl]{1,4}|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    r"|(?:twenty|thirty)?(?:one|two|three|four|five|six|seven|eight|nine)|twenty|thirty"
)


class Heading(NamedTuple):
    """A heading by its page, depth from 1, and key; ``numbered`` when it is nothing but a number."""

    page: int
    level: int
    key: str
    numbered: bool
    text: str


@dataclass(frozen=True, slots=True)
class HeadingScore:
    """One PDF: headings wanted, found, right, and of these at the right level.

    Wanted are those of the ``bookmarks`` that are printed where they point to, or, when they are None, those
    of labelled pages.
    """

    document: str
    bookmarks: int | None
    wanted: int
    found: int
    right: int
    level_right: int
    wrong: Sequence[str] = field(default=(), repr=False)

    @property
    def usable(self) -> bool:
        """Whether enough bookmarks are printed to say something of the headings."""
        return self.bookmarks is None or self.wanted >= PRINTED_SHARE * self.bookmarks


def prepare(library: Library) -> Work:
    """Measure the PDFs that have bookmarks, then the labelled pages."""
    bookmarks = {name: found for name in library.pdfs() if (found := read_bookmarks(library.data(name)))}
    few = {name: len(found) for name, found in bookmarks.items() if len(found) < LEAST_BOOKMARKS}
    labels, gaps = library.labels("headings")
    gaps += [f"{name}: bookmarks too few, {count}" for name, count in few.items()]
    steps = [
        (name, partial(measure_bookmarks, library, name, found))
        for name, found in bookmarks.items()
        if name not in few
    ]
    steps += [(name, partial(measure_labels, library, name, some)) for name, some in labels.items()]
    return Work(steps, summarise, _misses, gaps)


def read_bookmarks(data: bytes) -> list[Heading]:
    """Return the bookmarks that point to a page; none of a file that pdfium does not open."""
    found = []
    with open_pdf(data) as pdf:
        for bookmark in pdf.get_toc() if pdf is not None else ():
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
    """Return the words of a heading without "Chapter 1", "One", "2.3" or "A" before them."""
    rest = list(spoken)
    if len(rest) > 1 and rest[0] in _PART:
        rest = rest[2:]
    while rest and _NUMBER.fullmatch(rest[0]):
        rest = rest[1:]
    return rest


def measure_bookmarks(library: Library, document: str, bookmarks: Sequence[Heading]) -> list[HeadingScore]:
    """Match bookmarks with headings of the same words on the same page, or the one before or after.

    Headings before the first page with a bookmark are left out: bookmarks say nothing of front matter.
    """
    pages = ["".join(words([text])) for text in PdfText(library.data(document)).pages]
    wanted = [mark for mark in bookmarks if mark.key and _is_printed(mark, pages)]
    first = min((mark.page for mark in wanted), default=0)
    found = [heading for heading in found_headings(library, document) if heading.page >= first]
    pairs = match(wanted, found)
    matched = set(pairs.values())
    wrong = [found[n] for n in range(len(found)) if n not in matched and not found[n].numbered]
    score = HeadingScore(
        document,
        len(bookmarks),
        len(wanted),
        len(matched) + len(wrong),
        len(pairs),
        sum(wanted[mark].level == found[heading].level for mark, heading in pairs.items()),
        [f"p{mark.page} missed: {mark.text[:60]}" for n, mark in enumerate(wanted) if n not in pairs]
        + [f"p{heading.page} not a bookmark: {heading.text[:60]}" for heading in wrong],
    )
    return [score]


def measure_labels(
    library: Library, document: str, labels: Sequence[Mapping[str, Any]]
) -> list[HeadingScore]:
    """Compare the headings of labelled pages; labels hold hashes of their keys, so as to copy no text."""
    wanted = Counter((label["page"], key) for label in labels for key in label["headings"])
    maybe = {(label["page"], key) for label in labels for key in label["maybe"]}
    pages = {label["page"] for label in labels}
    counted = [
        heading
        for heading in found_headings(library, document)
        if heading.page in pages and not heading.numbered and (heading.page, label_key(heading)) not in maybe
    ]
    found = Counter((heading.page, label_key(heading)) for heading in counted)
    wrong = [heading for heading in counted if (heading.page, label_key(heading)) not in wanted]
    right = (wanted & found).total()
    lost = [f"p{page}: {count} missed" for page, count in Counter(page for page, _ in wanted - found).items()]
    score = HeadingScore(
        document,
        None,
        wanted.total(),
        len(counted),
        right,
        0,
        [*lost, *(f"p{heading.page} not a heading: {heading.text[:60]}" for heading in wrong)],
    )
    return [score]


def label_key(heading: Heading) -> str:
    """Return what a label holds of a heading."""
    return sha256(heading.key.encode()).hexdigest()[:12]


def found_headings(library: Library, document: str) -> list[Heading]:
    """Return the headings that the parser finds without bookmarks and structure tree."""
    parsed = library.bare(document)
    return [
        _heading(block.page or 0, block.level, parsed.text[block.start : block.end])
        for block in parsed.blocks
        if block.kind == "heading"
    ]


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
    """Return precision and recall over all bookmarks, as means over documents, and over labelled pages."""
    usable = [score for score in scores if score.usable]
    marked = [score for score in usable if score.bookmarks is not None]
    labelled = [score for score in usable if score.bookmarks is None]
    return {
        "documents": len(marked),
        "unusable": len(scores) - len(usable),
        "bookmarks": sum(score.wanted for score in marked),
        "recall": ratio(_right(marked), sum(score.wanted for score in marked)),
        "precision": ratio(_right(marked), sum(score.found for score in marked)),
        "recall_macro": _mean([score.right / score.wanted for score in marked if score.wanted]),
        "precision_macro": _mean([score.right / score.found for score in marked if score.found]),
        "level": ratio(sum(score.level_right for score in marked), _right(marked)),
        "labelled": sum(score.wanted for score in labelled),
        "labelled_recall": ratio(_right(labelled), sum(score.wanted for score in labelled)),
        "labelled_precision": ratio(_right(labelled), sum(score.found for score in labelled)),
    }


def _right(scores: Sequence[HeadingScore]) -> int:
    return sum(score.right for score in scores)


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def _misses(score: HeadingScore) -> Sequence[str]:
    if not score.usable:
        return [f"not counted: {score.wanted} of {score.bookmarks} bookmarks are printed where they point to"]
    return score.wrong
