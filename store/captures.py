"""Saved pages: which file has which page, and whose text it has. All inside the caller's transaction.

A page is one document, named by its normalised address. Its text is that of the newest capture; the others
are kept as rows only, and their files are read again when the newest one goes.
"""

import sqlite3
from collections.abc import Callable, Mapping

from .coding import lacks_vectors
from .records import Capture, Entry, Plan
from .rows import file_values, upsert

# Of a file that is to be read again, whatever made its documents.
OUTDATED = ""


class Captures:
    """The captures of a home; ``drop_text`` takes a document out, or what a capture gave to it."""

    def __init__(self, connection: sqlite3.Connection, drop_text: Callable[[int], None]) -> None:
        self._connection = connection
        self._drop_text = drop_text

    def of_file(self, path: bytes) -> Mapping[str, Capture]:
        """Return the captures that a file is known to have, by the pages' addresses."""
        rows = self._connection.execute(
            "SELECT uri, captured, content_hash FROM captures WHERE path = ?", (path,)
        )
        return {uri: Capture(captured, content_hash) for uri, captured, content_hash in rows}

    def is_newest(self, path: bytes, uri: str, captured: int) -> bool:
        """Say whether no other file has a newer capture of the page."""
        newer = self._connection.execute(
            "SELECT 1 FROM captures WHERE uri = ? AND path != ? AND (captured, path) > (?, ?)",
            (uri, path, captured, path),
        )
        return newer.fetchone() is None

    def outdated(self) -> Mapping[bytes, int]:
        """Return the files that are to be read again for their captures, with their sources."""
        rows = self._connection.execute(
            "SELECT path, source_id FROM files WHERE parser_version = ? AND status = 'indexed'", (OUTDATED,)
        )
        return dict(rows.fetchall())

    def add(self, plan: Plan) -> bool:
        """Remember a capture, its file being done only when it is settled; say whether it is the newest."""
        assert plan.capture is not None
        assert plan.entry.path is not None
        self._put_row(plan.entry.path, plan.entry.uri, plan.capture)
        self._put_file(plan.entry, OUTDATED, pending=False)
        return self.is_newest(plan.entry.path, plan.entry.uri, plan.capture.captured)

    def put(self, document_id: int) -> None:
        """Have the document be the page whose text it now is."""
        # A page of which only visits were known may have waited for the vector of its title.
        self._connection.execute("UPDATE files SET pending = 0 WHERE document_id = ?", (document_id,))
        self._connection.execute(
            "UPDATE documents SET modified = max(modified,"
            " coalesce((SELECT last FROM pages WHERE document_id = documents.id) / 1e6, 0)) WHERE id = ?",
            (document_id,),
        )

    def settle(self, entry: Entry, captures: Mapping[str, Capture], parser_version: str) -> None:
        """Make these all that the file has; its documents have been put."""
        assert entry.path is not None
        for uri in self.of_file(entry.path).keys() - captures.keys():
            self._drop(entry.path, uri)
        for uri, capture in captures.items():
            self._put_row(entry.path, uri, capture)
            if not self.is_newest(entry.path, uri, capture.captured):
                self._drop_text_of(entry.path, uri)
        self._put_file(entry, parser_version, self._waits(entry.path))

    def forget_file(self, path: bytes) -> None:
        """Drop all that a file has; pages that another file has, too, get their text from there next time."""
        for uri in self.of_file(path):
            self._drop(path, uri)

    def rename(self, old: bytes, new: Entry) -> None:
        """Give a file another path."""
        self._connection.execute("UPDATE captures SET path = ? WHERE path = ?", (new.path, old))
        self._connection.execute(
            "UPDATE documents SET path = ?, source_id = ? WHERE path = ?", (new.path, new.source_id, old)
        )

    def _drop(self, path: bytes, uri: str) -> None:
        self._connection.execute("DELETE FROM captures WHERE path = ? AND uri = ?", (path, uri))
        self._drop_text_of(path, uri)

    def _drop_text_of(self, path: bytes, uri: str) -> None:
        """Take the page's text away when it is this file's, and have the next newest file read again."""
        row = self._connection.execute(
            "SELECT id FROM documents WHERE uri = ? AND path = ?", (uri, path)
        ).fetchone()
        if row is None:
            return
        self._drop_text(row[0])
        self._connection.execute(
            "UPDATE files SET parser_version = ? WHERE path ="
            " (SELECT path FROM captures WHERE uri = ? ORDER BY captured DESC, path DESC LIMIT 1)",
            (OUTDATED, uri),
        )

    def _put_row(self, path: bytes, uri: str, capture: Capture) -> None:
        self._connection.execute(
            "INSERT OR REPLACE INTO captures (path, uri, captured, content_hash) VALUES (?, ?, ?, ?)",
            (path, uri, capture.captured, capture.content_hash),
        )

    def _put_file(self, entry: Entry, parser_version: str, pending: bool) -> None:
        values = file_values(entry, "indexed", parser_version) | {"pending": int(pending)}
        upsert(self._connection, "files", values, "path")

    def _waits(self, path: bytes) -> bool:
        """Whether a page of the file lacks a vector."""
        documents = self._connection.execute(
            "SELECT d.id FROM captures AS p JOIN documents AS d ON d.uri = p.uri AND d.path = p.path"
            " WHERE p.path = ?",
            (path,),
        ).fetchall()
        return any(lacks_vectors(self._connection, document_id) for (document_id,) in documents)
