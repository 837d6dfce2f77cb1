"""Where vectors lie: those newer than the FAISS file in rows of ``codes``, all others together in ``blocks``.

A row of its own takes 40 bytes beside the code, a block of some 1,024 vectors nine for each: eight are the
hash of the embedded text, by which an edit finds a vector again. What the FAISS file is of is exactly what
lies in blocks: both change in one transaction. A vector lives that is in either and not in
``removed_vectors``.
"""

import sqlite3
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import zstandard

from capsa.chunkers.errors import DamagedError

from .coding import Vector
from .columns import Ids
from .growing import Growing, with_spare
from .packing import pack_numbers, unpack_numbers
from .quantisers import Codes

# Vectors in a block, about: as many as fill whole pages of the file.
FULL = 1024
# Bytes of data in a page of a long row, and those of a hash.
PAGE, KEY = 4092, 8
# With more than so many blocks for each full one, or a few more, all are made anew.
SPREAD, FEW = 2, 16
# Rows that are read together: a row in Python takes several times its bytes.
AT_ONCE = 16 * FULL
# Blocks without their codes, 100 kB each in Python, that are kept while documents are looked up in turn.
KEPT = 8
DAMAGED = "the vectors in the database are damaged; `capsa doctor --repair` mends that"

# Chunks of vectors, ascending, and the ids and keys of these.
ByChunk = tuple[list[int], list[int], list[int]]
Mask = np.ndarray[tuple[int], np.dtype[np.bool_]]


class Windows(NamedTuple):
    """Vectors without their codes: ids, ids of the chunks and hashes of the texts, int64 [n]."""

    ids: Ids
    chunks: Ids
    keys: Ids

    def taken(self, wanted: Mask) -> "Windows":
        """Return those that are wanted, bool [n]."""
        return Windows(*(column[wanted] for column in self))


class Block(NamedTuple):
    """Vectors in the order of their ids, and their codes, uint8 [n, size]."""

    windows: Windows
    codes: Codes

    def taken(self, wanted: "Mask | slice") -> "Block":
        """Return those that are wanted."""
        return Block(Windows(*(column[wanted] for column in self.windows)), self.codes[wanted])


NONE = np.empty(0, dtype=np.int64)


def packed_vectors(
    connection: sqlite3.Connection, chunks: Sequence[int], read: dict[int, ByChunk]
) -> Iterator[tuple[list[Vector], int]]:
    """Yield the living vectors of these chunks that lie in blocks, with the key of their block.

    ``read`` keeps a few blocks for the next call, as documents that are near each other share them; it is
    right until blocks are packed again.
    """
    for last in _blocks_of(connection, sorted(chunks)):
        if last not in read:
            if len(read) >= KEPT:
                read.clear()
            read[last] = _by_chunk(windows_of(connection, last))
        found = [vector for chunk in chunks for vector in _of_chunk(read[last], chunk)]
        living = [vector for vector in found if not _is_removed(connection, vector.id)]
        if living:
            yield living, last


def packed_codes(connection: sqlite3.Connection, last: int) -> dict[int, bytes]:
    """Return by id the codes in the block of that key."""
    windows, codes = _read(connection, last)
    return dict(zip(windows.ids.tolist(), map(np.ndarray.tobytes, codes), strict=True))


def read_newer(connection: sqlite3.Connection, size: int, after: int) -> tuple[Ids, Ids, Codes]:
    """Read ids, chunks' ids and codes, of ``size`` bytes, of the vectors newer than the id ``after``.

    They must be newer than those in blocks.
    """
    found = [Block(Windows(NONE, NONE, NONE), np.empty((0, size), dtype=np.uint8))]
    found += _newer(connection, size, after)
    windows, codes = _joined(found)
    return windows.ids, windows.chunks, codes


def read_packed(connection: sqlite3.Connection, size: int) -> Growing:
    """Read the codes that lie in blocks, in the order of their ids."""
    count = connection.execute("SELECT total(length(codes)) FROM blocks").fetchone()[0] // size
    codes = Growing(np.empty((with_spare(int(count)), size), dtype=np.uint8), 0)
    for (data,) in connection.execute("SELECT codes FROM blocks ORDER BY last"):
        codes.append(_rows(data, size))
    return codes


