"""How fast texts become vectors, and how near the fast graph's vectors are to the shipped file's."""

import os
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from capsa.chunkers.context import embedding_texts
from capsa.store.embedder import Embedder, OnnxEmbedder, open_embedder, unit
from capsa.store.models import Model, read_weights, tokenizer_path
from capsa.store.quantisers import Vectors
from capsa.store.sessions import feed, open_session
from capsa.store.wordpieces import Ids, WordPieces

from . import generated
from .fresh import probe
from .metrics import percentile
from .speed_home import list_texts, read

# What people do who embed by hand: batches of so many texts in the order of the documents.
USUAL_BATCH = 32
# Operations of the shipped model for a token: six layers of 4 matrices 384 x 384 and 2 of 384 x 1536, two
# operations each, and those of attention, which grow with the text.
LINEAR_OPERATIONS = 6 * (4 * 384**2 + 2 * 384 * 1536) * 2
ATTENTION_OPERATIONS = 6 * 2 * 2 * 384
QUESTION_WORDS = (4, 13)


def measure_embedding(model: Model, cache: Path, folder: Path | None, quick: bool) -> dict[str, Any]:
    """Time the fast graph, the shipped file at its best and in the usual way, in turn, on the same texts."""
    texts = passages(folder, 8 if quick else 64)
    rows = [WordPieces(tokenizer_path(model)).ids(text) for text in texts]
    cores = os.cpu_count() or 1
    with ExitStack() as stack:
        fast, fast_all, best = (
            stack.enter_context(closing(embedder))
            for embedder in (
                open_embedder(model, cache, 1),
                open_embedder(model, cache, cores),
                OnnxEmbedder(model, 1),
            )
        )
        ways: dict[str, Callable[[], Vectors]] = {
            "fast_one_thread": lambda: fast.embed(texts),
            "fast_all_cores": lambda: fast_all.embed(texts),
            "shipped_best": lambda: best.embed(texts),
            "shipped_usual": UsualWay(model, rows).embed,
        }
        seconds, vectors, peaks = _interleave(ways, 1 if quick else 3)
        same = _sameness(texts, vectors, fast, fast_all)
        queries = _query_times(fast, texts, 10 if quick else 100)
    tokens = sum(map(len, rows))
    return {
        "texts": len(texts),
        "tokens": tokens,
        "cores": cores,
        "rates": {name: _rate(tokens, len(texts), spent) for name, spent in seconds.items()},
        "ratios": _ratios(seconds),
        "peak": _peak(rows, seconds, peaks),
        "fidelity": _fidelity(vectors["fast_one_thread"], vectors["shipped_best"]),
        "same_vectors": same,
        "query_ms": queries,
        "start": _start(cache, 1 if quick else 5),
    }


