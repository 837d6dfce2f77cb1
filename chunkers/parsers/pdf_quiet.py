"""Headings in the size and weight of the text: told by their words, their place, or a font of their own."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from capsa.chunkers.captions import is_caption

from .pdf_headings import LARGER, NUMBER, Styles
from .pdf_lines import Line
from .pdf_paragraphs import Group

LONGEST = 70
FEW = 2
"""Lines of one kind from which on they are headings, where one alone may be anything."""
OWN = 3
"""The same for lines whose only sign is their font."""
MOST = 0.8
"""The part of the lines in a font that must stand alone."""
SMALLEST = 0.9
"""Times the size of the text that a heading in a font of its own has at least."""
CENTRED = 3.0
"""Points between the middles of a centred line and of the text below it."""
INDENT = 0.12
"""The part of the text's width by which a centred line stands in from its edge at least."""
_NAMED = re.compile(
    r"(?i:chapter|appendix|annex|part|article|section|schedule|kapitel|anhang|abschnitt|artikel|chapitre|annexe"
    r"|cap[ií]tulo|capitolo|глава|§)"
    r"\s?(?:\d{1,3}|[IVXLC]{1,6}|[A-Z])\b(?:[.:]?\s+(?=[^\W\d_a-z])|[.:]?$|\s?[-–—]\s)"
)
_TITLE = re.compile(r"[A-Z][\w'-]*(?: (?:of|the|a|an|and|or|for|in|on|to|with|by|[A-Z\d][\w'-]*)){1,8}")
_NUMERALS = "一二三四五六七八九十"
_BEGINS = re.compile("[\\d§(（\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LISTED = re.compile(f"[{_NUMERALS}]{{1,3}}、|[（(][{_NUMERALS}]{{1,3}}[）)]")
_WORD = re.compile("[^\\W\\d_]{4}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2}")
_NO_TITLE = re.compile(r"[=<>{}|@\\;]|[.,;:!。，；：！、]$|https?:")

Style = tuple[str, float]


def quiet_headings(groups: Sequence[Group], styles: Styles) -> dict[int, str]:
    """Return how such groups are known, by their ids: "number", "capitals", "centred" or "font"."""
    lines = [(group.lines[0], group, following) for group, following in _candidates(groups)]
    found = {id(group): "number" for line, group, following in lines if _is_numbered(line, group, following)}
    capitals = [group for line, group, _ in lines if line.text.isupper()]
    centred = [group for line, group, following in lines if _is_centred(line, following)]
    for some, reason in ((capitals, "capitals"), (centred, "centred")):
        if len(some) >= FEW:
            found.update((id(group), reason) for group in some if id(group) not in found)
    own = own_styles(groups, [line for line, group, _ in lines if group.gap_after], styles.body)
    for line, group, _ in lines:
        if _style(line) in own:
            found.setdefault(id(group), "font")
    return found


def _candidates(groups: Sequence[Group]) -> Iterator[tuple[Group, Group]]:
    """Yield single lines that may be titles, each with the text that follows on its page."""
    for group, following in pairwise(groups):
        line = group.lines[0]
        if group.kind != "text" or len(group.lines) > 1 or group.found_by or group.heading or group.level:
            continue
        if following.kind not in ("text", "list_item", "code") or following.lines[0].page != line.page:
            continue
        if group.gap_before and not line.cells and _may_be_title(line.text):
            yield group, following


def _may_be_title(text: str) -> bool:
    if not 3 < len(text) <= LONGEST or not (text[0].isupper() or _BEGINS.match(text)):
        return False
    return _WORD.search(text) is not None and not _NO_TITLE.search(text) and not is_caption(text)


def _is_numbered(line: Line, group: Group, following: Group) -> bool:
    """Say whether the line is "Article 5", or "2.1 Tides" over text that has no number itself."""
    if _NAMED.match(line.text) or _LISTED.match(line.text):
        return group.gap_after
    match = NUMBER.match(line.text)
    if match is None or "." not in match[0].rstrip(". ") or not line.text[match.end()].isupper():
        return False
    return following.kind == "text" and not NUMBER.match(following.lines[0].text)


def _is_centred(line: Line, following: Group) -> bool:
    """Say whether the line stands in the middle over a paragraph, and its words are written as a title's."""
    if len(following.lines) < 2 or not _TITLE.fullmatch(line.text):
        return False
    left = min(other.x0 for other in following.lines)
    right = max(other.x1 for other in following.lines)
    middle = abs(line.x0 + line.x1 - left - right) / 2 < CENTRED
    return middle and line.x0 - left > INDENT * (right - left)


def own_styles(groups: Sequence[Group], alone: Sequence[Line], body: float) -> frozenset[Style]:
    """Return the fonts and sizes that hardly any but lines standing alone have, on two pages or more."""
    seen: Mapping[Style, int] = Counter([_style(line) for line in alone])
    pages = Counter([style for style, _ in {(_style(line), line.page) for line in alone}])
    often = [style for style, count in seen.items() if count >= OWN and pages[style] > 1]
    if not often:
        return frozenset()
    used = Counter([(line.font.name, line.size) for group in groups for line in group.lines])
    usual = max(used.items(), key=lambda item: item[1], default=(("", 0.0), 0))[0]
    fonts = {_style(line): line.font for line in alone}
    return frozenset(
        style
        for style in often
        if seen[style] >= MOST * used[style]
        and style[1] >= (LARGER if style[0] == usual[0] else SMALLEST) * body
        and not (fonts[style].mono or fonts[style].math)
    )


def _style(line: Line) -> Style:
    return line.font.name, line.size
