"""From a file with saved pages to documents that know their address, one for each page."""

import codecs
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from importlib import import_module

from ..charset import declared_encoding
from ..errors import ParseError
from ..formats import HEAD, detect
from ..model import LAYOUT_BUDGET_MS, Document
from ..parsers import parse
from ..urls import kind_of, normalise
from .detecting import find_kind
from .model import ARCHIVES, Capture, Page
from .saved_html import HEAD as HTML_HEAD
from .saved_html import Origin, find_declared_origin, find_origin

# To add a capture format: a module with read(data, name), a line here, a test in detecting.py and a line in
# formats.FORMATS.
_MODULES = ("mhtml", "webarchive", "warc", "wacz", "archivebox")

MOST_PAGES = 5000
MOST_CHARACTERS = 64 << 20
# Below this the text is taken to be in the frames of the page.
_NEXT_TO_NOTHING = 50

# The types of bodies that are pages, and the name under which a body of that type is parsed.
_NAMES: Mapping[str, str] = {
    "text/html": "page.html",
    "application/xhtml+xml": "page.html",
    "application/pdf": "page.pdf",
    "text/plain": "page.txt",
    "text/markdown": "page.md",
}

# A mark at the beginning counts most of all.
_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

_USER = re.compile(r"//[^/?#@]{0,300}@")

# Parses a body under a name.
Parse = Callable[[bytes, str], Document]


def read_pages(
    data: bytes, name: str, parser: str = "native", layout_budget_ms: float = LAYOUT_BUDGET_MS
) -> list[Page]:
    """Return the pages of a file, of each the newest capture; none when the file is not a saved page.

    ParseError when there should be some and none can be read.
    """

    def parse_body(body: bytes, body_name: str) -> Document:
        return parse(body, body_name, parser, layout_budget_ms)

    kind = detect(name, data[:HEAD])
    if kind == "html":
        return _html_page(data, name, parse_body)
    if kind not in _MODULES:
        return []
    captures: Iterable[Capture] = import_module(f".{kind}", __package__).read(data, name)
    if kind not in ARCHIVES:
        captures = list(captures)
        return [_page(capture, parse_body) for capture in captures if _is_web(capture.url)]
    pages = _newest(captures, parse_body)
    if not pages:
        raise ParseError("empty", f"{name} holds no page with text")
    return pages


def read_single(data: bytes, name: str, kind: str, parse_body: Parse) -> Document:
    """Return the one page of a file, or the first of an archive, as a document like any other."""
    for capture in import_module(f".{kind}", __package__).read(data, name):
        if not capture.same_as and capture.content_type in _NAMES:
            return _document(capture, parse_body)
    raise ParseError("empty", f"{name} holds no page")


def is_capture(kind: str) -> bool:
    """Say whether files of this format are read here."""
    return kind in _MODULES


def _html_page(data: bytes, name: str, parse_body: Parse) -> list[Page]:
    # What savers write is ASCII in every encoding that pages have.
    origin = find_origin(data[:HTML_HEAD].decode("utf-8", "replace"))
    if origin is not None:
        return [_saved(parse_body(data, name), origin)]
    return []


def declared_page(document: Document, data: bytes, name: str) -> Page | None:
    """Return the page that a parsed HTML file is by what it declares; None when that is not enough."""
    origin = find_declared_origin(data, name, document) if document.kind == "html" else None
    return None if origin is None else _saved(document, origin)


def _saved(document: Document, origin: Origin) -> Page:
    return Page(_with_origin(document, origin.url), normalise(origin.url), origin.captured)


def _newest(captures: Iterable[Capture], parse_body: Parse) -> list[Page]:
    pages: dict[str, Page] = {}
    characters = 0
    for capture in captures:
        if not _is_web(capture.url):
            continue
        if len(pages) >= MOST_PAGES or characters >= MOST_CHARACTERS:
            return _with_note([*pages.values()])
        uri = normalise(capture.url)
        old = pages.get(uri)
        if old is not None and (old.captured or 0) > (capture.captured or 0):
            continue
        page = _again(capture, uri, pages) if capture.same_as else _page_or_none(capture, uri, parse_body)
        if page is not None:
            characters += len(page.document.text)
            pages[uri] = page
    return list(pages.values())


def _with_note(pages: list[Page]) -> list[Page]:
    """Say with the last page that it was not the last one."""
    last = pages[-1]
    note = f"the archive goes on after {len(pages)} pages, which is as far as it is read"
    return [*pages[:-1], replace(last, document=replace(last.document, notes=(*last.document.notes, note)))]


def _again(capture: Capture, uri: str, pages: Mapping[str, Page]) -> Page | None:
    earlier = pages.get(normalise(capture.same_as))
    if earlier is None:
        return None
    return Page(_with_origin(earlier.document, capture.url), uri, capture.captured)


def _page_or_none(capture: Capture, uri: str, parse_body: Parse) -> Page | None:
    """Of an archive everything that was fetched comes here: images, scripts, frames without text."""
    if capture.content_type not in _NAMES:
        return None
    try:
        page = Page(_document(capture, parse_body), uri, capture.captured)
    except ParseError:
        return None
    return page if page.document.outcome == "ok" else None


def _page(capture: Capture, parse_body: Parse) -> Page:
    return Page(_document(capture, parse_body), normalise(capture.url), capture.captured)


def _document(capture: Capture, parse_body: Parse) -> Document:
    body_name = _NAMES.get(capture.content_type, "page.html")
    bodies = [_with_charset(capture), *capture.other_bodies]
    document = _parse(bodies[0], body_name, parse_body)
    if len(document.text) < _NEXT_TO_NOTHING:
        frames = [_parse(body, "page.html", parse_body) for body in bodies[1:]]
        document = max([document, *frames], key=lambda each: len(each.text))
    # A text without a title is named after its file, which is none here.
    titled = document.kind in ("html", "pdf") and document.title
    document = replace(document, title=titled or capture.title)
    return _with_origin(document, capture.url) if _is_web(capture.url) else document


def _parse(body: bytes, name: str, parse_body: Parse) -> Document:
    # An archive inside an archive is no page, and could go on for ever.
    if find_kind(name, body[:HEAD]) is not None:
        raise ParseError("unsupported", "an archive in place of a page")
    return parse_body(body, name)


def _with_charset(capture: Capture) -> bytes:
    """The body as UTF-8 when its server named another encoding: it counts more than the page's word."""
    label = capture.charset.lower()[:40]
    if not capture.content_type.startswith("text/") or label in ("", "utf-8", "utf8"):
        return capture.body
    encoding = declared_encoding(f'<meta charset="{label}">'.encode("ascii", "replace"))
    if encoding is None or capture.body.startswith(_MARKS):
        return capture.body
    return codecs.BOM_UTF8 + capture.body.decode(encoding, "replace").encode()


def _with_origin(document: Document, url: str) -> Document:
    """Note the address as it was, without the name and password that it may hold."""
    plain = _USER.sub("//", url, count=1)
    return replace(document, metadata={**document.metadata, "url": plain})


def _is_web(url: str) -> bool:
    return kind_of(url) in ("web", "local")
