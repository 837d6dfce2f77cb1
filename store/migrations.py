"""How a database of an older version becomes one of this version: named functions, one transaction each.

Not here: what the schema means, see schema.sql.
"""

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from capsa.chunkers.errors import StoreError

if TYPE_CHECKING:
    from sqlite_utils import Database
    from sqlite_utils.migrations import Migrations

VERSION = 5
SCHEMA = Path(__file__).with_name("schema.sql")


# The reasons stand in schema.sql; this is what version 2 was, whatever comes after it.
_VERSION_2 = """
CREATE TABLE recognised (
    content_hash BLOB NOT NULL, page INTEGER NOT NULL, engine TEXT NOT NULL, lines BLOB NOT NULL,
    PRIMARY KEY (content_hash, page)
) WITHOUT ROWID;
CREATE TABLE attempts (
    document_id INTEGER PRIMARY KEY, version TEXT NOT NULL, tries INTEGER NOT NULL, detail TEXT NOT NULL
);
CREATE TRIGGER forget_attempts AFTER DELETE ON documents BEGIN
    DELETE FROM attempts WHERE document_id = OLD.id;
END;
CREATE TRIGGER forget_recognised AFTER DELETE ON files BEGIN
    DELETE FROM recognised WHERE content_hash = OLD.content_hash AND NOT EXISTS (
        SELECT 1 FROM files WHERE content_hash = OLD.content_hash AND document_id IS NOT NULL
    );
END;
CREATE TRIGGER forget_recognised_of_old_content AFTER UPDATE OF content_hash, document_id ON files
WHEN OLD.content_hash != NEW.content_hash OR NEW.document_id IS NULL BEGIN
    DELETE FROM recognised WHERE content_hash = OLD.content_hash AND NOT EXISTS (
        SELECT 1 FROM files WHERE content_hash = OLD.content_hash AND document_id IS NOT NULL
    );
END;
"""

# And what version 3 was.
_VERSION_3 = """
CREATE TABLE origins (
    id INTEGER PRIMARY KEY AUTOINCREMENT, browser TEXT NOT NULL, device TEXT NOT NULL, UNIQUE (browser,
    device)
);
CREATE TABLE pages (
    document_id INTEGER PRIMARY KEY, url TEXT NOT NULL, titled_at INTEGER NOT NULL, first INTEGER, last
    INTEGER, visits INTEGER NOT NULL, told INTEGER NOT NULL, kept_at INTEGER, tags TEXT NOT NULL,
    folders TEXT NOT NULL
);
CREATE TABLE visits (
    document_id INTEGER NOT NULL, time INTEGER NOT NULL, origin_id INTEGER NOT NULL, PRIMARY KEY
    (document_id, time)
) WITHOUT ROWID;
CREATE TABLE queries (
    site TEXT NOT NULL, text TEXT NOT NULL, time INTEGER NOT NULL, origin_id INTEGER NOT NULL, PRIMARY
    KEY (site, text, time)
) WITHOUT ROWID;
CREATE TABLE exports (
    id INTEGER PRIMARY KEY AUTOINCREMENT, path BLOB NOT NULL UNIQUE, format TEXT NOT NULL, browser TEXT
    NOT NULL, device TEXT NOT NULL, state TEXT NOT NULL, read_at REAL NOT NULL, counts TEXT NOT NULL,
    followed INTEGER NOT NULL
);
CREATE TABLE forgotten (
    host BLOB NOT NULL, since INTEGER NOT NULL, until INTEGER NOT NULL, PRIMARY KEY (host, since, until)
) WITHOUT ROWID;
CREATE TABLE captures (
    path BLOB NOT NULL, uri TEXT NOT NULL, captured INTEGER NOT NULL, content_hash BLOB NOT NULL,
    PRIMARY KEY (path, uri)
) WITHOUT ROWID;
CREATE INDEX captures_by_uri ON captures (uri, captured);
CREATE TRIGGER forget_pages AFTER DELETE ON documents BEGIN
    DELETE FROM pages WHERE document_id = OLD.id;
    DELETE FROM visits WHERE document_id = OLD.id;
END;
"""

