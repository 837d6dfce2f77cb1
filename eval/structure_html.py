"""HTML against labelled main content: words found, and the headings, tables and code kept."""

import json
import re
import time
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256 as digest
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from bs4 import BeautifulSoup, Tag

from capsa.chunkers.build import storable
from capsa.chunkers.charset import decode
from capsa.chunkers.model import Block, BlockKind, Document
from capsa.chunkers.parsers import parse

Element = Literal["heading", "table", "header row", "figcaption", "pre"]
ELEMENTS: tuple[Element, ...] = ("heading", "table", "header row", "figcaption", "pre")

# Never shown, so neither main content nor a fault to leave out.
_UNSEEN = "script, style, template, noscript, [hidden], [style*='display:none'], [style*='display: none']"
# A browser starts a new line at each of these, so words do not run on over their edges.
_BLOCK_NAMES = """
    address article aside blockquote body caption center dd details div dl dt fieldset figcaption figure
    footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table td th tr ul
"""
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_NOT_BODY: frozenset[BlockKind] = frozenset(("furniture", "comment", "metadata"))
# Beautiful Soup warns of pages that declare themselves XML; they are read as the parser reads them.
_XML = re.compile(r"^\s{0,99}<\?xml[^>]{0,200}>")
_WORD = re.compile(r"\w+")
# A rendered table repeats the key of a row span and may hold an icon's alternative text.
SAME = 0.9


@dataclass(frozen=True, slots=True)
class PageLabel:
    """Where a page's main content is: selectors of what it is, of what in it is not, of layout tables."""

    document: str
    sha256: str
    main: tuple[str, ...]
    drop: tuple[str, ...]
    layout: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PageScore:
    """One page: precision, recall and F1 of its words (multiset), F1 of its runs of four words (order).

    ``kept`` counts (kept, there) by element; ``ms`` is the CPU time of the parse in milliseconds.
    """

    document: str
    precision: float
    recall: float
    f1: float
    order_f1: float
    kept: Mapping[Element, tuple[int, int]]
    ms: float


def read_labels(name: str) -> list[dict[str, Any]]:
    """Read the labels ``name``.jsonl that are part of the package."""
    text = (files("capsa.eval") / "labels" / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def page_labels() -> list[PageLabel]:
    """Return the labelled pages, in order of their paths."""
    return [
        PageLabel(
            row["document"], row["sha256"], tuple(row["main"]), tuple(row["drop"]), tuple(row["layout"])
        )
        for row in read_labels("html")
    ]


def measure_html(data_folder: Path) -> list[PageScore]:
    """Measure the labelled pages that are in the folder, unchanged; others are left out."""
    return [
        measure_page(data, label)
        for label in page_labels()
        if (data := labelled_bytes(data_folder, label.document, label.sha256)) is not None
    ]


def labelled_bytes(folder: Path, document: str, sha256: str) -> bytes | None:
    """Return the document's bytes, None when it is absent or another version than was labelled."""
    path = folder / document
    if not path.is_file():
        return None
    data = path.read_bytes()
    return data if digest(data).hexdigest() == sha256 else None


def measure_page(data: bytes, label: PageLabel) -> PageScore:
    """Parse a page and compare the blocks with its labelled main content."""
    began = time.process_time()
    document = parse(data, Path(label.document).name)
    ms = (time.process_time() - began) * 1000
    roots = main_parts(data, label)
    wanted, found = words(part.get_text() for part in roots), words(body_texts(document))
    precision, recall, f1 = overlap(Counter(found), Counter(wanted))
    order = overlap(_runs(found), _runs(wanted))[2]
    return PageScore(label.document, precision, recall, f1, order, kept_elements(roots, label, document), ms)


def main_parts(data: bytes, label: PageLabel) -> list[Tag]:
    """Return the elements of the main content, outermost ones only, what is to be dropped taken out."""
    page = read_page(data, label.drop)
    parts = page.select(", ".join(label.main))
    inside = {id(tag) for part in parts for tag in part.find_all(True)}
    return [part for part in parts if id(part) not in inside]


def read_page(data: bytes, drop: Iterable[str] = ()) -> BeautifulSoup:
    """Parse a page without what is never shown or is to be dropped; blocks stand on their own lines."""
    page = BeautifulSoup(_XML.sub("", storable(decode(data, html=True)[0])), "lxml")
    for selector in (_UNSEEN, *drop):
        for tag in page.select(selector):
            tag.decompose()
    for line_break in page.find_all("br"):
        line_break.replace_with("\n")
    for block in page.find_all(_BLOCK_NAMES.split()):
        block.insert_before("\n")
        block.append("\n")
    return page


def body_texts(document: Document) -> Iterator[str]:
    """Yield the texts of the blocks that are body; alternative texts are not in the labelled text either."""
    for block in document.blocks:
        if block.kind not in _NOT_BODY and block.found_by != "html:img":
            yield document.text[block.start : block.end]


def words(texts: Iterable[str]) -> list[str]:
    """Return the words of texts, compatibility forms and case folded."""
    return _WORD.findall(unicodedata.normalize("NFKC", " ".join(texts)).casefold())


def _runs(found: Sequence[str], length: int = 4) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(found[start:] for start in range(length)), strict=False))


