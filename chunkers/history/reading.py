"""From a file to the records of an export, whichever of the formats it is in."""

import time
from collections.abc import Iterator
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import Any

from ..build import storable
from ..errors import ParseError
from .archive import SUFFIXES, read_archive
from .chromium import CHROMIUM
from .database import MAGIC, Schema, open_database, read_database
from .firefox import FIREFOX, FIREFOX_ANDROID, FIREFOX_ANDROID_OLD
from .listed import LISTS, VAGUE, BookmarkTree, JsonList, Table, read_list
from .markup import PAGES, Page
from .model import Bad, Bookmark, Found, Meter, Record, Visit, begin
from .others import EPIPHANY, QUTEBROWSER, SAFARI
from .times import is_plausible, show_time
from .zotero import ZOTERO

# Firefox for Android has all that Firefox has, and Epiphany all that Chromium has: they come first.
SCHEMAS: tuple[Schema, ...] = (
    FIREFOX_ANDROID,
    FIREFOX,
    FIREFOX_ANDROID_OLD,
    SAFARI,
    QUTEBROWSER,
    EPIPHANY,
    CHROMIUM,
    ZOTERO,
)
SURE: tuple[Page | JsonList | Table | BookmarkTree, ...] = (*PAGES, *LISTS)
FILES = (*SURE, *VAGUE)
HEAD = 1 << 16
# The style sheet of Google's activity comes before its first cell.
LONG_HEAD = 1 << 20
ZIP_MAGIC = b"PK\x03\x04"
_ZIP_NAMES = (b"Takeout/", b"BrowserHistory.json", b"part_000000.csv")
# Longer addresses hold a page themselves (data:, javascript:) or are no use.
LONGEST_URL = 4096
LONGEST_TITLE = 1000


def is_export(head: bytes) -> str:
    """Return the name of the export that a file beginning so is, "" for any other file."""
    if head.startswith(MAGIC):
        return next((schema.name for schema in SCHEMAS if schema.mark in head), "")
    if head.startswith(ZIP_MAGIC):
        return "Google Takeout" if any(name in head for name in _ZIP_NAMES) else ""
    # Most files are ruled out by how they begin.
    begins = begin(head)
    if begins[:1] not in (b"<", b"[", b"{") and b"url" not in begins.lower():
        return ""
    return next((each.name for each in SURE if each.fits(head)), "")


def find_format(path: Path) -> Found:
    """Return what a file is an export of; ParseError when it is none that is known, or damaged."""
    with path.open("rb") as file:
        head = file.read(LONG_HEAD)
    if head.startswith(MAGIC):
        database = open_database(path, SCHEMAS)
        database.connection.close()
        return Found(database.schema.name, database.schema.browser)
    if head.startswith(ZIP_MAGIC):
        takeout = b"Takeout/" in head
        return Found("Google Takeout" if takeout else "Archive", "google" if takeout else "archive")
    for each in FILES:
        if each.fits(head):
            return Found(each.name, each.browser)
    raise ParseError("not-a-history", "empty" if not head else "no export of a browser that is known")


def read_export(path: Path, meter: Meter, now: int | None = None) -> Iterator[Record]:
    """Yield what an export holds, each record fit to be kept: with an address, a plausible date, plain text.

    The file is opened where it is: a database must be a private copy (see database.py). ParseError when it is
    no export, or nothing of it can be read.
    """
    now = time.time_ns() // 1000 if now is None else now
    for record in _read(path, meter):
        yield _checked(record, now)


def _read(path: Path, meter: Meter) -> Iterator[Record]:
    with BufferedReader(path.open("rb", buffering=0), LONG_HEAD) as file:
        head = file.peek(len(MAGIC))
        if head.startswith(MAGIC):
            yield from read_database(path, SCHEMAS, meter)
        elif head.startswith(ZIP_MAGIC):
            yield from read_archive(path, meter, _read_member)
        else:
            meter.total = path.stat().st_size
            records = _read_stream(file, meter)
            if records is None:
                find_format(path)
            yield from records or ()


def _read_member(name: str, source: RawIOBase, meter: Meter) -> Iterator[Record] | None:
    return _read_stream(BufferedReader(source, LONG_HEAD), meter) if name.lower().endswith(SUFFIXES) else None


def _read_stream(source: "BufferedReader[Any]", meter: Meter) -> Iterator[Record] | None:
    head = source.peek(LONG_HEAD)
    kind = next((each for each in FILES if each.fits(head)), None)
    if kind is None:
        return None
    return kind.read(source, meter) if isinstance(kind, Page) else read_list(kind, source, meter)


def _checked(record: Record, now: int) -> Record:
    """Return the record with text that can be kept, or what is wrong with it."""
    if isinstance(record, Bad):
        return Bad(record.reason, storable(record.detail[:500]))
    url = storable(record.url.strip())
    if not url:
        return Bad("no-address", f"without an address: {storable(record.title[:200])}")
    if len(url) > LONGEST_URL and url[:4].lower() == "http":
        return Bad("too-long", f"an address of {len(url)} characters: {url[:200]}")
    if record.when is not None and not is_plausible(record.when, now):
        return Bad("date", f"{show_time(record.when)} cannot be when it was visited: {url[:200]}")
    title = " ".join(storable(record.title[:LONGEST_TITLE]).split())
    title = "" if title == url else title
    if isinstance(record, Visit):
        return Visit(url[:LONGEST_URL], title, record.when, record.told, storable(record.device[:100]))
    tags = tuple(dict.fromkeys(storable(tag[:100]) for tag in record.tags[:50]))
    return Bookmark(url[:LONGEST_URL], title, record.when, tags, storable(record.folder[:300]))
