"""Lines made paragraphs, list items and code: joined across lines, columns and pages."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from capsa.chunkers.captions import is_caption, is_label

from .pdf_captions import begins_caption
from .pdf_cut_code import continues_code, cut_listing
from .pdf_cut_tables import continues, joined
from .pdf_lines import Line
from .pdf_measures import Page
from .pdf_tables import Table

GroupKind = Literal[
    "text",
    "list_item",
    "code",
    "table",
    "toc",
    "footnote",
    "figure",
    "caption",
    "equation",
    "furniture",
]

BULLET = re.compile(r"^[•▪◦‣∙·●○■□➢►✓❖\uf0b7\uf0a7\uf0d8]|^[–—*-] ")
NUMBERED = re.compile(r"^(?:\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)]|\[\d{1,3}\])\s+\S")
_ENTRY = re.compile(r"^(?:\d{1,2}|[A-Z])(?:\.\d{1,3})+\.?\s|.*\D\d{1,4}$")
_SENTENCE_END = re.compile(r"[.!?:。！？；;][\"'”’)\]»]*$")
NEW_BLOCK = 1.28
"""Times the usual leading: space between paragraphs starts at 1.4 of it, jitter between lines ends at 1.2."""


@dataclass(slots=True)
class Group:
    """Lines that make one block."""

    kind: GroupKind
    lines: list[Line] = field(default_factory=list)
    table: Table | None = None
    heading: int = 0
    level: int = 0
    found_by: str = ""
    gap_before: bool = False
    gap_after: bool = False
    depth: int = 0


Item = Line | Group
"""A line, or a group of lines that is known as a table or a figure."""


def ends_with_number(line: Line) -> bool:
    """Say whether the last part of the line is a number, as in a table of contents the page's is."""
    return len(line.cells) > 1 and line.cells[-1].text.strip().isdigit()


