"""Which document a chunk belongs to, as arrays: what makes a filter over many documents cheap."""

import sqlite3
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from .columns import Ids, read_columns


class Owners:
    """The whole assignment as of one state of the index; read on first use."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    @cached_property
    def _pairs(self) -> tuple[Ids, Ids]:
        """Ids of chunks, ascending, and of their documents."""
        query = "SELECT group_concat(id, ' '), group_concat(document_id, ' ') FROM chunks"
        chunks, documents = read_columns(self._connection, query)
        order = np.argsort(chunks, kind="stable")
        return chunks[order], documents[order]

    def chunks_of(self, documents: Sequence[int]) -> Ids:
        """Return the ids of the documents' chunks."""
        chunks, owners = self._pairs
        found: Ids = chunks[np.isin(owners, documents)]
        return found