# And what version 4 was.
_VERSION_4 = """
ALTER TABLE vectors RENAME TO vectors_3;
DROP INDEX vectors_by_chunk;
CREATE TABLE vectors (
    chunk_id INTEGER NOT NULL, key INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (chunk_id, key)
) WITHOUT ROWID;
CREATE TABLE codes (id INTEGER PRIMARY KEY AUTOINCREMENT, chunk_id INTEGER NOT NULL, code BLOB NOT NULL);
CREATE TABLE blocks (last INTEGER PRIMARY KEY, ids BLOB NOT NULL, codes BLOB NOT NULL);
INSERT INTO vectors SELECT chunk_id, key, min(id) FROM vectors_3 GROUP BY chunk_id, key;
INSERT INTO codes SELECT id, chunk_id, code FROM vectors_3 WHERE id IN (SELECT id FROM vectors) ORDER BY id;
DELETE FROM sqlite_sequence WHERE name = 'codes';
INSERT INTO sqlite_sequence SELECT 'codes', seq FROM sqlite_sequence WHERE name = 'vectors_3';
DROP TABLE vectors_3;
DELETE FROM removed_vectors;
DELETE FROM meta WHERE name = 'cache';
"""

# And what version 5 was; the codes of blocks are put among the others by the step itself.
_VERSION_5 = """
ALTER TABLE codes RENAME TO codes_4;
ALTER TABLE blocks RENAME TO blocks_4;
CREATE TABLE codes (
    id INTEGER PRIMARY KEY AUTOINCREMENT, chunk_id INTEGER NOT NULL, key INTEGER NOT NULL, code BLOB NOT NULL
);
CREATE TABLE blocks (
    last INTEGER PRIMARY KEY, first_chunk INTEGER NOT NULL, last_chunk INTEGER NOT NULL, ids BLOB NOT NULL,
    chunks BLOB NOT NULL, keys BLOB NOT NULL, codes BLOB NOT NULL
);
CREATE INDEX blocks_by_chunk ON blocks (last_chunk, first_chunk);
CREATE TEMP TABLE owners_4 AS SELECT id, chunk_id, key FROM vectors;
CREATE UNIQUE INDEX temp.owners_4_by_id ON owners_4 (id);
"""
_END_OF_VERSION_5 = """
INSERT INTO codes SELECT o.id, o.chunk_id, key, code FROM codes_4 AS c JOIN owners_4 AS o
    ON o.id = c.id ORDER BY o.id;
CREATE UNIQUE INDEX codes_by_chunk ON codes (chunk_id, key);
DELETE FROM sqlite_sequence WHERE name = 'codes';
INSERT INTO sqlite_sequence SELECT 'codes', seq FROM sqlite_sequence WHERE name = 'codes_4';
DROP TABLE codes_4;
DROP TABLE blocks_4;
DROP TABLE owners_4;
DROP TABLE vectors;
DELETE FROM removed_vectors;
DELETE FROM meta WHERE name = 'cache';
"""

# Codebooks of before have one bit for each dimension: their documents wait for vectors in the plain code.
_WITHOUT_OLD_CODEBOOK = """
DELETE FROM codes;
DELETE FROM meta WHERE name = 'codebook';
UPDATE files SET pending = 1 WHERE status = 'indexed';
"""


def schema_version(connection: sqlite3.Connection) -> int:
    """Return the version of the schema in the database, 0 for an empty one."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version


def refuse_newer(connection: sqlite3.Connection, path: Path) -> None:
    """Raise StoreError when a newer program wrote the database."""
    version = schema_version(connection)
    if version > VERSION:
        raise StoreError(
            f"{path}: written by a newer capsa (schema {version}, this one knows {VERSION}); update capsa"
        )


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the database to this version; writes nothing when it is there."""
    if schema_version(connection) == VERSION:
        return
    # Imported here: it takes longer than a whole re-run over an unchanged folder may.
    with _without("pandas"):
        from sqlite_utils import Database

    migrations().apply(Database(connection, recursive_triggers=False, execute_plugins=False))


