"""The layout pass: the lines of a PDF's pages put in order, without furniture, and grouped into blocks."""

import math
import time
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import NamedTuple

from . import pdf_furniture, pdf_headings, pdf_tables
from .pdf_areas import Area, fold, keep, mark_pictures, unfold
from .pdf_bands import make_bands, may_have_rows
from .pdf_contents import is_toc_page, join_numbers
from .pdf_elements import Element, to_elements
from .pdf_equations import join_equations
from .pdf_headings import Bookmark, Styles
from .pdf_lines import Line
from .pdf_listings import part_numbers
from .pdf_measures import Page, usual_leading
from .pdf_order import order
from .pdf_paragraphs import Group, Grouper, Item
from .pdf_struct import Tree
from .pdf_text import Joiner
from .pdf_tree import TreePage, make_parts, rows_kept, tree_order, trusted_pages, useful_alts


class Ordered(NamedTuple):
    """Pages by number: the lines in reading order, and those that run in another direction."""

    upright: dict[int, list[Line]]
    turned: dict[int, list[Line]]

    def lines(self) -> Iterator[Line]:
        """Yield the lines of both."""
        return chain(*self.upright.values(), *self.turned.values())

    def without(self, dropped: Container[int]) -> "Ordered":
        """Return the pages without the lines that are dropped by id."""
        return Ordered(
            *({n: [x for x in lines if id(x) not in dropped] for n, lines in part.items()} for part in self)
        )


def order_pages(
    pages: Mapping[int, Sequence[Line]], tagged: Container[int], areas: Mapping[int, Sequence[Area]]
) -> Ordered:
    """Put each page's lines in reading order, that of the structure tree on tagged pages."""
    ordered = Ordered({}, {})
    for number, lines in pages.items():
        folded = fold(lines, areas[number])
        upright, turned = (tree_order(folded), []) if number in tagged else order(folded)
        ordered.upright[number], ordered.turned[number] = unfold(upright, areas[number]), turned
    return ordered


class LaidOut(NamedTuple):
    """The elements in reading order, and the lines left out: running heads, page numbers, watermarks.

    ``left`` are the numbers of the pages that the time did not suffice for.
    """

    elements: list[Element]
    furniture: list[Line]
    left: frozenset[int] = frozenset()


def lay_out(
    pages: Mapping[int, Sequence[Line]],
    bookmarks: Sequence[Bookmark] = (),
    trees: Mapping[int, Tree] | None = None,
    areas: Mapping[int, Sequence[Area]] | None = None,
) -> list[Element]:
    """Return the elements of the pages in reading order; structure trees are used where they are good."""
    return lay_out_pages(pages, bookmarks, trees or {}, areas or {}).elements


def lay_out_pages(
    pages: Mapping[int, Sequence[Line]],
    bookmarks: Sequence[Bookmark],
    trees: Mapping[int, Tree],
    areas: Mapping[int, Sequence[Area]],
    until: float = math.inf,
) -> LaidOut:
    """Return the elements of the pages, and what is furniture: every line is in one of both.

    Pages are left when the thread's CPU time passes ``until`` before them.
    """
    hidden = {n: [line for line in lines if line.hidden] for n, lines in pages.items()}
    visible = {n: [line for line in lines if not line.hidden] for n, lines in pages.items()}
    tagged = trusted_pages(visible, trees)
    areas = {n: areas.get(n, ()) for n in visible}
    ordered = order_pages(visible, tagged, areas)
    everything = [line for lines in ordered.upright.values() for line in lines]
    styles = Styles(pdf_headings.body_size(everything), len(pages))
    confirmed = pdf_headings.confirm(bookmarks, ordered.upright)
    dropped = pdf_furniture.find_furniture(ordered.upright, styles.body, frozenset(confirmed))
    dropped |= pdf_furniture.find_watermarks(ordered.upright, styles.body) - confirmed.keys()
    dropped |= pdf_furniture.find_turned_furniture(
        ordered.turned, [line for line in everything if id(line) in dropped]
    )
    areas = {n: keep(some, dropped, confirmed) for n, some in areas.items()}
    dropped -= {id(line) for some in areas.values() for area in some for line in area.lines}
    used = {number: tree for number, tree in trees.items() if number in tagged}
    dropped -= rows_kept(ordered.upright, used, dropped)
    body = ordered.without(dropped)
    joiner = Joiner((line.text, line.hyphen) for line in everything)
    grouped, left = group_pages(body, confirmed, joiner, used, areas, until)
    groups = join_equations(grouped)
    hidden = {number: lines for number, lines in hidden.items() if number not in left}
    elements = to_elements(with_hidden(groups, hidden), styles, bookmarks, joiner)
    furniture = [line for line in ordered.lines() if id(line) in dropped and line.page not in left]
    return LaidOut(elements, furniture, left)


