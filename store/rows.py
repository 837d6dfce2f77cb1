"""Rows of the database <-> records."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from sys import intern
from typing import Any, NamedTuple

from capsa.chunkers.model import Chunk, ChunkKind, Document

from .keywords import Columns, columns
from .outline import Outline, load_outline
from .records import Entry, Known, Plan, Status
from .texts import TextReader

# chunks.kind is the place in this tuple: only ever append.
KINDS: tuple[ChunkKind, ...] = ("text", "table", "figure", "code")

KNOWN_COLUMNS = "size, mtime_ns, ctime_ns, inode, content_hash, status, reason, parser_version, pending != 0"


class ChunkRow(NamedTuple):
    """A row of ``chunks``."""

    id: int
    document_id: int
    start: int
    end: int
    core_start: int
    kind: int
    heading: int
    page_first: int | None
    page_last: int | None
    key: int


CHUNK_COLUMNS = ", ".join(ChunkRow._fields)


def known(row: Sequence[Any]) -> Known:
    """Build the record from KNOWN_COLUMNS."""
    *stamps, status, reason, version, pending = row
    # One string for all that say the same: a quarter of what a million records take.
    return Known(*stamps, *map(intern, (status, reason, version)), bool(pending))  # type: ignore[call-arg]


def document_values(plan: Plan, now: float, host: str | None = None) -> dict[str, object]:
    """Return the columns of ``documents`` for the plan, outline and id apart; ``host`` is its site."""
    entry, document, layout = plan.entry, plan.document, plan.document.layout
    return {
        "source_id": entry.source_id,
        "uri": entry.uri,
        "path": entry.path,
        "site": host or site(entry.uri) or site(document.metadata.get("canonical", "")),
        "kind": entry.kind or document.kind,
        "title": document.title,
        "language": document.language,
        "modified": entry.mtime_ns / 1e9,
        "indexed_at": now,
        "pages": document.pages,
        "outcome": document.outcome,
        "parser": plan.recipe.parser,
        "chunker": plan.recipe.chunker,
        "layout_state": layout.state,
        "layout_pages": layout.pages_done,
        "layout_ms": layout.ms,
        "layout_reason": layout.reason,
        "layout_wall_ms": layout.wall_ms,
        "scanned_pages": len(document.scanned_pages),
        "ocr_pages": document.ocr_pages,
        "characters": len(document.text),
        "metadata": json.dumps(
            {"metadata": dict(document.metadata), "notes": document.notes, "kind": document.kind}
        ),
    }


def file_values(entry: Entry, status: Status, parser_version: str) -> dict[str, object]:
    """Return the columns of ``files`` that come from the entry."""
    return {
        "path": entry.key,
        "source_id": entry.source_id,
        "document_id": None,
        "status": status,
        "reason": "",
        "detail": "",
        "size": entry.size,
        "mtime_ns": entry.mtime_ns,
        "ctime_ns": entry.ctime_ns,
        "inode": entry.inode,
        "content_hash": entry.content_hash,
        "parser_version": parser_version,
        "pending": 0,
    }


def site(uri: str) -> str | None:
    """Return the host of a web address as ``--site`` takes it, None for any other URI."""
    if not uri.lower().startswith(("http:", "https:")):
        return None
    # Its rules take milliseconds to load, which a search need not wait for.
    from capsa.chunkers.urls import site as site_of

    return site_of(uri) or None


def upsert(connection: sqlite3.Connection, table: str, values: dict[str, object], key: str) -> None:
    """Insert the row, or update the row that has the same key."""
    names = ", ".join(values)
    changes = ", ".join(f"{name} = excluded.{name}" for name in values if name != key)
    marks = ", ".join("?" * len(values))
    connection.execute(
        f"INSERT INTO {table} ({names}) VALUES ({marks}) ON CONFLICT ({key}) DO UPDATE SET {changes}",
        tuple(values.values()),
    )


class StoredDocument:
    """A document as it can be rebuilt from its rows: text, title, kind and heading paths."""

    def __init__(self, connection: sqlite3.Connection, document_id: int) -> None:
        title, metadata, outline = connection.execute(
            "SELECT title, metadata, outline FROM documents WHERE id = ?", (document_id,)
        ).fetchone()
        self._connection = connection
        self.id = document_id
        self.outline: Outline = load_outline(outline)
        text = TextReader(connection).whole(document_id)
        self.document = Document(text, (), json.loads(metadata)["kind"], title=title)

    def rows(self) -> list[ChunkRow]:
        """Return the document's chunks by id."""
        found = self._connection.execute(
            f"SELECT {CHUNK_COLUMNS} FROM chunks WHERE document_id = ? ORDER BY id", (self.id,)
        )
        return [ChunkRow(*row) for row in found]

    def columns(self, rows: Sequence[ChunkRow]) -> Iterator[tuple[int, Columns]]:
        """Recompute what the keyword index holds for the chunks."""
        for row in rows:
            chunk = Chunk(
                row.start, row.end, row.core_start, KINDS[row.kind], headings=self.outline.path(row.heading)
            )
            yield row.id, columns(self.document, chunk)
