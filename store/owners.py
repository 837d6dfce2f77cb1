"""Which document a chunk and a vector belong to, as arrays: what makes a filter over many documents cheap."""

import sqlite3
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int64]


class Owners:
    """The whole assignment as of one state of the index; read on first use."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._chunks: Ids | None = None
        self._vectors: Ids | None = None

    def chunks_in(self, chunk_ids: Ids, documents: Sequence[int]) -> npt.NDArray[np.bool_]:
        """Return for each chunk whether one of the documents has it."""
        if self._chunks is None:
            self._chunks = self._read("SELECT id, document_id FROM chunks ORDER BY id")
        places = np.searchsorted(self._chunks[:, 0], chunk_ids)
        return np.isin(self._chunks[places, 1], documents)

    def vectors_of(self, documents: Sequence[int]) -> Ids:
        """Return the ids of the documents' vectors."""
        if self._vectors is None:
            self._vectors = self._read(
                "SELECT v.id, c.document_id FROM vectors AS v"
                " JOIN chunks AS c ON c.id = v.chunk_id ORDER BY v.id"
            )
        found: Ids = self._vectors[np.isin(self._vectors[:, 1], documents), 0]
        return found

    def _read(self, statement: str) -> Ids:
        rows = self._connection.execute(statement).fetchall()
        return np.array(rows, dtype=np.int64).reshape(len(rows), 2)
