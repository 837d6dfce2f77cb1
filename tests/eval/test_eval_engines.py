"""The retrievers in memory against brute force, inside one document and over all."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from small_corpus import corpus, item

from capsa.chunkers.model import Window
from capsa.eval.chunkset import ChunkSet
from capsa.eval.corpus import Item
from capsa.eval.engines import DenseEngine, FusedEngine, MemoQueries, OkapiEngine, WindowVectors
from capsa.store.models import Model
from capsa.store.quantisers import Vectors

WORDS = ("fee", "copies", "ten", "rupees", "page", "june", "due", "clerk")


class WordEmbedder:
    """A dimension a word; counts the questions that it is asked for."""

    def __init__(self) -> None:
        self.asked = 0

    @property
    def model(self) -> Model:
        raise NotImplementedError

    def embed(self, texts: Sequence[str]) -> Vectors:
        counts = np.array(
            [[text.lower().split().count(word) for word in WORDS] for text in texts], np.float32
        )
        norms = np.linalg.norm(counts, axis=1, keepdims=True)
        return np.asarray(counts / np.maximum(norms, 1), dtype=np.float32)

    def embed_query(self, text: str) -> Vectors:
        self.asked += 1
        vector: Vectors = self.embed([text])[0]
        return vector

    def close(self) -> None:
        """Nothing is open."""


def windowed(made: Item) -> Item:
    """The first chunk in two windows: its first half says little of what is asked."""
    first = made.chunks[0]
    middle = first.end // 2
    windows = (Window(0, middle), Window(middle, first.end))
    return replace(made, chunks=(replace(first, windows=windows), *made.chunks[1:]))


MADE = corpus(
    windowed(item("a.txt", "clerk clerk clerk clerk ten rupees page", "due june", "fee fee copies")),
    item("b.txt", "ten rupees page", "fee", "june clerk"),
)
SET = ChunkSet(MADE)


def dense() -> tuple[DenseEngine, MemoQueries, WordEmbedder]:
    embedder = WordEmbedder()
    queries = MemoQueries(embedder)
    return DenseEngine(SET, WindowVectors.of(MADE, queries), queries), queries, embedder


def test_a_chunk_counts_by_its_best_window() -> None:
    engine, _, _ = dense()
    assert set(engine.ask("ten rupees page", None, 10).numbers[:2]) == {0, 3}
    assert len(engine.windows.owners) == len(SET) + 1
    assert sorted(engine.ask("ten", None, 10).numbers) == [0, 1, 2, 3, 4, 5]


def test_inside_a_document_only_its_chunks_are_ranked() -> None:
    engine, _, _ = dense()
    second = SET.items[1]
    assert engine.ask("june due", second, 1).numbers == [5]
    assert sorted(engine.ask("june due", second, 10).numbers) == [3, 4, 5]
    okapi = OkapiEngine(SET)
    assert sorted(okapi.ask("june due", second, 10).numbers) == [3, 4, 5]
    assert okapi.ask("june due", None, 1).numbers == [1]


def test_no_question_is_embedded_twice() -> None:
    engine, queries, embedder = dense()
    for item_ in (None, *SET.items):
        engine.ask("fee", item_, 3)
    assert embedder.asked == 1
    assert queries.ms("fee") >= 0
    assert embedder.asked == 1


def test_fused_ranks_are_summed_reciprocals() -> None:
    engine, _, _ = dense()
    okapi = OkapiEngine(SET)
    left, right = okapi.ask("fee copies", None, 100).numbers, engine.ask("fee copies", None, 100).numbers
    scores = {n: 1 / (61 + list(left).index(n)) + 1 / (61 + list(right).index(n)) for n in range(len(SET))}
    found = FusedEngine(okapi, engine).ask("fee copies", None, 6).numbers
    assert [scores[n] for n in found] == sorted(scores.values(), reverse=True)
    assert found[0] == 2


def test_sizes() -> None:
    engine, _, _ = dense()
    okapi = OkapiEngine(SET)
    assert engine.size == (len(SET) + 1) * len(WORDS) * 4
    assert FusedEngine(okapi, engine).size == engine.size + okapi.size
    chunks_with = (2, 1, 2, 2, 2, 2, 1, 2)  # of each word
    assert okapi.size == 8 * sum(chunks_with) + sum(map(len, WORDS))
