"""A home measured, from its sample to the advice, in the shape of ``capsa eval mine --json``."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from capsa.chunkers.errors import CapsaError, UnavailableError
from capsa.chunkers.tokens import Tokenizer
from capsa.store.embedder import Embedder, open_embedder
from capsa.store.models import load_model, tokenizer_path
from capsa.store.quantiser import Vectors
from capsa.store.reader import Reader
from capsa.store.records import CODES, ModelMark, Retriever

from .compare import SEED
from .engines import MemoQueries
from .mine import SCHEMA, Asked, PoolReader, ask_all, compared, indexes, make_questions, measured
from .mine_advice import advise
from .mine_questions import Mined
from .mine_sample import Sample, draw
from .options import threads

RETRIEVERS: tuple[Retriever, ...] = ("hybrid", "dense", "bm25")
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
        counts, mark, storage = reader.counts(), reader.model, reader.storage()
        if not counts.documents:
            raise CapsaError(f"{home}: nothing is indexed there yet; `capsa index FOLDER` first")
        model = load_model(home, mark.name if mark else None)
        if mark and model.fingerprint != mark.fingerprint:
            raise UnavailableError(
                f"the index holds vectors of a model {mark.name} that is not here any more"
            )
        tokenizer = Tokenizer.from_file(tokenizer_path(model))
        sample = draw(reader, tokenizer, model.room, wanted.vectors, wanted.seed, steps.read)
        questions = make_questions(sample, wanted.questions, wanted.seed)
        with _embedder(home, mark) as embedder:
            whole = {
                name: ask_all(reader, questions, embedder, name, steps.asked)
                for name in (RETRIEVERS if embedder else ("bm25",))
            }
            variants = _variants(home, sample, questions, (mark, embedder), steps)
    result = {
        "schema": SCHEMA,
        "home": {"documents": counts.documents, "chunks": counts.chunks, "vectors": counts.vectors},
        "code": next((name for name, bits in CODES.items() if mark and bits == mark.bits), None),
        "sample": _described(sample),
        "questions": {"count": len(questions), "by_rule": dict(Counter(each.rule for each in questions))},
        "index": {name: measured(asked, questions) for name, asked in whole.items()},
        "vectors": [{**each, "bytes": _bytes(each, storage, mark)} for each in variants],
        "not_found": _not_found(whole, questions),
    }
    return {**result, "advice": advise(result)}


@contextmanager
def _embedder(home: Path, mark: ModelMark | None) -> Iterator[Embedder | None]:
    if mark is None:
        yield None
        return
    embedder = open_embedder(load_model(home, mark.name), home / "cache", threads())
    try:
        yield MemoQueries(embedder)
    finally:
        embedder.close()


def _variants(
    home: Path,
    sample: Sample,
    questions: Sequence[Mined],
    model: tuple[ModelMark | None, Embedder | None],
    steps: Steps,
) -> list[dict[str, Any]]:
    """Ask the sample's documents alone, with exact vectors and with each code."""
    mark, embedder = model
    if mark is None or embedder is None or not sample.vectors:
        return []
    found: list[dict[str, Any]] = []
    exact: dict[Retriever, Asked] = {}
    for name, (index, size) in indexes(sample, _embed(sample.texts, embedder, steps), mark).items():
        with PoolReader.open_pool(home, list(sample.documents), index) as pool:
            asked = {each: ask_all(pool, questions, embedder, each, steps.asked) for each in RETRIEVERS[:2]}
        exact = exact or asked
        arms = {
            str(each): {**measured(answers, questions), **compared(answers, exact[each])}
            for each, answers in asked.items()
        }
        found.append({"name": name, "bytes_per_vector": size, **arms})
    return found


def _embed(texts: Sequence[str], embedder: Embedder, steps: Steps) -> Vectors:
    parts = []
    for first in range(0, len(texts), _BATCH):
        parts.append(embedder.embed(texts[first : first + _BATCH]))
        steps.embedded(len(parts[-1]))
    return np.concatenate(parts)


def _bytes(variant: Mapping[str, Any], storage: Mapping[str, Any], mark: ModelMark | None) -> int:
    """Return what all vectors of the home would take, in the database and again in the file for search."""
    vectors = storage["vectors"]
    size = mark.code_size if mark else 0
    return int(vectors["bytes"] + 2 * vectors["count"] * (variant["bytes_per_vector"] - size))


def _described(sample: Sample) -> dict[str, Any]:
    left_out = dict(sample.left_out.most_common())
    counts = {"documents": len(sample.documents), "vectors": len(sample.vectors)}
    return {**counts, "whole": sample.whole, "left_out": left_out}


def _not_found(whole: Mapping[Any, Asked], questions: Sequence[Mined]) -> list[dict[str, Any]]:
    """Return the first questions whose text is not in the first ten passages of the search users get."""
    asked = next(iter(whole.values()))
    lost = (each for rank, each in zip(asked.ranks, questions, strict=True) if rank is None)
    return [asdict(each) for each, _ in zip(lost, range(_EXAMPLES), strict=False)]


def steps_of(wanted: Wanted) -> tuple[tuple[str, int], ...]:
    """Return the tasks of ``examine`` with the most that each may have to do."""
    rounds = len(RETRIEVERS) + 2 * (1 + len(CODES))
    return ("reading", wanted.vectors), ("embedding", wanted.vectors), ("asking", rounds * wanted.questions)
