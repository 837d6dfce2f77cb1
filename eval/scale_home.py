"""A large index grown out of a smaller one: its documents again and again, in other words and vectors.

Parsing a million chunks takes hours; for searching them, what is in the tables counts. In each copy three
words in ten are turned into others of the same length: the vocabulary grows, no two passages are the same.
"""

import re
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from zlib import crc32

import numpy as np

from capsa.chunkers.errors import StoreError
from capsa.store import keywords, meta
from capsa.store.blocks import read_vectors
from capsa.store.coding import insert_vectors
from capsa.store.columns import Ids
from capsa.store.database import open_writing, transaction
from capsa.store.embedder import unit
from capsa.store.home import database_path
from capsa.store.quantisers import Codes
from capsa.store.records import ModelMark
from capsa.store.rows import StoredDocument
from capsa.store.texts import put_text
from capsa.store.writer import Writer

Step = Callable[[str], None]

WORD = re.compile(r"[A-Za-z]{4,}")
# Words in a hundred that a copy turns into others, and the share of a copy's vector that is its own.
TURNED = 30
NOISE = 0.5
LETTERS = "abcdefghijklmnopqrstuvwxyz"
# Documents in a transaction, and vectors that get noise together.
_DOCUMENTS, _VECTORS = 500, 20_000


def grow(home: Path, copies: int, step: Step) -> None:
    """Add the documents of the home that many times more."""
    with closing(open_writing(database_path(home))) as connection:
        mark = meta.get_mark(connection)
        if mark is None:
            raise StoreError(f"{home}: the index has no vectors")
        ids = [row[0] for row in connection.execute("SELECT id FROM documents ORDER BY id")]
        spans = {table: _highest(connection, table) for table in ("documents", "chunks")}
        _, chunks, codes = read_vectors(connection, mark.code_size)
        for copy in range(1, copies + 1):
            step(f"growing: copy {copy} of {copies}")
            for start in range(0, len(ids), _DOCUMENTS):
                with transaction(connection, durable=False):
                    for document_id in ids[start : start + _DOCUMENTS]:
                        _copy_document(connection, document_id, copy, spans)
            with transaction(connection, durable=False):
                _copy_vectors(connection, mark, (chunks, codes.rows), copy, copy * spans["chunks"])
        with transaction(connection):
            meta.next_change(connection)
    with Writer.open(home) as writer:
        writer.publish(anew=True)


def turn(text: str, copy: int) -> str:
    """Return the text with some words, always the same ones, turned into others of the same length."""
    return WORD.sub(lambda found: _turned(found[0], copy), text)


@lru_cache(maxsize=1 << 18)
def _turned(word: str, copy: int) -> str:
    if crc32(f"{copy} {word.lower()}".encode()) % 100 >= TURNED:
        return word
    shift = 1 + copy % (len(LETTERS) - 1)
    return word.lower().translate(str.maketrans(LETTERS, LETTERS[shift:] + LETTERS[:shift]))


def _copy_document(connection: sqlite3.Connection, number: int, copy: int, spans: Mapping[str, int]) -> None:
    stored = StoredDocument(connection, number)
    rows = stored.rows()
    stored.document = replace(stored.document, text=turn(stored.document.text, copy))
    new, shift = number + copy * spans["documents"], copy * spans["chunks"]
    path = f"CAST(path || '-{copy}' AS BLOB)"
    of_document = {"document_id": str(new)}
    names = {"id": str(new), "uri": f"uri || '-{copy}'", "path": path}
    _insert(connection, "documents", names, f"id = {number}")
    _insert(connection, "files", {"path": path, **of_document}, f"document_id = {number}")
    _insert(connection, "chunks", {"id": f"id + {shift}", **of_document}, f"document_id = {number}")
    put_text(connection, new, stored.document.text)
    made = [(chunk_id + shift, columns) for chunk_id, columns in stored.columns(rows)]
    keywords.insert_rows(connection, made)
    connection.executemany(
        "UPDATE chunks SET key = ? WHERE id = ?", ((columns.key, chunk_id) for chunk_id, columns in made)
    )


def _insert(connection: sqlite3.Connection, table: str, other: Mapping[str, str], where: str) -> None:
    """Insert a copy of the rows, with other values in some columns."""
    names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    values = ", ".join(other.get(name, name) for name in names)
    connection.execute(f"INSERT INTO {table} ({', '.join(names)}) SELECT {values} FROM {table} WHERE {where}")


def _copy_vectors(
    connection: sqlite3.Connection,
    mark: ModelMark,
    vectors: tuple[Ids, Codes],
    copy: int,
    shift: int,
) -> None:
    chunks, codes = vectors
    for start in range(0, len(chunks), _VECTORS):
        part = slice(start, start + _VECTORS)
        old = mark.quantiser.decode(codes[part])
        random = np.random.default_rng((copy, start)).standard_normal(old.shape, dtype=np.float32)
        made = mark.quantiser.encode(unit((1 - NOISE) * unit(old) + NOISE * unit(random)))
        for place, (chunk, code) in enumerate(zip(chunks[part].tolist(), made, strict=True), start):
            insert_vectors(connection, chunk + shift, [(copy << 40 | place, code.tobytes())])


def _highest(connection: sqlite3.Connection, table: str) -> int:
    return int(connection.execute(f"SELECT max(id) FROM {table}").fetchone()[0])
