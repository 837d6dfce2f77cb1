from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
from tiny_model import WORDS, table, write_model

from capsa.store.embedder import Embedder, FastEmbedder, OnnxEmbedder, open_embedder, unit
from capsa.store.models import SHIPPED, Model, add_model, load_model
from capsa.store.quantisers import rotate
from capsa.store.registry import Settings

QUESTION = "Who must designate a public information officer?"
ANSWER = (
    "Every public authority shall, within one hundred days, designate officers for requests of information."
)
OTHER = "Preheat the oven to 180 degrees and butter a round cake tin."
IDS = {word: number for number, word in enumerate(WORDS)}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def shipped(cache: Path) -> Model:
    return load_model(cache)


@pytest.fixture(scope="module")
def fast(shipped: Model, cache: Path) -> Iterator[FastEmbedder]:
    with FastEmbedder(shipped, cache) as embedder:
        yield embedder


@pytest.fixture(scope="module")
def plain(shipped: Model) -> Iterator[OnnxEmbedder]:
    with OnnxEmbedder(shipped) as embedder:
        yield embedder


@pytest.fixture(scope="module")
def added(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OnnxEmbedder]:
    folder = tmp_path_factory.mktemp("models")
    model = add_model(folder / "home", write_model(folder / "tiny"), settings=Settings(window=32))
    with OnnxEmbedder(model) as embedder:
        yield embedder


@pytest.fixture(scope="module")
def prose() -> list[str]:
    """Passages of 1 to 150 words of real English: the licence of the model."""
    words = (SHIPPED / "all-MiniLM-L6-v2" / "LICENSE").read_text(encoding="utf-8").split()
    random = Random(1)
    starts = [random.randrange(len(words) - 150) for _ in range(40)]
    return [" ".join(words[start : start + random.randint(1, 150)]) for start in starts]


@pytest.fixture(params=["fast", "plain", "added"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    """Every implementation keeps the same contract."""
    return request.getfixturevalue(request.param)


def test_vectors_have_the_model_s_dimension_and_norm_1(embedder: Embedder) -> None:
    vectors = embedder.embed(["a short text", "", "\ud800 \x00 é 漢字", "a long word " * 9])
    assert vectors.dtype == np.float32
    assert vectors.shape == (4, embedder.model.dimension)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_no_text_gives_no_vector(embedder: Embedder) -> None:
    assert embedder.embed([]).shape == (0, embedder.model.dimension)


def test_vectors_come_in_the_order_of_the_texts(embedder: Embedder) -> None:
    texts = ["a short text", "a long text " * 8, "query", "word word a"]
    together = embedder.embed(texts)
    alone = np.concatenate([embedder.embed([text]) for text in texts])
    np.testing.assert_allclose(together, alone, atol=1e-5)


def test_a_text_longer_than_the_window_is_refused_not_cut(embedder: Embedder) -> None:
    room = embedder.model.room
    assert len(embedder.embed(["word " * room])) == 1
    with pytest.raises(ValueError, match=rf"text 1: {embedder.model.window + 1} tokens"):
        embedder.embed(["a short text", "word " * (room + 1)])


def test_a_query_is_embedded_as_a_text_is(embedder: Embedder) -> None:
    vector = embedder.embed_query("a short query")
    assert vector.shape == (embedder.model.dimension,)
    np.testing.assert_allclose(vector, embedder.embed(["a short query"])[0], atol=1e-5)


def test_a_long_query_is_the_mean_of_its_windows(embedder: Embedder) -> None:
    room = embedder.model.room
    parts = ["word " * room, "text " * room, "query " * 5]
    expected = unit(embedder.embed(parts).mean(axis=0))
    np.testing.assert_allclose(embedder.embed_query("".join(parts)), expected, atol=1e-5)


def test_an_endless_query_is_answered(embedder: Embedder) -> None:
    for text in ("word " * 200_000, "x" * 1_000_000, "\udfff" * 100_000):
        assert np.isfinite(embedder.embed_query(text)).all()


@pytest.mark.parametrize("name", ["fast", "plain"])
def test_the_answer_is_nearer_than_another_text(name: str, request: pytest.FixtureRequest) -> None:
    embedder: Embedder = request.getfixturevalue(name)
    answer, other = embedder.embed([ANSWER, OTHER]) @ embedder.embed_query(QUESTION)
    assert answer > 0.5 > 0.2 > other


def test_the_fast_graph_is_true_to_the_shipped_model(
    fast: FastEmbedder, plain: OnnxEmbedder, prose: list[str]
) -> None:
    cosines = (fast.embed(prose) * plain.embed(prose)).sum(axis=1)
    assert np.median(cosines) >= 0.99
    assert cosines.min() >= 0.97


def test_fast_vectors_are_the_same_bits_in_any_order_and_on_two_threads(
    fast: FastEmbedder, shipped: Model, cache: Path, prose: list[str]
) -> None:
    expected = fast.embed(prose)
    order = Random(2).sample(range(len(prose)), len(prose))
    np.testing.assert_array_equal(fast.embed([prose[place] for place in order]), expected[order])
    np.testing.assert_array_equal(fast.embed(prose[7:8]), expected[7:8])
    with open_embedder(shipped, cache, threads=2) as pair:
        np.testing.assert_array_equal(pair.embed(prose), expected)


def test_more_texts_than_are_tokenised_at_a_time(added: OnnxEmbedder) -> None:
    words = list(WORDS[4:])
    vectors = added.embed([words[place % len(words)] for place in range(2500)])
    np.testing.assert_array_equal(vectors, np.resize(added.embed(words), vectors.shape))


@pytest.mark.parametrize(("pooling", "prefix"), [("mean", ""), ("cls", ""), ("mean", "query ")])
def test_pooling_and_prefixes_are_the_model_s(tmp_path: Path, pooling: str, prefix: str) -> None:
    settings = Settings(window=32, pooling=pooling, passage_prefix=prefix)
    model = add_model(tmp_path / "home", write_model(tmp_path / "tiny"), settings=settings)
    rows = table(16)[[IDS[word] for word in f"[CLS] {prefix}a short text [SEP]".split()]]
    expected = unit(rows.mean(axis=0) if pooling == "mean" else rows[0])
    with OnnxEmbedder(replace(model, rotate=False)) as straight, OnnxEmbedder(model) as turned:
        # Beside a longer text, so that padding would show.
        texts = ["a short text", "a long text " * 5]
        np.testing.assert_allclose(straight.embed(texts)[0], expected, atol=1e-6)
        np.testing.assert_allclose(turned.embed(texts)[0], rotate(expected[None])[0], atol=1e-6)


def test_any_model_but_the_shipped_one_runs_as_it_is(tmp_path: Path) -> None:
    model = add_model(tmp_path / "home", write_model(tmp_path / "tiny"), settings=Settings(window=32))
    with open_embedder(model, tmp_path / "cache", threads=2) as embedder:
        assert isinstance(embedder, OnnxEmbedder)
        assert embedder.embed(["word"] * 40).shape == (40, 16)
    assert not (tmp_path / "cache").exists()
