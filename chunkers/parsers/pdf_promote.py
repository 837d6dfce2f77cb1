"""Which groups are headings, judged with the whole document in view; pdf_headings looks at one alone."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from capsa.chunkers.captions import is_caption

from . import pdf_headings
from .pdf_headings import LARGER, NUMBER, NUMBERED_TITLE, PART, Styles
from .pdf_lines import Line
from .pdf_paragraphs import Group
from .pdf_quiet import quiet_headings
from .pdf_text import squeeze

PAGES_A_HEADING = 5
"""Pages for each tagged heading at most, for the tags to be all headings; else the fonts tell more."""
TITLE_LEADING = 1.5
"""Times the size: the lines of one long title stand 1.0 to 1.4 apart."""
LONGEST_TITLE = 4
CROWDED = 2.5
"""Groups of a style on each page that has it: headings are fewer, examples of large text are more."""
FEW_PAGES = 0.1
FEW = 2
"""Italic lines that look like titles from which on they are."""
BOLDER = 4
"""Times as many pages with bold headings as with light ones, for light ones to be none."""
MANY_PAGES = 8
_WORD = re.compile(r"[^\W\d_]{3}|^[^\W\d_]{2}$|[\u3040-\u9fff\uac00-\ud7af]")
_FAMILY = re.compile(r"[-,]|(?<=[a-z])(?:MT|Bold|Regular|Italic)|BX|SX")
_MARK = re.compile(r"^[({<=+*/|]")
_ENVIRONMENT = re.compile(
    r"^(?:definition|theorem|lemma|proposition|corollary|remark|example|proof|exercise|conjecture|claim"
    r"|bemerkung|beispiel|beweis|satz|aufgabe|teilaufgabe|korollar|folgerung|behauptung|théorème|lemme"
    r"|proposition|corollaire|remarque|exemple|démonstration)\b\W{0,3}(?:\d|\(|[a-z]\))",
    re.IGNORECASE,
)
_IMPRINT = re.compile(
    r"^(?:(?:release|version|revision|draft|edition)\s+v?\d|(?:\d{1,2}\.?\s+)?(?:jan|feb|m[aä]r|apr|ma[iy]|jun"
    r"|jul|aug|sep|o[ck]t|nov|de[cz])[a-zä]*\.?\s+(?:\d{1,2},?\s+)?\d{4}$|\d{4}-\d\d-\d\d$)",
    re.IGNORECASE,
)


def text_of(group: Group) -> str:
    """Return the group's lines as they stand, with single spaces."""
    return squeeze(" ".join(line.text for line in group.lines))


def merge_titles(groups: Sequence[Group], styles: Styles) -> list[Group]:
    """Return the groups with the lines of each long title, set larger than the body, in one."""
    merged: list[Group] = []
    for group in groups:
        last = merged[-1] if merged else None
        if last is not None and _goes_on(last, group, styles):
            last.lines += group.lines
            last.gap_after = group.gap_after
        else:
            merged.append(group)
    return merged


def _goes_on(last: Group, group: Group, styles: Styles) -> bool:
    above, below = last.lines[-1], group.lines[0]
    if last.kind != "text" or last.found_by or group.found_by or last.heading != group.heading:
        return False
    # A name in a title may be in the font of code.
    if group.kind not in ("text", "code") or len(last.lines) + len(group.lines) > LONGEST_TITLE:
        return False
    same = above.font.name == below.font.name and group.kind == "text"
    if above.page != below.page or above.size != below.size or not (same or (above.bold and below.bold)):
        return False
    near = 0 < above.base - below.base <= TITLE_LEADING * below.size
    text = text_of(group)
    return near and above.size >= LARGER * styles.body and not (NUMBER.match(text) or PART.match(text))


