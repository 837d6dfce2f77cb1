"""The retrievers of one group of a grid: built one after another over the same chunks."""

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from types import TracebackType
from typing import Self

import numpy as np
import numpy.typing as npt

from capsa.chunkers.errors import UnavailableError
from capsa.store.records import Retriever

from .chunkset import ChunkSet
from .corpus import Chunking, Corpus
from .engines import (
    DenseEngine,
    FusedEngine,
    HeldVectors,
    MemoQueries,
    OkapiEngine,
    WindowVectors,
    window_texts,
)
from .gaps import Gap
from .judging import Engine
from .store_engine import Codes, open_store
from .workshop import Workshop

# bm25: BM25Okapi. dense: exact vectors. rrf: both by reciprocal rank fusion. hybrid: what users get.
RETRIEVERS = ("bm25", "dense", "rrf", "hybrid")
# The dense arm of what users get: codes in place of exact vectors.
CODED = "dense-pq"
_STORED: Mapping[str, Retriever] = {CODED: "dense", "hybrid": "hybrid"}


@dataclass(frozen=True, slots=True)
class Station:
    """An engine with what its cells say of it: model and codes, bytes, CPU seconds to build.

    ``exact`` is the same engine over float32 vectors; ``queries`` knows what embedding a question took.
    """

    engine: Engine
    retriever: str
    model: str = ""
    vectors: str = ""
    dimension: int | None = None
    vector_count: int = 0
    index_bytes: int = 0
    seconds: float = 0.0
    exact: Engine | None = None
    queries: MemoQueries | None = None


class Bench:
    """Builds the engines over one corpus; use it in a ``with`` statement, which deletes what was written."""

    def __init__(self, chunking: Chunking, corpus: Corpus, chunks: ChunkSet, workshop: Workshop) -> None:
        self._chunking = chunking
        self._corpus = corpus
        self._chunks = chunks
        self._workshop = workshop
        self._stack = ExitStack()
        self._spent: dict[str, float] = {}
        self._held: dict[str, HeldVectors] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def readable(self, models: Sequence[str], gaps: list[Gap] | None) -> list[str]:
        """Embed the windows; return the models that can read them, and add the others to the gaps."""
        found: list[str] = []
        for model in models:
            try:
                self._hold(model)
                found.append(model)
            except UnavailableError as error:
                if gaps is None:
                    raise
                gaps.append(Gap("model", model, str(error)))
        return found

    def stations(self, retrievers: Collection[str], models: Sequence[str], codes: Codes) -> Iterator[Station]:
        """Yield a station for BM25, and for each model those that search its vectors."""
        if "bm25" in retrievers:
            engine, seconds = self._okapi
            yield Station(engine, "bm25", index_bytes=engine.size, seconds=seconds)
        for model in models:
            if {"dense", "rrf"} & set(retrievers):
                yield from self._in_memory(model, retrievers)
            stored = [name for name in retrievers if name in _STORED]
            if stored:
                yield from self._stored(model, stored, codes)

    @cached_property
    def _okapi(self) -> tuple[OkapiEngine, float]:
        began = time.process_time()
        engine = OkapiEngine(self._chunks)
        engine.build()
        return engine, time.process_time() - began

    def _in_memory(self, model: str, retrievers: Collection[str]) -> Iterator[Station]:
        queries = self._workshop.queries(model)
        windows = WindowVectors(self._hold(model).embed(self._windows[0]), self._windows[1])
        dense = DenseEngine(self._chunks, windows, queries)
        engines: dict[str, DenseEngine | FusedEngine] = {"dense": dense}
        if "rrf" in retrievers:
            engines["rrf"] = FusedEngine(self._okapi[0], dense)
        for name, engine in engines.items():
            if name in retrievers:
                yield Station(
                    engine,
                    name,
                    model=model,
                    vectors="flat",
                    dimension=queries.model.dimension,
                    vector_count=len(windows.owners),
                    index_bytes=engine.size,
                    seconds=self._spent[model],
                    queries=queries,
                )

    def _stored(self, model: str, names: Sequence[str], codes: Codes) -> Iterator[Station]:
        queries = self._workshop.queries(model)
        held = self._hold(model)
        began = time.process_time()
        opened = open_store(self._corpus, self._chunks, self._chunking, held, codes)
        store = self._stack.enter_context(opened)
        seconds = time.process_time() - began
        storage = store.storage()
        dimension = queries.model.dimension
        for name in names:
            yield Station(
                store.engine(_STORED[name], exact=codes == "flat"),
                _STORED[name],
                model=model,
                vectors="flat" if codes == "flat" else f"pq{dimension // (4 if codes == 'pq96' else 8)}",
                dimension=dimension,
                vector_count=storage["vectors"]["count"],
                index_bytes=storage["vectors"]["bytes"] + storage["keywords"]["bytes"],
                seconds=seconds + self._spent[model],
                exact=None if codes == "flat" else store.engine(_STORED[name], exact=True),
                queries=queries,
            )

    @cached_property
    def _windows(self) -> tuple[list[str], npt.NDArray[np.int64]]:
        return window_texts(self._corpus)

    def _hold(self, model: str) -> HeldVectors:
        """Return the windows' vectors; the new ones are embedded, what all took is noted in CPU seconds."""
        if model not in self._held:
            texts = list(dict.fromkeys(self._windows[0]))
            cached = self._workshop.cached(model)
            vectors = cached.embed(texts)
            self._spent[model] = sum(cached.costs(texts)) / 1000
            self._held[model] = HeldVectors(self._workshop.queries(model), texts, vectors)
        return self._held[model]
