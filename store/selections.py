"""What a filter selects, kept while the index stays the same: typing on with one filter reads it once."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .filters import allowed_documents
from .ranking import vectors_of
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
    """The documents that pass a filter, by id, and their vectors."""

    documents: list[int]
    vectors: Ids


class Selections:
    """The selections of one reader in one state of the index."""

    def __init__(self, reader: "Reader") -> None:
        self._reader = reader
        self._kept: dict[Query, Selection | None] = {}

    def of(self, query: Query) -> Selection | None:
        """Return what passes the query's filters, None when it has none."""
        key = replace(query, text="", limit=0, retriever="hybrid", explain=False)
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
            return Selection(documents, vectors_of(self._reader.connection, documents))
        return Selection(documents, self._reader.owners.vectors_of(documents))
