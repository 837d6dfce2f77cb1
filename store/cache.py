"""The FAISS file: a checksummed copy of the vectors in SQLite that loads faster than they do.

A file is written whole, made durable, renamed and only then named in SQLite. It is read only after its length
and checksum are proved, since FAISS loads most damaged files without a word. Whatever is wrong with it costs
a rebuild.
"""

import hashlib
import json
import os
import sqlite3
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from capsa.chunkers.errors import StoreError

from . import meta
from .faiss_file import pack_ids, read_contents
from .growing import Growing, with_spare
from .home import CACHES
from .private import replacing
from .quantisers import Codes
from .records import ModelMark
from .vectors import VectorIndex, read_removed, read_vectors

# Raised when the file's layout changes: 3 has all ids behind the FAISS index.
LAYOUT = 3


class CacheError(StoreError):
    """The FAISS file cannot be used; the index is rebuilt from SQLite."""


@dataclass(frozen=True, slots=True)
class CacheRecord:
    """What SQLite knows of the file: it holds every vector up to ``up_to`` that lived then."""

    file: str
    generation: int
    sha256: str
    size: int
    count: int
    up_to: int
    model: str
    code: str
    layout: int = 1


def read_record(connection: sqlite3.Connection) -> CacheRecord | None:
    """Return the record of the current file, None before the first one."""
    value = meta.get(connection, "cache")
    return CacheRecord(**meta.with_code(json.loads(str(value)))) if value is not None else None


def write_cache(home: Path, index: VectorIndex, mark: ModelMark, generation: int) -> CacheRecord:
    """Write the index to a new file, durably, and return its record; SQLite does not name it yet."""
    import faiss

    index.close_ranks()
    library: Any = faiss
    plain = index.quantiser.index()
    plain.add_sa_codes(index.codes)
    name = f"vectors.{generation}.faiss"
    digest = hashlib.sha256()
    with replacing(home / name) as file:

        def put(data: bytes) -> int:
            digest.update(data)
            return file.write(data)

        library.write_index(plain, library.PyCallbackIOWriter(put))
        put(pack_ids(index.ids, index.chunks))
        size = file.tell()
    return CacheRecord(
        file=name,
        generation=generation,
        sha256=digest.hexdigest(),
        size=size,
        count=len(index),
        up_to=index.last_id,
        model=mark.fingerprint,
        code=mark.code_id,
        layout=LAYOUT,
    )


def record_cache(connection: sqlite3.Connection, record: CacheRecord) -> None:
    """Name the file in SQLite; inside the caller's transaction."""
    meta.put(connection, "cache", json.dumps(asdict(record)))
    connection.execute("DELETE FROM removed_vectors")


def delete_other_files(home: Path, record: CacheRecord) -> None:
    """Delete files of other generations, and what a crash left half written."""
    for path in (*home.glob(CACHES), *home.glob(f".{CACHES}.*")):
        if path.name != record.file:
            path.unlink(missing_ok=True)


def read_cache(home: Path, record: CacheRecord, mark: ModelMark) -> VectorIndex:
    """Load the file that the record names; raises CacheError when it is not exactly that file."""
    if (record.model, record.code) != (mark.fingerprint, mark.code_id):
        raise CacheError(f"{record.file} holds vectors of another model or code")
    if record.layout != LAYOUT:
        raise CacheError(f"{record.file} was written by another capsa")
    # Room for what is newer, so that adding it needs no second copy of all.
    spare = (with_spare(record.count) - record.count) * mark.code_size
    buffer = np.empty(max(0, record.size + spare), dtype=np.uint8)
    _read_whole(home / record.file, record, buffer[: record.size])
    ids, chunks, length, codes = read_contents(buffer, record.size)
    if not len(ids) == len(chunks) == record.count or length != record.count * mark.code_size:
        raise CacheError(f"{record.file} holds {len(ids)} vectors, not {record.count} of the model's")
    room = len(codes) // mark.code_size
    rows = codes[: room * mark.code_size].reshape(room, mark.code_size)
    return VectorIndex(ids, chunks, Growing(rows, record.count), mark.quantiser)


def _read_whole(path: Path, record: CacheRecord, data: Codes) -> None:
    """Fill the array with the file, or raise CacheError when it is not the one that the record is of."""
    try:
        with path.open("rb") as file:
            found = os.fstat(file.fileno()).st_size
            if found != record.size:
                raise CacheError(f"{path.name} has {found} bytes, not {record.size}")
            read = file.readinto(data.data)
    except OSError as error:
        raise CacheError(f"{path.name} cannot be read: {error.strerror}") from error
    if read != record.size or hashlib.sha256(data.data).hexdigest() != record.sha256:
        raise CacheError(f"{path.name} is damaged: its checksum is wrong")


def load_vectors(
    home: Path, connection: sqlite3.Connection, mark: ModelMark
) -> tuple[VectorIndex, tuple[str, ...]]:
    """Return all living vectors, from the file and what is newer in SQLite, with notes on what went wrong."""
    record = read_record(connection)
    notes: tuple[str, ...] = ()
    try:
        index = read_cache(home, record, mark) if record else _empty(mark)
    except CacheError as error:
        index = _empty(mark)
        notes = (f"the vector index was rebuilt in memory: {error}",)
    index.remove(read_removed(connection))
    # Not index.last_id: the newest vectors of the file may be gone, and what follows them was never in it.
    after = record.up_to if record and not notes else 0
    index.add(*read_vectors(connection, mark.code_size, after))
    return index, notes


def rebuild(connection: sqlite3.Connection, mark: ModelMark) -> VectorIndex:
    """Return all living vectors from SQLite alone, whatever the file says."""
    index = _empty(mark)
    index.add(*read_vectors(connection, mark.code_size))
    return index


def _empty(mark: ModelMark) -> VectorIndex:
    none = np.empty(0, dtype=np.int64)
    return VectorIndex(none, none, np.empty((0, mark.code_size), dtype=np.uint8), mark.quantiser)
