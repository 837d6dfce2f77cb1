"""Putting documents into the tables and taking them out, inside the caller's transaction."""

import sqlite3
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from . import keywords, meta
from .captures import Captures
from .coding import Vector, delete_all_vectors, delete_vectors, insert_vectors, vectors_of
from .outline import Outline, dump_outline
from .records import Plan, PlannedChunk
from .rows import CHUNK_COLUMNS, KINDS, ChunkRow, StoredDocument, document_values, file_values, upsert
from .stubs import restore_stub
from .texts import delete_text, put_text

if TYPE_CHECKING:
    from .blocks import ByChunk

CHUNK_UPDATE = (
    "UPDATE chunks SET start = ?, end = ?, core_start = ?, kind = ?, heading = ?, page_first = ?,"
    " page_last = ? WHERE id = ?"
)
CHUNK_INSERT = (
    "INSERT INTO chunks (start, end, core_start, kind, heading, page_first, page_last, document_id, key) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


class Committer:
    """Writes documents over one connection; ``stale_keywords``: the keyword index must be rebuilt."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.captures = Captures(connection, self._drop_text)
        self.stale_keywords = False
        self._read: dict[int, ByChunk] = {}

    def put(self, plan: Plan, codes: Mapping[int, bytes]) -> int:
        """Write the plan over what was there under its URI and return the document's id.

        Chunks whose keyword texts are the same keep their ids. ``codes`` holds every vector code known for
        the plan.
        """
        old_id = self.find(plan.entry.uri)
        self._drop_other_document(plan.entry.key, old_id)
        if plan.capture is not None and not self.captures.add(plan) and old_id is not None:
            return old_id
        outline = Outline()
        places = [outline.add(planned.chunk.headings) for planned in plan.chunks]
        vectors = vectors_of(self._connection, old_id, self._read) if old_id is not None else []
        kept = self._drop_old_chunks(old_id, plan, vectors) if old_id is not None else {}
        document_id = self._put_document(plan, outline)
        put_text(self._connection, document_id, plan.document.text)
        ids = self._put_chunks(document_id, zip(plan.chunks, places, strict=True), kept)
        waits = self._put_vectors(zip(ids, plan.chunks, strict=True), vectors, codes)
        if plan.capture is not None:
            self.captures.put(document_id)
        else:
            self.captures.forget_file(plan.entry.key)
            self._put_file(plan, document_id, waits)
        return document_id

    def remove(self, document_id: int) -> None:
        """Take a document out of every table."""
        stored = StoredDocument(self._connection, document_id)
        self._drop_chunks(stored, stored.rows(), vectors_of(self._connection, document_id, self._read))
        delete_text(self._connection, document_id)
        self._connection.execute("DELETE FROM documents WHERE id = ?", (document_id,))
        self._connection.execute("DELETE FROM files WHERE document_id = ?", (document_id,))

    def _drop_text(self, document_id: int) -> None:
        """Take from a page the text of a saved copy; one that was never visited goes with it."""
        if not restore_stub(self._connection, self, document_id):
            self.remove(document_id)

    def find(self, uri: str) -> int | None:
        """Return the id of the document under the URI."""
        row = self._connection.execute("SELECT id FROM documents WHERE uri = ?", (uri,)).fetchone()
        return row[0] if row else None

    def drop_all_vectors(self) -> None:
        """Forget every vector and the file of them; all documents wait for new ones."""
        delete_all_vectors(self._connection)
        meta.drop(self._connection, "cache")
        self._connection.execute("UPDATE files SET pending = 1 WHERE status = 'indexed'")

    def _put_chunks(
        self,
        document_id: int,
        chunks: Iterable[tuple[PlannedChunk, int]],
        kept: Mapping[int, list[int]],
    ) -> list[int]:
        """Write the chunks with their places in the outline and return their ids."""
        added, written = [], []
        for planned, place in chunks:
            ids = kept.get(planned.key)
            if ids:
                chunk_id = ids.pop(0)
                self._connection.execute(CHUNK_UPDATE, (*chunk_values(planned, place), chunk_id))
            else:
                chunk_id = self._insert(
                    CHUNK_INSERT, (*chunk_values(planned, place), document_id, planned.key)
                )
                added.append((chunk_id, keywords.Columns(planned.crumb, planned.body)))
            written.append(chunk_id)
        keywords.insert_rows(self._connection, added)
        return written

    def _drop_other_document(self, path: bytes, document_id: int | None) -> None:
        """Remove what the path was known as under another URI."""
        row = self._connection.execute("SELECT document_id FROM files WHERE path = ?", (path,)).fetchone()
        if row is not None and row[0] not in (None, document_id):
            self.remove(row[0])

    def _put_document(self, plan: Plan, outline: Outline) -> int:
        values = document_values(plan, time.time())
        upsert(self._connection, "documents", values | {"outline": dump_outline(outline)}, "uri")
        document_id = self.find(plan.entry.uri)
        assert document_id is not None
        return document_id

    def _put_file(self, plan: Plan, document_id: int, pending: bool) -> None:
        values = file_values(plan.entry, "indexed", plan.recipe.parser_version)
        upsert(
            self._connection, "files", values | {"document_id": document_id, "pending": int(pending)}, "path"
        )

    def _drop_old_chunks(
        self, document_id: int, plan: Plan, vectors: Sequence[Vector]
    ) -> dict[int, list[int]]:
        """Delete the chunks that the plan no longer has; return the ids of the others by key."""
        wanted: defaultdict[int, int] = defaultdict(int)
        for planned in plan.chunks:
            wanted[planned.key] += 1
        kept: defaultdict[int, list[int]] = defaultdict(list)
        dropped = []
        for row in self._rows(document_id):
            if len(kept[row.key]) < wanted[row.key]:
                kept[row.key].append(row.id)
            else:
                dropped.append(row)
        if dropped:
            self._drop_chunks(StoredDocument(self._connection, document_id), dropped, vectors)
        return dict(kept)

    def _rows(self, document_id: int) -> list[ChunkRow]:
        found = self._connection.execute(
            f"SELECT {CHUNK_COLUMNS} FROM chunks WHERE document_id = ? ORDER BY start, id", (document_id,)
        )
        return [ChunkRow(*row) for row in found]

    def _drop_chunks(
        self, stored: StoredDocument, rows: Sequence[ChunkRow], vectors: Sequence[Vector]
    ) -> None:
        found = list(stored.columns(rows))
        if all(columns.key == row.key for (_, columns), row in zip(found, rows, strict=True)):
            keywords.delete_rows(self._connection, found)
        else:
            self.stale_keywords = True
        gone = {row.id for row in rows}
        delete_vectors(self._connection, [vector.id for vector in vectors if vector.chunk_id in gone])
        self._connection.executemany("DELETE FROM chunks WHERE id = ?", ((row.id,) for row in rows))

    def _put_vectors(
        self,
        chunks: Iterable[tuple[int, PlannedChunk]],
        vectors: Sequence[Vector],
        codes: Mapping[int, bytes],
    ) -> bool:
        """Give the chunks exactly the vectors of their windows; True when some are not known yet.

        ``vectors`` are those that the chunks have, and may have others among them.
        """
        there: defaultdict[int, dict[int, int]] = defaultdict(dict)
        for vector in vectors:
            there[vector.chunk_id][vector.key] = vector.id
        waits = False
        for chunk_id, planned in chunks:
            present = there[chunk_id]
            gone = [present[key] for key in present.keys() - set(planned.windows)]
            delete_vectors(self._connection, gone)
            missing = [key for key in planned.windows if key not in present]
            known = [(key, codes[key]) for key in missing if key in codes]
            insert_vectors(self._connection, chunk_id, known)
            waits |= len(known) < len(missing)
        return waits

    def _insert(self, statement: str, values: Sequence[object]) -> int:
        row_id = self._connection.execute(statement, values).lastrowid
        assert row_id is not None
        return row_id


def chunk_values(planned: PlannedChunk, place: int) -> tuple[int | None, ...]:
    """Return the columns of ``chunks`` that may change while the chunk keeps its id."""
    chunk = planned.chunk
    kind = KINDS.index(chunk.kind)
    return (chunk.start, chunk.end, chunk.core_start, kind, place, chunk.page_first, chunk.page_last)


def rebuild_keywords(connection: sqlite3.Connection) -> None:
    """Make the keyword index anew from the stored texts, and each chunk's key with it."""
    keywords.clear(connection)
    documents = connection.execute("SELECT id FROM documents ORDER BY id").fetchall()
    for (document_id,) in documents:
        stored = StoredDocument(connection, document_id)
        rows = list(stored.columns(stored.rows()))
        keywords.insert_rows(connection, rows)
        connection.executemany(
            "UPDATE chunks SET key = ? WHERE id = ?", ((columns.key, chunk_id) for chunk_id, columns in rows)
        )
