"""A read-only view of a home: what is known of the files, and everything a search needs. One per thread."""

import os
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from . import coding, meta
from .database import open_reading, snapshot
from .home import database_path
from .outline import Outline, load_outline
from .records import Counts, Finding, Known, ModelMark, Source
from .rows import CHUNK_COLUMNS, KNOWN_COLUMNS, ChunkRow, known
from .stems import Stemmer
from .texts import TextReader

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from .lengths import Lengths
    from .loading import LoadedVectors
    from .owners import Owners
    from .postings import Postings
    from .selections import Selections
    from .vectors import NearestVectors


class DocumentRow(NamedTuple):
    """What a hit tells of its document."""

    id: int
    uri: str
    path: bytes | None
    title: str
    kind: str
    modified: float
    outline: Outline


class Reader:
    """Reads one home over one connection, for one thread; ``snapshot`` shows several calls the same state."""

    def __init__(self, home: Path, connection: sqlite3.Connection) -> None:
        self.home = home
        self.connection = connection
        self.texts = TextReader(connection)
        self._documents: dict[int, DocumentRow] = {}
        self._rows = 0
        self._change = -1
        self._life = 0
        self._vectors: LoadedVectors | None = None
        self._lengths: Lengths | None = None
        self._lengths_change = -1

    @classmethod
    def open(cls, home: Path) -> Self:
        """Open the home; StoreError when nothing was ever indexed there."""
        return cls(home, open_reading(database_path(home)))

    def close(self) -> None:
        """Close the connection and end the helper."""
        if "stemmer" in self.__dict__:
            self.stemmer.close()
        if "helper" in self.__dict__:
            self.helper.shutdown()
        self.connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Read from one state of the index until the block ends, and forget what was kept of an older one."""
        with snapshot(self.connection):
            change = meta.change(self.connection)
            if change != self._change:
                self._change = change
                self.texts.forget()
                self._documents.clear()
                self.__dict__.pop("postings", None)
                self.__dict__.pop("owners", None)
                self.__dict__.pop("selections", None)
                self._rows = self._number("SELECT count(*) FROM chunks")
                self._begin_life()
            yield

    def _begin_life(self) -> None:
        """Forget what is kept by ids when they have come to mean other things."""
        life = meta.life(self.connection)
        if life != self._life:
            self._life = life
            self._vectors = self._lengths = None

    # Made on first use, as they need NumPy: importing it takes longer than a look at unchanged files.
    @cached_property
    def postings(self) -> "Postings":
        """Which chunks have a word."""
        from .postings import Postings

        return Postings(self.connection)

    @cached_property
    def selections(self) -> "Selections":
        """What filters select."""
        from .selections import Selections

        return Selections(self)

    @cached_property
    def owners(self) -> "Owners":
        """Which document a chunk belongs to."""
        from .owners import Owners

        return Owners(self.connection)

    @property
    def lengths(self) -> "Lengths":
        """How long the chunks of this snapshot are."""
        from .lengths import Lengths

        if self._lengths is None:
            self._lengths, self._lengths_change = Lengths(), -1
        if self._lengths_change != self._change:
            self._lengths.refresh(self.connection)
            self._lengths_change = self._change
        return self._lengths

    @cached_property
    def stemmer(self) -> Stemmer:
        """Gives the stems of words."""
        return Stemmer()

    @cached_property
    def helper(self) -> "ThreadPoolExecutor":
        """A thread for work that needs no database, kept since starting one takes 0.2 ms of each search."""
        from concurrent.futures import ThreadPoolExecutor

        return ThreadPoolExecutor(1, "search")

    @property
    def model(self) -> ModelMark | None:
        """The model whose vectors the index holds."""
        return meta.get_mark(self.connection)

    @property
    def chunk_count(self) -> int:
        """The number of chunks, in a snapshot."""
        return self._rows

    def known(self, source_id: int, within: bytes | None = None) -> dict[bytes, Known]:
        """Return what is remembered of every path of the source, or of a path in it and those below it."""
        return {path: known(rest) for path, *rest in self.known_rows(source_id, within or b"")}

    def known_rows(self, source_id: int, within: bytes) -> Iterator[tuple[Any, ...]]:
        """Yield the path and the fields of its Known for a path of the source and all below, in that order.

        Below no path lie all paths.
        """
        # Sorted by bytes, what is below a folder stands between its name with / and with the next byte.
        below = os.path.join(within, b"")
        end = below[:-1] + bytes([below[-1] + 1]) if below else b"\xff"
        select = f"SELECT path, {KNOWN_COLUMNS} FROM files WHERE source_id = ? AND path"
        yield from self.connection.execute(f"{select} = ?", (source_id, within))
        yield from self.connection.execute(
            f"{select} >= ? AND path < ? ORDER BY path", (source_id, below, end)
        )

    def pending(self, source_id: int) -> list[bytes]:
        """Return the paths of indexed documents that still wait for vectors."""
        rows = self.connection.execute(
            "SELECT path FROM files WHERE source_id = ? AND pending ORDER BY path", (source_id,)
        )
        return [path for (path,) in rows]

    def sources(self) -> list[Source]:
        """Return the sources in the order in which they were added."""
        rows = self.connection.execute("SELECT id, path, kind, added_at FROM sources ORDER BY id")
        paused = meta.paused(self.connection)
        return [Source(number, path, kind, since, number in paused) for number, path, kind, since in rows]

    def counts(self) -> Counts:
        """Count what the index holds and what it could not take."""
        refused: dict[str, Counter[str]] = {"skipped": Counter(), "failed": Counter()}
        for status, reason, count in self.connection.execute(
            "SELECT status, reason, count(*) FROM files WHERE status != 'indexed' GROUP BY status, reason"
        ):
            refused[status][reason] = count
        documents, chunks, vectors = (
            self._number(query)
            for query in ("SELECT count(*) FROM documents", "SELECT count(*) FROM chunks", coding.COUNT)
        )
        pending = self._number("SELECT count(*) FROM files WHERE pending")
        return Counts(documents, chunks, vectors, pending, refused["skipped"], refused["failed"])

    def storage(self) -> Mapping[str, object]:
        """Return the bytes by part, in the shape of ``capsa storage --json``."""
        from .storage import measure_storage

        with self.snapshot():
            return measure_storage(self.connection, self.home)

    def check(self) -> list[Finding]:
        """Examine the home for ``capsa doctor``."""
        from .doctor import check_home

        with self.snapshot():
            return check_home(self.connection, self.home)

    def vectors(self) -> "tuple[NearestVectors | None, tuple[str, ...]]":
        """Return the vector index as of this snapshot, with notes; None when no model was ever bound."""
        from .loading import LoadedVectors

        mark = self.model
        if mark is None:
            return None, ()
        if self._vectors is None or not self._vectors.refresh(self.connection, mark, self._change):
            self._vectors = LoadedVectors(self.home, self.connection, mark, self._change)
        return self._vectors.index, self._vectors.notes

    def chunks(self, ids: Sequence[int]) -> dict[int, ChunkRow]:
        """Return chunk rows by id."""
        marks = ", ".join("?" * len(ids))
        rows = self.connection.execute(
            f"SELECT {CHUNK_COLUMNS} FROM chunks WHERE id IN ({marks})", tuple(ids)
        )
        return {row[0]: ChunkRow(*row) for row in rows}

    def document(self, document_id: int) -> DocumentRow:
        """Return what a hit tells of the document."""
        if document_id not in self._documents:
            row = self.connection.execute(
                "SELECT id, uri, path, title, kind, modified, outline FROM documents WHERE id = ?",
                (document_id,),
            ).fetchone()
            values = (*row[:-1], load_outline(row[-1]))
            self._documents[document_id] = DocumentRow(*values)
        return self._documents[document_id]

    def text(self, chunk: ChunkRow) -> str:
        """Return the chunk's text, verbatim."""
        return self.texts.read(chunk.document_id, chunk.start, chunk.end)

    def _number(self, statement: str) -> int:
        number: int = self.connection.execute(statement).fetchone()[0]
        return number
