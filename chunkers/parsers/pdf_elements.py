"""Groups of lines made elements: which are headings and captions, and the text of each."""

import re
from collections.abc import Sequence
from itertools import pairwise, zip_longest
from typing import NamedTuple

from capsa.chunkers.captions import is_caption
from capsa.chunkers.model import BlockKind

from . import pdf_headings
from .pdf_equations import equation_text
from .pdf_headings import Bookmark, Styles
from .pdf_lines import LEADER, Line
from .pdf_lists import Nesting, is_item
from .pdf_paragraphs import Group, same_row
from .pdf_promote import Judge, merge_titles
from .pdf_tables import Table
from .pdf_text import Joiner, clean, squeeze

_DOTS = re.compile(r"(?:\s[.·])+\s")


class Element(NamedTuple):
    """A block to be: its kind, text and what is known of it."""

    kind: BlockKind
    text: str
    page: int
    level: int = 0
    found_by: str = "pdf:layout"
    header: int | None = None
    joiner: str = "\n\n"
    size: float = 0.0


def to_elements(
    groups: Sequence[Group], styles: Styles, bookmarks: Sequence[Bookmark], joiner: Joiner
) -> list[Element]:
    """Decide on headings and captions, and write each group's text."""
    elements: list[Element] = []
    headings: list[tuple[str, Line, int]] = []
    places: list[int] = []
    title_over = False
    groups = merge_titles(groups, styles)
    judge, nesting = Judge(groups, styles), Nesting()
    for group, following in zip_longest(groups, groups[1:]):
        reason = judge.reason(group, following, title_over)
        if reason:
            text = joiner.paragraph(group.lines)
            if elements and elements[-1].kind == "heading" and pdf_headings.is_bare_part(elements[-1].text):
                text = f"{elements.pop().text} {text}"
                del headings[-1], places[-1]
            level = bookmarks[group.heading - 1].level if group.heading else group.level
            headings.append((text, group.lines[0], level))
            places.append(len(elements))
            size = group.lines[0].size
            elements.append(Element("heading", text, group.lines[0].page, 0, f"pdf:{reason}", size=size))
            nesting.clear()
        else:
            nesting.see(group)
            elements.append(_element(group, styles, joiner, elements))
        title_over = _on_title_page(elements, group, title_over, styles)
    for place, level in zip(places, pdf_headings.assign_levels(headings), strict=True):
        elements[place] = elements[place]._replace(level=level)
    return elements


def _on_title_page(elements: Sequence[Element], group: Group, title_over: bool, styles: Styles) -> bool:
    """After a longer document's title come its authors, set large but no headings, until the body begins."""
    if group.lines[0].page > 1 or styles.pages < 2:
        return False
    if elements[-1].kind == "heading":
        return len(elements) <= 2 or title_over
    return title_over and not (len(group.lines) > 2 and group.lines[0].size <= styles.body)


def _element(group: Group, styles: Styles, joiner: Joiner, before: Sequence[Element]) -> Element:
    page = group.lines[0].page
    if group.table is not None:
        return table_element(group.table, page, group.found_by)
    if group.kind == "code":
        return Element("code", code_text(group.lines), page, found_by="pdf:fixed-pitch")
    if group.kind == "equation":
        return Element("equation", equation_text(group.lines), page, found_by="pdf:math")
    text = joiner.paragraph(group.lines)
    if not text:
        return Element("paragraph", "", page)
    if group.kind == "toc":
        text = squeeze(_DOTS.sub(" ", LEADER.sub(" ", text)))
        return _item(text, page, before, "pdf:toc")
    if group.kind in ("figure", "furniture"):
        return Element(group.kind, text, page, found_by=group.found_by)
    if group.kind == "caption" or is_caption(text):
        return Element("caption", text, page, found_by=group.found_by or "pdf:label")
    if is_item(group):
        return _item(text, page, before, group.found_by or "pdf:marker", max(group.depth, 1))
    if group.kind == "footnote" or _is_footnote(group, styles, text):
        return Element("footnote", text, page, found_by=group.found_by or "pdf:layout")
    return Element("paragraph", text, page, found_by=group.found_by or "pdf:layout")


def _item(text: str, page: int, before: Sequence[Element], found_by: str, depth: int = 1) -> Element:
    """Items of one list stand on lines of their own without an empty one between them."""
    follows = bool(before) and before[-1].kind == "list_item" and before[-1].found_by == found_by
    follows = follows and (before[-1].page == page or found_by == "pdf:toc")
    return Element("list_item", text, page, depth, found_by, joiner="\n" if follows else "\n\n")


def _is_footnote(group: Group, styles: Styles, text: str) -> bool:
    marked = text[0].isdigit() or text[0] in "*†‡§¹²³⁴⁵"
    return (
        marked and group.lines[0].base < 220 and all(line.size < 0.93 * styles.body for line in group.lines)
    )


def table_element(table: Table, page: int, found_by: str) -> Element:
    """Return the table with tabs between cells and line ends between rows."""
    rows = ["\t".join(row).rstrip("\t") for row in table.rows]
    header = len("\n".join(rows[: table.header_rows])) if table.header_rows else None
    return Element("table", "\n".join(rows), page, found_by=found_by, header=header)


def code_text(lines: Sequence[Line]) -> str:
    """Return the lines with their indentation, the columns inside them and blank lines between them kept."""
    width = _character_width(lines)
    left = min(line.x0 for line in lines)
    blank = 1.9 * _step(lines)
    rows: list[str] = []
    last: Line | None = None
    for line in lines:
        text = _spaced(line, width)
        if last is not None and same_row(last, line):
            rows[-1] += " " * max(1, round((line.x0 - last.x1) / width)) + text
        else:
            if last is not None and last.base - line.base > blank:
                rows.append("")
            rows.append(" " * round((line.x0 - left) / width) + text)
        last = line
    return "\n".join(rows)


def _spaced(line: Line, width: float) -> str:
    if not line.cells:
        return clean(line.text) + ("-" if line.hyphen else "")
    text, end = "", line.cells[0].x0
    for cell in line.cells:
        text += " " * max(int(bool(text)), round((cell.x0 - end) / width)) + clean(cell.text)
        end = cell.x1
    return text + ("-" if line.hyphen else "")


def _character_width(lines: Sequence[Line]) -> float:
    widths = sorted(
        (line.x1 - line.x0) / len(line.text) for line in lines if len(line.text) > 4 and not line.cells
    )
    return max(widths[len(widths) // 2] if widths else 0.6 * lines[0].size, 0.5)


def _step(lines: Sequence[Line]) -> float:
    steps = sorted(a.base - b.base for a, b in pairwise(lines) if a.base > b.base + 1)
    return steps[len(steps) // 4] if steps else 1.2 * lines[0].size
