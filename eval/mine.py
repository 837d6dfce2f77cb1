"""How well a user's own index finds, without labels: known-item questions, exact vectors, what codes cost.

Two measurements. The questions are asked of the whole index, as it is. And among the documents of the sample
alone they are asked with exact vectors and with each code, which shows what codes lose: float32 vectors are
not in the home and must be made anew, which for all of a large one would take hours.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from capsa.chunkers.errors import CapsaError
from capsa.store.codes import CODES
from capsa.store.embedder import Embedder
from capsa.store.quantisers import Vectors, open_quantiser
from capsa.store.reader import Reader
from capsa.store.records import ModelMark, Query, Retriever
from capsa.store.search import search
from capsa.store.selections import Selection, Selections
from capsa.store.vectors import NearestVectors, VectorIndex

from .compare import SEED, paired_interval
from .exact import ExactVectors
from .matching import normalise
from .mine_questions import RULES, Mined, choose, mine
from .mine_sample import Sample

SCHEMA = "capsa.eval.mine/1"
DEPTH = 10
DEPTHS = (1, 5, 10)
EXACT = "float32"

Step = Callable[[int], None]
Ranks = Sequence[int | None]


class PoolReader(Reader):
    """A reader that searches some documents only, with vectors that it is given."""

    pool: Selection
    index: NearestVectors

    @classmethod
    def open_pool(cls, home: Path, documents: Sequence[int], index: NearestVectors) -> Self:
        """Open the home for these documents."""
        reader = cls.open(home)
        with reader.snapshot():
            reader.pool = Selection(sorted(documents), reader.owners.chunks_of(sorted(documents)))
        reader.index = index
        return reader

    @cached_property
    def selections(self) -> Selections:
        """Selects the pool, whatever a query says."""
        return _Pool(self)

    def vectors(self) -> tuple[NearestVectors | None, tuple[str, ...]]:
        """The index that was given, with nothing to note."""
        return self.index, ()


class _Pool(Selections):
    def __init__(self, reader: PoolReader) -> None:
        super().__init__(reader)
        self._pool = reader.pool

    def of(self, query: Query) -> Selection | None:
        return self._pool


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of each question: the rank of the first passage that holds its text, and the chunks."""

    ranks: Ranks
    chunks: Sequence[tuple[int, ...]]


def make_questions(sample: Sample, count: int, seed: int = SEED) -> list[Mined]:
    """Return questions from the sample's documents; CapsaError when the rules find nothing to ask."""
    found = [
        question
        for document_id in sorted(sample.documents)
        for question in mine(sample.documents[document_id], (seed, document_id))
    ]
    if not found:
        raise CapsaError("the documents have no headings, captions or sentences to make questions from")
    return choose(found, count, seed)


def ask_all(
    reader: Reader, questions: Sequence[Mined], embedder: Embedder | None, retriever: Retriever, step: Step
) -> Asked:
    """Ask every question; a passage with the same text in another document answers it too."""
    ranks: list[int | None] = []
    chunks: list[tuple[int, ...]] = []
    for question in questions:
        hits = search(reader, Query(question.text, limit=DEPTH, retriever=retriever), embedder).hits
        holders = (hit.rank for hit in hits if question.evidence in normalise(hit.text))
        ranks.append(next(holders, None))
        chunks.append(tuple(hit.chunk_id for hit in hits))
        step(1)
    return Asked(ranks, chunks)


def indexes(sample: Sample, vectors: Vectors, mark: ModelMark) -> dict[str, tuple[NearestVectors, int]]:
    """Return the sample's vectors, float32 [n, dimension], exact and as each code, with bytes of one."""
    order = sample.order
    ids = np.array(sample.vectors, dtype=np.int64)[order]
    chunks = np.array(sample.chunks, dtype=np.int64)[order]
    kept = np.ascontiguousarray(vectors[order])
    made: dict[str, tuple[NearestVectors, int]] = {EXACT: (ExactVectors(chunks, kept), 4 * mark.dimension)}
    for name in CODES:
        if name != EXACT:
            quantiser = open_quantiser(name, mark.dimension)
            made[name] = VectorIndex(ids, chunks, quantiser.encode(kept), quantiser), quantiser.size
    return made


def agreement(reader: Reader, sample: Sample, vectors: Vectors, mark: ModelMark) -> float:
    """Return the share of the sample's codes in the home, by bytes, that are those of vectors made anew."""
    with reader.snapshot():
        index, _ = reader.vectors()
    if not isinstance(index, VectorIndex):
        return 0.0
    ids = np.array(sample.vectors, dtype=np.int64)
    there = np.isin(ids, index.ids)
    stored = index.codes[np.searchsorted(index.ids, ids[there])]
    return float(np.mean(stored == mark.quantiser.encode(vectors[there]))) if there.any() else 0.0


def measured(asked: Asked, questions: Sequence[Mined]) -> dict[str, Any]:
    """Return recall and MRR of all questions, and recall by rule."""
    found = {f"recall@{k}": _recall(asked.ranks, k) for k in DEPTHS}
    by_rule = {
        rule: _recall(ranks, DEPTH)
        for rule in RULES
        if (ranks := [rank for rank, each in zip(asked.ranks, questions, strict=True) if each.rule == rule])
    }
    return {
        **found,
        "mrr": sum(1 / rank for rank in asked.ranks if rank) / len(asked.ranks),
        "by_rule": by_rule,
    }


def compared(ours: Asked, exact: Asked) -> dict[str, Any]:
    """Return the differences in recall to exact vectors, and the share of their first ten that is kept."""
    shares = [
        len(set(one) & set(other)) / len(other)
        for one, other in zip(ours.chunks, exact.chunks, strict=True)
        if other
    ]
    differences = {f"recall@{k}": asdict(paired_interval(_found(ours, k), _found(exact, k))) for k in DEPTHS}
    return {"difference": differences, "same_first_ten": sum(shares) / len(shares) if shares else 1.0}


def _found(asked: Asked, depth: int) -> npt.NDArray[np.float64]:
    return np.array([float(rank is not None and rank <= depth) for rank in asked.ranks])


def _recall(ranks: Ranks, depth: int) -> float:
    return sum(rank is not None and rank <= depth for rank in ranks) / len(ranks)
