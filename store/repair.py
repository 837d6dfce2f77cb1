"""Mending a home. What cannot be mended is moved aside, never deleted: the documents can be indexed again."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path

from capsa.chunkers.errors import StoreError, UnavailableError

from . import meta
from .database import open_reading
from .doctor import ORPHANS
from .home import DATABASE, lock


def close_to_others(home: Path) -> None:
    """Take the rights of group and others from the home and what lies in it."""
    for path in (home, *home.glob("*")):
        path.chmod(path.stat().st_mode & 0o700)


def mend_rows(connection: sqlite3.Connection) -> None:
    """Delete rows that point at nothing and codes that do not fit the model, in the caller's transaction."""
    from .mending import mend_vectors

    for rows in ORPHANS.values():
        connection.execute(f"DELETE FROM {rows}")
    mark = meta.get_mark(connection)
    mend_vectors(connection, mark.code_size if mark else 0)


def known_folders(home: Path) -> list[bytes]:
    """The folders that a database names as sources, as far as it can still be read."""
    try:
        with closing(open_reading(home / DATABASE)) as connection:
            return [path for (path,) in connection.execute("SELECT path FROM sources WHERE kind = 'folder'")]
    except (StoreError, UnavailableError, sqlite3.DatabaseError):
        return []


def move_aside(home: Path) -> Path:
    """Give a damaged database another name, so that the next run begins a new one; return where it is now."""
    with lock(home):
        target = home / f"damaged-{time.strftime('%Y%m%d-%H%M%S')}-{DATABASE}"
        if target.exists():
            raise StoreError(f"{target}: is there already")
        for suffix in ("", "-wal", "-shm"):
            path = home / f"{DATABASE}{suffix}"
            if path.exists():
                path.rename(f"{target}{suffix}")
    return target
