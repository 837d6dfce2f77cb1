"""Where codes lie: those newer than the FAISS file in rows of ``codes``, all others together in ``blocks``.

A row of its own takes 25 bytes beside the code, a block of 1,024 codes less than one for each. What the FAISS
file is of is exactly what lies in blocks: both change in one transaction.
"""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import zstandard

from capsa.chunkers.errors import DamagedError

from .columns import Ids, read_columns
from .growing import Growing, with_spare
from .packing import pack_numbers, unpack_numbers
from .quantisers import Codes

# Vectors in a block.
FULL = 1024
# With more than so many blocks for each full one, or a few more, all are made anew.
SPREAD, FEW = 2, 16
# Rows that are read together: a row in Python takes several times its bytes.
AT_ONCE = 16 * FULL
DAMAGED = "the vectors in the database are damaged; `capsa doctor --repair` mends that"


class Block(NamedTuple):
    """Ids, ascending, and their codes, uint8 [n, size]."""

    ids: Ids
    codes: Codes


def packed_codes(connection: sqlite3.Connection, ids: Sequence[int]) -> dict[int, bytes]:
    """Return by id those of the codes that lie in blocks."""
    found = {}
    for block in _blocks_with(connection, sorted(ids)):
        for place in np.flatnonzero(np.isin(block.ids, ids)).tolist():
            found[int(block.ids[place])] = block.codes[place].tobytes()
    return found


def read_newer(connection: sqlite3.Connection, size: int, after: int) -> tuple[Ids, Ids, Codes]:
    """Read ids, chunks' ids and codes, of ``size`` bytes, of the vectors newer than the id ``after``.

    They must be newer than those in blocks.
    """
    found = [(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty((0, size), dtype=np.uint8))]
    while True:
        rows = connection.execute(
            "SELECT id, chunk_id, code FROM codes WHERE id > ? ORDER BY id LIMIT ?", (after, AT_ONCE)
        ).fetchall()
        if not rows:
            break
        ids, chunks, codes = zip(*rows, strict=True)
        found.append((np.array(ids), np.array(chunks), _rows(b"".join(codes), size)))
        after = ids[-1]
    ids, chunks, codes = zip(*found, strict=True)
    return np.concatenate(ids), np.concatenate(chunks), np.concatenate(codes)


def read_packed(connection: sqlite3.Connection, size: int) -> Growing:
    """Read the codes that lie in blocks, in the order of their ids."""
    count = connection.execute("SELECT total(length(codes)) FROM blocks").fetchone()[0] // size
    codes = Growing(np.empty((with_spare(int(count)), size), dtype=np.uint8), 0)
    for (data,) in connection.execute("SELECT codes FROM blocks ORDER BY last"):
        codes.append(_rows(data, size))
    return codes


def read_owners(connection: sqlite3.Connection, table: str = "vectors") -> tuple[Ids, Ids]:
    """Read the ids of all vectors, or of those in ``codes``, ascending, and of their chunks."""
    query = f"SELECT group_concat(id, ' '), group_concat(chunk_id, ' ') FROM {table}"
    ids, chunks = read_columns(connection, query)
    order = np.argsort(ids)
    return ids[order], chunks[order]


def read_vectors(connection: sqlite3.Connection, size: int) -> tuple[Ids, Ids, Growing]:
    """Read ids, chunks' ids and codes of all vectors, those newer than the FAISS file too."""
    ids, chunks = read_owners(connection)
    codes = read_packed(connection, size)
    newer, _, rows = read_newer(connection, size, 0)
    codes.append(rows)
    stored = np.concatenate([packed_ids(connection), newer])
    if not np.array_equal(stored, ids):
        codes.keep(np.isin(stored, ids))
        coded = np.isin(ids, stored)
        ids, chunks = ids[coded], chunks[coded]
    return ids, chunks, codes


def packed_ids(connection: sqlite3.Connection) -> Ids:
    """Read the ids of the vectors in blocks, ascending."""
    rows = connection.execute("SELECT ids FROM blocks ORDER BY last")
    return np.concatenate([np.empty(0, dtype=np.int64), *(_unpack(data) for (data,) in rows)])


def coded_ids(connection: sqlite3.Connection, size: int) -> tuple[Ids, list[int]]:
    """Return the ids that have a sound code, and the keys of the blocks that are not sound."""
    ids = [number for (number,) in connection.execute("SELECT id FROM codes WHERE length(code) = ?", (size,))]
    found, broken = [np.array(ids, dtype=np.int64)], []
    for last, packed, length in connection.execute("SELECT last, ids, length(codes) FROM blocks"):
        try:
            block = _unpack(packed)
        except DamagedError:
            block = found[0][:0]
        if len(block) * size == length and length and block[-1] == last:
            found.append(block)
        else:
            broken.append(last)
    return np.concatenate(found), broken


def count_unsound(connection: sqlite3.Connection, size: int) -> int:
    """Return how many vectors have no code of that size, and how many blocks are not sound."""
    coded, broken = coded_ids(connection, size)
    return int(np.isin(read_owners(connection)[0], coded, invert=True).sum()) + len(broken)