class Grouper:
    """Takes a document's lines and tables in reading order and makes the groups."""

    def __init__(self, mono_body: bool, confirmed: Mapping[int, int]) -> None:
        self.groups: list[Group] = []
        self.page: Page | None = None
        self._mono_body = mono_body
        self._confirmed = confirmed
        self._open: Group | None = None
        self._toc = False

    def start_page(self, page: Page, toc: bool) -> None:
        """Begin the next page."""
        self.page, self._toc = page, toc

    def add_item(self, item: Item) -> None:
        """Add a line, or a table or figure: a group of its own, or the rest of a table on the page before."""
        if isinstance(item, Line):
            self.add(item)
            return
        last = next((group for group in reversed(self.groups[-4:]) if group.kind != "furniture"), None)
        if last is not None and last.table and item.table and continues(last.table, item.table):
            last.table = joined(last.table, item.table)
            last.lines += item.lines
        else:
            self._push(item)

    def add_block(self, group: Group) -> None:
        """Add a block that is known as one; only the end of a page can have cut it."""
        last = self.groups[-1] if self.groups else None
        number = next((self._confirmed[id(line)] for line in group.lines if id(line) in self._confirmed), 0)
        if number and group.kind == "text":
            group.heading = number
        elif last is not None and self._is_cut(last, group):
            last.lines += group.lines
            return
        self._push(group)
        self._open = None

    def _is_cut(self, last: Group, group: Group) -> bool:
        """Say whether the page's first block is the rest of the block before."""
        first = group.lines[0]
        if (
            last.lines[-1].page == first.page
            or last.kind != group.kind
            or last.heading
            or last.level
            or group.level
        ):
            return False
        return not (first.bullet or BULLET.match(first.text)) and self._goes_on(last, last.lines[-1], first)

    def add(self, line: Line) -> None:
        """Add a line to the open group, or open a new one with it."""
        heading = self._confirmed.get(id(line), 0)
        kind = self._kind(line)
        group = self._open
        if heading:
            self._add_heading(line, heading)
        elif group is None or group.heading or not self._joins(group, line, kind):
            resumed = None
            if group is not None and kind == "text":
                resumed = self._resumed(line)
            elif group is not None and kind == "code":
                resumed = cut_listing(self.groups, line)
            if resumed is not None:
                resumed.lines.append(line)
                self._open = resumed
            else:
                self._push(Group(kind, [line], depth=1 if kind == "list_item" else 0))
        else:
            group.lines.append(line)

    def _add_heading(self, line: Line, number: int) -> None:
        if self._open is not None and self._open.heading == number:
            self._open.lines.append(line)
        else:
            self._push(Group("text", [line], heading=number))

    def _push(self, group: Group) -> None:
        previous = self.groups[-1] if self.groups else None
        if previous is not None:
            gap = self._is_gap(previous.lines[-1], group.lines[0])
            previous.gap_after = group.gap_before = gap
        else:
            group.gap_before = True
        group.gap_after = True
        self.groups.append(group)
        self._open = group

    def _is_gap(self, above: Line, below: Line) -> bool:
        assert self.page is not None
        if above.page != below.page or below.base > above.base:
            return True
        return above.base - below.base > NEW_BLOCK * self.page.usual(min(above.size, below.size))

    def _kind(self, line: Line) -> GroupKind:
        if line.leader or (self._toc and (ends_with_number(line) or self._is_long_entry(line))):
            return "toc"
        if line.mono and not self._mono_body and not self._is_caption_in_code(line):
            return "code"
        if line.bullet or BULLET.match(line.text):
            return "list_item"
        return "text"

    def _is_caption_in_code(self, line: Line) -> bool:
        """Say whether the line is a caption that stands apart from what is above it, in the font of code."""
        return begins_caption(line) and not (self.groups and self._is_near_code(self.groups[-1], line))

    def _is_near_code(self, group: Group, line: Line) -> bool:
        return group.kind == "code" and not self._is_gap(group.lines[-1], line)

    def _is_long_entry(self, line: Line) -> bool:
        """Say whether the line is an entry like the one above, but too long for its row of dots."""
        last = self._open.lines[-1] if self._open is not None and self._open.kind == "toc" else None
        if last is None or (last.page, last.size, last.bold) != (line.page, line.size, line.bold):
            return False
        return _ENTRY.match(line.text) is not None

    def _joins(self, group: Group, line: Line, kind: GroupKind) -> bool:
        """Say whether the line goes on with the group."""
        last = group.lines[-1]
        if group.kind in ("table", "figure", "toc") or kind == "toc":
            return False
        if same_row(last, line):
            return (group.kind != "code" or line.mono) and not begins_caption(line)
        if group.kind == "code":
            return kind == "code" and (continues_code(group.lines, line) or self._near(last, line, 2.6))
        if kind == "code":
            return self._is_inline(group, line)
        if kind == "list_item" or begins_caption(line):
            return False
        if group.lines[0] is last and is_label(last.text):
            return self._is_title(last, line)
        if last.page != line.page or line.base > last.base:
            return self._goes_on(group, last, line)
        return self._same_paragraph(group, last, line)

    def _is_title(self, label: Line, line: Line) -> bool:
        """Say whether the words of a caption stand below its label, at one edge with it or in the middle."""
        shift, centred = line.x0 - label.x0, (line.x0 + line.x1) - (label.x0 + label.x1)
        return self._near(label, line, NEW_BLOCK) and min(abs(shift), abs(centred)) < line.size

    def _near(self, last: Line, line: Line, factor: float) -> bool:
        assert self.page is not None
        return last.page == line.page and -line.size < last.base - line.base <= factor * self.page.usual(
            line.size
        )

    def _is_inline(self, group: Group, line: Line) -> bool:
        """A line of a paragraph that happens to be all in the code font goes on at the paragraph's edge."""
        last = group.lines[-1]
        if len(group.lines) < 2 and not BULLET.match(group.lines[0].text):
            return False
        return self._near(last, line, 1.15) and abs(line.x0 - last.x0) < 1.0 and not self._ends_short(last)

    def _ends_short(self, line: Line) -> bool:
        assert self.page is not None
        return self.page.is_short(line)

    def _same_paragraph(self, group: Group, last: Line, line: Line) -> bool:
        if not self._near(last, line, NEW_BLOCK):
            return False
        if last.size != line.size and len(line.text) > 3:
            small, large = sorted((last.size, line.size))
            if large > 1.12 * small:
                return False
        if line.bold != last.bold and (self._ends_short(last) or group.lines[0] is last):
            return False
        if NUMBERED.match(line.text) and self._starts_item(group, last, line):
            return False
        if self._is_indented_anew(group, last, line):
            return False
        if line.text[:1].islower():
            return True
        assert self.page is not None
        return not self.page.breaks_early(last, line)

    def _starts_item(self, group: Group, last: Line, line: Line) -> bool:
        """A number at a line's start begins an item unless the sentence above runs into it."""
        if NUMBERED.match(group.lines[0].text) and abs(group.lines[0].x0 - line.x0) < line.size:
            return True
        if group.kind == "list_item" and line.x0 < group.lines[0].x0 - line.size:
            return True
        return self._ends_short(last) or _SENTENCE_END.search(last.text) is not None

    def _is_indented_anew(self, group: Group, last: Line, line: Line) -> bool:
        """Say whether the left edge differs from the paragraph's, first lines indented or hanging aside."""
        shift = line.x0 - last.x0
        limit = 0.8 * line.size
        centred = abs((line.x0 + line.x1) - (last.x0 + last.x1)) < line.size
        if abs(shift) <= limit or centred:
            return False
        if same_row(group.lines[0], last) and len(group.lines) <= 3:
            first = group.lines[0]
            if shift < 0 and line.x0 - first.x0 > -4.5 * line.size:
                return False
            hanging = group.kind == "list_item" or NUMBERED.match(first.text) is not None
            hanging = hanging or last.hyphen or line.text[:1].islower()
            return not (hanging and shift < 6 * line.size)
        body = min(member.x0 for member in group.lines[1:] or group.lines)
        return abs(line.x0 - body) > limit

    def _goes_on(self, group: Group, last: Line, line: Line) -> bool:
        """Say whether a paragraph goes on in the next column or on the next page."""
        if (
            group.kind not in ("text", "list_item")
            or abs(last.size - line.size) > 0.6
            or last.bold != line.bold
        ):
            return False
        if last.hyphen:
            return True
        if _SENTENCE_END.search(last.text) or NUMBERED.match(line.text) or is_caption(line.text):
            return False
        if is_caption(group.lines[0].text):
            return False
        return line.text[:1].islower() or (
            len(group.lines) > 1 and not self._ends_short(last) and not line.bold
        )

    def _resumed(self, line: Line) -> Group | None:
        """Return the paragraph that a footnote, a figure or a table has interrupted at the page's end."""
        for group in reversed(self.groups[-4:]):
            last = group.lines[-1]
            if last.page == line.page and line.base <= last.base:
                return None
            if group.kind == "text" and not group.heading and last.page == line.page - 1:
                if line.text[:1].islower() and self._goes_on(group, last, line):
                    return group
                if abs(last.size - line.size) <= 0.6 and not is_caption(group.lines[0].text):
                    return None
        return None


def same_row(last: Line, line: Line) -> bool:
    """Say whether the line stands beside the last one, as parts of a formula do."""
    if last.page != line.page or line.x0 < last.x0:
        return False
    return abs(last.base - line.base) < 0.6 * max(last.size, line.size)
