"""What the writer does to the visited pages: adding, giving vectors, forgetting; and the exports it read."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

from . import keywords, meta
from .coding import insert_vectors
from .committing import Committer
from .database import transaction
from .filters import on_site
from .records import PAGE
from .stubs import (
    PAGE_COLUMNS,
    RECIPE,
    SOURCE,
    Page,
    history_source,
    put_page,
    read_page,
    stub_plan,
    window_texts,
)
from .texts import TextReader
from .visits import Added, PageWriter, Told, Typed

if TYPE_CHECKING:
    from .quantisers import Vectors
    from .records import ModelMark

Change = Callable[..., AbstractContextManager[Committer]]
# A host may be asked for by its parent; of longer names only so many ends are.
_MOST_LABELS = 8
WIPE = "wipe"


@dataclass(frozen=True, slots=True)
class Waiting:
    """A stub that has no vectors yet, with the texts that need one."""

    document_id: int
    chunk_id: int
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Export:
    """An export that was read; ``state`` tells whether its files are still the same. See schema.sql."""

    path: bytes
    format: str
    browser: str
    device: str
    state: str
    read_at: float
    counts: Mapping[str, object]
    followed: bool


@dataclass(frozen=True, slots=True)
class Forgot:
    """What was forgotten."""

    pages: int
    visits: int
    queries: int


@dataclass(frozen=True, slots=True)
class Span:
    """What is to be forgotten: a host with its subdomains, "" for all, from ``since`` to ``until``.

    With a ``uri`` it is that page alone. Times are microseconds since 1970, both inclusive.
    """

    site: str
    since: int
    until: int
    uri: str = ""

    @property
    def where(self) -> tuple[str, list[object]]:
        """The condition on documents, with its values."""
        return ("d.uri = ?", [self.uri]) if self.uri else on_site(self.site, "d.site")


class History:
    """The history over the writer's connection; ``change`` runs a transaction that searches see."""

    def __init__(self, connection: sqlite3.Connection, change: Change, mark: "ModelMark | None") -> None:
        self.connection = connection
        self._change = change
        self._mark = mark

    def put(self, browser: str, told: Sequence[Told], typed: Sequence[Typed] = ()) -> Added:
        """Add what an export of the browser tells; each page is told once in a batch."""
        with self._change(durable=False) as committer:
            return PageWriter(self.connection, browser).put(committer, told, typed)

    def put_export(self, export: Export) -> None:
        """Remember that the export was read; one that is followed stays so."""
        with transaction(self.connection):
            self.connection.execute(
                "INSERT INTO exports (path, format, browser, device, state, read_at, counts, followed)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (path) DO UPDATE SET format = excluded.format,"
                " browser = excluded.browser, device = excluded.device, state = excluded.state,"
                " read_at = excluded.read_at, counts = excluded.counts,"
                " followed = max(followed, excluded.followed)",
                (
                    *(export.path, export.format, export.browser, export.device, export.state),
                    *(export.read_at, json.dumps(export.counts), int(export.followed)),
                ),
            )

    def follow(self, path: bytes, followed: bool) -> bool:
        """Have an export read again and again, or no more; False when it is not known."""
        with transaction(self.connection):
            changed = self.connection.execute(
                "UPDATE exports SET followed = ? WHERE path = ?", (int(followed), path)
            )
        return changed.rowcount > 0

    def waiting(self, limit: int, after: int = 0) -> list[Waiting]:
        """Return stubs that have no vectors yet, by id."""
        rows = self.connection.execute(
            # In the order of the documents, so that it ends at the limit.
            "SELECT d.id, c.id FROM documents AS d CROSS JOIN files AS f ON f.document_id = d.id"
            " CROSS JOIN chunks AS c ON c.document_id = d.id"
            " WHERE f.pending AND d.kind = ? AND d.parser = ? AND d.id > ? ORDER BY d.id LIMIT ?",
            (PAGE, RECIPE.parser, after, limit),
        ).fetchall()
        texts = TextReader(self.connection)
        return [
            Waiting(document_id, chunk_id, tuple(window_texts(texts.whole(document_id))))
            for document_id, chunk_id in rows
        ]

    def give_vectors(self, waiting: Sequence[Waiting], vectors: "Vectors") -> None:
        """Give stubs the vectors of their texts, all in one array [number of texts, dimension]."""
        assert self._mark is not None
        codes = iter(self._mark.quantiser.encode(vectors))
        made = [
            (stub.chunk_id, {keywords.hash64(text): next(codes).tobytes() for text in stub.texts})
            for stub in waiting
        ]
        with self._change(durable=False):
            for chunk_id, of_chunk in made:
                insert_vectors(self.connection, chunk_id, of_chunk.items())
            self.connection.executemany(
                "UPDATE files SET pending = 0 WHERE document_id = ?",
                [(stub.document_id,) for stub in waiting],
            )

    def forget(self, span: Span) -> Forgot:
        """Forget visits, queries, and pages that have none left; the next ``publish`` wipes them.

        What was forgotten does not come back with another import. A saved copy of a page stays.
        """
        with self._change(shrinks=True) as committer:
            pages = self._pages_of(span)
            visits = sum(self._forget_visits(page, span) for page in pages)
            gone = sum(self._settle(committer, page, span) for page in pages)
            queries = 0 if span.uri else self._forget_queries(span)
            self.connection.execute(
                "INSERT OR IGNORE INTO forgotten (host, since, until) VALUES (?, ?, ?)",
                (hash_name(span.uri or span.site), span.since, span.until),
            )
            meta.put(self.connection, WIPE, 1)
        return Forgot(gone, visits, queries)

    def clear(self) -> int:
        """Forget all visited pages, and which exports they came from; return how many pages that were.

        All may come back with the next import.
        """
        everything = Span("", 0, 1 << 62)
        with self._change(shrinks=True) as committer:
            gone = sum(self._settle(committer, page, everything) for page in self._emptied(everything))
            for table in ("queries", "exports", "origins", "forgotten"):
                self.connection.execute(f"DELETE FROM {table}")
            self.connection.execute("DELETE FROM sources WHERE path = ?", (SOURCE,))
            meta.put(self.connection, WIPE, 1)
        return gone

    def _emptied(self, span: Span) -> list[Page]:
        pages = self._pages_of(span)
        for page in pages:
            self._forget_visits(page, span)
        return pages

    def _pages_of(self, span: Span) -> list[Page]:
        where, values = span.where
        rows = self.connection.execute(
            f"SELECT {PAGE_COLUMNS} FROM pages AS p JOIN documents AS d ON d.id = p.document_id WHERE {where}"
            " AND (EXISTS (SELECT 1 FROM visits WHERE document_id = d.id AND time BETWEEN ? AND ?)"
            " OR coalesce(p.kept_at, p.last, 0) BETWEEN ? AND ?)",
            (*values, span.since, span.until, span.since, span.until),
        )
        return [read_page(row) for row in rows]

    def _forget_visits(self, page: Page, span: Span) -> int:
        return self.connection.execute(
            "DELETE FROM visits WHERE document_id = ? AND time BETWEEN ? AND ?",
            (page.document_id, span.since, span.until),
        ).rowcount

    def _settle(self, committer: Committer, page: Page, span: Span) -> bool:
        """Bring the page to what is left of it; True when nothing is."""
        first, last, rows = self.connection.execute(
            "SELECT min(time), max(time), count(*) FROM visits WHERE document_id = ?", (page.document_id,)
        ).fetchone()
        kept = page.kept_at is not None and not span.since <= page.kept_at <= span.until
        if rows or kept:
            left = Page(
                *(page.document_id, page.uri, page.title, page.url, page.titled_at, first, last, rows, 0),
                *((page.kept_at, page.tags, page.folders) if kept else (None, (), ())),
            )
            put_page(self.connection, [left])
            self._date(committer, page, left)
        elif self._has_copy(page):
            self.connection.execute("DELETE FROM pages WHERE document_id = ?", (page.document_id,))
        else:
            committer.remove(page.document_id)
        return not (rows or kept)

    def _date(self, committer: Committer, page: Page, left: Page) -> None:
        """Give the document its new date, and a text without what it is no longer kept under."""
        if left.text != page.text and not self._has_copy(page):
            committer.put(stub_plan(left, history_source(self.connection)), {})
            return
        self.connection.execute(
            "UPDATE documents SET modified = ? WHERE id = ?", (left.dated / 1e6, page.document_id)
        )

    def _has_copy(self, page: Page) -> bool:
        row = self.connection.execute("SELECT 1 FROM captures WHERE uri = ?", (page.uri,)).fetchone()
        return row is not None

    def _forget_queries(self, span: Span) -> int:
        where, values = on_site(span.site)
        return self.connection.execute(
            f"DELETE FROM queries WHERE {where} AND time BETWEEN ? AND ?", (*values, span.since, span.until)
        ).rowcount


