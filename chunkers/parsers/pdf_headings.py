"""Headings of a PDF and their levels: by bookmarks, else by size, weight, numbering and capitals."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from .pdf_lines import Line
from .pdf_paragraphs import Group
from .pdf_text import clean, readable, squeeze

MAX_BOOKMARKS = 5000
MAX_LOOKS = 300_000
"""Lines that are compared with bookmarks, each counted as often: a manual of 200 pages needs 30,000."""
NUMBER = re.compile(
    r"^(\d{1,3}(?:\.\d{1,3}){0,5})[.)]?\s+(?=\S)|^([A-Z](?:\.\d{1,3})+)\.?\s+|^([IVX]{1,5})\.\s+"
)
PART = re.compile(
    r"^(?:chapter|appendix|part|book|volume|kapitel|anhang|teil|chapitre|annexe|cap[ií]tulo|capitolo|глава)\b"
    r"|^第\s?[\d〇一二三四五六七八九十百]{1,5}\s?[章編编部篇]|^제\s?\d{1,3}\s?[장편부]",
    re.IGNORECASE,
)
SECTION = re.compile(
    r"^(?:section|article|schedule|abschnitt|artikel|sección|sezione|§)\s*[\dIVX]"
    r"|^第\s?[\d〇一二三四五六七八九十百]{1,5}\s?[節节条條]|^제\s?\d{1,3}\s?[절조]",
    re.IGNORECASE,
)
ADMONITION = re.compile(
    r"^(?:note|tip|hint|caution|warning|important|danger|attention|see also|hinweis|achtung|remarque)\W*$",
    re.I,
)
_SPELLED = re.compile(
    r"^(?:(?:twenty|thirty|forty)[ -]?)?(?:one|two|three|four|five|six|seven|eight|nine)$"
    r"|^(?:ten|eleven|twelve|twenty|thirty|forty|(?:thir|four|fif|six|seven|eigh|nine)teen)$",
    re.IGNORECASE,
)
_PART_NUMBER = re.compile(r"^(?:\d{1,3}|[IVXLC]{1,7}|[A-Z])[.:]?$")
_NUMBERING = re.compile(
    r"^(?:(?:chapter|appendix|section|part|kapitel|anhang)\s+)?(?:[\divxlc]+|[A-Z])(?:\.\d+)*[.:)]?\s+", re.I
)
NUMBERED_TITLE = re.compile(r"^(?:\d{1,2}(?:\.\d{1,2})+\.?|[A-Z]\.)\s+[^\W\d_a-z].{2,80}(?<![.,;:])$")
_CAPITALISED = re.compile(r"[A-Z][\w-]+(?: (?:of|the|a|an|and|or|for|in|on|to|with|by|[A-Z][\w-]*)){1,8}")
_LETTERS = re.compile(r"[^\W\d_]")
_OTHER_ASCII = bytes(code for code in range(128) if not chr(code).isalnum())
LONGEST_NUMBER = 20
LONGEST = 180
SHORT_LABEL = 40
"""Characters of a bold line with a colon that is a heading: longer ones announce what follows."""
LARGER = 1.09
"""Times the body's size: LaTeX's \\large is 1.2, Word's third heading level 1.09."""


class Bookmark(NamedTuple):
    """An entry of the outline: where it points and how deep it is, from 1."""

    title: str
    page: int
    level: int


class Styles(NamedTuple):
    """The usual size of the document's text, and how many pages it has."""

    body: float
    pages: int


def read_bookmarks(pdf: Any) -> list[Bookmark]:
    """Return the outline's entries that name a page."""
    found = []
    for entry in islice(pdf.get_toc(max_depth=8), MAX_BOOKMARKS):
        destination = entry.get_dest()
        index = destination.get_index() if destination is not None else None
        title = readable(entry.get_title)
        if index is not None and title:
            found.append(Bookmark(title, index + 1, min(entry.level + 1, 6)))
    return found


def key(text: str) -> str:
    """Return the letters and digits of a title, to compare by."""
    if text.isascii():
        return text.lower().encode().translate(None, _OTHER_ASCII).decode()
    return "".join(filter(str.isalnum, clean(text))).lower()


