"""The keyword index: what it holds for a chunk, and how rows go in and out of it."""

import sqlite3
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

from capsa.chunkers.model import Chunk, Document

from .stems import TOKENIZER, fold

INSERT = "INSERT INTO keywords (rowid, crumb, body) VALUES (?, ?, ?)"
DELETE = "INSERT INTO keywords (keywords, rowid, crumb, body) VALUES ('delete', ?, ?, ?)"
# Pages of work given to one merge of segments; searching fewer segments is faster.
MERGE_PAGES = 2000
# A text with something of everything that may be treated specially.
PROBE_TEXT = "# Title\n\n[the *link*](http://a.b/c_d) ![alt](x.png)<br>\n\n| a |\n|---|\n| 1.0 ﬁne 漢字 |\n"


class Columns(NamedTuple):
    """The texts of the two columns for one chunk, before ``fold``."""

    crumb: str
    body: str

    @property
    def key(self) -> int:
        """The chunk's key, and the proof that its row is deleted with the text that it was added with."""
        return hash64(f"{self.crumb}\0{self.body}")


def hash64(text: str) -> int:
    """Return a signed 64-bit hash that is the same on every machine."""
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def columns(document: Document, chunk: Chunk) -> Columns:
    """Return what the index holds for the chunk; needs only the document's text, title and kind."""
    from capsa.chunkers import context

    crumb = context.breadcrumb(document.title, chunk.headings)
    body = context.keyword_text(document, chunk)
    return Columns(crumb, body.removeprefix(crumb).lstrip("\n") if crumb else body)


@lru_cache(maxsize=1)
def fingerprint() -> str:
    """Name the code that makes the texts: rows of other code cannot be recomputed, the index is rebuilt."""
    document = Document(PROBE_TEXT, (), "markdown", title="Title")
    chunk = Chunk(0, len(PROBE_TEXT), 0, headings=("Title", "Part"))
    crumb, body = columns(document, chunk)
    return format(hash64("\0".join((TOKENIZER, fold(crumb), fold(body)))), "x")


def insert_rows(connection: sqlite3.Connection, rows: Iterable[tuple[int, Columns]]) -> None:
    """Add rows by chunk id."""
    connection.executemany(INSERT, ((rowid, fold(crumb), fold(body)) for rowid, (crumb, body) in rows))


def delete_rows(connection: sqlite3.Connection, rows: Iterable[tuple[int, Columns]]) -> None:
    """Remove rows; the columns must be those they were added with."""
    connection.executemany(DELETE, ((rowid, fold(crumb), fold(body)) for rowid, (crumb, body) in rows))


def clear(connection: sqlite3.Connection) -> None:
    """Remove all rows, whatever state the index is in."""
    connection.execute("INSERT INTO keywords (keywords) VALUES ('delete-all')")


def merge(connection: sqlite3.Connection) -> None:
    """Spend a bounded amount of work on joining segments."""
    connection.execute("INSERT INTO keywords (keywords, rank) VALUES ('merge', ?)", (MERGE_PAGES,))


def join_all(connection: sqlite3.Connection) -> None:
    """Join all segments into one, which drops the words of deleted rows; a large index takes its time."""
    connection.execute("INSERT INTO keywords (keywords) VALUES ('optimize')")


def is_sound(connection: sqlite3.Connection) -> bool:
    """Let FTS5 check its own structure; needs the writing connection."""
    try:
        connection.execute("INSERT INTO keywords (keywords) VALUES ('integrity-check')")
    except sqlite3.DatabaseError:
        return False
    return True


def missing_rows(connection: sqlite3.Connection) -> Sequence[int]:
    """Return chunk ids without a row and rows without a chunk."""
    rows = connection.execute(
        "SELECT id FROM chunks EXCEPT SELECT id FROM keywords_docsize "
        "UNION ALL SELECT id FROM (SELECT id FROM keywords_docsize EXCEPT SELECT id FROM chunks)"
    )
    return [rowid for (rowid,) in rows]
