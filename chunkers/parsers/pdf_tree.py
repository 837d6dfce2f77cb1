"""Pages of tagged PDFs: the structure tree says what a paragraph, an item or a cell is, and their order."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from capsa.chunkers.captions import is_caption

from .pdf_captions import split_captions
from .pdf_fonts import Font
from .pdf_furniture import edge_rows
from .pdf_lines import Line
from .pdf_paragraphs import Group, Grouper, GroupKind, Item
from .pdf_spans import by_sight
from .pdf_struct import HEADINGS, Stretch, Tree
from .pdf_tables import Table, header_rows
from .pdf_text import Joiner

MIN_COVER = 0.9
# Programs mark leaders as artifacts; on a page of contents they are most of the text.
LEADERS = dict.fromkeys(map(ord, " .\u00b7\u2024\u2026"))
MIN_NODES = 10
"""Elements a page: trees with fewer are a shell around pages that nobody has tagged."""
LABEL = 8
"""Characters of the longest label of a list item."""
LONG_CELL = 400
"""Mean characters of a cell from which on a table is there for the page's layout."""
REPEATS = 2
_KINDS: Mapping[str, GroupKind] = {
    "Note": "footnote",
    "Figure": "figure",
    "TOCI": "toc",
    "Artifact": "furniture",
}
_ARTIFACT = Stretch("Artifact", 0, None, 0)
# What programs write as alternative text when nobody has: a general word, or the name of a file.
_NO_ALT = re.compile(
    r"(?:figure|image|picture|graphic|img|logo|icon|photo|abbildung|bild)\W*\d*|[^\s.]*\d|\S+\.\w{2,4}",
    re.IGNORECASE,
)
_NO_FONT = Font("", False, False, False)


PageItems = Callable[[Sequence[Line]], Iterable[Item]]
"""Finds the tables among lines that the tree says nothing of."""


class Part(NamedTuple):
    """Lines of one stretch of the tree, or untagged lines that stand after it."""

    stretch: Stretch | None
    lines: tuple[Line, ...]


def trusted_pages(pages: Mapping[int, Sequence[Line]], trees: Mapping[int, Tree]) -> frozenset[int]:
    """Return the pages that the tree covers, if it covers most of the document's text in enough elements."""
    nodes = sum(tree.nodes for tree in trees.values())
    if not trees or nodes < MIN_NODES * len(trees):
        return frozenset()
    counts = {number: _coverage(number, pages.get(number, ())) for number in trees}
    tagged, total = (sum(count[side] for count in counts.values()) for side in (0, 1))
    if not total or tagged < MIN_COVER * total:
        return frozenset()
    return frozenset(number for number, (some, every) in counts.items() if some >= MIN_COVER * every)


def silent_lines(number: int, lines: Sequence[Line], tree: Tree) -> Sequence[Line]:
    """Return the lines that the tree says nothing of: all, when it has too little of the page to be used."""
    tagged, total = _coverage(number, lines)
    if tagged < MIN_COVER * total:
        return lines
    edges = _edges(number, lines) if tagged < total else set()
    return [
        line
        for line in lines
        if (tree.stretches[line.mark].role == "" if line.mark >= 0 else tagged < total)
        and not (line.leader or id(line) in edges)
    ]


def _coverage(number: int, lines: Sequence[Line]) -> tuple[int, int]:
    """Return characters that are tagged, and all but untagged ones in the outermost rows."""
    edges = _edges(number, lines)
    tagged = sum(_weight(line) for line in lines if line.mark >= 0)
    return tagged, tagged + sum(_weight(line) for line in lines if line.mark < 0 and id(line) not in edges)


def _weight(line: Line) -> int:
    """Count the line's characters without the dots that lead to the numbers of a table of contents."""
    return len(line.text.translate(LEADERS))


def _edges(number: int, lines: Sequence[Line]) -> set[int]:
    """Return the ids of the lines in the page's outermost rows: what is untagged there is an artifact."""
    return {id(line) for row in edge_rows(number, lines) for line in row.lines}


def tree_order(lines: Sequence[Line]) -> list[Line]:
    """Return the page's lines in the order of the tree; an untagged line stays behind the line before it."""
    places, place = [], -1
    for line in lines:
        place = line.mark if line.mark >= 0 else place
        places.append(place)
    return [line for _, line in sorted(zip(places, lines, strict=True), key=lambda pair: pair[0])]


def useful_alts(trees: Iterable[Tree]) -> frozenset[str]:
    """Return the alternative texts that say something: no placeholder, and none that is repeated."""
    counts: dict[str, int] = {}
    for tree in trees:
        for stretch in tree.stretches:
            counts[stretch.alt] = counts.get(stretch.alt, 0) + 1
    return frozenset(
        alt for alt, count in counts.items() if alt and count <= REPEATS and not _NO_ALT.fullmatch(alt)
    )


def rows_kept(pages: Mapping[int, Sequence[Line]], trees: Mapping[int, Tree], dropped: set[int]) -> set[int]:
    """Return the ids of the lines in tables, by the tags, of which most are not dropped as furniture."""
    kept: set[int] = set()
    for page, tree in trees.items():
        tables: dict[int, list[int]] = {}
        for line in pages[page]:
            cell = tree.stretches[line.mark].cell if line.mark >= 0 else None
            if cell is not None:
                tables.setdefault(cell.table, []).append(id(line))
        for ids in tables.values():
            if len(dropped.intersection(ids)) * 2 <= len(ids):
                kept.update(ids)
    return kept


