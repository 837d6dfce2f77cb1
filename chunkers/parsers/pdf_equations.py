"""Displayed equations: formulas that stand apart from the text, each with its number and all of its parts."""

import re
from bisect import bisect_right
from collections.abc import Container, Iterable, Sequence

from .pdf_lines import Line
from .pdf_lists import is_item
from .pdf_paragraphs import Group, same_row

LONGEST = 400
FRAGMENT = 16
"""Characters of a part of a formula that stands above or below its line: a limit, one side of a fraction."""
INDENT = 1.2
"""Ems by which a formula is set further to the right than the text of its column."""
REACH = 2.4
"""Times the size that parts of one formula are apart at most."""
WORDY = 0.3
"""The part of a formula's characters that are in words."""
_RELATION = re.compile(r"[=<>≤≥≈≡≠∈→↦∼≅∝⊂⊆⊇⇒⇔∪∩∑∫∏√∂∇±×∀∃]")
_PROSE = re.compile(r"[^\W\d_]{4,}")
_SENTENCE = re.compile(r"(?:[^\W\d_]{2,}\W+){4}")
_NUMBER = re.compile(r"\((?:[A-Z]\.?)?\d{1,3}(?:\.\d{1,3})*[a-z]?\)")
_BRACKET = re.compile("[\u239b-\u23b1]")
_SYMBOLS = re.compile(
    "[\u2200-\u22ff\u27c0-\u27ef\u2980-\u2aff\U0001d400-\U0001d7ff\u0370-\u03ff\u239b-\u23b1\uf8e0-\uf8ff]"
)


def join_equations(groups: Sequence[Group]) -> list[Group]:
    """Return the groups with each displayed equation, its number and loose parts in one group."""
    found = [group for group in groups if is_formula(group)]
    edges = text_edges(groups, {group.lines[0].page for group in found})
    for group in found:
        if stands_apart(group, edges.get(group.lines[0].page, ())):
            group.kind = "equation"
    joined: list[Group] = []
    for group in groups:
        last = joined[-1] if joined else None
        if last is not None and _belong(last, group):
            last.kind = "equation"
            last.lines += group.lines
            last.gap_after = group.gap_after
        else:
            joined.append(group)
    return joined


def text_edges(groups: Iterable[Group], pages: Container[int]) -> dict[int, list[float]]:
    """Return where the lines of running text begin on these pages, from left to right."""
    edges: dict[int, list[float]] = {}
    for group in groups:
        if group.kind in ("text", "list_item") and group.lines[0].page in pages:
            for line in group.lines:
                if len(line.text) > 30 and _SENTENCE.search(line.text):
                    edges.setdefault(line.page, []).append(line.x0)
    return {page: sorted(found) for page, found in edges.items()}


def is_formula(group: Group) -> bool:
    """Say whether the group reads as a formula, or as the brackets of one."""
    if not _is_loose(group):
        return False
    text = " ".join([line.text for line in group.lines])
    characters = len(text) - len(group.lines) + 1
    if characters > LONGEST or not _has_sign(text) or is_item(group):
        return False
    return not _wordy(text) and not _SENTENCE.search(text)


def _has_sign(text: str) -> bool:
    """Say whether the text has a sign of a relation, or a part of a large bracket."""
    if text.isascii():
        return "=" in text or "<" in text or ">" in text
    return _RELATION.search(text) is not None or _BRACKET.search(text) is not None


def stands_apart(group: Group, edges: Sequence[float]) -> bool:
    """Say whether a formula is set further to the right than the text, or has a number or large brackets."""
    first = min(group.lines, key=lambda line: line.x0)
    before = bisect_right(edges, first.x0 + 1)
    numbered = any(line.cells and _NUMBER.fullmatch(line.cells[-1].text) for line in group.lines)
    if not numbered and (not before or first.x0 - edges[before - 1] <= INDENT * first.size):
        return any(_BRACKET.search(line.text) for line in group.lines)
    return _is_math(group) or sum([line.text.count(" ") + 1 for line in group.lines]) > 2


def equation_text(lines: Sequence[Line]) -> str:
    """Return the equation with a line for each of its own."""
    rows: list[str] = []
    last: Line | None = None
    for line in lines:
        if last is not None and same_row(last, line):
            rows[-1] += f" {line.text}"
        else:
            rows.append(line.text)
        last = line
    return "\n".join(rows)


def _is_loose(group: Group) -> bool:
    return group.kind == "text" and not (group.heading or group.level or group.found_by)


def _wordy(text: str) -> bool:
    return sum(map(len, _PROSE.findall(text))) > WORDY * len(text)


def _is_math(group: Group) -> bool:
    return any(line.font.math or _SYMBOLS.search(line.text) for line in group.lines)


def _belong(last: Group, group: Group) -> bool:
    """Say whether the groups are parts of one equation."""
    if "equation" not in (last.kind, group.kind) or not _near(last.lines[-1], group.lines[0]):
        return False
    other = group if last.kind == "equation" else last
    return other.kind == "equation" or (_is_loose(other) and _is_fragment(other))


def _is_fragment(group: Group) -> bool:
    text = " ".join([line.text for line in group.lines])
    if _NUMBER.fullmatch(text):
        return True
    return len(text) <= FRAGMENT and not _PROSE.search(text) and not text.endswith((".", ":"))


def _near(above: Line, below: Line) -> bool:
    size = max(above.size, below.size)
    return above.page == below.page and abs(above.base - below.base) <= REACH * size
