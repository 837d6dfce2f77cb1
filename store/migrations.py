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

VERSION = 1
SCHEMA = Path(__file__).with_name("schema.sql")


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
    return steps


def m001_first_schema(db: "Database") -> None:
    """Create every table of version 1."""
    for statement in _statements(SCHEMA.read_text(encoding="utf-8")):
        db.conn.execute(statement)
    db.conn.execute("PRAGMA user_version = 1")


def _statements(script: str) -> list[str]:
    # executescript would commit the transaction that the migration's record belongs to.
    found, current = [], ""
    for line in script.splitlines():
        current += line.split("--")[0] + "\n"
        if sqlite3.complete_statement(current):
            found.append(current)
            current = ""
    return found
