"""What a filter selects, kept while the index stays the same: typing on with one filter reads it once."""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from .filters import allowed_documents
from .records import Query
from .vectors import Ids

if TYPE_CHECKING:
    from .reader import Reader

# Chunks of so few documents are looked up one by one; for more all owners are read once.
FEW_DOCUMENTS = 50
# Filters that are kept.
KEPT = 8


@dataclass(frozen=True, slots=True)
class Selection:
    """The documents that pass a filter, and their chunks, by id."""

    documents: list[int]
    chunks: Ids


class Selections:
    """The selections of one reader in one state of the index."""

    def __init__(self, reader: "Reader") -> None:
        self._reader = reader
        self._kept: dict[Query, Selection | None] = {}

    def of(self, query: Query) -> Selection | None:
        """Return what passes the query's filters, None when it has none."""
        key = replace(query, text="", limit=0, retriever="hybrid", explain=False, boost=True)
        if key not in self._kept:
            if len(self._kept) >= KEPT:
                self._kept.clear()
            self._kept[key] = self._select(key)
        return self._kept[key]

    def _select(self, query: Query) -> Selection | None:
        documents = allowed_documents(self._reader.connection, query)
        if documents is None:
            return None
        if len(documents) <= FEW_DOCUMENTS:
            return Selection(documents, chunks_of(self._reader.connection, documents))
        return Selection(documents, self._reader.owners.chunks_of(documents))


def chunks_of(connection: sqlite3.Connection, documents: Sequence[int]) -> Ids:
    """Return the ids of the documents' chunks, for few documents."""
    rows = connection.execute(
        "SELECT id FROM chunks WHERE document_id IN (SELECT value FROM json_each(?))",
        (json.dumps(documents),),
    )
    return np.fromiter((chunk_id for (chunk_id,) in rows), dtype=np.int64)
