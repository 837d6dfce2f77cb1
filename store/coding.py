"""Vectors of chunks going in and out of the tables, in the caller's transaction.

NumPy is imported only where there are blocks: an index without a model has none.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .blocks import ByChunk

# How many vectors live. An id up to the highest in a block that was removed is of a vector in a block.
COUNT = (
    "SELECT (SELECT count(*) FROM codes)"
    " + CAST((SELECT total(length(keys)) / 8 FROM blocks) AS INTEGER)"
    " - (SELECT count(*) FROM removed_vectors WHERE id <= (SELECT max(last) FROM blocks))"
)


class Vector(NamedTuple):
    """A vector without its code: its id, its chunk's, and the hash of the text that was embedded."""

    id: int
    chunk_id: int
    key: int


def insert_vectors(connection: sqlite3.Connection, chunk_id: int, codes: Iterable[tuple[int, bytes]]) -> None:
    """Give the chunk vectors, by the keys of what was embedded."""
    connection.executemany(
        "INSERT INTO codes (chunk_id, key, code) VALUES (?, ?, ?)",
        ((chunk_id, key, code) for key, code in codes),
    )


def delete_vectors(connection: sqlite3.Connection, ids: Iterable[int]) -> None:
    """Delete vectors; what of them is in a block goes with the next publishing."""
    rows = [(vector_id,) for vector_id in ids]
    connection.executemany("DELETE FROM codes WHERE id = ?", rows)
    connection.executemany("INSERT INTO removed_vectors (id) VALUES (?)", rows)


def delete_all_vectors(connection: sqlite3.Connection) -> None:
    """Forget every vector."""
    for table in ("codes", "blocks", "removed_vectors"):
        connection.execute(f"DELETE FROM {table}")


def vectors_of(
    connection: sqlite3.Connection, document_id: int, read: "dict[int, ByChunk] | None" = None
) -> list[Vector]:
    """Return the vectors of the document's chunks; ``read`` as in ``blocks.packed_vectors``."""
    found = [Vector(*row) for row in _newer(connection, "k.id, k.chunk_id, k.key", document_id)]
    if _has_blocks(connection):
        from .blocks import packed_vectors

        chunks = _chunks(connection, document_id)
        for vectors, _ in packed_vectors(connection, chunks, {} if read is None else read):
            found += vectors
    return found


def lacks_vectors(connection: sqlite3.Connection, document_id: int) -> bool:
    """Whether a chunk of the document has no vector."""
    having = {vector.chunk_id for vector in vectors_of(connection, document_id)}
    return not having.issuperset(_chunks(connection, document_id))


def known_codes(connection: sqlite3.Connection, documents: Sequence[int]) -> dict[int, bytes]:
    """Return the codes of the documents' vectors by key."""
    found: dict[int, bytes] = {}
    for document_id in documents:
        found |= dict(_newer(connection, "k.key, k.code", document_id))
        if _has_blocks(connection):
            from .blocks import packed_codes, packed_vectors

            for vectors, block in packed_vectors(connection, _chunks(connection, document_id), {}):
                codes = packed_codes(connection, block)
                found |= {vector.key: codes[vector.id] for vector in vectors}
    return found


def _newer(connection: sqlite3.Connection, columns: str, document_id: int) -> list[Any]:
    query = f"SELECT {columns} FROM chunks AS c JOIN codes AS k ON k.chunk_id = c.id WHERE c.document_id = ?"
    return connection.execute(query, (document_id,)).fetchall()


def _has_blocks(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM blocks LIMIT 1").fetchone() is not None


def _chunks(connection: sqlite3.Connection, document_id: int) -> list[int]:
    rows = connection.execute("SELECT id FROM chunks WHERE document_id = ?", (document_id,))
    return [number for (number,) in rows]
