"""What settings would cost and give on a user's own documents: the points that ``capsa tune`` chooses from.

A sample of the documents is read again and cut by each strategy into a small index of its own, its vectors
are made once, and questions made from the documents are asked of it with every code. Bytes are those of the
small index, scaled to the whole one.
"""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt

from capsa.chunkers.errors import CapsaError, UnavailableError
from capsa.chunkers.model import Document
from capsa.chunkers.strategies import DEFAULT, WINDOW, chunk
from capsa.chunkers.tokens import Tokenizer
from capsa.store.codes import CODES
from capsa.store.embedder import Embedder, open_embedder
from capsa.store.keywords import hash64
from capsa.store.models import load_model, tokenizer_path
from capsa.store.quantisers import Vectors, open_quantiser
from capsa.store.quantisers.training import LEAST, make_codebook
from capsa.store.reader import Reader
from capsa.store.records import Entry, Query, Recipe, Retriever
from capsa.store.search import search
from capsa.store.vectors import VectorIndex
from capsa.store.writer import Writer

from .codes import EXACT
from .compare import SEED, paired_interval
from .engines import MemoQueries
from .exact import IndexReader, Kept, read_kept
from .matching import normalise
from .mine import DEPTH, DEPTHS, Ranks, make_questions
from .mine_questions import Mined
from .mine_sample import Sample, draw

# Those that cut well: in half and twice the size, without overlap, without bound captions, without structure.
STRATEGIES = (
    DEFAULT,
    f"{DEFAULT}:256",
    f"{DEFAULT}:1024",
    "structure-caption",
    "structure",
    "sentence",
)
# The search that users get, and the arm that depends on the codes most.
ARMS: tuple[Retriever, ...] = ("hybrid", "dense")
# Codes that find more with axes made of the vectors, after fusion too (`capsa eval codes`).
AXES = ("pq24", "pq32", "pq48", "pq54", "pq64")
JUDGED = (("hybrid", 1), ("hybrid", 5), ("hybrid", 10), ("dense", 10))
_BATCH = 64
# Of the whole index's parts, those that grow with its text.
_PARTS = ("text", "keywords", "metadata")

Step = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Wanted:
    """How much to look at: vectors of the sample, questions."""

    vectors: int
    questions: int


@dataclass(slots=True)
class Bench:
    """What all trials share: the home, its sample and questions, and the vectors made so far, by key."""

    home: Path
    sample: Sample
    questions: Sequence[Mined]
    tokenizer: Tokenizer
    embedder: Embedder
    made: dict[int, Vectors] = field(default_factory=dict)

    def embed(self, keys: Sequence[int], texts: Sequence[str], step: Step) -> Vectors:
        """Return the vectors of the texts, float32 [n, dimension]; none is made twice."""
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self.made}
        todo = list(missing.items())
        for first in range(0, len(todo), _BATCH):
            part = todo[first : first + _BATCH]
            vectors = self.embedder.embed([text for _, text in part])
            self.made.update(zip((key for key, _ in part), vectors, strict=True))
            step(len(part))
        return np.stack([self.made[key] for key in keys]) if keys else np.empty((0, 0), dtype=np.float32)


def measure(home: Path, wanted: Wanted, embedded: Step, asked: Step, threads: int) -> dict[str, Any]:
    """Return the settings of the home and a point for each way to keep it; the home is only read."""
    with Reader.open(home) as reader:
        mark = reader.model
        if mark is None:
            raise CapsaError("the index has no vectors: there is nothing to tune")
        model = load_model(home, mark.name)
        if model.fingerprint != mark.fingerprint:
            raise UnavailableError(
                f"the index holds vectors of a model {mark.name} that is not here any more"
            )
        tokenizer = Tokenizer.from_file(tokenizer_path(model))
        sample = draw(reader, tokenizer, model.room, wanted.vectors, SEED, lambda done: None)
        storage: Mapping[str, Any] = reader.storage()
        chunkers = reader.connection.execute(
            "SELECT chunker FROM documents GROUP BY chunker ORDER BY count(*)"
        )
        current = [name for (name,) in chunkers][-1]
    embedder = open_embedder(model, home / "cache", threads)
    try:
        questions = make_questions(sample, wanted.questions)
        bench = Bench(home, sample, questions, tokenizer, MemoQueries(embedder))
        names = list(dict.fromkeys([current, *STRATEGIES]))
        points = [point for name in names for point in _trial(bench, name, embedded, asked)]
    finally:
        embedder.close()
    now = next(each for each in points if (each["chunker"], each["vectors"]) == (current, mark.code))
    _scale(points, now, storage, mark.dimension)
    _compare(points, current)
    return {
        "now": {"chunker": current, "vectors": mark.code, "made_axes": bool(mark.codebook)},
        "home": {name: storage[name] for name in ("documents", "chunks")}
        | {"bytes": storage["index"]["bytes"]},
        "sample": {"documents": len(sample.documents), "vectors": len(sample.vectors), "whole": sample.whole},
        "questions": len(questions),
        "points": points,
    }


def trials() -> int:
    """Return how often each question may be asked."""
    return (len(STRATEGIES) + 1) * (len(CODES) + len(AXES)) * len(ARMS)