def bare_key(text: str) -> str:
    """Return the key of a title without its number."""
    match = _NUMBERING.match(text)
    return (key(text[match.end() :]) if match else "") or key(text)


class _Keyed(NamedTuple):
    """A line with its keys."""

    line: Line
    whole: str
    bare: str


def _keyed(line: Line) -> _Keyed:
    whole = key(line.text)
    match = _NUMBERING.match(line.text)
    return _Keyed(line, whole, (key(line.text[match.end() :]) or whole) if match else whole)


def _fits(text: str, limit: int) -> bool:
    """Say whether the text can be a title of so many characters, the spaces of spaced letters not counted."""
    return len(text) <= limit or len(text) - text.count(" ") <= min(limit, 0.6 * len(text))


def confirm(bookmarks: Sequence[Bookmark], pages: Mapping[int, Sequence[Line]]) -> dict[int, int]:
    """Return, by the id of each line that is part of a bookmarked heading, the bookmark's number from 1."""
    found: dict[int, int] = {}
    keyed: dict[int, list[_Keyed]] = {}
    longest: dict[int, int] = {}
    looks = 0
    for bookmark in bookmarks:
        for page in (bookmark.page, bookmark.page + 1):
            longest[page] = max(longest.get(page, 0), len(bookmark.title))
    for number, bookmark in enumerate(bookmarks, start=1):
        for page in (bookmark.page, bookmark.page + 1):
            if page not in keyed:
                limit = longest[page] + LONGEST_NUMBER
                keyed[page] = [_keyed(line) for line in pages.get(page, ()) if _fits(line.text, limit)]
            looks += len(keyed[page])
            if looks > MAX_LOOKS:
                return found
            lines = _find_title(bookmark.title, keyed[page], found)
            if lines:
                found.update((id(line), number) for line in lines)
                break
    return found


def _find_title(title: str, lines: Sequence[_Keyed], taken: Mapping[int, int]) -> list[Line]:
    """Return the one to three lines that make the title, the most prominent when there are several."""
    whole, bare = key(title), bare_key(title)
    if len(bare) < 2:
        return []
    found: list[list[Line]] = []
    for index, (line, text, text_bare) in enumerate(lines):
        if not text or line.leader or id(line) in taken:
            continue
        for length in (1, 2, 3):
            if length > 1:
                if index + length > len(lines) or not _may_begin(text, text_bare, whole, bare):
                    break
                more = lines[index + length - 1].whole
                text, text_bare = text + more, text_bare + more
            if text == whole or text_bare == bare:
                found.append([member.line for member in lines[index : index + length]])
                break
    return max(found, key=lambda part: (part[0].size, part[0].bold), default=[])


def _may_begin(text: str, text_bare: str, whole: str, bare: str) -> bool:
    return whole.startswith(text) or bare.startswith(text_bare) or bare.startswith(text)


def body_size(lines: Sequence[Line]) -> float:
    """Return the font size that most characters outside code have."""
    counts: Counter[float] = Counter()
    for line in lines:
        if not line.mono:
            counts[line.size] += len(line.text)
    if not counts:
        counts.update({line.size: len(line.text) for line in lines})
    return max(counts.items(), key=lambda item: (item[1], item[0]))[0] if counts else 10.0


def is_heading(group: Group, styles: Styles, before_text: bool) -> str:
    """Return how the group is known as a heading ("size", "bold", "number", "capitals"), or ""."""
    lines = group.lines
    if group.kind != "text" or len(lines) > 4:
        return ""
    size = min([line.size for line in lines if len(line.text) > 2], default=lines[0].size)
    bold = all([line.bold for line in lines])
    alone = group.gap_before and group.gap_after and len(lines) == 1 and size >= 0.93 * styles.body
    if not (alone or bold or lines[0].font.italic or size >= LARGER * styles.body):
        return ""
    text = squeeze(" ".join([line.text for line in lines]))
    if not _could_be_title(text):
        return ""
    if size >= LARGER * styles.body and (bold or size >= 1.15 * styles.body or NUMBER.match(text)):
        return "" if before_text and not bold else "size"
    if bold and size >= 0.93 * styles.body and len(lines) <= 2 and len(text) <= 120:
        if text[-1] == ":":
            return "bold" if group.gap_before and len(text) <= SHORT_LABEL else ""
        return (
            "bold"
            if text[-1] not in ",;" and (group.gap_before or group.gap_after or len(text) <= 60)
            else ""
        )
    if lines[0].font.italic and _is_italic_title(group, text):
        return "italic"
    if not alone:
        return ""
    if (match := NUMBER.match(text)) and "." in match[0].rstrip(". ") and text[match.end()].isupper():
        return "number"
    letters = len(_LETTERS.findall(text))
    capitals = text.isupper() and letters >= max(5, 0.8 * (len(text) - text.count(" "))) and len(text) <= 80
    return "capitals" if capitals else ""