def read_windows(connection: sqlite3.Connection) -> Windows:
    """Read all living vectors without their codes, in the order of their ids."""
    packed = _packed_windows(connection)
    packed = packed.taken(np.isin(packed.ids, read_removed(connection), invert=True))
    rows = connection.execute("SELECT id, chunk_id, key FROM codes ORDER BY id")
    newer = np.array(rows.fetchall(), dtype=np.int64).reshape(-1, 3).T
    return _concatenated([packed, Windows(*newer)])


def read_vectors(connection: sqlite3.Connection, size: int) -> tuple[Ids, Ids, Growing]:
    """Read ids, chunks' ids and codes of all living vectors, those newer than the FAISS file too."""
    packed = _packed_windows(connection)
    codes = read_packed(connection, size)
    if len(codes.rows) != len(packed.ids):
        raise DamagedError(DAMAGED)
    living = np.isin(packed.ids, read_removed(connection), invert=True)
    if not living.all():
        codes.keep(living)
    ids, chunks, rows = read_newer(connection, size, 0)
    codes.append(rows)
    return np.concatenate([packed.ids[living], ids]), np.concatenate([packed.chunks[living], chunks]), codes


def packed_ids(connection: sqlite3.Connection) -> Ids:
    """Read the ids of the vectors in blocks, ascending."""
    return _packed_windows(connection).ids


def read_removed(connection: sqlite3.Connection) -> Ids:
    """Read the ids of the vectors that were deleted since the FAISS file was written."""
    rows = connection.execute("SELECT id FROM removed_vectors").fetchall()
    return np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))


def pack(connection: sqlite3.Connection, size: int) -> Windows:
    """Take what was removed out of the blocks, put all else into them, and return what they then hold.

    Inside the caller's transaction, which has to write the FAISS file's record too.
    """
    _drop(connection, read_removed(connection))
    connection.execute("DELETE FROM removed_vectors")
    for block in _newer(connection, size, 0):
        _put_behind(connection, block)
    connection.execute("DELETE FROM codes")
    count, vectors = connection.execute(
        "SELECT count(*), total(length(codes)) / ? FROM blocks", (size,)
    ).fetchone()
    windows = _packed_windows(connection)
    if count > SPREAD * vectors / room(size) + FEW:
        block = Block(windows, read_packed(connection, size).rows)
        connection.execute("DELETE FROM blocks")
        _put_behind(connection, block)
    return windows


def change_codes(connection: sqlite3.Connection, size: int, change: Callable[[Codes], Codes]) -> None:
    """Put other codes in the place of all, in the caller's transaction."""
    for table, key, column in (("blocks", "last", "codes"), ("codes", "id", "code")):
        for (number,) in connection.execute(f"SELECT {key} FROM {table}").fetchall():
            old = connection.execute(f"SELECT {column} FROM {table} WHERE {key} = ?", (number,)).fetchone()[0]
            new = change(_rows(old, size)).tobytes()
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE {key} = ?", (new, number))


def windows_of(connection: sqlite3.Connection, last: int) -> Windows:
    """Read the vectors in the block of that key; DamagedError when its columns do not agree."""
    row = connection.execute("SELECT ids, chunks, keys FROM blocks WHERE last = ?", (last,)).fetchone()
    return _unpacked(*row)


def _newer(connection: sqlite3.Connection, size: int, after: int) -> Iterator[Block]:
    """Yield the vectors newer than an id from the table of codes, by parts."""
    while rows := connection.execute(
        "SELECT id, chunk_id, key, code FROM codes WHERE id > ? ORDER BY id LIMIT ?", (after, AT_ONCE)
    ).fetchall():
        *columns, codes = zip(*rows, strict=True)
        windows = Windows(*(np.array(column, dtype=np.int64) for column in columns))
        yield Block(windows, _rows(b"".join(codes), size))
        after = rows[-1][0]


def _drop(connection: sqlite3.Connection, removed: Ids) -> None:
    lasts = [last for (last,) in connection.execute("SELECT last FROM blocks ORDER BY last")]
    for place in sorted(set(np.searchsorted(lasts, removed).tolist())):
        if place < len(lasts):
            block = _read(connection, lasts[place])
            connection.execute("DELETE FROM blocks WHERE last = ?", (lasts[place],))
            _put(connection, block.taken(np.isin(block.windows.ids, removed, invert=True)))


