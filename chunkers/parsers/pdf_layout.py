"""The layout pass: the lines of a PDF's pages made headings, paragraphs, lists, tables, code and captions."""

from collections.abc import Mapping, Sequence
from itertools import pairwise, zip_longest
from typing import NamedTuple

from capsa.chunkers.captions import is_caption
from capsa.chunkers.model import BlockKind

from . import pdf_furniture, pdf_headings, pdf_tables
from .pdf_bands import make_bands
from .pdf_headings import Bookmark, Styles
from .pdf_lines import LEADER, Line
from .pdf_order import order
from .pdf_paragraphs import NUMBERED, Group, Grouper, Page, same_row, usual_leading
from .pdf_text import Joiner, clean, squeeze


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


class Ordered(NamedTuple):
    """Pages by number: the lines in reading order, and those that run in another direction."""

    upright: dict[int, list[Line]]
    turned: dict[int, list[Line]]


def order_pages(pages: Mapping[int, Sequence[Line]]) -> Ordered:
    """Put each page's lines in reading order."""
    ordered = Ordered({}, {})
    for number, lines in pages.items():
        ordered.upright[number], ordered.turned[number] = order(lines)
    return ordered


def lay_out(pages: Mapping[int, Sequence[Line]], bookmarks: Sequence[Bookmark] = ()) -> list[Element]:
    """Return the elements of the pages in reading order."""
    ordered = order_pages(pages)
    everything = [line for lines in ordered.upright.values() for line in lines]
    styles = Styles(pdf_headings.body_size(everything), len(pages))
    confirmed = pdf_headings.confirm(bookmarks, ordered.upright)
    dropped = pdf_furniture.find_furniture(ordered.upright, styles.body, frozenset(confirmed))
    dropped |= pdf_furniture.find_turned_furniture(ordered.turned)
    body = {n: [line for line in lines if id(line) not in dropped] for n, lines in ordered.upright.items()}
    turned = {n: [line for line in lines if id(line) not in dropped] for n, lines in ordered.turned.items()}
    joiner = Joiner((line.text, line.hyphen) for line in everything)
    groups = group_pages(body, turned, confirmed, joiner)
    return to_elements(groups, styles, bookmarks, joiner)


def group_pages(
    body: Mapping[int, Sequence[Line]],
    turned: Mapping[int, Sequence[Line]],
    confirmed: Mapping[int, int],
    joiner: Joiner,
) -> list[Group]:
    """Return the groups of lines of all pages."""
    leading = usual_leading(body.values())
    grouper = Grouper(is_typewritten(body), confirmed)
    for number, lines in body.items():
        grouper.start_page(Page([*lines, *turned[number]], leading), is_toc_page(lines))
        for item in page_items(lines, confirmed, joiner):
            if isinstance(item, Line):
                grouper.add(item)
            else:
                grouper.add_table(item)
        for line in turned[number]:
            grouper.add(line)
    return grouper.groups


def page_items(
    lines: Sequence[Line], confirmed: Mapping[int, int], joiner: Joiner
) -> list[Line | pdf_tables.Table]:
    """Return the page's lines with the tables among them built; no confirmed heading is a part of a table."""
    items: list[Line | pdf_tables.Table] = []
    stretch: list[Line] = []
    for line in [*lines, None]:
        if line is not None and id(line) not in confirmed:
            stretch.append(line)
            continue
        items += _stretch_items(stretch, joiner)
        stretch = []
        if line is not None:
            items.append(line)
    return items


def _stretch_items(lines: Sequence[Line], joiner: Joiner) -> list[Line | pdf_tables.Table]:
    if not lines:
        return []
    bands = make_bands(lines)
    items: list[Line | pdf_tables.Table] = []
    done = 0
    for first, after, gutters in pdf_tables.find_tables(bands):
        items += [line for band in bands[done:first] for line in band.lines]
        items.append(pdf_tables.build_table(bands[first:after], gutters, joiner))
        done = after
    return items + [line for band in bands[done:] for line in band.lines]


