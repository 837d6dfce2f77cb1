"""How a database of an older version becomes one of this version: named functions, one transaction each.

Not here: what the schema means, see schema.sql.
"""

import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

from capsa.chunkers.errors import StoreError

if TYPE_CHECKING:
    from sqlite_utils import Database
    from sqlite_utils.migrations import Migrations

VERSION = 2
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
    from sqlite_utils import Database

    migrations().apply(Database(connection, recursive_triggers=False, execute_plugins=False))


def migrations() -> "Migrations":
    """Return the migrations in order."""
    from sqlite_utils.migrations import Migrations

    steps = Migrations("capsa")
    steps()(m001_first_schema)
    steps()(m002_scans_and_attempts)
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
