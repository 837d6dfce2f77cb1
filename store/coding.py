"""Vectors of chunks going in and out of the tables, in the caller's transaction. Needs no NumPy."""

import sqlite3
from collections.abc import Iterable, Sequence


def insert_vectors(connection: sqlite3.Connection, chunk_id: int, codes: Iterable[tuple[int, bytes]]) -> None:
    """Give the chunk vectors, by the keys of what was embedded."""
    for key, code in codes:
        vector_id = connection.execute(
            "INSERT INTO codes (chunk_id, code) VALUES (?, ?)", (chunk_id, code)
        ).lastrowid
        connection.execute(
            "INSERT INTO vectors (chunk_id, key, id) VALUES (?, ?, ?)", (chunk_id, key, vector_id)
        )


def delete_vectors(connection: sqlite3.Connection, chunk_id: int, ids: Iterable[int]) -> None:
    """Take these vectors from the chunk; what of them is in a block goes with the next publishing."""
    rows = [(vector_id,) for vector_id in ids]
    connection.executemany(
        "DELETE FROM vectors WHERE chunk_id = ? AND id = ?", ((chunk_id, *row) for row in rows)
    )
    connection.executemany("DELETE FROM codes WHERE id = ?", rows)
    connection.executemany("INSERT INTO removed_vectors (id) VALUES (?)", rows)


def delete_all_vectors(connection: sqlite3.Connection) -> None:
    """Forget every vector, in the caller's transaction."""
    for table in ("vectors", "codes", "blocks", "removed_vectors"):
        connection.execute(f"DELETE FROM {table}")


def known_codes(connection: sqlite3.Connection, documents: Sequence[int]) -> dict[int, bytes]:
    """Return the codes of the documents' vectors by key."""
    marks = ", ".join("?" * len(documents))
    rows = connection.execute(
        "SELECT v.key, v.id, k.code FROM chunks AS c JOIN vectors AS v ON v.chunk_id = c.id"
        f" LEFT JOIN codes AS k ON k.id = v.id WHERE c.document_id IN ({marks})",
        tuple(documents),
    ).fetchall()
    packed = [vector_id for _, vector_id, code in rows if code is None]
    if not packed:
        return {key: code for key, _, code in rows}
    from .blocks import packed_codes

    of_id = packed_codes(connection, packed)
    found = {key: code or of_id.get(vector_id) for key, vector_id, code in rows}
    return {key: code for key, code in found.items() if code is not None}