class Judge:
    """Knows which styles of the document are those of headings."""

    def __init__(self, groups: Sequence[Group], styles: Styles) -> None:
        self._styles = styles
        self._trusted = pdf_headings.confirmed_styles(groups)
        self._all_tagged = sum(1 for group in groups if group.level) * PAGES_A_HEADING >= styles.pages
        self._looks = {id(group): self._alone(group, False) for group in groups}
        large = [group for group in groups if self._looks[id(group)] == "size"]
        self._display = crowded_styles(large, styles.pages)
        self._bold_styles = bold_styles(large)
        self._large_pages = len({group.lines[0].page for group in large})
        self._title = title_of(groups, large, styles)
        alike = [
            (group, following) for group, following in pairwise(groups) if self._looks[id(group)] == "bold"
        ]
        self._used = Counter(style_of(group) for group, _ in alike)
        self._over_code = Counter(style_of(group) for group, following in alike if following.kind == "code")
        self._italic = sum(reason == "italic" for reason in self._looks.values())
        self._quiet = quiet_headings(groups, styles)

    def reason(self, group: Group, following: Group | None, title_over: bool) -> str:
        """Return how the group is known as a heading ("bookmark", "tag", "size", "bold", ...), or ""."""
        if group.heading:
            return "bookmark"
        if group.level:
            return "tag"
        if group.found_by and self._all_tagged:
            return ""
        reason = self._alone(group, True) if title_over else self._looks[id(group)] or self._is_quiet(group)
        if reason == "size":
            return reason if self._is_heading_style(group) else ""
        if reason == "italic" and self._italic < FEW and not NUMBERED_TITLE.match(text_of(group)):
            return ""
        if not reason or not pdf_headings.stands_alone(group, following, self._trusted):
            return ""
        # A manual with set headings has labels within its entries: "Syntax:", "Returns:".
        if group.lines[-1].text.endswith(":") and self._large_pages >= MANY_PAGES:
            return ""
        return "" if self._names_code(group, following) else reason

    def _alone(self, group: Group, title_over: bool) -> str:
        """Return what the group looks like when nothing else is known of the document."""
        reason = pdf_headings.is_heading(group, self._styles, title_over)
        if not reason:
            return ""
        text = text_of(group)
        if NUMBER.match(text) and _WORD.search(text):
            return "" if is_caption(text) else reason
        if not _WORD.search(text) or _MARK.match(text) or _IMPRINT.match(text) or is_caption(text):
            return ""
        return "" if reason != "size" and _ENVIRONMENT.match(text) else reason

    def _is_quiet(self, group: Group) -> str:
        """Return how a heading like the text is known, outside of a longer document's first page, or ""."""
        reason = self._quiet.get(id(group), "")
        first = group.lines[0]
        on_title_page = first.page == 1 and self._styles.pages > 1
        return "" if not reason or on_title_page or _ENVIRONMENT.match(first.text) else reason

    def _names_code(self, group: Group, following: Group | None) -> bool:
        """Where headings are larger than the body, an unnumbered bold line right above code names it."""
        if following is None or following.kind != "code" or NUMBER.match(group.lines[0].text):
            return False
        style = style_of(group)
        if following.lines[0].page != group.lines[0].page or self._over_code[style] * 2 < self._used[style]:
            return False
        return self._large_pages >= MANY_PAGES

    def _is_heading_style(self, group: Group) -> bool:
        first = group.lines[0]
        if self._title is not None and first.page == 1:
            return group is self._title
        if NUMBER.match(first.text) or PART.match(first.text):
            return True
        if (first.font.name, round(first.size)) in self._display:
            return False
        if first.font.bold or first.bold or first.page == 1:
            return True
        return not self._bold_styles or family_and_size(first) in self._bold_styles


def crowded_styles(large: Iterable[Group], pages: int) -> frozenset[tuple[str, int]]:
    """Return the styles of which a few of many pages are full: those of examples, not of headings."""
    first = [group.lines[0] for group in large]
    places = Counter((line.font.name, round(line.size), line.page) for line in first)
    groups: Counter[tuple[str, int]] = Counter()
    spread: Counter[tuple[str, int]] = Counter()
    for (name, size, _), count in places.items():
        groups[name, size] += count
        spread[name, size] += 1
    return frozenset(
        style
        for style, count in groups.items()
        if count >= 4 and count >= CROWDED * spread[style] and spread[style] <= FEW_PAGES * pages
    )


def style_of(group: Group) -> tuple[str, int]:
    """Return the name of the first line's font and the size."""
    first = group.lines[0]
    return first.font.name, round(first.size)


def family_and_size(line: Line) -> tuple[str, int]:
    """Return the name of the font's family and the size."""
    return _FAMILY.split(line.font.name)[0], round(line.size)


def bold_styles(large: Iterable[Group]) -> frozenset[tuple[str, int]]:
    """Return the bold headings' families and sizes where a document sets its headings bold, else nothing."""
    bold: set[int] = set()
    light: set[int] = set()
    styles: set[tuple[str, int]] = set()
    for group in large:
        first = group.lines[0]
        if first.bold or first.font.bold:
            bold.add(first.page)
            styles.add(family_and_size(first))
        else:
            light.add(first.page)
    enough = len(bold) >= MANY_PAGES and len(bold) >= BOLDER * len(light)
    return frozenset(styles) if enough else frozenset()


def title_of(groups: Sequence[Group], large: Sequence[Group], styles: Styles) -> Group | None:
    """Return the title on a title page; there the authors and the date are set large too."""
    first = [group for group in groups if group.lines[0].page == 1]
    if styles.pages < 3 or any(len(group.lines) > 2 or group.kind != "text" for group in first):
        return None
    if any(group.heading or group.level for group in first):
        return None
    titles = [group for group in large if group.lines[0].page == 1]
    return max(titles, key=lambda group: group.lines[0].size, default=None)
