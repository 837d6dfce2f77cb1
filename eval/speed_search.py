"""How long searches take, by part, and how many bytes the index is."""

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from statistics import fmean, median
from typing import Any

import numpy as np

from capsa.chunkers.errors import StoreError
from capsa.store.cache import read_cache, read_record, rebuild
from capsa.store.embedder import Embedder, open_embedder
from capsa.store.keywordsearch import KeywordQuery, search_keywords
from capsa.store.models import Model
from capsa.store.quantisers import Vectors
from capsa.store.querysyntax import parse_query
from capsa.store.reader import Reader
from capsa.store.records import Query
from capsa.store.search import search
from capsa.store.vectors import Ids, NearestVectors, Ranked

from .fresh import run_capsa
from .metrics import percentile
from .speed_home import FOLDERS, NEWEST_NS, ROOT, Made

# Words in a question: runs of this length out of indexed texts, so that common and rare ones come as they do.
WORDS = (4, 10)
WARM_UP = 5
PARTS = ("query_embedding", "keyword_arm", "dense_arm", "rest")


def measure_search(made: Made, model: Model, cache: Path, quick: bool) -> dict[str, Any]:
    """Time warm searches, filtered ones, and the whole command; add up the bytes of the index."""
    with Reader.open(made.home) as reader:
        queries = list(make_queries(reader, 10 if quick else 200))
        with closing(open_embedder(model, cache)) as embedder:
            warm, warm_cpu = measure_warm(made.home, queries, embedder)
            filtered = {
                name: _filtered(made.home, queries[:100], embedder, changes)
                for name, changes in _filters().items()
            }
        loading = _loading(reader, 1 if quick else 3)
        storage = _storage(reader, made)
    return {
        "documents": made.documents,
        "chunks": made.chunks,
        "vectors": made.vectors,
        "queries": len(queries),
        "warm_ms": warm,
        "warm_cpu_ms": warm_cpu,
        "filtered_ms": filtered,
        "cold": _cold(made.home, queries[:2] if quick else queries[:5]),
        "vector_index": loading,
        "storage": storage,
    }


def make_queries(reader: Reader, count: int) -> Iterator[str]:
    """Yield runs of words out of indexed chunks, the same ones every time."""
    random = np.random.default_rng(4)
    ids = [row[0] for row in reader.connection.execute("SELECT id FROM chunks ORDER BY id")]
    for place in random.choice(len(ids), count).tolist():
        words = reader.text(reader.chunks([ids[place]])[ids[place]]).split()
        length = int(random.integers(*WORDS))
        start = int(random.integers(max(1, len(words) - length)))
        yield " ".join(word.strip("|#-.*") for word in words[start : start + length]) or "index"


def _filters() -> Mapping[str, Mapping[str, Any]]:
    """A third, a tenth and a tenth of the documents, by different means."""
    newest = NEWEST_NS / 1e9
    return {
        "kind": {"kinds": ("html",)},
        "folder": {"folder": f"{ROOT}/{FOLDERS // 2}"},
        "date": {"since": newest - 100 * 86_400},
    }


