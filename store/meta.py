"""Single values kept in the table ``meta``."""

import json
import sqlite3
from collections.abc import Set
from typing import Any

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


def life(connection: sqlite3.Connection) -> int:
    """Return how often the home became another one, whose ids mean other things."""
    value = get(connection, "life")
    return value if isinstance(value, int) else 0


def begin_life(new: sqlite3.Connection, old: sqlite3.Connection) -> None:
    """Have readers of the old database see that the new one, which takes its place, is another."""
    put(new, "life", life(old) + 1)
    put(new, "change", max(change(new), change(old)) + 1)


def doubts(connection: sqlite3.Connection) -> dict[int, float]:
    """Return since when a source's missing files are in doubt, in seconds since 1970, by source."""
    value = get(connection, "doubts")
    return {int(source): since for source, since in json.loads(str(value)).items()} if value else {}


def paused(connection: sqlite3.Connection) -> frozenset[int]:
    """Return the sources that are not looked at until they are resumed."""
    value = get(connection, "paused")
    return frozenset(json.loads(str(value))) if value else frozenset()


def put_paused(connection: sqlite3.Connection, sources: Set[int]) -> None:
    """Set the sources that are not looked at until they are resumed."""
    put(connection, "paused", json.dumps(sorted(sources)))


def get_mark(connection: sqlite3.Connection) -> ModelMark | None:
    """Return the model whose vectors the index holds."""
    value = get(connection, "model")
    if value is None:
        return None
    values = with_code(json.loads(str(value)))
    codebook = get(connection, "codebook")
    return ModelMark(**values, codebook=codebook if isinstance(codebook, bytes) else b"")


def put_mark(connection: sqlite3.Connection, mark: ModelMark) -> None:
    """Set the model whose vectors the index holds from now on."""
    values = {name: getattr(mark, name) for name in ("name", "fingerprint", "dimension", "code")}
    put(connection, "model", json.dumps(values))
    if mark.codebook:
        put(connection, "codebook", mark.codebook)
    else:
        drop(connection, "codebook")


def with_code(values: dict[str, Any]) -> dict[str, Any]:
    """Name the code in a record of the time when codes were told by their bits a dimension."""
    bits = values.pop("bits", None)
    return values if bits is None else {**values, "code": {1: "pq48", 2: "pq96"}[bits]}