def _blocks_of(connection: sqlite3.Connection, chunks: Sequence[int]) -> Iterator[int]:
    """Yield the keys of the blocks that may have vectors of the chunks, whose ids ascend."""
    if not chunks:
        return
    rows = connection.execute(
        "SELECT last, first_chunk, last_chunk FROM blocks WHERE last_chunk >= ? AND first_chunk <= ?",
        (chunks[0], chunks[-1]),
    ).fetchall()
    for last, first_chunk, last_chunk in rows:
        # Not empty: the last of the chunks is not before the block's first.
        if chunks[bisect_left(chunks, first_chunk)] <= last_chunk:
            yield last


def _by_chunk(windows: Windows) -> ByChunk:
    order = np.argsort(windows.chunks, kind="stable")
    return windows.chunks[order].tolist(), windows.ids[order].tolist(), windows.keys[order].tolist()


def _of_chunk(block: ByChunk, chunk_id: int) -> Iterator[Vector]:
    chunks, ids, keys = block
    for place in range(bisect_left(chunks, chunk_id), bisect_right(chunks, chunk_id)):
        yield Vector(ids[place], chunk_id, keys[place])


def _is_removed(connection: sqlite3.Connection, number: int) -> bool:
    row = connection.execute("SELECT 1 FROM removed_vectors WHERE id = ?", (number,)).fetchone()
    return row is not None


def _put_behind(connection: sqlite3.Connection, block: Block) -> None:
    """Put vectors newer than all into the last block, as long as it has room, and into new ones."""
    full = room(block.codes.shape[1])
    last = connection.execute("SELECT max(last) FROM blocks").fetchone()[0]
    if last is not None:
        old = _read(connection, last)
        if len(old.codes) < full:
            connection.execute("DELETE FROM blocks WHERE last = ?", (last,))
            block = _joined([old, block])
    for start in range(0, len(block.codes), full):
        _put(connection, block.taken(slice(start, start + full)))


def room(size: int) -> int:
    """Return how many vectors a block takes: codes of so many bytes, and hashes, that fill its pages.

    What it has beside them, some 400 bytes, stands where SQLite keeps the beginnings of rows.
    """
    each = KEY + size
    return round(FULL * each / PAGE) * PAGE // each


def _joined(blocks: Iterable[Block]) -> Block:
    windows, codes = zip(*blocks, strict=True)
    return Block(_concatenated(windows), np.concatenate(codes))


def _concatenated(windows: Iterable[Windows]) -> Windows:
    return Windows(*map(np.concatenate, zip(*windows, strict=True)))


def _packed_windows(connection: sqlite3.Connection) -> Windows:
    rows = connection.execute("SELECT ids, chunks, keys FROM blocks ORDER BY last")
    return _concatenated([Windows(NONE, NONE, NONE), *(_unpacked(*row) for row in rows)])


def _read(connection: sqlite3.Connection, last: int) -> Block:
    windows = windows_of(connection, last)
    (data,) = connection.execute("SELECT codes FROM blocks WHERE last = ?", (last,)).fetchone()
    codes = _rows(data, len(data) // len(windows.ids))
    if len(codes) != len(windows.ids):
        raise DamagedError(DAMAGED)
    return Block(windows, codes)


def _put(connection: sqlite3.Connection, block: Block) -> None:
    ids, chunks, keys = block.windows
    if len(ids):
        connection.execute(
            "INSERT INTO blocks (last, first_chunk, last_chunk, ids, chunks, keys, codes)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                *(int(ids[-1]), int(chunks.min()), int(chunks.max())),
                *(pack_numbers(ids), pack_numbers(chunks)),
                *(keys.astype("<i8").tobytes(), block.codes.tobytes()),
            ),
        )


def _rows(data: bytes, size: int) -> Codes:
    if not size or len(data) % size:
        raise DamagedError(DAMAGED)
    return np.frombuffer(data, dtype=np.uint8).reshape(-1, size)


def _unpacked(ids: bytes, chunks: bytes, keys: bytes) -> Windows:
    try:
        found = Windows(unpack_numbers(ids), unpack_numbers(chunks), np.frombuffer(keys, "<i8"))
    except (zstandard.ZstdError, ValueError) as error:
        raise DamagedError(DAMAGED) from error
    if not len(found.ids) or not len(found.ids) == len(found.chunks) == len(found.keys):
        raise DamagedError(DAMAGED)
    return found
