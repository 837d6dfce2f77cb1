"""The vector index of a reader, kept in step with the database."""

import sqlite3
from pathlib import Path

from .cache import load_vectors, read_record
from .records import ModelMark
from .vectors import read_removed, read_vectors


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
        if mark != self._mark or read_record(connection) != self._record:
            return False
        self.index.remove(read_removed(connection))
        self.index.add(*read_vectors(connection, mark.code_size, self._seen))
        self._seen = max(self._seen, self.index.last_id)
        self._change = change
        return True
