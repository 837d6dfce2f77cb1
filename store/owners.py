"""Which document a chunk belongs to, as arrays: what makes a filter over many documents cheap."""

import sqlite3
from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int64]


class Owners:
    """The whole assignment as of one state of the index; read on first use."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    @cached_property
    def _pairs(self) -> Ids:
        rows = self._connection.execute("SELECT id, document_id FROM chunks ORDER BY id").fetchall()
        return np.array(rows, dtype=np.int64).reshape(len(rows), 2)

    def chunks_in(self, chunk_ids: Ids, documents: Sequence[int]) -> npt.NDArray[np.bool_]:
        """Return for each chunk whether one of the documents has it."""
        places = np.searchsorted(self._pairs[:, 0], chunk_ids)
        return np.isin(self._pairs[places, 1], documents)

    def chunks_of(self, documents: Sequence[int]) -> Ids:
        """Return the ids of the documents' chunks."""
        found: Ids = self._pairs[np.isin(self._pairs[:, 1], documents), 0]
        return found
