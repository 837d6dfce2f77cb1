"""A home measured, from its sample to the advice, in the shape of ``capsa eval mine --json``."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from capsa.chunkers.errors import CapsaError, UnavailableError
from capsa.chunkers.tokens import Tokenizer
from capsa.store.codes import CODES
from capsa.store.embedder import Embedder, open_embedder
from capsa.store.models import Model, load_model, tokenizer_path
from capsa.store.quantisers import Vectors
from capsa.store.reader import Reader
from capsa.store.records import ModelMark, Retriever

from .compare import SEED
from .engines import MemoQueries
from .mine import SCHEMA, Asked, PoolReader, agreement, ask_all, compared, indexes, make_questions, measured
from .mine_advice import advise
from .mine_questions import Mined
from .mine_sample import Sample, draw
from .options import threads

RETRIEVERS: tuple[Retriever, ...] = ("hybrid", "dense", "bm25")
# Those that search vectors, which the sample is asked with.
POOLED = RETRIEVERS[:2]
_BATCH = 64
_EXAMPLES = 10


@dataclass(frozen=True, slots=True)
class Wanted:
    """How much to look at: vectors to make anew, questions to ask."""

    vectors: int
    questions: int
    seed: int = SEED


@dataclass(frozen=True, slots=True)
class Steps:
    """Called with the vectors read, the vectors made and the questions asked since the last call."""

    read: Callable[[int], None]
    embedded: Callable[[int], None]
    asked: Callable[[int], None]


def examine(home: Path, wanted: Wanted, steps: Steps) -> dict[str, Any]:
    """Measure a home, which is only read; CapsaError when there is nothing to measure."""
    with Reader.open(home) as reader:
        counts, mark = reader.counts(), reader.model
        if not counts.documents:
            raise CapsaError(f"{home}: nothing is indexed there yet; `capsa index FOLDER` first")
        model = _model(home, mark)
        tokenizer = Tokenizer.from_file(tokenizer_path(model))
        sample = draw(reader, tokenizer, model.room, wanted.vectors, wanted.seed, steps.read)
        questions = make_questions(sample, wanted.questions, wanted.seed)
        with _embedder(model, home, bool(mark and sample.vectors)) as embedder:
            arms = RETRIEVERS if embedder else RETRIEVERS[-1:]
            whole = {name: ask_all(reader, questions, embedder, name, steps.asked) for name in arms}
            dense: dict[str, Any] = {"vectors": [], "codes_as_made_anew": None}
            if mark and embedder:
                dense = _examine_codes(reader, mark, embedder, (sample, questions), steps)
    result = {
        "schema": SCHEMA,
        "home": {"documents": counts.documents, "chunks": counts.chunks, "vectors": counts.vectors},
        "code": mark.code if mark else None,
        "sample": _described(sample),
        "questions": {"count": len(questions), "by_rule": dict(Counter(each.rule for each in questions))},
        "index": {name: measured(asked, questions) for name, asked in whole.items()},
        **dense,
        "not_found": _not_found(next(iter(whole.values())), questions),
    }
    return {**result, "advice": advise(result)}


def steps_of(wanted: Wanted) -> tuple[tuple[str, int], ...]:
    """Return the tasks of ``examine`` with the most that each may have to do."""
    rounds = len(RETRIEVERS) + len(POOLED) * len(CODES)
    return ("reading", wanted.vectors), ("embedding", wanted.vectors), ("asking", rounds * wanted.questions)


def _model(home: Path, mark: ModelMark | None) -> Model:
    model = load_model(home, mark.name if mark else None)
    if mark and model.fingerprint != mark.fingerprint:
        raise UnavailableError(f"the index holds vectors of a model {mark.name} that is not here any more")
    return model


@contextmanager
def _embedder(model: Model, home: Path, wanted: bool) -> Iterator[Embedder | None]:
    if not wanted:
        yield None
        return
    embedder = open_embedder(model, home / "cache", threads())
    try:
        yield MemoQueries(embedder)
    finally:
        embedder.close()


def _examine_codes(
    reader: Reader,
    mark: ModelMark,
    embedder: Embedder,
    asking: tuple[Sample, Sequence[Mined]],
    steps: Steps,
) -> dict[str, Any]:
    """Ask the sample's documents alone, with exact vectors and with each code; look at the home's codes."""
    sample, questions = asking
    storage = reader.storage()
    vectors = _embed(sample.texts, embedder, steps)
    found: list[dict[str, Any]] = []
    exact: dict[Retriever, Asked] = {}
    for name, (index, size) in indexes(sample, vectors, mark).items():
        with PoolReader.open_pool(reader.home, list(sample.documents), index) as pool:
            asked = {each: ask_all(pool, questions, embedder, each, steps.asked) for each in POOLED}
        exact = exact or asked
        arms = {
            str(each): {**measured(answers, questions), **compared(answers, exact[each])}
            for each, answers in asked.items()
        }
        found.append({"name": name, "bytes_per_vector": size, "bytes": _bytes(size, storage, mark), **arms})
    return {"vectors": found, "codes_as_made_anew": agreement(reader, sample, vectors, mark)}


def _embed(texts: Sequence[str], embedder: Embedder, steps: Steps) -> Vectors:
    parts = []
    for first in range(0, len(texts), _BATCH):
        parts.append(embedder.embed(texts[first : first + _BATCH]))
        steps.embedded(len(parts[-1]))
    return np.concatenate(parts)


def _bytes(size: int, storage: Mapping[str, Any], mark: ModelMark) -> int:
    """Return what all vectors of the home would take, in the database and again in the file for search."""
    vectors = storage["vectors"]
    return int(vectors["bytes"] + 2 * vectors["count"] * (size - mark.code_size))


def _described(sample: Sample) -> dict[str, Any]:
    left_out = dict(sample.left_out.most_common())
    counts = {"documents": len(sample.documents), "vectors": len(sample.vectors)}
    return {**counts, "whole": sample.whole, "left_out": left_out}


def _not_found(asked: Asked, questions: Sequence[Mined]) -> list[dict[str, Any]]:
    """Return the first questions whose text is not in the first ten passages of the search users get."""
    lost = (each for rank, each in zip(asked.ranks, questions, strict=True) if rank is None)
    return [asdict(each) for each in islice(lost, _EXAMPLES)]
