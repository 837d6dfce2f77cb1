"""How long chunks are: what tells likely keyword hits apart that have the same words."""

import sqlite3

import numpy as np
import numpy.typing as npt

from .columns import Ids, read_columns

# Longer ones count as so long.
MOST = np.iinfo(np.uint16).max


class Lengths:
    """Characters by chunk id; ids of chunks that are gone are never used again, so only new ones are read."""

    def __init__(self) -> None:
        self._by_id = np.zeros(1, dtype=np.uint16)

    def refresh(self, connection: sqlite3.Connection) -> None:
        """Read the chunks that were added since the last time: 32 ms for the first 100,000."""
        query = "SELECT group_concat(id, ' '), group_concat(end - start, ' ') FROM chunks WHERE id > ?"
        ids, lengths = read_columns(connection, query, (len(self._by_id) - 1,))
        if len(ids):
            grown = np.zeros(1 + int(ids.max()), dtype=np.uint16)
            grown[: len(self._by_id)] = self._by_id
            grown[ids] = np.minimum(lengths, MOST)
            self._by_id = grown

    def of(self, ids: Ids) -> npt.NDArray[np.uint16]:
        """Return the characters of the chunks."""
        lengths: npt.NDArray[np.uint16] = self._by_id[ids]
        return lengths
