"""Codes of vectors compared on one filled store: bytes against what searches lose to exact vectors.

Beside the codes that a home can keep: those codes with axes made from the vectors themselves, the first hits
scored again, and trained product quantisers and RaBitQ of FAISS at the same sizes.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from capsa.chunkers.strategies import DEFAULT
from capsa.store.codes import CODES
from capsa.store.quantisers import Vectors, open_quantiser
from capsa.store.quantisers.training import make_codebook
from capsa.store.vectors import Ids, NearestVectors, Ranked, VectorIndex

from .chunkset import ChunkSet
from .compare import SHOWN, Scores, paired_interval
from .corpus import Chunking
from .exact import ExactVectors, IndexReader, Kept, read_kept
from .judging import Judge
from .options import QuestionSet
from .scores import score
from .store_engine import StoreEngine, open_store
from .workshop import Workshop

SCHEMA = "capsa.eval.codes/1"
EXACT = "float32"
TEN = 10
# Sizes at which codes made from the vectors themselves are compared, too.
AXES = ("pq24", "pq32", "pq48", "pq54", "pq64", "pq96")
# The first so many of pq32 and pq48 scored again, from 8-bit codes beside them or from vectors made anew.
RESCORED = 50
REEMBEDDED = 20
# Parts and bits of FAISS's trained product quantisers.
TRAINED = ((24, 8), (32, 8), (48, 8), (48, 4), (64, 4), (96, 4), (128, 4), (192, 4), (384, 4))

# What ``candidates`` yields at most.
CANDIDATES = len(CODES) + len(AXES) + 4 + len(TRAINED) + 1

Make = Callable[[], NearestVectors]
Step = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A way to keep vectors; ``size`` is all bytes of one, ``settable`` whether a home can be set to it."""

    name: str
    size: int
    settable: bool
    make: Make


class Rescored:
    """Ranks by a code, then the first again by better vectors."""

    def __init__(self, rough: NearestVectors, fine: NearestVectors, depth: int) -> None:
        self._rough = rough
        self._fine = fine
        self._depth = depth

    def search(self, query: Vectors, count: int, allowed: Ids | None = None) -> Ranked:
        """Return (chunk id, cosine): the first ``depth`` by the better vectors, then the others."""
        ranked = self._rough.search(query, count, allowed)
        first = np.array([chunk for chunk, _ in ranked[: self._depth]], dtype=np.int64)
        return [*self._fine.score(query, first), *ranked[self._depth :]]

    def score(self, query: Vectors, chunks: Ids) -> Ranked:
        """Return (chunk id, cosine) of the given chunks by the code."""
        return self._rough.score(query, chunks)


