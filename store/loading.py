"""The vector index of a reader, kept in step with the database."""

import sqlite3
from pathlib import Path

from .blocks import read_newer, read_removed
from .cache import CacheRecord, load_vectors, read_record
from .records import ModelMark


class LoadedVectors:
    """A loaded index with the state it is of."""

    def __init__(self, home: Path, connection: sqlite3.Connection, mark: ModelMark, change: int) -> None:
        self.index, self.notes = load_vectors(home, connection, mark)
        self._mark = mark
        self._record = read_record(connection)
        self._change = change
        self._seen = max(self.index.last_id, self._record.up_to if self._record else 0)

    def refresh(self, connection: sqlite3.Connection, mark: ModelMark, change: int) -> bool:
        """Bring the index to this change; False when it must be loaded anew (another file, another model)."""
        if change == self._change and mark == self._mark:
            return not self.notes or read_record(connection) == self._record
        if mark != self._mark or not self._follow(read_record(connection)):
            return False
        self.index.remove(read_removed(connection))
        self.index.add(*read_newer(connection, mark.code_size, self._seen))
        self._seen = max(self._seen, self.index.last_id)
        self._change = change
        return True

    def _follow(self, record: CacheRecord | None) -> bool:
        """Return whether the file is still that of this index, or one of just what the index holds."""
        if record == self._record:
            return True
        if self.notes or record is None or record.generation != self._change:
            return False
        self._record = record
        self._seen = max(self._seen, record.up_to)
        return True
