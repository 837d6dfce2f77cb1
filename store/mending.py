"""Examining and mending vectors: what is damaged is deleted, and what it was of waits for new vectors."""

import sqlite3
from typing import NamedTuple

import numpy as np

from capsa.chunkers.errors import DamagedError

from . import cache
from .blocks import NONE, read_windows, windows_of
from .coding import delete_vectors
from .columns import Ids, read_columns

# Documents whose files are indexed and do not wait for vectors.
SETTLED = (
    "SELECT id FROM documents AS d WHERE NOT EXISTS"
    " (SELECT 1 FROM files AS f WHERE f.pending AND (f.document_id = d.id OR f.path = d.path))"
)


class Damage(NamedTuple):
    """Keys of unsound blocks, ids of codes of another size, of vectors without a chunk, of chunks without a
    vector, and whether blocks are missing."""

    blocks: list[int]
    codes: Ids
    strays: Ids
    bare: Ids
    lost: bool

    @property
    def wrong(self) -> int:
        """How much is damaged; 0 when all is sound."""
        return len(self.blocks) + len(self.codes) + len(self.strays) + len(self.bare) + self.lost

    @property
    def message(self) -> str:
        """The damage in words."""
        told = (
            (len(self.blocks), "blocks of vectors are damaged"),
            (len(self.codes), "vectors do not fit the model"),
            (len(self.strays), "vectors are of no chunk"),
            (len(self.bare), "chunks have no vector"),
            (int(self.lost), "vector file is of other blocks"),
        )
        return ", ".join(f"{count} {what}" for count, what in told if count) or "every vector fits the model"


def unsound_blocks(connection: sqlite3.Connection, size: int) -> list[int]:
    """Return the keys of the blocks whose columns do not agree with each other."""
    wrong = []
    rows = connection.execute("SELECT last, first_chunk, last_chunk, length(codes) FROM blocks").fetchall()
    for last, first_chunk, last_chunk, length in rows:
        try:
            ids, chunks, _ = windows_of(connection, last)
        except DamagedError:
            wrong.append(last)
            continue
        ends = (int(ids[-1]), int(chunks.min()), int(chunks.max()), len(ids) * size)
        if ends != (last, first_chunk, last_chunk, length) or (np.diff(ids) <= 0).any():
            wrong.append(last)
    return wrong


def examine_vectors(connection: sqlite3.Connection, size: int) -> Damage:
    """Look for damage among vectors whose codes have ``size`` bytes; with blocks unsound, only for these."""
    codes = _column(connection, "SELECT group_concat(id, ' ') FROM codes WHERE length(code) != ?", size)
    blocks = unsound_blocks(connection, size)
    if blocks:
        return Damage(blocks, codes, NONE, NONE, False)
    windows = read_windows(connection)
    strays = ~np.isin(windows.chunks, _column(connection, "SELECT group_concat(id, ' ') FROM chunks"))
    settled = f"SELECT group_concat(id, ' ') FROM chunks WHERE document_id IN ({SETTLED})"
    bare = np.setdiff1d(_column(connection, settled), windows.chunks)
    return Damage([], codes, windows.ids[strays], bare, _are_lost(connection, size))


def mend_vectors(connection: sqlite3.Connection, size: int) -> None:
    """Delete what is damaged, in the caller's transaction, and have its documents wait for vectors."""
    if _are_lost(connection, size):
        _wait(connection, "IS NOT NULL")
    for last in unsound_blocks(connection, size):
        span = connection.execute("SELECT first_chunk, last_chunk FROM blocks WHERE last = ?", (last,))
        _wait(connection, "BETWEEN ? AND ?", *span.fetchone())
        connection.execute("DELETE FROM blocks WHERE last = ?", (last,))
    damage = examine_vectors(connection, size)
    for vector_id in damage.codes.tolist():
        chunk = connection.execute("SELECT chunk_id FROM codes WHERE id = ?", (vector_id,))
        _wait(connection, "= ?", *chunk.fetchone())
    for chunk_id in damage.bare.tolist():
        _wait(connection, "= ?", chunk_id)
    delete_vectors(connection, np.union1d(damage.codes, damage.strays).tolist())


def _are_lost(connection: sqlite3.Connection, size: int) -> bool:
    """Whether the FAISS file was made of more or fewer vectors than are in blocks, by keys and by codes."""
    record = cache.read_record(connection)
    counts = connection.execute(
        "SELECT total(length(keys)) / 8, total(length(codes)) / ? FROM blocks", (size,)
    ).fetchone()
    return record is not None and record.count not in counts


def _wait(connection: sqlite3.Connection, which: str, *values: int) -> None:
    """Have the documents of chunks with such ids wait for vectors."""
    documents = f"SELECT document_id FROM chunks WHERE id {which}"
    connection.execute(
        f"UPDATE files SET pending = 1 WHERE document_id IN ({documents})"
        f" OR path IN (SELECT path FROM documents WHERE id IN ({documents}))",
        values * 2,
    )


def _column(connection: sqlite3.Connection, query: str, *values: object) -> Ids:
    [found] = read_columns(connection, query, values)
    return found