def make_parts(lines: Sequence[Line], tree: Tree, alts: frozenset[str]) -> list[Part]:
    """Return the page's parts in order: each stretch's lines, and figures that have a useful text."""
    page = lines[0].page if lines else 0
    edges = _edges(page, lines)
    runs: dict[int, list[Part]] = {}
    place = -1
    # Only of untagged lines it counts that they are at the edge.
    for (mark, edge), run in groupby(
        lines, key=lambda line: (line.mark, line.mark < 0 and id(line) in edges)
    ):
        place = mark if mark >= 0 else place
        stretch = tree.stretches[mark] if mark >= 0 else (_ARTIFACT if edge else None)
        runs.setdefault(place, []).append(Part(stretch, tuple(run)))
    parts = runs.get(-1, [])
    for number, stretch in enumerate(tree.stretches):
        if stretch.alt in alts and page:
            parts.append(Part(stretch, (_alt_line(stretch.alt, page),)))
        parts += runs.get(number, ())
    return parts


def _alt_line(text: str, page: int) -> Line:
    return Line(text, 0, 0, 0, 0, 0, 1, _NO_FONT, page, 0, False, False, False, False, ())


class TreePage:
    """Gives the parts of one page to the grouper."""

    def __init__(self, grouper: Grouper, joiner: Joiner, items: PageItems) -> None:
        self._grouper = grouper
        self._joiner = joiner
        self._items = items
        self._item = 0

    def add(self, parts: Sequence[Part]) -> None:
        """Add the page's parts; the figures in a table's cells come after the table."""
        for table, members in groupby(parts, key=_table_of):
            found = list(members)
            made = build_table(found, self._joiner) if table else None
            if made is not None:
                self._grouper.add_item(Group("table", list(made.lines), made, found_by="pdf:tag"))
                found = [part for part in found if part.stretch is not None and part.stretch.alt]
            for silent, members in groupby(found, key=_is_silent):
                if silent:
                    self._add_lines([line for part in members for line in part.lines])
                else:
                    for part in members:
                        self._add_part(part)

    def _add_part(self, part: Part) -> None:
        stretch, lines = part
        assert stretch is not None
        if stretch.alt:
            self._add_block("figure", lines)
        elif stretch.role in HEADINGS:
            self._add_block("text", lines, level=HEADINGS[stretch.role])
        elif stretch.item and not stretch.cell:
            self._add_item(stretch, lines)
        elif all(line.mono for line in lines):
            self._add_lines(lines)
        elif stretch.role == "Caption":
            for caption in split_captions(lines):
                self._add_block("caption", caption)
        else:
            self._add_block(_kind_of(stretch, lines), lines)

    def _add_lines(self, lines: Sequence[Line]) -> None:
        for item in self._items(lines):
            self._grouper.add_item(item)

    def _add_block(self, kind: GroupKind, lines: Iterable[Line], depth: int = 0, level: int = 0) -> None:
        self._grouper.add_block(Group(kind, list(lines), depth=depth, level=level, found_by="pdf:tag"))

    def _add_item(self, stretch: Stretch, lines: Sequence[Line]) -> None:
        """An item's first paragraph goes on with its label; code and later paragraphs stand alone."""
        for code, run in groupby(lines, key=lambda line: line.mono):
            members = list(run)
            if code and len(members) > 1:
                self._add_lines(members)
            elif self._item != stretch.item:
                self._add_block("list_item", members, depth=max(stretch.depth, 1))
            elif self._is_label(self._grouper.groups[-1]):
                self._grouper.groups[-1].lines += members
            else:
                self._add_block("text", members)
            self._item = stretch.item

    def _is_label(self, group: Group) -> bool:
        return group.kind == "list_item" and sum(len(line.text) for line in group.lines) <= LABEL


def _kind_of(stretch: Stretch, lines: Sequence[Line]) -> GroupKind:
    """Return the kind of a block; the caption of a figure may be tagged as a part of it."""
    kind = _KINDS.get(stretch.role, "text")
    return "text" if kind == "figure" and is_caption(lines[0].text) else kind


def _is_silent(part: Part) -> bool:
    """Say whether the tree says nothing of what the part is."""
    return part.stretch is None or not (part.stretch.role or part.stretch.alt)


def _table_of(part: Part) -> int:
    return part.stretch.cell.table if part.stretch is not None and part.stretch.cell is not None else 0


def build_table(parts: Sequence[Part], joiner: Joiner) -> Table | None:
    """Return the table that the parts' cells make, or None when it has no columns or is a page's layout."""
    cells: dict[tuple[int, int], list[Line]] = {}
    heads: dict[int, bool] = {}
    spanned: set[int] = set()
    for stretch, lines in parts:
        if stretch is not None and stretch.cell is not None and not stretch.alt:
            _, row, column, header, across = stretch.cell
            cells.setdefault((row, column), []).extend(lines)
            heads[row] = heads.get(row, True) and header
            if across > 1:
                spanned.add(row)
    width = max((column for _, column in cells), default=0)
    if len(heads) < 2 or width < 2:
        return None
    cells = by_sight(cells, width, spanned)
    rows = tuple(
        tuple(joiner.paragraph(cells.get((row, column), ())) for column in range(1, width + 1))
        for row in heads
    )
    if sum(len(text) for row in rows for text in row) > LONG_CELL * len(cells):
        return None
    bold = [all(line.bold for key in cells if key[0] == row for line in cells[key]) for row in heads]
    marked = next((number for number, row in enumerate(heads) if not heads[row]), 0)
    found = tuple(line for lines in cells.values() for line in lines)
    return Table(rows, found, marked or header_rows(rows, bold))
