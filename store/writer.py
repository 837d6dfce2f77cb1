"""The one writer of a home: takes the lock, commits documents in batches, publishes the FAISS file."""

import json
import os
import shutil
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Self

from capsa.chunkers.errors import StoreError
from capsa.chunkers.model import Chunk, Document

from . import keywords, meta, repair
from .codes import DEFAULT
from .committing import Committer, rebuild_keywords
from .database import cut_log, give_back_pages, open_writing, snapshot, transaction
from .doctor import check_home, check_keywords
from .home import database_path, lock, make_home
from .planning import plan_document
from .records import Capture, Entry, Finding, ModelMark, Plan, Recipe, Source, Stat, Status
from .reserve import give_up_reserve
from .rows import file_values, site, upsert
from .wiping import wipe

if TYPE_CHECKING:
    from .captures import Captures
    from .history import History
    from .models import Model
    from .quantisers import Vectors
    from .unfinished import Finishing

# A batch is not begun with less free space than this: SQLite needs room to commit, to checkpoint and to
# delete.
FREE_BYTES = 64 << 20
# In ``meta`` from a removal that is to leave nothing behind until that is done.
WIPE = "wipe"


class Writer:
    """The only writing connection to a home; use it from one thread and close it."""

    def __init__(self, home: Path, lock_file: BinaryIO, connection: sqlite3.Connection) -> None:
        self.home = home
        self._lock = lock_file
        self._connection = connection
        with snapshot(connection):
            self._mark = meta.get_mark(connection)

    @classmethod
    def open(cls, home: Path, model: "Model | None" = None, code: str = DEFAULT) -> Self:
        """Take the lock and open the home, making it when it is new; with a model, bind it."""
        with ExitStack() as opened:
            lock_file = opened.enter_context(lock(make_home(home)))
            connection = opened.enter_context(closing(open_writing(database_path(home))))
            writer = cls(home, lock_file, connection)
            if model is not None:
                writer.bind_model(model, code)
            opened.pop_all()
        return writer

    def close(self) -> None:
        """Close the connection, then give the lock back."""
        self._connection.close()
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def model(self) -> ModelMark | None:
        """The model whose vectors the index holds."""
        return self._mark

    @property
    def history(self) -> "History":
        """What is done to the pages that browsers tell of."""
        from .history import History

        return History(self._connection, self._change, self._mark)

    @property
    def finishing(self) -> "Finishing":
        """What finishing documents needs to read and to keep."""
        from .unfinished import Finishing

        return Finishing(self._connection)

    def bind_model(self, model: "Model", code: str = DEFAULT) -> None:
        """Take vectors of this model from now on; StoreError when the index holds those of another one."""
        if self._mark is None:
            self.change_model(model, code)
        elif (self._mark.fingerprint, self._mark.code) != (model.fingerprint, code):
            raise StoreError(
                f"the index holds vectors of {self._mark.name} as {self._mark.code}, "
                f"not of {model.name} as {code}; vectors of two models never mix"
            )

    def change_model(self, model: "Model", code: str = DEFAULT, codebook: bytes = b"") -> None:
        """Forget the vectors of the old model; all documents then wait for vectors of the new one."""
        mark = ModelMark(model.name, model.fingerprint, model.dimension, code, codebook)
        with self._change() as committer:
            if self._mark is not None:
                committer.drop_all_vectors()
            meta.put_mark(self._connection, mark)
        self._mark = mark

    def recode(self, code: str) -> None:
        """Keep the vectors as another code, made of the stored ones (``recoding.NESTED``); all or nothing."""
        from .recoding import is_nested, recode

        if self._mark is None or not is_nested(self._mark, code):
            raise StoreError(f"{code} cannot be made of the vectors that are stored")
        mark = replace(self._mark, code=code)
        with self._change():
            recode(self._connection, self._mark, mark)
        self._mark = mark

    def take_over(self, other: Path) -> None:
        """Become what another home holds, all or nothing; until then searches see the old state."""
        from .recoding import take_over

        take_over(self._connection, self.home, other)
        self._mark = meta.get_mark(self._connection)

    def plan(
        self, entry: Entry, document: Document, chunks: Sequence[Chunk], recipe: Recipe | None = None
    ) -> Plan:
        """Return what a commit of the document would write; ``Plan.texts`` need a vector each."""
        return plan_document(self._connection, entry, document, chunks, recipe or Recipe())

    def commit(self, batch: Sequence[tuple[Plan, "Vectors | None"]], durable: bool = True) -> None:
        """Write the plans in one transaction; None for vectors leaves the document waiting for them."""
        if not batch:
            return
        coded = [(plan, self._codes(plan, vectors)) for plan, vectors in batch]
        with self._change(durable) as committer:
            for plan, codes in coded:
                committer.put(plan, codes)

    @property
    def captures(self) -> "Captures":
        """What is known of saved pages; to be read from only."""
        return Committer(self._connection).captures

    def settle(self, files: Sequence[tuple[Entry, Mapping[str, Capture]]], parser_version: str) -> None:
        """Make these captures all that the files have, in one transaction; their documents are committed."""
        if files:
            with self._change(durable=False) as committer:
                for entry, captures in files:
                    committer.captures.settle(entry, captures, parser_version)

    def touch(self, path: bytes, stat: Stat) -> None:
        """Remember a new stat of a file whose content is the same."""
        with transaction(self._connection, durable=False):
            self._connection.execute(
                "UPDATE files SET size = ?, mtime_ns = ?, ctime_ns = ?, inode = ? WHERE path = ?",
                (stat.size, stat.mtime_ns, stat.ctime_ns, stat.inode, path),
            )
            self._connection.execute(
                "UPDATE documents SET modified = ? WHERE id = (SELECT document_id FROM files WHERE path = ?)",
                (stat.mtime_ns / 1e9, path),
            )

    def remove(self, paths: Iterable[bytes], wiped: bool = False) -> int:
        """Remove the documents and records of the paths and return how many were known.

        With ``wiped`` the next ``publish`` leaves nothing of their text in any file, in whatever process.
        """
        known = [row for path in paths if (row := self._file(path)) is not None]
        if known:
            with self._change(shrinks=True) as committer:
                for path, document_id in known:
                    self._forget(committer, path, document_id)
                if wiped:
                    meta.put(self._connection, WIPE, 1)
        return len(known)

    def rename(self, old: bytes, new: Entry) -> None:
        """Give the document another path and URI; its id, chunks and vectors stay."""
        row = self._file(old)
        if row is None:
            raise StoreError(f"{os.fsdecode(old)}: is not indexed, so it cannot be renamed")
        with self._change() as committer:
            self._forget_target(committer, new, row[1])
            committer.captures.rename(old, new)
            self._connection.execute(
                "UPDATE documents SET source_id = ?, uri = ?, path = ?, site = ?, modified = ? WHERE id = ?",
                (new.source_id, new.uri, new.path, site(new.uri), new.mtime_ns / 1e9, row[1]),
            )
            self._connection.execute(
                "UPDATE files SET path = ?, source_id = ?, size = ?, mtime_ns = ?, ctime_ns = ?, inode = ?"
                " WHERE path = ?",
                (new.key, new.source_id, new.size, new.mtime_ns, new.ctime_ns, new.inode, old),
            )

    def record_failure(
        self, entry: Entry, status: Status, reason: str, detail: str, parser_version: str
    ) -> None:
        """Remember that the file was skipped or failed, and why; its older version is no longer found."""
        with self._change(durable=False) as committer:
            row = self._file(entry.key)
            if row is not None:
                self._forget(committer, *row)
            values = file_values(entry, status, parser_version) | {"reason": reason, "detail": detail}
            upsert(self._connection, "files", values, "path")

    def add_source(self, path: bytes, kind: str = "folder") -> Source:
        """Return the source of the path, adding it when it is new."""
        found = "SELECT id, path, kind, added_at FROM sources WHERE path = ?"
        row = self._connection.execute(found, (path,)).fetchone()
        if row is None:
            with transaction(self._connection):
                self._connection.execute(
                    "INSERT INTO sources (kind, path, added_at) VALUES (?, ?, ?)", (kind, path, time.time())
                )
            row = self._connection.execute(found, (path,)).fetchone()
        return Source(*row)

    def remove_source(self, source_id: int) -> int:
        """Remove a source with everything that came from it and return how many paths that were.

        The next ``publish`` leaves nothing of its text in any file.
        """
        rows = self._connection.execute(
            "SELECT path, document_id FROM files WHERE source_id = ?", (source_id,)
        ).fetchall()
        with self._change(shrinks=True) as committer:
            for path, document_id in rows:
                self._forget(committer, path, document_id)
            self._connection.execute("DELETE FROM sources WHERE id = ?", (source_id,))
            meta.put_paused(self._connection, meta.paused(self._connection) - {source_id})
            meta.put(self._connection, WIPE, 1)
        return len(rows)

    def pause_source(self, source_id: int, paused: bool) -> None:
        """Have runs pass over the source, or look at it again; what is indexed of it stays."""
        with transaction(self._connection):
            sources = meta.paused(self._connection)
            meta.put_paused(self._connection, sources | {source_id} if paused else sources - {source_id})

    def keep_doubts(self, doubts: Mapping[int, float]) -> None:
        """Remember since when a source's missing files are in doubt, in seconds since 1970, by source."""
        if doubts != meta.doubts(self._connection):
            with transaction(self._connection, durable=False):
                meta.put(self._connection, "doubts", json.dumps(doubts))

    @property
    def must_wipe(self) -> bool:
        """Whether text that was removed is still in some file until the next ``publish``."""
        return meta.get(self._connection, WIPE) is not None

    @property
    def pace(self) -> str:
        """What ``keep_pace`` was given last, else nothing."""
        return str(meta.get(self._connection, "pace") or "")

    def keep_pace(self, pace: str) -> None:
        """Remember how fast runs are, in the caller's own form."""
        with transaction(self._connection, durable=False):
            meta.put(self._connection, "pace", pace)

    def publish(self, anew: bool = False) -> bool:
        """Write the FAISS file and tidy up, unless nothing changed since the last one; True when it did."""
        try:
            return self._publish(anew)
        finally:
            if self.must_wipe:
                wipe(self._connection)
                with transaction(self._connection):
                    meta.drop(self._connection, WIPE)

    def _publish(self, anew: bool) -> bool:
        from . import cache
        from .blocks import pack

        record = cache.read_record(self._connection)
        change = meta.change(self._connection)
        current = record is not None and (record.generation, record.layout) == (change, cache.LAYOUT)
        if self._mark is None or (current and not anew):
            return False
        with transaction(self._connection):
            packed = pack(self._connection, self._mark.code_size)
            new = cache.write_cache(self.home, self._mark, change, packed.ids, packed.chunks)
            cache.record_cache(self._connection, new)
            keywords.merge(self._connection)
        cache.delete_other_files(self.home, new)
        give_back_pages(self._connection)
        # While a reader is in the log it stays; the next one succeeds.
        cut_log(self._connection)
        return True

    def check(self) -> list[Finding]:
        """Examine the home, the inner structure of the keyword index included."""
        return [*check_home(self._connection, self.home), check_keywords(self._connection)]

    def repair(self) -> list[Finding]:
        """Mend what the check found, in the order that never builds on what is damaged, and check again."""
        wrong = {finding.check for finding in self.check() if not finding.ok}
        if "database" in wrong:
            raise StoreError(f"{self.home}: the database itself is damaged; move it aside and index anew")
        if "modes" in wrong:
            repair.close_to_others(self.home)
        if wrong - {"modes", "vector file"}:
            with self._change():
                repair.mend_rows(self._connection)
                rebuild_keywords(self._connection)
        if wrong - {"modes"}:
            self.publish(anew=True)
        return self.check()

    @contextmanager
    def _change(self, durable: bool = True, shrinks: bool = False) -> Iterator[Committer]:
        """Run one transaction that changes what searches see, and count it.

        One that ``shrinks`` the index is begun on a full disk too, with the room of the reserve.
        """
        self._need_space(shrinks)
        with transaction(self._connection, durable):
            committer = Committer(self._connection)
            self._freshen_keywords()
            yield committer
            if committer.stale_keywords:
                rebuild_keywords(self._connection)
            meta.next_change(self._connection)

    def _freshen_keywords(self) -> None:
        current = keywords.fingerprint()
        stored = meta.get(self._connection, "keywords")
        if stored != current:
            if stored is not None:
                rebuild_keywords(self._connection)
            meta.put(self._connection, "keywords", current)

    def _need_space(self, shrinks: bool) -> None:
        if shutil.disk_usage(self.home).free >= FREE_BYTES:
            return
        if shrinks:
            give_up_reserve(self.home)
        else:
            raise StoreError(f"{self.home}: less than {FREE_BYTES >> 20} MB are free; nothing was changed")

    def _codes(self, plan: Plan, vectors: "Vectors | None") -> dict[int, bytes]:
        codes = dict(plan.codes)
        if vectors is None or not plan.texts:
            return codes
        if self._mark is None:
            raise StoreError("vectors were given before their model: call bind_model first")
        if vectors.shape != (len(plan.texts), self._mark.dimension):
            raise ValueError(f"{len(plan.texts)} texts cannot have vectors of shape {vectors.shape}")
        rows = self._mark.quantiser.encode(vectors)
        return codes | {key: row.tobytes() for key, row in zip(plan.new_keys, rows, strict=True)}

    def _file(self, path: bytes) -> tuple[bytes, int | None] | None:
        row = self._connection.execute(
            "SELECT path, document_id FROM files WHERE path = ?", (path,)
        ).fetchone()
        return (row[0], row[1]) if row else None

    def _forget(self, committer: Committer, path: bytes, document_id: int | None) -> None:
        if document_id is not None:
            committer.remove(document_id)
        committer.captures.forget_file(path)
        self._connection.execute("DELETE FROM files WHERE path = ?", (path,))

    def _forget_target(self, committer: Committer, new: Entry, document_id: int | None) -> None:
        """Make way for a renamed document: whatever was under its new name has been overwritten."""
        row = self._file(new.key)
        if row is not None and (row[1] != document_id or document_id is None):
            self._forget(committer, *row)
        there = committer.find(new.uri)
        if there is not None and there != document_id:
            committer.remove(there)