def is_typewritten(body: Mapping[int, Sequence[Line]]) -> bool:
    """Say whether most of the text is in a fixed-pitch font, so that the font does not mean code."""
    mono = sum(len(line.text) for lines in body.values() for line in lines if line.mono)
    return mono > 0.6 * sum(len(line.text) for lines in body.values() for line in lines)


def is_toc_page(lines: Sequence[Line]) -> bool:
    """Say whether the page holds a table of contents."""
    return sum(line.leader for line in lines) >= 3


def to_elements(
    groups: Sequence[Group], styles: Styles, bookmarks: Sequence[Bookmark], joiner: Joiner
) -> list[Element]:
    """Decide on headings and captions, and write each group's text."""
    elements: list[Element] = []
    headings: list[tuple[str, Line, int]] = []
    places: list[int] = []
    title_over = False
    trusted = pdf_headings.confirmed_styles(groups)
    for group, following in zip_longest(groups, groups[1:]):
        reason = "bookmark" if group.heading else pdf_headings.is_heading(group, styles, title_over)
        if reason in ("bold", "capitals") and not pdf_headings.stands_alone(group, following, trusted):
            reason = ""
        if reason and (reason == "bookmark" or not is_caption(joiner.paragraph(group.lines))):
            text = joiner.paragraph(group.lines)
            if elements and elements[-1].kind == "heading" and pdf_headings.is_bare_part(elements[-1].text):
                text = f"{elements.pop().text} {text}"
                del headings[-1], places[-1]
            headings.append(
                (text, group.lines[0], bookmarks[group.heading - 1].level if group.heading else 0)
            )
            places.append(len(elements))
            size = group.lines[0].size
            elements.append(Element("heading", text, group.lines[0].page, 0, f"pdf:{reason}", size=size))
        else:
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
        return table_element(group.table, page)
    if group.kind == "code":
        return Element("code", code_text(group.lines), page, found_by="pdf:fixed-pitch")
    text = joiner.paragraph(group.lines)
    if not text:
        return Element("paragraph", "", page)
    if group.kind == "toc":
        follows = bool(before) and before[-1].found_by == "pdf:toc"
        text = squeeze(LEADER.sub(" ", text).replace(" . ", " "))
        return Element("list_item", text, page, 1, "pdf:toc", joiner="\n" if follows else "\n\n")
    if is_caption(text):
        return Element("caption", text, page, found_by="pdf:label")
    if group.kind == "list_item" or NUMBERED.match(text):
        follows = bool(before) and before[-1].kind == "list_item" and before[-1].page == page
        return Element("list_item", text, page, 1, "pdf:marker", joiner="\n" if follows else "\n\n")
    if _is_footnote(group, styles, text):
        return Element("footnote", text, page)
    return Element("paragraph", text, page)


def _is_footnote(group: Group, styles: Styles, text: str) -> bool:
    small = all(line.size < 0.93 * styles.body for line in group.lines)
    return small and (text[0].isdigit() or text[0] in "*†‡§¹²³⁴⁵") and group.lines[0].base < 220


def table_element(table: pdf_tables.Table, page: int) -> Element:
    """Return the table with tabs between cells and line ends between rows."""
    rows = ["\t".join(row).rstrip("\t") for row in table.rows]
    header = len("\n".join(rows[: table.header_rows])) if table.header_rows else None
    return Element("table", "\n".join(rows), page, found_by="pdf:aligned", header=header)


def code_text(lines: Sequence[Line]) -> str:
    """Return the lines with their indentation, the columns inside them and blank lines between them kept."""
    width = _character_width(lines)
    left = min(line.x0 for line in lines)
    rows: list[str] = []
    last: Line | None = None
    for line in lines:
        text = _spaced(line, width)
        if last is not None and same_row(last, line):
            rows[-1] += " " * max(1, round((line.x0 - last.x1) / width)) + text
        else:
            if last is not None and last.base - line.base > 1.9 * _step(lines):
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