def with_hidden(groups: Sequence[Group], hidden: Mapping[int, list[Line]]) -> list[Group]:
    """Return the groups with the lines that nobody sees as furniture after those of their page."""
    found = [Group("furniture", lines, found_by="pdf:hidden") for lines in hidden.values() if lines]
    # The sort is stable: hidden lines come after the other groups that begin on their page.
    return sorted([*groups, *found], key=lambda group: group.lines[0].page) if found else list(groups)


def group_pages(
    ordered: Ordered,
    confirmed: Mapping[int, int],
    joiner: Joiner,
    trees: Mapping[int, Tree],
    areas: Mapping[int, Sequence[Area]],
    until: float,
) -> tuple[list[Group], frozenset[int]]:
    """Return the groups of lines of all pages, and the pages that are left when the time is over."""
    leading = usual_leading(ordered.upright.values())
    grouper = Grouper(is_typewritten(ordered.upright), confirmed)
    alts = useful_alts(trees.values())
    left = set(ordered.upright)
    for number, lines in ordered.upright.items():
        if time.thread_time() > until:
            break
        left.remove(number)
        turned = ordered.turned[number]
        here = areas.get(number, ())
        ruled = {id(line) for area in here if area.grid for line in area.lines}
        toc = is_toc_page(join_numbers([line for line in lines if id(line) not in ruled] if ruled else lines))
        lines = join_numbers(lines) if toc else lines
        here = () if toc else here
        inside = {id(line) for area in here for line in area.lines}
        free = [line for line in lines if id(line) not in inside] if inside else lines
        grouper.start_page(Page([*free, *turned], leading), toc)
        if number in trees:
            items = partial(page_items, confirmed=confirmed, joiner=joiner, areas=here)
            page = TreePage(grouper, joiner, items)
            page.add(make_parts(lines, trees[number], alts))
            continue
        for item in [*(lines if toc else page_items(lines, confirmed, joiner, here)), *turned]:
            grouper.add_item(item)
    mark_pictures(grouper.groups, areas.values())
    return grouper.groups, frozenset(left)


def page_items(
    lines: Sequence[Line], confirmed: Mapping[int, int], joiner: Joiner, areas: Sequence[Area] = ()
) -> list[Item]:
    """Return the page's lines with its areas, and the tables among the other lines, each as one.

    No confirmed heading is a part of a table.
    """
    if not areas and not any([id(line) in confirmed for line in lines]):
        return _stretch_items(lines, joiner)
    owners = {id(line): area for area in areas for line in area.lines}
    done: set[int] = set()
    items: list[Item] = []
    stretch: list[Line] = []
    for line in [*lines, None]:
        area = owners.get(id(line))
        if line is not None and area is None and id(line) not in confirmed:
            stretch.append(line)
            continue
        items += _stretch_items(stretch, joiner)
        stretch = []
        if area is not None and id(area) not in done:
            items.append(area.build(joiner))
            done.add(id(area))
        elif line is not None and area is None:
            items.append(line)
    return items


def _stretch_items(stretch: Sequence[Line], joiner: Joiner) -> list[Item]:
    if not may_have_rows(stretch):
        return list(stretch)
    lines, numbers = part_numbers(stretch)
    bands = make_bands(lines)
    items: list[Item] = []
    done = 0
    for first, after, gutters in pdf_tables.find_tables(bands):
        items += [line for band in bands[done:first] for line in band.lines]
        table = pdf_tables.build_table(bands[first:after], gutters, joiner)
        items.append(Group("table", list(table.lines), table, found_by="pdf:aligned"))
        done = after
    items += [line for band in bands[done:] for line in band.lines]
    return [*items, Group("furniture", numbers, found_by="pdf:line-number")] if numbers else items


def is_typewritten(body: Mapping[int, Sequence[Line]]) -> bool:
    """Say whether most of the text is in a fixed-pitch font, so that the font does not mean code."""
    mono = sum(len(line.text) for lines in body.values() for line in lines if line.mono)
    return mono > 0.6 * sum(len(line.text) for lines in body.values() for line in lines)
