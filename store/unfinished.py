"""Documents that more time would read better: the list, the attempts at them, and recognised text.

The list is a query, so it cannot be lost: a document leaves it in the transaction that commits it finished.
"""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

import zstandard

from . import meta
from .database import transaction
from .pages import CUT, WAITING, read_scans
from .records import Entry

TRIES = 3
"""Times a document may be worked on when the program was killed; then it is held to be the reason."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What can be finished here: documents of these versions, and scans only if text can be recognised.

    ``limits`` says how far an attempt goes: with other limits it is worth another one.
    """

    parser_version: str
    limits: str
    scans: bool


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A document that was cut by the layout budget or has scanned pages nobody has read."""

    id: int
    entry: Entry
    root: bytes
    pages: int
    scanned_pages: int

    def version(self, limits: str) -> str:
        """What an attempt is remembered under: the limits, and the content."""
        return f"{limits}/{self.entry.content_hash.hex()}"


class Finishing:
    """Reads and keeps what finishing needs, over the writer's connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def unfinished(self, wanted: Wanted) -> list[Unfinished]:
        """Return the documents to work on: those without scans first, which takes seconds, then by pages."""
        unread = f" OR {WAITING}" if wanted.scans else ""
        rows = self._connection.execute(
            "SELECT d.id, s.path, d.pages, d.scanned_pages, f.path, d.uri, d.source_id, d.kind, f.size,"
            " f.mtime_ns, f.ctime_ns, f.inode, f.content_hash"
            " FROM documents AS d JOIN files AS f ON f.document_id = d.id"
            " JOIN sources AS s ON s.id = d.source_id"
            " LEFT JOIN attempts AS a ON a.document_id = d.id"
            " AND a.version = :limits || '/' || lower(hex(f.content_hash))"
            f" WHERE d.path IS NOT NULL AND f.parser_version = :version AND ({CUT}{unread})"
            " AND (a.tries IS NULL OR (a.tries < :tries AND a.detail = ''))"
            f" ORDER BY {WAITING}, d.pages, d.id",
            {"limits": wanted.limits, "version": wanted.parser_version, "tries": TRIES},
        )
        found = [Unfinished(row[0], Entry(*row[4:]), row[1], row[2], row[3]) for row in rows]
        paused = meta.paused(self._connection)
        return [document for document in found if document.entry.source_id not in paused]

    def scans_waiting(self) -> int:
        """Return the number of documents with scanned pages that nobody has recognised."""
        return read_scans(self._connection).documents_waiting

    def is_current(self, document: Unfinished) -> bool:
        """Say whether the document is still there, and of the content it was listed with."""
        row = self._connection.execute(
            "SELECT 1 FROM files WHERE document_id = ? AND content_hash = ?",
            (document.id, document.entry.content_hash),
        ).fetchone()
        return row is not None

    def begin(self, document: Unfinished, limits: str) -> None:
        """Remember, before anything is read, that the document is worked on."""
        with transaction(self._connection, durable=False):
            self._connection.execute(
                "INSERT INTO attempts (document_id, version, tries, detail) VALUES (?, ?, 1, '')"
                " ON CONFLICT (document_id) DO UPDATE SET version = excluded.version, detail = '',"
                " tries = CASE version WHEN excluded.version THEN tries + 1 ELSE 1 END",
                (document.id, document.version(limits)),
            )

    def release(self, document: Unfinished) -> None:
        """Take the attempt back: it was stopped, which is not the document's fault, or it is done."""
        with transaction(self._connection, durable=False):
            self._connection.execute("DELETE FROM attempts WHERE document_id = ?", (document.id,))

    def settle(self, document: Unfinished, detail: str) -> None:
        """Remember why the document stays as it is, until its content or the limits change."""
        with transaction(self._connection):
            self._connection.execute(
                "UPDATE attempts SET detail = ? WHERE document_id = ?", (detail, document.id)
            )

    def recognised(self, content_hash: bytes, engine: str) -> Mapping[int, bytes]:
        """Return the recognised pages of a file by number, in the form of chunkers.ocr_page."""
        rows = self._connection.execute(
            "SELECT page, lines FROM recognised WHERE content_hash = ? AND engine = ? ORDER BY page",
            (content_hash, engine),
        )
        unpack = zstandard.ZstdDecompressor().decompress
        return {page: unpack(lines) for page, lines in rows}

    def keep_recognised(self, content_hash: bytes, page: int, engine: str, lines: bytes) -> None:
        """Keep a recognised page as long as there is a document of that content."""
        with transaction(self._connection):
            self._connection.execute(
                "INSERT OR REPLACE INTO recognised (content_hash, page, engine, lines) SELECT ?, ?, ?, ?"
                " WHERE EXISTS (SELECT 1 FROM files WHERE content_hash = ? AND document_id IS NOT NULL)",
                (content_hash, page, engine, zstandard.ZstdCompressor(level=6).compress(lines), content_hash),
            )
