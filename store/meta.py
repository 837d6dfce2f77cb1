"""Single values kept in the table ``meta``."""

import json
import sqlite3
from dataclasses import asdict

from .records import ModelMark


def get(connection: sqlite3.Connection, name: str) -> object | None:
    """Return the value, None when it was never set."""
    row = connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
    return row[0] if row else None


def put(connection: sqlite3.Connection, name: str, value: object) -> None:
    """Set the value."""
    connection.execute(
        "INSERT INTO meta (name, value) VALUES (?, ?)"
        " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        (name, value),
    )


def drop(connection: sqlite3.Connection, name: str) -> None:
    """Forget the value."""
    connection.execute("DELETE FROM meta WHERE name = ?", (name,))


def change(connection: sqlite3.Connection) -> int:
    """Return the number of the last committed change."""
    value = get(connection, "change")
    return value if isinstance(value, int) else 0


def next_change(connection: sqlite3.Connection) -> int:
    """Count one change; inside the caller's transaction."""
    number = change(connection) + 1
    put(connection, "change", number)
    return number


def doubts(connection: sqlite3.Connection) -> dict[int, float]:
    """Return since when a source's missing files are in doubt, in seconds since 1970, by source."""
    value = get(connection, "doubts")
    return {int(source): since for source, since in json.loads(str(value)).items()} if value else {}


def get_mark(connection: sqlite3.Connection) -> ModelMark | None:
    """Return the model whose vectors the index holds."""
    value = get(connection, "model")
    return ModelMark(**json.loads(str(value))) if value is not None else None


def put_mark(connection: sqlite3.Connection, mark: ModelMark) -> None:
    """Set the model whose vectors the index holds from now on."""
    put(connection, "model", json.dumps(asdict(mark)))
