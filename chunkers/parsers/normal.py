"""The paper's `normal` parser: raw text, page by page for PDF, split into elements on blank lines."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from capsa.chunkers.build import TextBuilder
from capsa.chunkers.charset import decode
from capsa.chunkers.errors import ParseError
from capsa.chunkers.formats import HEAD, detect
from capsa.chunkers.model import Document, Layout, Outcome

from .pdf_meta import PYPDF_ERRORS, TimeUp, open_reader

SECONDS = 120.0
"""CPU seconds that pypdf may take for one document; it has looped for ever on a damaged one."""
# Of XHTML that begins so Beautiful Soup warns whoever reads it as HTML, and it is read no other way for it.
_DECLARATION = re.compile(r"^\s{0,99}<\?xml[^>]{0,200}>")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")
_LAYOUT = Layout("none", reason="this parser does no layout")


class RawText(NamedTuple):
    """The raw text of a document: its pages by number, or one text without a page."""

    kind: str
    pages: dict[int | None, str]
    page_count: int = 0
    protected: bool = False
    notes: tuple[str, ...] = ()


def parse(data: bytes, name: str) -> Document:
    """Return the raw text with one paragraph for each element between blank lines."""
    raw = read_raw(data, name)
    builder = TextBuilder()
    for page, text in elements(raw):
        builder.add("paragraph", text, page=page, found_by="blank-line")
    return finish(builder, raw)


def finish(builder: TextBuilder, raw: RawText) -> Document:
    """Return the document of the elements added."""
    outcome: Outcome = "protected" if raw.protected else ("ok" if builder.blocks else "empty")
    layout = _LAYOUT if raw.kind == "pdf" else Layout()
    return builder.document(raw.kind, pages=raw.page_count, outcome=outcome, layout=layout, notes=raw.notes)


def elements(raw: RawText) -> Iterator[tuple[int | None, str]]:
    """Yield page and text of each element."""
    for page, text in raw.pages.items():
        for element in _BLANK_LINE.split(text.replace("\r\n", "\n").replace("\r", "\n")):
            if element.strip():
                yield page, element.strip("\n")


def read_raw(data: bytes, name: str) -> RawText:
    """Return the raw text: pypdf's for a PDF, all of a web page's text nodes, anything else decoded."""
    kind = detect(name, data[:HEAD])
    if kind == "pdf":
        return _read_pdf(data, name)
    if kind == "html":
        from bs4 import BeautifulSoup

        markup = _DECLARATION.sub("", decode(data, html=True)[0])
        return RawText(kind, {None: BeautifulSoup(markup, "lxml").get_text()})
    return RawText(kind, {None: decode(data)[0]})


def _read_pdf(data: bytes, name: str) -> RawText:
    from pypdf.errors import DependencyError, FileNotDecryptedError

    try:
        reader = open_reader(data, SECONDS)
        count = len(reader.pages)
    except (FileNotDecryptedError, DependencyError) as error:
        return RawText("pdf", {}, protected=True, notes=(f"pypdf: {error}",))
    except TimeUp as error:
        raise ParseError("timeout", f"{name}: pypdf: {error}") from error
    except PYPDF_ERRORS as error:
        raise ParseError("damaged", f"{name}: pypdf: {error}") from error
    pages: dict[int | None, str] = {}
    failed = 0
    for number in range(count):
        try:
            pages[number + 1] = reader.pages[number].extract_text()
        except TimeUp as error:
            raise ParseError("timeout", f"{name}: pypdf: {error}") from error
        except PYPDF_ERRORS:
            failed += 1
    if failed and failed == count:
        raise ParseError("damaged", f"{name}: pypdf could read none of its pages")
    notes = (f"{failed} of {count} pages could not be read",) if failed else ()
    return RawText("pdf", pages, count, notes=notes)
