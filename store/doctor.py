"""Checks of a home: each gives findings, none changes anything."""

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from capsa.chunkers.errors import DamagedError

from . import keywords, meta
from .records import Finding

# Rows that point at nothing, by what they are.
ORPHANS = {
    "chunks without a document": "chunks WHERE document_id NOT IN (SELECT id FROM documents)",
    "texts without a document": "texts WHERE document_id NOT IN (SELECT id FROM documents)",
    "files whose document is lost": "files WHERE document_id NOT NULL"
    " AND document_id NOT IN (SELECT id FROM documents)",
    "documents without a file": "documents WHERE id NOT IN"
    " (SELECT document_id FROM files WHERE document_id NOT NULL) AND uri NOT IN (SELECT uri FROM captures)",
    "saved pages without a file": "captures WHERE path NOT IN (SELECT path FROM files)",
}


def check_home(connection: sqlite3.Connection, home: Path) -> list[Finding]:
    """Run every check that reads only; the first failed one may make the later ones meaningless."""
    found = [_database(connection)]
    if found[0].ok:
        found += [
            _keyword_rows(connection),
            _vectors(connection),
            *_orphans(connection),
            _cache(connection, home),
        ]
    return [*found, *_modes(home)]


def check_keywords(connection: sqlite3.Connection) -> Finding:
    """Let FTS5 check its own structure, which needs the writing connection."""
    sound = keywords.is_sound(connection)
    return Finding("keywords", sound, "sound" if sound else "the keyword index is damaged", repairable=True)


def _database(connection: sqlite3.Connection) -> Finding:
    try:
        lines = [line for (line,) in connection.execute("PRAGMA integrity_check(20)")]
    except sqlite3.DatabaseError as error:
        lines = [str(error)]
    if lines == ["ok"]:
        return Finding("database", True, "sound")
    first = " ".join(lines[0].split("\n")[:2])
    more = len("\n".join(lines).splitlines()) - 2
    return Finding("database", False, first + (f" and {more} more" if more > 0 else ""), repairable=True)


def _keyword_rows(connection: sqlite3.Connection) -> Finding:
    wrong = len(keywords.missing_rows(connection))
    message = (
        f"{wrong} chunks differ between the tables and the keyword index"
        if wrong
        else "every chunk has its row"
    )
    return Finding("keyword rows", not wrong, message, repairable=True)


def _vectors(connection: sqlite3.Connection) -> Finding:
    from .mending import examine_vectors

    mark = meta.get_mark(connection)
    found = examine_vectors(connection, mark.code_size if mark else 0)
    return Finding("vectors", not found.wrong, found.message, repairable=True)


def _orphans(connection: sqlite3.Connection) -> Iterator[Finding]:
    for what, rows in ORPHANS.items():
        count = _count(connection, rows)
        yield Finding("orphans", not count, f"{count or 'no'} {what}", repairable=True)


def _cache(connection: sqlite3.Connection, home: Path) -> Finding:
    from . import cache
    from .blocks import packed_ids

    record, mark = cache.read_record(connection), meta.get_mark(connection)
    if record is None or mark is None:
        return Finding("vector file", True, "none yet")
    try:
        ids, _ = cache.read_owners_of_file(home, record, mark)
        same = ids.tolist() == packed_ids(connection).tolist()
    except (cache.CacheError, DamagedError) as error:
        return Finding("vector file", False, str(error), repairable=True)
    if not same:
        message = f"{record.file} is not of the codes in the database"
        return Finding("vector file", False, message, repairable=True)
    return Finding("vector file", True, f"{record.file} holds {record.count} vectors")


def _modes(home: Path) -> Iterator[Finding]:
    if os.name == "nt":
        return
    for path in (home, *sorted(home.glob("*"))):
        wrong = path.stat().st_mode & 0o077
        if wrong:
            yield Finding("modes", False, f"{path}: others may read it", repairable=True)


def _count(connection: sqlite3.Connection, rows: str, *values: object) -> int:
    count: int = connection.execute(f"SELECT count(*) FROM {rows}", values).fetchone()[0]
    return count
