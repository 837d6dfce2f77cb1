"""The search that users get, as a retriever of the evaluation: a store of its own, filled with the corpus."""

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from capsa.store.codes import CODES, DEFAULT
from capsa.store.embedder import Embedder
from capsa.store.quantisers import Vectors
from capsa.store.reader import Reader
from capsa.store.records import Query, Retriever
from capsa.store.search import rank
from capsa.store.vectors import Ranked

from .chunkset import ChunkSet
from .corpus import Chunking, Corpus, Item
from .exact import ExactVectors, IndexReader, read_kept
from .index import fill
from .judging import Ranking

Codes = Literal["pq96", "pq48", "flat"]


@dataclass
class StoreEngine:
    """Asks one store with one retriever; ``notes`` collects what searches had to do without."""

    reader: Reader
    chunks: ChunkSet
    embedder: Embedder | None
    retriever: Retriever
    notes: dict[str, None]

    def ask(self, text: str, item: Item | None, depth: int) -> Ranking:
        """Rank the chunks of an item, of all items for None; no snippets are made."""
        folder = os.fsencode(item.path) if item else None
        query = Query(text, limit=depth, retriever=self.retriever, folder=folder)
        notes: list[str] = []
        began = time.perf_counter()
        with self.reader.snapshot():
            fused = rank(self.reader, query, self.embedder, notes).fused
        ms = 1000 * (time.perf_counter() - began)
        self.notes.update(dict.fromkeys(notes))
        return Ranking(self._shown(fused, depth), ms)

    def _shown(self, fused: Ranked, depth: int) -> list[int]:
        """Return the numbers of the best chunks; like a search, show those of the same text once."""
        shown: dict[str, int] = {}
        for chunk_id, _ in fused:
            number = self._numbers[chunk_id]
            shown.setdefault(self.chunks.verbatim(number), number)
            if len(shown) == depth:
                break
        return list(shown.values())

    @cached_property
    def _numbers(self) -> dict[int, int]:
        """The number of each chunk in the store."""
        rows = self.reader.connection.execute(
            "SELECT c.id, d.path, c.start, c.end FROM chunks c JOIN documents d ON d.id = c.document_id"
        )
        found = ((row[0], self.chunks.number_of(row[1], (row[2], row[3]))) for row in rows)
        return {chunk_id: number for chunk_id, number in found if number is not None}


class FilledStore:
    """A temporary home that holds the corpus, and engines over it; close it through ``open_store``."""

    def __init__(self, home: Path, chunks: ChunkSet, embedder: Embedder | None, stack: ExitStack) -> None:
        self.home = home
        self._chunks = chunks
        self._embedder = embedder
        self._stack = stack
        self._reader = stack.enter_context(Reader.open(home))
        self.by_key: Mapping[int, Vectors] = {}

    def engine(self, retriever: Retriever, exact: bool = False) -> StoreEngine:
        """Return an engine; ``exact`` searches the float32 vectors in place of the codes."""
        reader = self._reader
        if exact and self.by_key and retriever != "bm25":
            kept = read_kept(self.home, self.by_key)
            reader = self._stack.enter_context(
                IndexReader.open_with(self.home, ExactVectors(kept.chunks, kept.vectors))
            )
        embedder = None if retriever == "bm25" else self._embedder
        return StoreEngine(reader, self._chunks, embedder, retriever, {})

    def storage(self) -> Mapping[str, Any]:
        """Return the store's bytes by part."""
        return self._reader.storage()


@contextmanager
def open_store(
    corpus: Corpus,
    chunks: ChunkSet,
    chunking: Chunking,
    embedder: Embedder | None,
    codes: Codes,
    step: Callable[[int], None] = lambda done: None,
) -> Iterator[FilledStore]:
    """Fill a store with the corpus, and delete it in the end; ``step`` is told the documents done."""
    with tempfile.TemporaryDirectory(prefix="capsa-eval-") as folder, ExitStack() as stack:
        home = Path(folder)
        # Exact search keeps codes too, and leaves them alone.
        by_key = fill(home, corpus, chunking, embedder, codes if codes in CODES else DEFAULT, step)
        store = FilledStore(home, chunks, embedder, stack)
        store.by_key = by_key
        yield store
