"""What is known of the visits, for those who read: of one page, and of all of them."""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .history import Export, Forgotten
from .records import Visited


@dataclass(frozen=True, slots=True)
class BrowserPart:
    """What one browser, on one device, told."""

    browser: str
    device: str
    pages: int
    visits: int
    first: int | None
    last: int | None


@dataclass(frozen=True, slots=True)
class Summary:
    """The whole history: pages (``stubs`` known by title and address only), visits and queries."""

    pages: int
    stubs: int
    waiting: int
    visits: int
    kept: int
    queries: int
    first: int | None
    last: int | None
    browsers: tuple[BrowserPart, ...]
    exports: tuple[Export, ...]


@dataclass(frozen=True, slots=True)
class Query:
    """A query that was typed into a search engine; ``time`` in microseconds since 1970."""

    site: str
    text: str
    time: int


def read_visited(connection: sqlite3.Connection, document_id: int) -> Visited | None:
    """Return the visits of a document, None for one that is no visited page."""
    row = connection.execute(
        "SELECT url, first, last, visits, kept_at, tags, folders FROM pages WHERE document_id = ?",
        (document_id,),
    ).fetchone()
    if row is None:
        return None
    url, first, last, count, kept_at, tags, folders = row
    origins = connection.execute(
        "SELECT browser, device FROM origins WHERE id IN"
        " (SELECT DISTINCT origin_id FROM visits WHERE document_id = ?) ORDER BY browser, device",
        (document_id,),
    ).fetchall()
    browsers = tuple(dict.fromkeys(browser for browser, _ in origins))
    devices = tuple(dict.fromkeys(device for _, device in origins if device))
    return Visited(
        *(url, first, last, count, kept_at),
        tags=tuple(json.loads(tags)),
        folders=tuple(json.loads(folders)),
        browsers=browsers,
        devices=devices,
    )


def read_summary(connection: sqlite3.Connection) -> Summary:
    """Count the history."""
    pages, visits, kept, first, last = connection.execute(
        "SELECT count(*), (SELECT count(*) FROM visits), total(first IS NULL), min(first), max(last)"
        " FROM pages"
    ).fetchone()
    stubs, waiting = connection.execute(
        "SELECT count(*), total(f.pending) FROM documents AS d JOIN files AS f ON f.document_id = d.id"
        " WHERE d.kind = 'page' AND d.parser = 'history'"
    ).fetchone()
    browsers = connection.execute(
        "SELECT o.browser, o.device, count(DISTINCT document_id), count(*), min(time), max(time)"
        " FROM visits AS v JOIN origins AS o ON o.id = v.origin_id GROUP BY o.id ORDER BY 4 DESC, 1, 2"
    )
    return Summary(
        pages=pages,
        stubs=stubs,
        waiting=int(waiting),
        visits=visits,
        kept=int(kept),
        queries=connection.execute("SELECT count(*) FROM queries").fetchone()[0],
        first=first,
        last=last,
        browsers=tuple(BrowserPart(*row) for row in browsers),
        exports=tuple(read_exports(connection)),
    )


def read_exports(connection: sqlite3.Connection) -> list[Export]:
    """Return the exports that were read, in the order of the first time."""
    rows = connection.execute(
        "SELECT path, format, browser, device, state, read_at, counts, followed FROM exports ORDER BY id"
    ).fetchall()
    return [_export(row) for row in rows]


def read_queries(connection: sqlite3.Connection, limit: int) -> list[Query]:
    """Return the newest queries."""
    rows = connection.execute("SELECT site, text, time FROM queries ORDER BY time DESC LIMIT ?", (limit,))
    return [Query(*row) for row in rows]


def read_forgotten(connection: sqlite3.Connection, nothing: bool = False) -> Forgotten:
    """Return what must not come back; with ``nothing`` all may."""
    if nothing:
        return Forgotten(())
    return Forgotten(connection.execute("SELECT host, since, until FROM forgotten").fetchall())


def _export(row: Sequence[Any]) -> Export:
    path, kind, browser, device, state, read_at, counts, followed = row
    return Export(path, kind, browser, device, state, read_at, json.loads(counts), bool(followed))