def waiting_count(connection: sqlite3.Connection) -> int:
    """Return how many stubs have no vectors yet."""
    row = connection.execute(
        "SELECT count(*) FROM files AS f JOIN documents AS d ON d.id = f.document_id"
        " WHERE f.pending AND d.kind = ? AND d.parser = ?",
        (PAGE, RECIPE.parser),
    ).fetchone()
    count: int = row[0]
    return count


class Forgotten:
    """What must not come back."""

    def __init__(self, rows: Iterable[tuple[bytes, int, int]]) -> None:
        self._spans: dict[bytes, list[tuple[int, int]]] = {}
        for host, since, until in rows:
            self._spans.setdefault(host, []).append((since, until))

    def covers(self, host: str, when: int, uri: str = "") -> bool:
        """Whether a visit of the page, or of its host, at that time was forgotten."""
        if not self._spans:
            return False
        labels = host.split(".")[-_MOST_LABELS:]
        ends = [".".join(labels[place:]) for place in range(len(labels))]
        return any(
            since <= when <= until
            for end in ("", uri, *ends)
            for since, until in self._spans.get(hash_name(end), ())
        )


def hash_name(name: str) -> bytes:
    """Return what is kept of a host or an address that was forgotten, nothing for none."""
    return blake2b(name.encode(), digest_size=16, person=b"capsa host").digest() if name else b""