def _is_italic_title(group: Group, text: str) -> bool:
    """Say whether the text is an italic line "3.1 Tides" or "Tides of the Bay" with room above it."""
    if not group.gap_before or len(group.lines) > 1 or not group.lines[0].font.italic:
        return False
    return NUMBERED_TITLE.match(text) is not None or _CAPITALISED.fullmatch(text) is not None


def confirmed_styles(groups: Sequence[Group]) -> frozenset[tuple[int, bool]] | None:
    """Return the sizes and weights of the bookmarked headings, or None when there are too few to judge by."""
    styles = [(round(group.lines[0].size), group.lines[0].bold) for group in groups if group.heading]
    return frozenset(styles) if len(styles) >= 5 else None


def stands_alone(group: Group, following: Group | None, trusted: frozenset[tuple[int, bool]] | None) -> bool:
    """Tell a heading of the body's size from a bold line and from a term explained by the text below it.

    Where bookmarks have confirmed headings, none of the body's size is taken that has no confirmed fellow.
    """
    first = group.lines[0]
    if trusted is not None and (round(first.size), first.bold) not in trusted:
        return False
    if following is None or group.gap_after or following.kind not in ("text", "code", "list_item"):
        return True
    below = following.lines[0]
    return below.page != first.page or below.x0 - first.x0 < 0.9 * first.size


def _could_be_title(text: str) -> bool:
    if not 2 <= len(text) <= LONGEST or not _LETTERS.search(text):
        return False
    if ADMONITION.match(text) and not text.isupper():
        return False
    return not (text[-1] in ".,;" and len(text) > 12 and not text.endswith("...")) and "@" not in text


def is_bare_part(text: str) -> bool:
    """Say whether the heading is only "Chapter 3" or "THREE", whose name follows in another line."""
    if _SPELLED.match(text):
        return True
    words = text.split()
    return PART.match(text) is not None and (len(words) == 1 or (len(words) == 2 and _is_number(words[1])))


def _is_number(word: str) -> bool:
    return _PART_NUMBER.match(word) is not None or _SPELLED.match(word) is not None


def level_by_words(text: str) -> int:
    """Return the level that a heading's number or first word tells, or 0."""
    if PART.match(text) or (text.isupper() and _SPELLED.match(text.partition(" ")[0])):
        return 1
    match = NUMBER.match(text)
    if match is None:
        return 2 if SECTION.match(text) else 0
    if match[1]:
        return min(match[1].count(".") + 1, 6)
    return min(match[2].count(".") + 1, 6) if match[2] else 1


def assign_levels(headings: Sequence[tuple[str, Line, int]]) -> list[int]:
    """Return levels for headings given as text, first line and known level (0 for unknown).

    A style takes the level that its known members have most often; the rest are ranked by size and weight.
    """
    known = [level or level_by_words(text) for text, _, level in headings]
    votes: dict[tuple[float, bool], Counter[int]] = {}
    for (_, line, _), level in zip(headings, known, strict=True):
        if level:
            votes.setdefault((line.size, line.bold), Counter())[level] += 1
    ranks: dict[tuple[float, bool], int] = {}
    rank, size, voted = 0, float("inf"), False
    for style in sorted({(line.size, line.bold) for _, line, _ in headings}, reverse=True):
        if style in votes:
            rank, voted = max(votes[style].items(), key=lambda item: (item[1], -item[0]))[0], True
        elif voted or not votes:
            rank += style[0] < size - 0.5
        else:
            rank = 1
        rank, size = min(max(rank, 1), 6), style[0]
        ranks[style] = rank
    return [level or ranks[line.size, line.bold] for level, (_, line, _) in zip(known, headings, strict=True)]