def candidates(kept: Kept) -> Iterator[Candidate]:
    """Yield the ways to keep vectors, the exact reference first."""
    yield Candidate(EXACT, 4 * kept.vectors.shape[1], True, lambda: ExactVectors(kept.chunks, kept.vectors))
    for name in reversed(list(CODES)):
        if name != EXACT:
            yield _code(kept, name)
    for name in AXES:
        yield _code(kept, name, made=True)
    for name in ("pq32", "pq48"):
        yield from _rescored(kept, name)
    for parts, bits in TRAINED:
        if len(kept.chunks) < 1 << bits:
            continue  # fewer vectors than a codebook has entries
        yield _faiss(kept, f"PQ{parts}x{bits} trained", f"PQ{parts}x{bits}np", parts * bits // 8)
    yield _faiss(kept, "RaBitQ", "RaBitQ", kept.vectors.shape[1] // 8 + 8)


def _code(kept: Kept, name: str, made: bool = False) -> Candidate:
    dimension = kept.vectors.shape[1]

    def make() -> NearestVectors:
        quantiser = open_quantiser(name, dimension, make_codebook(name, kept.vectors) if made else b"")
        places = np.arange(len(kept.chunks))
        return VectorIndex(places, kept.chunks, quantiser.encode(kept.vectors), quantiser)

    return Candidate(f"{name} made axes" if made else name, CODES[name].size(dimension), True, make)


def _rescored(kept: Kept, name: str) -> Iterator[Candidate]:
    rough, fine = _code(kept, name), _code(kept, "sq8")
    both = rough.size + fine.size
    yield Candidate(
        f"{name}, {RESCORED} again by sq8", both, False, lambda: Rescored(rough.make(), fine.make(), RESCORED)
    )
    exact = ExactVectors(kept.chunks, kept.vectors)
    again = f"{name}, {REEMBEDDED} embedded anew"
    yield Candidate(again, rough.size, False, lambda: Rescored(rough.make(), exact, REEMBEDDED))


def _faiss(kept: Kept, name: str, factory: str, size: int) -> Candidate:
    def make() -> NearestVectors:
        import faiss

        index: Any = faiss.index_factory(kept.vectors.shape[1], factory, faiss.METRIC_INNER_PRODUCT)
        if isinstance(index, faiss.IndexPQ):
            # It would warn of few points once for each part; the table tells how many there are.
            index.pq.cp.min_points_per_centroid = 1
        index.train(kept.vectors)
        decoded: Vectors = index.sa_decode(index.sa_encode(kept.vectors))
        norms = np.linalg.norm(decoded, axis=1, keepdims=True)
        return ExactVectors(kept.chunks, decoded / np.maximum(norms, 1e-9))

    return Candidate(name, size, False, make)


def same_first_ten(index: NearestVectors, exact: NearestVectors, queries: Vectors) -> float:
    """Return the share of the exact first ten chunks that are among the index's first ten."""
    shares = []
    for query in queries:
        ours, theirs = ({chunk for chunk, _ in each.search(query, 4 * TEN)[:TEN]} for each in (index, exact))
        shares.append(len(ours & theirs) / max(1, len(theirs)))
    return float(np.mean(shares))


def timed(make: Make) -> tuple[NearestVectors, float]:
    """Return the index with the CPU seconds that making it took."""
    began = time.process_time()
    index = make()
    return index, time.process_time() - began


def measure(questions: QuestionSet, workshop: Workshop, model: str, step: Step) -> dict[str, Any]:
    """Return all candidates on one set of questions, in the shape of ``capsa eval codes --json``."""
    chunking = Chunking("native", DEFAULT)
    corpus = workshop.corpus(questions, chunking, whole=True, model=model)
    chunks, asked = ChunkSet(corpus), workshop.queries(model)
    judge = Judge(corpus, chunks, questions.questions)
    queries = np.stack([asked.embed_query(question.text) for question in questions.questions])
    rows: list[dict[str, Any]] = []
    with open_store(corpus, chunks, chunking, asked, "pq96") as store:
        kept = read_kept(store.home, store.by_key)
        exact: tuple[NearestVectors, Scores] | None = None
        for candidate in candidates(kept):
            index, seconds = timed(candidate.make)
            scores = ask(
                StoreEngine(IndexReader.open_with(store.home, index), chunks, asked, "hybrid", {}), judge
            )
            exact = exact or (index, scores)
            same = same_first_ten(index, exact[0], queries)
            rows.append({**row(candidate, scores, exact[1]), "same_first_ten": same, "made_cpu_s": seconds})
            step(1)
    mark_frontier(rows)
    counts = {"questions": len(questions.questions), "vectors": len(kept.chunks)}
    return {"set": questions.name, **counts, "rows": rows}


def ask(engine: StoreEngine, judge: Judge) -> Scores:
    """Ask every question with hybrid search and return each one's scores by metric, float64 [n]."""
    with engine.reader:
        rankings = [judge.ask(engine, question, "corpus", TEN) for question in judge.questions]
    outcomes = (judge.outcome(*pair, "strict") for pair in zip(judge.questions, rankings, strict=True))
    scored = [score(outcome, (5, 10)) for outcome in outcomes if outcome is not None]
    return {name: np.array([each[name] for each in scored]) for name in SHOWN}


def row(candidate: Candidate, scores: Scores, exact: Scores) -> dict[str, Any]:
    """Return a candidate's means and differences to exact vectors with their intervals."""
    return {
        "name": candidate.name,
        "bytes": candidate.size,
        "settable": candidate.settable,
        "means": {name: float(scores[name].mean()) for name in SHOWN},
        "differences": {name: asdict(paired_interval(scores[name], exact[name])) for name in SHOWN},
    }


def mark_frontier(rows: Sequence[dict[str, Any]]) -> None:
    """Mark what nothing of at most its bytes beats in the share of exact hits.

    Vectors made anew for each question take no bytes but seconds: they are no rivals.
    """
    for each in rows:
        rivals = [rival for rival in rows if rival["bytes"] <= each["bytes"] and "anew" not in rival["name"]]
        each["frontier"] = all(rival["same_first_ten"] <= each["same_first_ten"] for rival in rivals)
