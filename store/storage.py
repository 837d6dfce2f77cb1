"""How many bytes each part of a home takes."""

import sqlite3
from collections.abc import Mapping
from pathlib import Path

from . import coding, meta
from .home import CACHES, DATABASE
from .reserve import RESERVE

SCHEMA = "capsa.storage/1"
# Absent from some builds of SQLite.
DBSTAT = "SELECT name, pgsize FROM dbstat WHERE aggregate = 1"
# Which part of the index a table, or an index of it, belongs to; any other is metadata.
PARTS = {
    "texts": "text",
    "recognised": "text",
    **dict.fromkeys(("codes", "blocks", "removed_vectors"), "vectors"),
    **dict.fromkeys(("pages", "visits", "queries", "exports", "origins", "captures", "forgotten"), "history"),
}

# What the program above keeps in the home for its work.
OF_THE_DAEMON = ("daemon.log", "daemon.log.1", "parsing.json")


def measure_storage(connection: sqlite3.Connection, home: Path) -> Mapping[str, object]:
    """Return counts and bytes by part: parts of the index add up to it, and it with the rest to the total."""
    parts, exact = _database_parts(connection)
    log = _size(home / f"{DATABASE}-wal")
    cache = sum(_size(path) for path in home.glob(CACHES))
    # The model's fast form is built from the model and kept in the folder "cache".
    models = _folder_size(home / "models") + _folder_size(home / "cache")
    evaluation = _folder_size(home / "eval")
    daemon = sum(_size(home / name) for name in (RESERVE, *OF_THE_DAEMON))
    index = sum(parts.values()) + log + cache
    characters, source = _characters(connection), _source_bytes(connection)
    documents, chunks = (_count(connection, name) for name in ("documents", "chunks"))
    vectors: int = connection.execute(coding.COUNT).fetchone()[0]
    vector_bytes = parts["vectors"] + cache
    mark = meta.get_mark(connection)
    return {
        "schema": SCHEMA,
        "documents": documents,
        "chunks": chunks,
        "vectors": {
            "count": vectors,
            "code": mark.code if mark else None,
            "code_bytes": mark.code_size if mark else 0,
            "bytes": vector_bytes,
            "bytes_per_chunk": _share(vector_bytes, chunks, 1),
            "bytes_per_vector": _share(vector_bytes, vectors, 1),
            "database_bytes": parts["vectors"],
            "cache_bytes": cache,
        },
        "keywords": {"bytes": parts["keywords"]},
        "text": {"bytes": parts["text"], "characters": characters},
        "metadata": {"bytes": parts["metadata"]},
        "history": {"bytes": parts["history"], **_history_counts(connection)},
        "log": {"bytes": log},
        "index": {
            "bytes": index,
            "bytes_per_character": _share(index, characters, 3),
            "bytes_per_chunk": _share(index, chunks, 1),
            "bytes_per_document": _share(index, documents, 1),
        },
        "source": {"bytes": source, "index_to_source": _share(index, source, 3)},
        "models": {"bytes": models},
        "evaluation": {"bytes": evaluation},
        "exact": exact,
        "daemon": {"bytes": daemon},
        "total": {"bytes": index + models + evaluation + daemon},
    }


def _history_counts(connection: sqlite3.Connection) -> Mapping[str, int]:
    """Visited pages, those of them that are only a title and an address, and visits."""
    stubs = _count(connection, "documents WHERE kind = 'page' AND parser = 'history'")
    return {
        "pages": _count(connection, "pages"),
        "titles_only": stubs,
        "visits": _count(connection, "visits"),
    }


def _database_parts(connection: sqlite3.Connection) -> tuple[dict[str, int], bool]:
    """Return bytes by part and whether SQLite counted them; where it cannot, contents are summed up."""
    parts = {"text": 0, "keywords": 0, "vectors": 0, "metadata": 0, "history": 0}
    page_size, pages = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_size", "page_count")
    )
    owners = dict(connection.execute("SELECT name, tbl_name FROM sqlite_master").fetchall())
    try:
        sizes = connection.execute(DBSTAT).fetchall()
        exact = True
    except sqlite3.OperationalError:
        sizes = _content_sizes(connection)
        exact = False
    for name, size in sizes:
        parts[_part(owners.get(name, name))] += size
    # Free pages, and what a sum of contents leaves out.
    parts["metadata"] += max(0, page_size * pages - sum(parts.values()))
    return parts, exact


def _part(table: str) -> str:
    return "keywords" if table.startswith("keywords") else PARTS.get(table, "metadata")


def _content_sizes(connection: sqlite3.Connection) -> list[tuple[str, int]]:
    # A row of a table or an index costs about 12 bytes beside its contents.
    sums = {
        "texts": "SELECT total(length(blob) + 24) FROM texts",
        "codes": "SELECT total(length(code) + 40) FROM codes",
        "blocks": "SELECT total(length(codes) + length(keys) + length(ids) + length(chunks)) FROM blocks",
        "keywords": "SELECT total(length(block) + 12) FROM keywords_data",
        "chunks": "SELECT 60 * count(*) FROM chunks",
    }
    return [(table, int(connection.execute(sql).fetchone()[0])) for table, sql in sums.items()]


def _folder_size(folder: Path) -> int:
    return sum(_size(path) for path in folder.rglob("*"))


def _count(connection: sqlite3.Connection, table: str) -> int:
    count: int = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    return count


def _characters(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT total(characters) FROM documents").fetchone()[0])


def _source_bytes(connection: sqlite3.Connection) -> int:
    """Return the bytes of the files that were indexed; text found by other ways counts as its characters."""
    found = connection.execute(
        "SELECT total(coalesce(f.size, d.characters)) FROM documents AS d"
        " LEFT JOIN files AS f ON f.document_id = d.id"
    ).fetchone()[0]
    return int(found)


def _share(size: int, count: int, digits: int) -> float:
    return round(size / count, digits) if count else 0


def _size(path: Path) -> int:
    try:
        return path.stat().st_size if path.is_file() else 0
    except FileNotFoundError:
        return 0