@contextmanager
def _without(module: str) -> Iterator[None]:
    """Hide a module from what is imported, which would load it where it is installed: pandas takes 30 MB."""
    if module in sys.modules:
        yield
        return
    sys.modules[module] = None  # type: ignore[assignment]  # Python's way to say that it is not there
    try:
        yield
    finally:
        del sys.modules[module]


def migrations() -> "Migrations":
    """Return the migrations in order."""
    from sqlite_utils.migrations import Migrations

    steps = Migrations("capsa")
    steps()(m001_first_schema)
    steps()(m002_scans_and_attempts)
    steps()(m003_visited_pages)
    steps()(m004_codes_in_blocks)
    steps()(m005_vectors_in_blocks)
    return steps


def m001_first_schema(db: "Database") -> None:
    """Create every table of this version in an empty database; the later steps find them made."""
    _run(db, SCHEMA.read_text(encoding="utf-8"))
    db.conn.execute(f"PRAGMA user_version = {VERSION}")


def m002_scans_and_attempts(db: "Database") -> None:
    """Add what version 2 keeps of scans, of their recognised text, and of attempts to finish documents."""
    if schema_version(db.conn) >= 2:
        return
    for column in ("layout_wall_ms REAL", "scanned_pages INTEGER", "ocr_pages INTEGER"):
        db.conn.execute(f"ALTER TABLE documents ADD COLUMN {column} NOT NULL DEFAULT 0")
    _run(db, _VERSION_2)
    db.conn.execute("PRAGMA user_version = 2")


def m003_visited_pages(db: "Database") -> None:
    """Add what version 3 keeps of visited pages, of exports, and of saved copies."""
    if schema_version(db.conn) >= 3:
        return
    _run(db, _VERSION_3)
    db.conn.execute("PRAGMA user_version = 3")


def m004_codes_in_blocks(db: "Database") -> None:
    """Put the codes apart from what tells whose they are; the next publishing packs them into blocks."""
    if schema_version(db.conn) >= 4:
        return
    _run(db, _VERSION_4)
    db.conn.execute("PRAGMA user_version = 4")


def m005_vectors_in_blocks(db: "Database") -> None:
    """Put codes, keys and chunks together; the next publishing packs them into blocks."""
    from .packing import unpack_numbers

    if schema_version(db.conn) >= 5:
        return
    _run(db, _VERSION_5)
    for (last,) in db.conn.execute("SELECT last FROM blocks_4 ORDER BY last").fetchall():
        row = db.conn.execute("SELECT ids, codes FROM blocks_4 WHERE last = ?", (last,)).fetchone()
        ids, codes = unpack_numbers(row[0]).tolist(), row[1]
        size = len(codes) // len(ids)
        db.conn.executemany(
            "INSERT INTO codes SELECT id, chunk_id, key, ? FROM owners_4 WHERE id = ?",
            ((codes[place * size : (place + 1) * size], number) for place, number in enumerate(ids)),
        )
    _run(db, _END_OF_VERSION_5)
    if db.conn.execute("SELECT 1 FROM meta WHERE name = 'codebook'").fetchone():
        _run(db, _WITHOUT_OLD_CODEBOOK)
    db.conn.execute("PRAGMA user_version = 5")


def _run(db: "Database", script: str) -> None:
    for statement in _statements(script):
        db.conn.execute(statement)


def _statements(script: str) -> list[str]:
    # executescript would commit the transaction that the migration's record belongs to.
    found, current = [], ""
    for line in script.splitlines():
        current += line.split("--")[0] + "\n"
        if sqlite3.complete_statement(current):
            found.append(current)
            current = ""
    return found
