"""The records that cross the boundaries: Document out of a parser, Chunk out of a chunker."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

BlockKind = Literal[
    "heading",
    "paragraph",
    "list_item",
    "table",
    "figure",
    "code",
    "caption",
    "quote",
    "definition",
    "footnote",
    "equation",
    "metadata",
    "comment",
    "furniture",
]
ChunkKind = Literal["text", "table", "figure", "code"]
Outcome = Literal["ok", "empty", "protected", "scan"]
LayoutState = Literal["full", "partial", "none"]

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Block:
    """One structural element of a document, ``text[start:end]`` of the document's text.

    ``level`` is 1-6 for a heading and the nesting depth (from 1) for a list item, else 0. ``page`` counts
    from 1. ``found_by`` says how the block was found ("html:h2", "pdf:bookmark", "blank-line", ...).
    ``header_end`` is where the header rows of a table end, or None when it has none.
    """

    kind: BlockKind
    start: int
    end: int
    page: int | None = None
    level: int = 0
    found_by: str = ""
    language: str = ""
    header_end: int | None = None


LAYOUT_BUDGET_MS = 400.0
"""What the layout pass of a PDF may take by default, in milliseconds of CPU time."""


@dataclass(frozen=True, slots=True)
class Layout:
    """What the PDF layout pass did: pages that got their structure, ms of CPU used, and why it stopped.

    ``wall_ms`` is the time that passed meanwhile.
    """

    state: LayoutState = "full"
    pages_done: int = 0
    ms: float = 0.0
    reason: str = ""
    wall_ms: float = 0.0

    @property
    def cut(self) -> bool:
        """Whether the budget ended before the last page."""
        return self.state == "partial" or (self.state == "none" and "budget" in self.reason)


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed document: its text, and sorted, disjoint blocks with only white space between them.

    ``kind`` is the format's name ("pdf", "html", ...); ``outcome`` is not "ok" when a healthy file has no
    text to give (``protected`` needs a password, ``scan`` has only images). ``scanned_pages`` are the
    numbers of those that are images without text; the text of ``ocr_pages`` of them was recognised.
    """

    text: str
    blocks: tuple[Block, ...]
    kind: str
    title: str = ""
    language: str = ""
    pages: int = 0
    outcome: Outcome = "ok"
    layout: Layout = Layout()
    metadata: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    scanned_pages: tuple[int, ...] = ()
    ocr_pages: int = 0


@dataclass(frozen=True, slots=True)
class Window:
    """What one vector is made of: ``text[start:end]`` after the ``context`` spans (caption, header row)."""

    start: int
    end: int
    context: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """What is retrieved: ``text[start:end]`` of the document's text, verbatim, overlap included.

    ``core_start`` is where the text that no earlier chunk holds begins (``start`` without overlap);
    ``headings`` is the heading path there. ``windows`` cover the chunk, at least from ``core_start`` on, and
    each fits the model, so that no token goes unembedded.
    """

    start: int
    end: int
    core_start: int
    kind: ChunkKind = "text"
    headings: tuple[str, ...] = ()
    page_first: int | None = None
    page_last: int | None = None
    windows: tuple[Window, ...] = ()
    breadcrumb_end: int | None = None
