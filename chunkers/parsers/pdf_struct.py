"""The structure tree of one page of a tagged PDF, by pdfium: which element each marked content belongs to."""

import ctypes
import math
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pypdfium2.raw as raw

from .pdf_calls import bind
from .pdf_spans import Columns, spans_of
from .pdf_text import clean, squeeze

MAX_DEPTH = 60
MAX_NODES = 3000
"""Elements of one page that are looked at; pages of real files have 300."""
MAX_ROLE = 64
MAX_ALT = 4000
NODES_A_LOOK = 50
"""Elements between two looks at the clock."""

_count_children = bind(raw.FPDF_StructElement_CountChildren, ctypes.c_int)
_get_child = bind(raw.FPDF_StructElement_GetChildAtIndex, ctypes.c_void_p)
_get_child_mark = bind(raw.FPDF_StructElement_GetChildMarkedContentID, ctypes.c_int)
_get_type = bind(raw.FPDF_StructElement_GetType, ctypes.c_ulong)
_get_alt = bind(raw.FPDF_StructElement_GetAltText, ctypes.c_ulong)
_get_actual = bind(raw.FPDF_StructElement_GetActualText, ctypes.c_ulong)
HEADINGS = {"H": 1, "Title": 1, "H1": 1, "H2": 2, "H3": 3, "H4": 4, "H5": 5, "H6": 6}
# Elements that make a block of their own; text in any other belongs to the nearest of these around it.
_BLOCKS = frozenset((*HEADINGS, "P", "LI", "TOCI", "Caption", "Note", "Figure", "Formula", "TD", "TH"))
_TEXT = frozenset((*HEADINGS, "P", "LI", "LBody", "TD", "TH"))
# Paragraphs in these are parts of them, not blocks of their own.
_WHOLE = frozenset(("Caption", "Note", "TOCI"))


class Cell(NamedTuple):
    """Where in which table, row and column something stands, counted from 1 on the page; how wide it is."""

    table: int
    row: int
    column: int
    header: bool
    across: int = 1


class Stretch(NamedTuple):
    """Marked contents that follow one another in the same element; ``alt`` is a figure's alternative text."""

    role: str
    depth: int
    cell: Cell | None
    item: int
    alt: str = ""


class Tree:
    """The page's stretches in reading order, and the stretch of each marked content by its id."""

    def __init__(self) -> None:
        self.stretches: list[Stretch] = []
        self.places: dict[int, int] = {}
        self.nodes = 0


class _Around(NamedTuple):
    """What surrounds an element; ``block`` is the number of the nearest element that makes a block."""

    role: str = ""
    block: int = 0
    depth: int = 0
    item: int = 0
    table: int = 0
    row: int = 0
    cell: Cell | None = None


def is_tagged(pdf: Any) -> bool:
    """Say whether the document claims to have a structure tree."""
    return bool(raw.FPDFCatalog_IsTagged(pdf.raw))


def read_tree(page: Any, until: float = math.inf) -> Tree:
    """Return the structure of an open page, as far as it is read until the thread has used so much CPU time.

    That of an untagged page is empty.
    """
    handle = raw.FPDF_StructTree_GetForPage(page.raw)
    if not handle:
        return Tree()
    try:
        return _Reader(until).read(handle)
    finally:
        raw.FPDF_StructTree_Close(handle)


class _Reader:
    """Walks the elements of one page in order, until the thread has used so much CPU time."""

    def __init__(self, until: float) -> None:
        self._until = until
        self._role = ctypes.create_string_buffer(2 * MAX_ROLE)
        self._tree = Tree()
        self._last: tuple[int, Cell | None] | None = None
        self._columns = Columns()

    def read(self, handle: Any) -> Tree:
        """Return the tree with its stretches."""
        for number in range(min(max(raw.FPDF_StructTree_CountChildren(handle), 0), MAX_NODES)):
            element = raw.FPDF_StructTree_GetChildAtIndex(handle, number)
            if element:
                self._walk(ctypes.cast(element, ctypes.c_void_p), _Around(), 1)
        return self._tree

    def _walk(self, element: Any, around: _Around, level: int) -> None:
        tree = self._tree
        tree.nodes += 1
        if tree.nodes % NODES_A_LOOK == 0 and time.thread_time() > self._until:
            tree.nodes = MAX_NODES
        if level > MAX_DEPTH or tree.nodes > MAX_NODES:
            return
        inside = self._enter(element, around)
        if inside.role == "Figure" and around.role != "Figure":
            self._add_figure(element, inside)
        for mark, child in _children(element):
            if child:
                self._walk(ctypes.c_void_p(child), inside, level + 1)
            elif mark >= 0:
                self._place(mark, inside)

    def _enter(self, element: Any, around: _Around) -> _Around:
        """Return what surrounds the children of an element."""
        role = _text(_get_type, element, self._role)
        number = self._tree.nodes
        if role == "L":
            return around._replace(depth=around.depth + 1)
        if role == "Table":
            return around._replace(table=number, row=0, cell=None, role="", block=0)
        if role == "TR" and around.table:
            self._columns.start_row(around.table, number)
            return around._replace(row=number)
        if role in ("TD", "TH") and around.row:
            spans = spans_of(element)
            column = self._columns.place(around.table, around.row, spans)
            cell = Cell(around.table, around.row, column, role == "TH", spans[0])
            return around._replace(cell=cell, role=role, block=number)
        if role == "LI":
            return around._replace(role=role, block=number, item=number)
        # A formula within a line of text is part of its sentence.
        if role == "Formula" and around.role in _TEXT:
            return around
        if role in _BLOCKS and around.role not in _WHOLE:
            return around._replace(role=role, block=number)
        return around

    def _add_figure(self, element: Any, inside: _Around) -> None:
        buffer = ctypes.create_string_buffer(2 * MAX_ALT)
        alt = _text(_get_alt, element, buffer) or _text(_get_actual, element, buffer)
        alt = squeeze(clean(alt))
        if alt:
            self._tree.stretches.append(Stretch("Figure", inside.depth, inside.cell, inside.item, alt))
            self._last = None

    def _place(self, mark: int, inside: _Around) -> None:
        key = (inside.block, inside.cell)
        if self._last != key:
            self._last = key
            self._tree.stretches.append(Stretch(inside.role, inside.depth, inside.cell, inside.item))
        self._tree.places.setdefault(mark, len(self._tree.stretches) - 1)


def _text(function: Callable[..., int], element: Any, buffer: Any) -> str:
    size = function(element, buffer, len(buffer))
    if not 2 < size <= len(buffer):
        return ""
    return ctypes.string_at(buffer, size - 2).decode("utf-16-le", "replace")


def _children(element: Any) -> Iterator[tuple[int, int | None]]:
    """Yield the id of each marked content, or else each element, that stands directly in the element."""
    for number in range(min(max(_count_children(element), 0), MAX_NODES)):
        mark = _get_child_mark(element, number)
        yield mark, None if mark >= 0 else _get_child(element, number)