def _trial(bench: Bench, chunker: str, embedded: Step, asked: Step) -> Iterator[dict[str, Any]]:
    """Yield a point for each code of the sample cut by one strategy."""
    with _filled(bench, chunker, embedded) as (home, kept):
        with Reader.open(home) as reader:
            storage: Mapping[str, Any] = reader.storage()
        parts = {name: storage[name]["bytes"] for name in _PARTS}
        rest = storage["vectors"]["bytes"] - storage["vectors"]["code_bytes"] * len(kept.chunks)
        for name, codebook in _codes(kept):
            quantiser = open_quantiser(name, kept.vectors.shape[1], codebook)
            index = VectorIndex(
                np.arange(len(kept.chunks)), kept.chunks, quantiser.encode(kept.vectors), quantiser
            )
            ranks, latency = _ask(home, index, bench, asked)
            yield {
                "chunker": chunker,
                "vectors": name,
                "made_axes": bool(codebook),
                "codebook": codebook,
                "sample_vectors": len(kept.chunks),
                "sample_bytes": sum(parts.values()) + rest + quantiser.size * len(kept.chunks),
                "ranks": ranks,
                "search_ms": latency,
                **recalls(ranks[ARMS[0]]),
            }


def _codes(kept: Kept) -> Iterator[tuple[str, bytes]]:
    for name in CODES:
        yield name, b""
        if name in AXES and len(kept.chunks) >= LEAST:
            yield name, make_codebook(name, kept.vectors)


@contextmanager
def _filled(bench: Bench, chunker: str, embedded: Step) -> Iterator[tuple[Path, Kept]]:
    """Yield a temporary home that holds the sample, with its float32 vectors."""
    model = bench.embedder.model
    recipe = Recipe("native", "", chunker)
    with tempfile.TemporaryDirectory(prefix="capsa-tune-") as folder:
        home = Path(folder)
        with Writer.open(home, model) as writer:
            source = writer.add_source(b"/tune")
            for number, document in bench.sample.documents.items():
                window = min(model.room, WINDOW)
                parts = chunk(document, bench.tokenizer, chunker, window=window)
                plan = writer.plan(_entry(number, document, source.id), document, parts, recipe)
                vectors = bench.embed(plan.new_keys, plan.texts, embedded)
                writer.commit([(plan, vectors if plan.texts else None)], durable=False)
            writer.publish()
        yield home, read_kept(home, bench.made)


def _entry(number: int, document: Document, source_id: int) -> Entry:
    path = f"/tune/{number}"
    size = len(document.text.encode("utf-8", "surrogatepass"))
    return Entry(
        path.encode(),
        f"file://{path}",
        source_id,
        document.kind,
        size,
        1,
        1,
        number,
        hash64(document.text).to_bytes(16, "big", signed=True),
    )


def _ask(home: Path, index: VectorIndex, bench: Bench, asked: Step) -> tuple[dict[str, Ranks], float]:
    """Return for each arm the rank of each question's passage, and the median ms of a hybrid search."""
    ranks: dict[str, Ranks] = {}
    took: list[float] = []
    with IndexReader.open_with(home, index) as reader:
        for arm in ARMS:
            found = [
                search(reader, Query(q.text, DEPTH, retriever=arm), bench.embedder) for q in bench.questions
            ]
            ranks[arm] = [
                next((hit.rank for hit in each.hits if question.evidence in normalise(hit.text)), None)
                for each, question in zip(found, bench.questions, strict=True)
            ]
            took = took or [each.took_ms for each in found]
            asked(len(found))
    return ranks, round(median(took), 2)


def recalls(ranks: Ranks) -> dict[str, float]:
    """Return the share of questions whose passage is in the first hits, and the mean reciprocal rank."""
    found = {f"recall@{k}": _recall(ranks, k) for k in DEPTHS}
    return {**found, "mrr": sum(1 / rank for rank in ranks if rank) / len(ranks)}


def _scale(
    points: Sequence[dict[str, Any]], now: Mapping[str, Any], storage: Mapping[str, Any], dimension: int
) -> None:
    """Give each point the bytes of the whole index: by what the present settings take of it and here."""
    factor = storage["index"]["bytes"] / now["sample_bytes"]
    vectors = storage["vectors"]["count"] / now["sample_vectors"]
    for point in points:
        point["bytes"] = round(point.pop("sample_bytes") * factor) + len(point["codebook"])
        point["vectors_count"] = round(point.pop("sample_vectors") * vectors)
        point["code_bytes"] = CODES[point["vectors"]].size(dimension)


def _compare(points: Sequence[dict[str, Any]], current: str) -> None:
    """Give each point what it keeps of what exact vectors find with the present strategy, and its interval.

    ``kept`` is the lowest of the shares JUDGED: questions made from a document's own words are easy for
    keywords, those in other words depend on vectors.
    """
    exact = next(each for each in points if (each["chunker"], each["vectors"]) == (current, EXACT))
    reference = exact["ranks"]
    for point in points:
        shares = [
            _recall(point["ranks"][arm], depth) / max(_recall(reference[arm], depth), 1e-9)
            for arm, depth in JUDGED
        ]
        point["kept"] = round(min(shares), 4)
        ours, theirs = (_found(each[ARMS[0]]) for each in (point["ranks"], reference))
        point["difference@10"] = asdict(paired_interval(ours, theirs))
    for point in points:
        del point["ranks"]


def _recall(ranks: Ranks, depth: int) -> float:
    return sum(rank is not None and rank <= depth for rank in ranks) / len(ranks)


def _found(ranks: Ranks) -> npt.NDArray[np.float64]:
    return np.array([float(rank is not None) for rank in ranks])