class _TimedEmbedder:
    """An embedder that adds up the time of its queries."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.ms = 0.0

    @property
    def model(self) -> Model:
        return self._embedder.model

    def embed(self, texts: Sequence[str]) -> Vectors:
        return self._embedder.embed(texts)

    def embed_query(self, text: str) -> Vectors:
        began = time.perf_counter()
        try:
            return self._embedder.embed_query(text)
        finally:
            self.ms += 1000 * (time.perf_counter() - began)

    def close(self) -> None:
        self._embedder.close()


class _TimedVectors:
    """A vector index that adds up the time of its searches."""

    def __init__(self, index: NearestVectors) -> None:
        self._index = index
        self.ms = 0.0

    def search(self, query: Vectors, count: int, allowed: Ids | None = None) -> Ranked:
        return self._timed(lambda: self._index.search(query, count, allowed))

    def score(self, query: Vectors, chunks: Ids) -> Ranked:
        return self._timed(lambda: self._index.score(query, chunks))

    def _timed(self, work: Callable[[], Ranked]) -> Ranked:
        began = time.perf_counter()
        try:
            return work()
        finally:
            self.ms += 1000 * (time.perf_counter() - began)


class _TimedReader(Reader):
    """A reader whose vector index keeps the time."""

    timed: _TimedVectors | None = None

    def vectors(self) -> tuple[NearestVectors | None, tuple[str, ...]]:
        index, notes = super().vectors()
        if index is None:
            return None, notes
        if self.timed is None:
            self.timed = _TimedVectors(index)
        return self.timed, notes

    @property
    def ms(self) -> float:
        return self.timed.ms if self.timed else 0.0


def measure_warm(
    home: Path, queries: Sequence[str], embedder: Embedder
) -> tuple[dict[str, Any], dict[str, float]]:
    """Time each query as a whole and by part, and the CPU time of the whole.

    The keyword arm works beside the query's vector and the nearest ones: what takes longer of the two and the
    rest are the whole. It is timed afterwards, with a reader of its own, so that no search finds what it has
    read and kept, nor the processor's caches full of it.
    """
    timed = _TimedEmbedder(embedder)
    rows: list[dict[str, float]] = []
    with _TimedReader.open(home) as reader:
        for text in [*queries[:WARM_UP], *queries]:
            query, before, cpu = Query(text), (timed.ms, reader.ms), time.process_time()
            total = _time(lambda query=query: search(reader, query, timed))  # type: ignore[misc]
            cpu = 1000 * (time.process_time() - cpu)
            # Patterns are kept by the whole process.
            re.purge()
            rows.append({"cpu": cpu, "total": total} | _dense(timed.ms - before[0], reader.ms - before[1]))
    with Reader.open(home) as other:
        for text, row in zip([*queries[:WARM_UP], *queries], rows, strict=True):
            row["keyword_arm"] = _time(lambda text=text: _ask_keywords(other, text))  # type: ignore[misc]
            re.purge()
            beside = max(row["keyword_arm"], row["query_embedding"] + row["dense_arm"])
            row["rest"] = row["total"] - beside
    rows = rows[min(WARM_UP, len(queries)) :]
    spreads = {name: _spread([row[name] for row in rows]) for name in ("total", *PARTS, "cpu")}
    return spreads, spreads.pop("cpu")


def _ask_keywords(reader: Reader, query: str) -> None:
    with reader.snapshot():
        search_keywords(reader, KeywordQuery.of(reader, parse_query(query)), None)


def _dense(query_ms: float, index_ms: float) -> dict[str, float]:
    return {"query_embedding": query_ms, "dense_arm": index_ms}


def _filtered(
    home: Path, queries: Sequence[str], embedder: Embedder, changes: Mapping[str, Any]
) -> dict[str, float]:
    with Reader.open(home) as reader:
        for query in queries[:WARM_UP]:
            search(reader, Query(query, **changes), embedder)
        return _spread([search(reader, Query(query, **changes), embedder).took_ms for query in queries])


def _cold(home: Path, queries: Sequence[str]) -> dict[str, Any]:
    """Time ``capsa search`` as a whole; the first run only warms the disk cache and the model's."""
    runs = [run_capsa("search", "--json", "--home", home, query) for query in (queries[0], *queries)][1:]
    return {
        "runs": len(runs),
        "wall_ms": 1000 * median(wall for wall, _ in runs),
        "cpu_ms": 1000 * median(cpu for _, cpu in runs),
    }


def _loading(reader: Reader, repeats: int) -> dict[str, Any]:
    """Time the FAISS file's way into memory beside a rebuild from SQLite."""
    mark, record = reader.model, read_record(reader.connection)
    if mark is None or record is None:
        raise StoreError(f"{reader.home}: the index has no vectors")

    load_ms = median(
        _time(lambda: read_cache(reader.home, reader.connection, record, mark)) for _ in range(repeats)
    )
    rebuild_ms = median(_time(lambda: rebuild(reader.connection, mark)) for _ in range(repeats))
    return {"load_ms": load_ms, "rebuild_ms": rebuild_ms, "rebuild_to_load": rebuild_ms / load_ms}


def _storage(reader: Reader, made: Made) -> dict[str, Any]:
    measured: Any = reader.storage()
    names = ("text", "keywords", "vectors", "metadata", "history", "log")
    parts = {name: measured[name]["bytes"] for name in names}
    total = sum(parts.values())
    return {
        "bytes": parts,
        "total_bytes": total,
        "text_bytes": made.text_bytes,
        "index_to_text": total / made.text_bytes,
        "bytes_per_chunk": total / made.chunks,
        "vector_bytes_per_chunk": parts["vectors"] / made.chunks,
    }


def _time(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - began)


def _spread(values: Sequence[float]) -> dict[str, float]:
    return {"mean": fmean(values), "p50": percentile(values, 0.5), "p95": percentile(values, 0.95)}