def passages(folder: Path | None, count: int) -> list[str]:
    """Return texts as indexing embeds them, out of evenly spread files or made-up documents in English."""
    if folder is not None:
        paths = list_texts(folder)
        spread = paths[:: max(1, len(paths) // count)]
        found = [text for path in spread for text in _texts(path.read_bytes(), path.name)]
        return found[:: max(1, len(found) // count)][:count]
    found = []
    for number in range(count):
        form = generated.FORMATS[number % len(generated.FORMATS)]
        found += _texts(generated.document(number, form, topic=0), f"a{generated.SUFFIXES[form]}")
        if len(found) >= count:
            break
    return found[:count]


def _texts(data: bytes, name: str) -> list[str]:
    parsed = read(data, name)
    return [text for chunk in parsed.chunks for text in embedding_texts(parsed.document, chunk)]


class UsualWay:
    """The shipped file as it is used by hand: padded batches in the order of the documents."""

    def __init__(self, model: Model, rows: Sequence[Ids]) -> None:
        self._session = open_session(read_weights(model), model.name)
        self._rows = rows

    def embed(self) -> Vectors:
        """Return float32 [n, dimension]."""
        starts = range(0, len(self._rows), USUAL_BATCH)
        return np.concatenate([self._batch(self._rows[start : start + USUAL_BATCH]) for start in starts])

    def _batch(self, rows: Sequence[Ids]) -> Vectors:
        inputs = feed(self._session, rows, 0)
        output = self._session.run(None, inputs)[0]
        mask = inputs["attention_mask"].astype(np.float32)
        return unit(np.einsum("nld,nl->nd", output, mask) / mask.sum(axis=1, keepdims=True))


def _interleave(
    ways: dict[str, Callable[[], Vectors]], rounds: int
) -> tuple[dict[str, float], dict[str, Vectors], dict[str, float]]:
    """Return seconds, vectors, and the processor's peak: medians of rounds that take the ways in turn."""
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    peaks: dict[str, list[float]] = {"one_core": [], "all_cores": []}
    vectors = {}
    for _ in range(rounds):
        for name, embed in ways.items():
            began = time.perf_counter()
            vectors[name] = embed()
            seconds[name].append(time.perf_counter() - began)
        for name, threads in (("one_core", 1), ("all_cores", os.cpu_count())):
            peaks[name].append(probe("matmul", str(2 * rounds), threads=threads)["gflops"])
    return (
        {name: median(spent) for name, spent in seconds.items()},
        vectors,
        {name: median(found) for name, found in peaks.items()},
    )


def _rate(tokens: int, texts: int, seconds: float) -> dict[str, float]:
    return {"tokens_per_s": tokens / seconds, "chunks_per_s": texts / seconds}


def _ratios(seconds: dict[str, float]) -> dict[str, float]:
    fast = seconds["fast_one_thread"]
    return {
        "fast_to_best": seconds["shipped_best"] / fast,
        "fast_to_usual": seconds["shipped_usual"] / fast,
        "all_cores_to_one": fast / seconds["fast_all_cores"],
    }


def _peak(rows: Sequence[Ids], seconds: dict[str, float], peaks: dict[str, float]) -> dict[str, float]:
    """Compare the operations that the model takes with what this machine multiplies in float32."""
    lengths = np.array([len(row) for row in rows], dtype=np.float64)
    operations = (lengths * (LINEAR_OPERATIONS + ATTENTION_OPERATIONS * lengths)).sum() / 1e9
    done = {name: operations / spent for name, spent in seconds.items()}
    return {
        "float32_gflops_one_core": peaks["one_core"],
        "float32_gflops_all_cores": peaks["all_cores"],
        "fast_gops_one_thread": done["fast_one_thread"],
        "fast_to_float32_peak": done["fast_one_thread"] / peaks["one_core"],
        "fast_to_float32_peak_all_cores": done["fast_all_cores"] / peaks["all_cores"],
        "shipped_best_to_float32_peak": done["shipped_best"] / peaks["one_core"],
    }


def _fidelity(vectors: Vectors, reference: Vectors) -> dict[str, float]:
    cosines = (vectors * reference).sum(axis=1).tolist()
    return {"median": median(cosines), "p5": percentile(cosines, 0.05), "min": min(cosines)}


def _sameness(
    texts: Sequence[str], vectors: dict[str, Vectors], fast: Embedder, fast_all: Embedder
) -> dict[str, bool]:
    order = np.random.default_rng(5).permutation(len(texts))
    shuffled = fast.embed([texts[place] for place in order])
    expected = vectors["fast_one_thread"]
    return {
        "in_any_order": bool(np.array_equal(shuffled, expected[order])),
        "from_any_thread": bool(np.array_equal(fast_all.embed(texts), expected)),
    }


def _query_times(embedder: Embedder, texts: Sequence[str], count: int) -> dict[str, float]:
    random = np.random.default_rng(6)
    spent = []
    for number in range(count):
        words = " ".join(texts[number % len(texts)].split()[: random.integers(*QUESTION_WORDS)])
        began = time.perf_counter()
        embedder.embed_query(words)
        spent.append(1000 * (time.perf_counter() - began))
    return {"p50": percentile(spent, 0.5), "p95": percentile(spent, 0.95)}


def _start(cache: Path, runs: int) -> dict[str, Any]:
    """Open the model in fresh processes; the graph is in the cache by now."""
    measures = [probe("session", cache) for _ in range(runs)]
    return {name: median(run[name] for run in measures) for name in measures[0] if measures[0][name]}