def mend_codes(connection: sqlite3.Connection, size: int) -> None:
    """Delete codes that are not sound or of no vector, and vectors without a code."""
    coded, broken = coded_ids(connection, size)
    connection.executemany("DELETE FROM blocks WHERE last = ?", ((last,) for last in broken))
    connection.execute(
        "DELETE FROM codes WHERE length(code) != ? OR id NOT IN (SELECT id FROM vectors)", (size,)
    )
    ids, chunks = read_owners(connection)
    lost = np.isin(ids, coded, invert=True)
    for chunk_id, vector_id in zip(chunks[lost].tolist(), ids[lost].tolist(), strict=True):
        connection.execute("DELETE FROM vectors WHERE chunk_id = ? AND id = ?", (chunk_id, vector_id))


def read_removed(connection: sqlite3.Connection) -> Ids:
    """Read the ids of the vectors that were deleted since the FAISS file was written."""
    rows = connection.execute("SELECT id FROM removed_vectors").fetchall()
    return np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))


def pack(connection: sqlite3.Connection, size: int, removed: Ids) -> None:
    """Take the removed vectors out of the blocks and put the others together, in the caller's transaction."""
    _drop(connection, removed)
    while rows := connection.execute("SELECT id, code FROM codes ORDER BY id LIMIT ?", (AT_ONCE,)).fetchall():
        ids, codes = zip(*rows, strict=True)
        _put_behind(connection, Block(np.array(ids), _rows(b"".join(codes), size)))
        connection.execute("DELETE FROM codes WHERE id <= ?", (ids[-1],))
    count, vectors = connection.execute(
        "SELECT count(*), total(length(codes)) / ? FROM blocks", (size,)
    ).fetchone()
    if count > SPREAD * vectors / FULL + FEW:
        block = Block(packed_ids(connection), read_packed(connection, size).rows)
        connection.execute("DELETE FROM blocks")
        _put_behind(connection, block)


def change_codes(connection: sqlite3.Connection, size: int, change: Callable[[Codes], Codes]) -> None:
    """Put other codes in the place of all, in the caller's transaction."""
    for table, key, column in (("blocks", "last", "codes"), ("codes", "id", "code")):
        for (number,) in connection.execute(f"SELECT {key} FROM {table}").fetchall():
            old = connection.execute(f"SELECT {column} FROM {table} WHERE {key} = ?", (number,)).fetchone()[0]
            new = change(_rows(old, size)).tobytes()
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE {key} = ?", (new, number))


def _drop(connection: sqlite3.Connection, removed: Ids) -> None:
    for block in _blocks_with(connection, np.sort(removed).tolist()):
        kept = ~np.isin(block.ids, removed)
        connection.execute("DELETE FROM blocks WHERE last = ?", (int(block.ids[-1]),))
        _put(connection, Block(block.ids[kept], block.codes[kept]))


def _blocks_with(connection: sqlite3.Connection, ids: Sequence[int]) -> Iterator[Block]:
    """Yield the blocks that have any of the ids, which ascend."""
    lasts = [last for (last,) in connection.execute("SELECT last FROM blocks ORDER BY last")] if ids else []
    wanted = sorted(set(np.searchsorted(lasts, ids).tolist()))
    for place in wanted:
        if place < len(lasts):
            yield _read(connection, lasts[place])


def _put_behind(connection: sqlite3.Connection, block: Block) -> None:
    """Put vectors newer than all into the last block, as long as it has room, and into new ones."""
    last = connection.execute("SELECT max(last) FROM blocks").fetchone()[0]
    if last is not None and len(block.ids):
        old = _read(connection, last)
        if len(old.ids) < FULL:
            connection.execute("DELETE FROM blocks WHERE last = ?", (last,))
            block = Block(np.concatenate([old.ids, block.ids]), np.concatenate([old.codes, block.codes]))
    for start in range(0, len(block.ids), FULL):
        _put(connection, Block(block.ids[start : start + FULL], block.codes[start : start + FULL]))


def _read(connection: sqlite3.Connection, last: int) -> Block:
    packed, data = connection.execute("SELECT ids, codes FROM blocks WHERE last = ?", (last,)).fetchone()
    ids = _unpack(packed)
    return Block(ids, _rows(data, len(data) // max(1, len(ids))))


def _put(connection: sqlite3.Connection, block: Block) -> None:
    if len(block.ids):
        connection.execute(
            "INSERT INTO blocks (last, ids, codes) VALUES (?, ?, ?)",
            (int(block.ids[-1]), pack_numbers(block.ids), block.codes.tobytes()),
        )


def _rows(data: bytes, size: int) -> Codes:
    if not size or len(data) % size:
        raise DamagedError(DAMAGED)
    return np.frombuffer(data, dtype=np.uint8).reshape(-1, size)


def _unpack(data: bytes) -> Ids:
    try:
        return unpack_numbers(data)
    except (zstandard.ZstdError, ValueError) as error:
        raise DamagedError(DAMAGED) from error
