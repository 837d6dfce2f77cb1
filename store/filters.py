"""The filters of a query -> the documents that may answer it, found before anything is ranked."""

import os
import sqlite3

from .records import Query

# When a page was kept is not always known; then its folder or a tag tells that it was.
_KEPT = "kept_at IS NOT NULL OR folders != '[]' OR tags != '[]'"


def allowed_documents(connection: sqlite3.Connection, query: Query) -> list[int] | None:
    """Return the ids of the documents that pass every filter, None when the query has no filter."""
    condition, values = _condition(query)
    if not condition:
        return None
    rows = connection.execute(f"SELECT id FROM documents WHERE {condition} ORDER BY id", values)
    return [document_id for (document_id,) in rows]


def newest_documents(connection: sqlite3.Connection, query: Query) -> list[tuple[int, int]]:
    """Return the documents that pass every filter and have text, the last modified first.

    Of each its id and that of its first chunk; as many as the query wants hits.
    """
    condition, values = _condition(query)
    order = "ORDER BY modified DESC, id DESC"
    newest = f"SELECT id, modified FROM documents WHERE {condition or 1} AND outcome = 'ok' {order} LIMIT ?"
    first = "SELECT id FROM chunks WHERE document_id = newest.id ORDER BY core_start LIMIT 1"
    rows = connection.execute(
        f"SELECT id, ({first}) FROM ({newest}) AS newest {order}", [*values, query.limit]
    )
    return [(document_id, chunk_id) for document_id, chunk_id in rows if chunk_id is not None]


def _condition(query: Query) -> tuple[str, list[object]]:
    """Return the condition of all filters with its values; of none it is empty."""
    found = _conditions(query)
    return " AND ".join(condition for condition, _ in found), [each for _, bound in found for each in bound]


def _conditions(query: Query) -> list[tuple[str, list[object]]]:
    found: list[tuple[str, list[object]]] = []
    if query.kinds:
        found.append((f"kind IN ({', '.join('?' * len(query.kinds))})", list(query.kinds)))
    if query.folder is not None:
        found.append(_in_folder(query.folder))
    if query.site is not None:
        found.append(on_site(query.site.casefold().strip(".")))
    if query.since is not None:
        found.append(("modified >= ?", [query.since]))
    if query.until is not None:
        found.append(("modified <= ?", [query.until]))
    if query.visited is not None:
        visited = "id IN (SELECT document_id FROM pages WHERE visits >= ?)"
        found.append((visited, [query.visited]))
    if query.bookmarked:
        found.append((f"id IN (SELECT document_id FROM pages WHERE {_KEPT})", []))
    if query.language is not None:
        found.append(("language = ?", [query.language]))
    for folder in query.hidden:
        condition, values = _in_folder(folder)
        found.append((f"(path IS NULL OR NOT {condition})", values))
    return found


def _in_folder(folder: str | bytes) -> tuple[str, list[object]]:
    """Match the path itself and what lies below it, by range: names hold any byte, so LIKE would not do."""
    separator = os.fsencode(os.sep)
    path = os.fsencode(folder).rstrip(separator)
    below = path + separator
    after = path + bytes([separator[0] + 1])
    return "(path = ? OR path >= ? AND path < ?)", [path, below, after]


def on_site(host: str, column: str = "site") -> tuple[str, list[object]]:
    """Return the condition that a column is the host or below it, with its values; "" is any host."""
    if not host:
        return "1", []
    escaped = host.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"({column} = ? OR {column} LIKE ? ESCAPE '\\')", [host, f"%.{escaped}"]