def overlap(found: Counter[Any], wanted: Counter[Any]) -> tuple[float, float, float]:
    """Return precision, recall and F1 of two multisets; all 1 when both are empty."""
    both = (found & wanted).total()
    if not found.total() or not wanted.total():
        same = float(found.total() == wanted.total())
        return same, same, same
    precision, recall = both / found.total(), both / wanted.total()
    return precision, recall, 2 * both / (found.total() + wanted.total())


def kept_elements(
    roots: Sequence[Tag], label: PageLabel, document: Document
) -> dict[Element, tuple[int, int]]:
    """Count, by kind, the elements of the main content that are a block of their kind with the same words."""
    blocks = _Blocks(document)
    tables = [table for table in _all(roots, "table") if not _is_layout(table, label)]
    checks: dict[Element, list[bool]] = {
        "heading": [blocks.has("heading", tag.get_text()) for tag in _all(roots, *_HEADINGS)],
        "table": [blocks.table(table_text(table)) is not None for table in tables],
        "header row": [
            (block := blocks.table(table_text(table))) is not None and block.header_end is not None
            for table in tables
            if _has_header_row(table)
        ],
        "figcaption": [blocks.has("caption", tag.get_text()) for tag in _all(roots, "figcaption")],
        "pre": [blocks.has_lines(tag.get_text()) for tag in _all(roots, "pre")],
    }
    return {element: (sum(found), len(found)) for element, found in checks.items()}


def _all(roots: Sequence[Tag], *names: str) -> list[Tag]:
    """Return the elements of these names that hold text, in page order."""
    found = [tag for root in roots for tag in [root, *root.find_all(True)] if tag.name in names]
    return [tag for tag in found if tag.get_text(strip=True)]


def _is_layout(table: Tag, label: PageLabel) -> bool:
    return any(table.css.match(selector) for selector in label.layout)


def table_text(table: Tag) -> str:
    """Return a table's text without its caption."""
    caption = table.find("caption")
    return "".join(text for text in table.find_all(string=True) if caption not in list(text.parents))


def _has_header_row(table: Tag) -> bool:
    first = table.find("tr")
    if first is None or len(table.find_all("tr")) < 2:
        return False
    return first.find("td") is None or (first.parent is not None and first.parent.name == "thead")


class _Blocks:
    """The blocks of a document by kind, for comparison with elements of the page."""

    def __init__(self, document: Document) -> None:
        self._text = document.text
        self._blocks = document.blocks
        self._words: dict[BlockKind, set[str]] = {}
        self._code = {_lines(self._of(block)) for block in document.blocks if block.kind == "code"}
        self._tables = [
            (block, Counter(words([self._of(block)]))) for block in document.blocks if block.kind == "table"
        ]

    def _of(self, block: Block) -> str:
        return self._text[block.start : block.end]

    def has(self, kind: BlockKind, text: str) -> bool:
        """Say whether a block of this kind has exactly the words of the text."""
        if kind not in self._words:
            self._words[kind] = {
                " ".join(words([self._of(block)])) for block in self._blocks if block.kind == kind
            }
        return " ".join(words([text])) in self._words[kind]

    def has_lines(self, code: str) -> bool:
        """Say whether a code block has the same lines, their indentation included."""
        return _lines(code) in self._code

    def table(self, text: str) -> Block | None:
        """Return the table block whose words agree with the text's by F1 of at least 0.9."""
        wanted = Counter(words([text]))
        return next((block for block, found in self._tables if overlap(found, wanted)[2] >= SAME), None)


def _lines(code: str) -> tuple[str, ...]:
    return tuple(line.rstrip() for line in code.splitlines() if line.strip())
