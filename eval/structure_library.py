"""The documents of the structure benchmark: checked against their labels, each parsed once."""

import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path, PurePath
from typing import Any, Literal

import pypdfium2 as pdfium

from capsa.chunkers.model import BlockKind, Chunk, Document
from capsa.chunkers.parsers import parse
from capsa.chunkers.strategies import chunk
from capsa.chunkers.tokens import Tokenizer

from .matching import TOKEN, normalise
from .structure_html import read_labels

Slice = Literal["dev", "test"]
SLICES: tuple[Slice, ...] = ("dev", "test")
UNLIMITED = 1e9
"""A layout budget in milliseconds that no document uses up."""
# pdfium gives the two letters of this ligature in the wrong order, which a parser may set right.
_LAM_ALEF = re.compile("[\u0622\u0623\u0625\u0627\u0644]")
_NOT_BODY: frozenset[BlockKind] = frozenset(("furniture", "metadata", "comment"))


@dataclass(frozen=True, slots=True)
class Work:
    """One part of the benchmark: what to measure, one step after another, and what to make of the scores.

    A step is named by its document. A score has the ``document`` that it is about; ``misses`` tells faults.
    """

    steps: Sequence[tuple[str, Callable[[], Iterable[Any]]]]
    summarise: Callable[[Sequence[Any]], Mapping[str, float | None]]
    misses: Callable[[Any], Sequence[str]]
    gaps: Sequence[str] = ()


def slice_of(document: str) -> Slice:
    """Return the half of the documents that this one is in, by the hash of its file's name."""
    return "test" if sha256(PurePath(document).name.encode()).digest()[0] % 2 else "dev"


class Library:
    """The documents below a folder; ``wanted`` are the slices of them to be measured.

    ``embed`` makes vectors of texts, so that their cost can be measured.
    """

    def __init__(
        self,
        folder: Path,
        tokenizer: Tokenizer,
        wanted: Sequence[Slice] = SLICES,
        embed: Callable[[Sequence[str]], object] | None = None,
    ) -> None:
        self.folder = folder
        self.tokenizer = tokenizer
        self.embed = embed
        self.wanted = wanted
        self.parsed = cache(self._parsed)
        self.chunks = cache(self._chunks)
        self.bare = cache(self._bare)

    def wants(self, document: str) -> bool:
        """Say whether the document is in a slice that is to be measured."""
        return slice_of(document) in self.wanted

    def pdfs(self) -> list[str]:
        """Return the PDF files to be measured, sorted."""
        found = (path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*.pdf"))
        return sorted(filter(self.wants, found))

    def labels(self, name: str) -> tuple[dict[str, list[dict[str, Any]]], list[str]]:
        """Return the labels' rows by document, and what is missing or not what was labelled."""
        rows: dict[str, list[dict[str, Any]]] = {}
        for row in read_labels(name):
            if self.wants(row["document"]):
                rows.setdefault(row["document"], []).append(row)
        gaps = {name: self._gap(name, some[0]["sha256"]) for name, some in rows.items()}
        kept = {name: some for name, some in rows.items() if not gaps[name]}
        return kept, [f"{name}: {gap}" for name, gap in gaps.items() if gap]

    def _gap(self, document: str, digest: str) -> str:
        path = self.folder / document
        if not path.is_file():
            return "not there"
        return "" if sha256(path.read_bytes()).hexdigest() == digest else "not the version that was labelled"

    def data(self, document: str) -> bytes:
        """Return the document's bytes."""
        return (self.folder / document).read_bytes()

    def _parsed(self, document: str) -> Document:
        """Parse a document without a limit on the layout pass."""
        return parse(self.data(document), PurePath(document).name, layout_budget_ms=UNLIMITED)

    def _chunks(self, document: str) -> tuple[Chunk, ...]:
        """Cut what ``parsed`` gives, by the default strategy."""
        return chunk(self.parsed(document), self.tokenizer)

    def _bare(self, document: str, page: int | None = None) -> Document:
        """Parse a copy of a PDF, or of one of its pages, without bookmarks, structure tree and metadata."""
        data = bare_copy(self.data(document), page)
        return parse(data, PurePath(document).name, layout_budget_ms=UNLIMITED)


@contextmanager
def open_pdf(data: bytes) -> Iterator[Any]:
    """Open a PDF for a while; None when pdfium refuses it."""
    try:
        pdf = pdfium.PdfDocument(data)
    except pdfium.PdfiumError:
        yield None
        return
    try:
        yield pdf
    finally:
        pdf.close()


def bare_copy(data: bytes, page: int | None = None) -> bytes:
    """Return a PDF of the pages alone, or of one counted from 1: no bookmarks, structure tree or metadata."""
    source, copy = pdfium.PdfDocument(data), pdfium.PdfDocument.new()
    try:
        copy.import_pages(source, None if page is None else [page - 1])
        out = io.BytesIO()
        copy.save(out)
        return out.getvalue()
    finally:
        copy.close()
        source.close()


class PdfText:
    """The plain text of a PDF's pages as pdfium gives it: a reference that knows no structure."""

    def __init__(self, data: bytes) -> None:
        self._pdf = pdfium.PdfDocument(data)

    @cached_property
    def pages(self) -> list[str]:
        """The text of each page."""
        return [self._text(number) for number in range(len(self._pdf))]

    def _text(self, number: int) -> str:
        textpage = self._pdf[number].get_textpage()
        return str(textpage.get_text_range()) if textpage.count_chars() else ""

    def region(self, page: int, box: Sequence[float]) -> str:
        """Return the text within [left, top, right, bottom], in percent of a page counted from 1."""
        found = self._pdf[page - 1]
        left, bottom, right, top = found.get_cropbox()
        across, up = (right - left) / 100, (top - bottom) / 100
        return str(
            found.get_textpage().get_text_bounded(
                left + box[0] * across, top - box[3] * up, left + box[2] * across, top - box[1] * up
            )
        )


def tokens(texts: Iterable[str]) -> list[str]:
    """Return the words of texts that follow one another; hyphens in words and at line ends do not count."""
    text = _LAM_ALEF.sub("", normalise(" ".join(texts).replace("\ufffe", "-").replace("\x02", "-")))
    return TOKEN.findall(text)


def body_texts(document: Document) -> Iterator[str]:
    """Yield the texts of the blocks that are body, in order."""
    for block in document.blocks:
        if block.kind not in _NOT_BODY:
            yield document.text[block.start : block.end]


def ratio(some: float, of: float) -> float | None:
    """Return the quotient, None when there is nothing to divide by."""
    return some / of if of else None
