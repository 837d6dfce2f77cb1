"""The FAISS file: a checksummed record of what the index consists of, read in place of SQLite's rows.

A file is written whole, made durable, renamed and only then named in SQLite. It is read only after its length
and checksum are proved, since FAISS loads most damaged files without a word. Whatever is wrong with it costs
a rebuild.
"""

import hashlib
import json
import sqlite3
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from capsa.chunkers.errors import StoreError

from . import meta
from .blocks import read_newer, read_packed, read_removed, read_vectors
from .columns import Ids
from .faiss_file import read_contents, write_contents
from .home import CACHES
from .private import replacing
from .quantisers import Codes
from .records import ModelMark
from .vectors import VectorIndex

# Raised when the file's layout changes: 4 has no codes, which lie in SQLite.
LAYOUT = 4


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


def write_cache(home: Path, mark: ModelMark, generation: int, ids: Ids, chunks: Ids) -> CacheRecord:
    """Write a new file for what lies in blocks, durably, and return its record, which SQLite has not yet."""
    name = f"vectors.{generation}.faiss"
    digest = hashlib.sha256()
    with replacing(home / name) as file:

        def put(data: bytes) -> int:
            digest.update(data)
            return file.write(data)

        write_contents(put, mark.quantiser, ids, chunks)
        size = file.tell()
    return CacheRecord(
        file=name,
        generation=generation,
        sha256=digest.hexdigest(),
        size=size,
        count=len(ids),
        up_to=int(ids[-1]) if len(ids) else 0,
        model=mark.fingerprint,
        code=mark.code_id,
        layout=LAYOUT,
    )


def record_cache(connection: sqlite3.Connection, record: CacheRecord) -> None:
    """Name the file in SQLite; inside the caller's transaction."""
    meta.put(connection, "cache", json.dumps(asdict(record)))


def delete_other_files(home: Path, record: CacheRecord) -> None:
    """Delete files of other generations, and what a crash left half written."""
    for path in (*home.glob(CACHES), *home.glob(f".{CACHES}.*")):
        if path.name != record.file:
            path.unlink(missing_ok=True)


def read_owners_of_file(home: Path, record: CacheRecord, mark: ModelMark) -> tuple[Ids, Ids]:
    """Return the ids of vectors and chunks in the file, or raise CacheError unless it is the record's."""
    if (record.model, record.code) != (mark.fingerprint, mark.code_id):
        raise CacheError(f"{record.file} holds vectors of another model or code")
    if record.layout != LAYOUT:
        raise CacheError(f"{record.file} was written by another capsa")
    ids, chunks = read_contents(_read_whole(home / record.file, record))
    if not len(ids) == len(chunks) == record.count:
        raise CacheError(f"{record.file} holds {len(ids)} vectors, not {record.count}")
    return ids, chunks


def read_cache(
    home: Path, connection: sqlite3.Connection, record: CacheRecord, mark: ModelMark
) -> VectorIndex:
    """Load what the file is of; CacheError when it is not exactly the file that the record names."""
    ids, chunks = read_owners_of_file(home, record, mark)
    codes = read_packed(connection, mark.code_size)
    if len(codes.rows) != len(ids):
        raise CacheError(f"{record.file} is of {len(ids)} vectors, and there are {len(codes.rows)} codes")
    return VectorIndex(ids, chunks, codes, mark.quantiser)


def _read_whole(path: Path, record: CacheRecord) -> Codes:
    """Return the file, or raise CacheError when it is not the one that the record is of."""
    try:
        data = np.fromfile(path, dtype=np.uint8)
    except OSError as error:
        raise CacheError(f"{path.name} cannot be read: {error.strerror}") from error
    if len(data) != record.size:
        raise CacheError(f"{path.name} has {len(data)} bytes, not {record.size}")
    if hashlib.sha256(data.data).hexdigest() != record.sha256:
        raise CacheError(f"{path.name} is damaged: its checksum is wrong")
    return data


def load_vectors(
    home: Path, connection: sqlite3.Connection, mark: ModelMark
) -> tuple[VectorIndex, tuple[str, ...]]:
    """Return all living vectors, from the file and what is newer in SQLite, with notes on what went wrong."""
    record = read_record(connection)
    if record is None:
        return rebuild(connection, mark), ()
    try:
        index = read_cache(home, connection, record, mark)
    except CacheError as error:
        return rebuild(connection, mark), (f"the vector index was rebuilt in memory: {error}",)
    index.remove(read_removed(connection))
    # Not index.last_id: the newest vectors of the file may be gone, and what follows them was never in it.
    index.add(*read_newer(connection, mark.code_size, record.up_to))
    return index, ()


def rebuild(connection: sqlite3.Connection, mark: ModelMark) -> VectorIndex:
    """Return all living vectors from SQLite alone, whatever the file says."""
    ids, chunks, codes = read_vectors(connection, mark.code_size)
    return VectorIndex(ids, chunks, codes, mark.quantiser)
