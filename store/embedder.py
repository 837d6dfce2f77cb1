"""Texts to unit vectors with a local ONNX model: any number of texts in, vectors in the same order out."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

import numpy as np
import numpy.typing as npt

from .crew import Crew
from .graph_cache import load_graph
from .models import Model, read_weights, tokenizer_path
from .quantisers import Vectors, rotate
from .sessions import feed, open_session
from .wordpieces import Ids, WordPieces

# Texts tokenised at a time: their ids stay below 1 MB however many texts are given.
SLAB = 1024
# A query longer than the window is the mean of its first windows; what follows is left to keyword search.
QUERY_WINDOWS = 8
# Rows and tokens of a padded batch; larger batches were slower and take more memory.
BATCH_ROWS = 8
BATCH_TOKENS = 4096


class Embedder(Protocol):
    """Turns texts into float32 vectors of unit norm; from several threads at once if need be."""

    @property
    def model(self) -> Model:
        """The model whose vectors these are."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return float32 [n, dimension]; raises ValueError for a text longer than the model's window."""

    def embed_query(self, text: str) -> Vectors:
        """Return float32 [dimension]; a query longer than the window is the mean of its first windows."""

    def close(self) -> None:
        """End the threads; the embedder cannot be used afterwards."""


def open_embedder(model: Model, cache: Path, threads: int = 1, graph: Path | bytes | None = None) -> Embedder:
    """Load the model; what is derived from it is kept in the folder ``cache`` for the next time.

    ``graph`` is what load_graph gave, where it was called before.
    """
    if model.shipped:
        return FastEmbedder(model, cache, threads, graph)
    return OnnxEmbedder(model, threads)


class _Tokenising:
    """What both embedders share: tokens, windows, threads and the order of work."""

    def __init__(self, model: Model, threads: int) -> None:
        self.model = model
        self._pieces = WordPieces(tokenizer_path(model))
        self._crew = Crew(threads)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the threads; the embedder cannot be used afterwards."""
        self._crew.close()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return float32 [n, dimension] in the order of the texts."""
        vectors = np.zeros((len(texts), self.model.dimension), dtype=np.float32)
        for start in range(0, len(texts), SLAB):
            stop = min(start + SLAB, len(texts))
            rows = [self._passage_ids(texts[place], place) for place in range(start, stop)]
            self._fill(vectors[start:stop], rows)
        return vectors

    def embed_query(self, text: str) -> Vectors:
        """Return float32 [dimension]; a query longer than the window is the mean of its first windows."""
        rows = self._query_rows(text)
        vectors = np.zeros((len(rows), self.model.dimension), dtype=np.float32)
        self._fill(vectors, rows)
        return vectors[0] if len(rows) == 1 else unit(vectors.mean(axis=0))

    def _fill(self, vectors: Vectors, rows: Sequence[Ids]) -> None:
        raise NotImplementedError

    def _passage_ids(self, text: str, place: int) -> Ids:
        ids = self._pieces.ids(self.model.passage_prefix + text)
        if len(ids) > self.model.window:
            raise ValueError(f"text {place}: {len(ids)} tokens, {self.model.name} reads {self.model.window}")
        return ids

    def _query_rows(self, text: str) -> list[Ids]:
        # A word piece stands for 4 characters on average: what is cut here lies behind the last window.
        text = text[: QUERY_WINDOWS * self.model.window * 16]
        prefix = self._pieces.bare_ids(self.model.query_prefix)
        ids = self._pieces.bare_ids(text)
        room = self.model.window - self._pieces.special - len(prefix)
        if len(ids) <= room:
            return [self._pieces.ids(self.model.query_prefix + text)]
        starts = range(0, min(len(ids), QUERY_WINDOWS * room), room)
        return [self._pieces.enclose(prefix + ids[start : start + room]) for start in starts]


class FastEmbedder(_Tokenising):
    """The shipped model through its fast graph: one text a call, so that a vector depends on its text alone.

    The threads share one session, which scales better than threads inside it, and take the longest texts
    first so that they finish together.
    """

    def __init__(
        self, model: Model, cache: Path, threads: int = 1, graph: Path | bytes | None = None
    ) -> None:
        super().__init__(model, threads)
        graph = load_graph(model, cache) if graph is None else graph
        self._session = open_session(graph, model.name, optimise=False)

    def _fill(self, vectors: Vectors, rows: Sequence[Ids]) -> None:
        def embed_row(place: int) -> None:
            vectors[place] = self._session.run(None, {"input_ids": rows[place][None]})[0]

        self._crew.run(embed_row, sorted(range(len(rows)), key=lambda place: -len(rows[place])))


class OnnxEmbedder(_Tokenising):
    """Any encoder: padded batches of texts of like length, with a mask."""

    def __init__(self, model: Model, threads: int = 1) -> None:
        super().__init__(model, threads)
        self._session = open_session(read_weights(model), model.name)

    def _fill(self, vectors: Vectors, rows: Sequence[Ids]) -> None:
        batches = list(_batches(rows))

        def embed_batch(job: int) -> None:
            places = batches[job]
            vectors[places] = self._run([rows[place] for place in places])

        self._crew.run(embed_batch, range(len(batches)))

    def _run(self, rows: Sequence[Ids]) -> Vectors:
        inputs = feed(self._session, rows, self._pieces.padding)
        output = self._session.run(None, inputs)[0]
        lengths = np.array([len(row) for row in rows])
        pooled = unit(_pool(output, lengths, self.model.pooling))
        return rotate(pooled) if self.model.rotate else pooled


def unit(vectors: Vectors) -> Vectors:
    """Return the vectors with norm 1; a zero vector stays zero."""
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    scaled: Vectors = np.asarray(vectors / np.maximum(norms, 1e-12), dtype=np.float32)
    return scaled


def _pool(output: Vectors, lengths: npt.NDArray[np.int64], pooling: str) -> Vectors:
    if output.ndim == 2:
        return output
    if pooling == "cls":
        return np.ascontiguousarray(output[:, 0])
    mask = (np.arange(output.shape[1]) < lengths[:, None]).astype(np.float32)
    means: Vectors = np.einsum("nld,nl->nd", output, mask) / lengths[:, None].astype(np.float32)
    return means


def _batches(rows: Sequence[Ids]) -> Iterator[list[int]]:
    """Group the rows' places by length, longest first, within the limits of a batch."""
    batch: list[int] = []
    for place in sorted(range(len(rows)), key=lambda place: -len(rows[place])):
        if batch and (len(batch) == BATCH_ROWS or (len(batch) + 1) * len(rows[batch[0]]) > BATCH_TOKENS):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch
