from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from capsa.eval.cache import CachedEmbedder
from capsa.store.embedder import open_embedder
from capsa.store.models import Model, load_model
from capsa.store.quantisers import Vectors


class Counting:
    """An embedder that counts what it is asked for."""

    def __init__(self, embedder: object) -> None:
        self._embedder = embedder
        self.asked: list[str] = []

    @property
    def model(self) -> Model:
        return self._embedder.model  # type: ignore[attr-defined, no-any-return]

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        return self._embedder.embed(texts)  # type: ignore[attr-defined, no-any-return]

    def embed_query(self, text: str) -> Vectors:
        return self._embedder.embed_query(text)  # type: ignore[attr-defined, no-any-return]

    def close(self) -> None:
        self._embedder.close()  # type: ignore[attr-defined]


@pytest.fixture
def counting(tmp_path: Path) -> Counting:
    return Counting(open_embedder(load_model(tmp_path), tmp_path / "graph"))


def test_no_text_is_embedded_twice(tmp_path: Path, counting: Counting) -> None:
    path = tmp_path / "eval" / "vectors.sqlite"
    with CachedEmbedder(counting, path) as cached:
        first = cached.embed(["one", "two", "one"])
    with CachedEmbedder(counting, path) as cached:
        again = cached.embed(["two", "three", "one"])
    counting.close()
    assert counting.asked == ["one", "two", "three"]
    assert np.array_equal(first[[1, 0]], again[[0, 2]])
    assert np.array_equal(first[0], first[2])
    assert path.stat().st_mode & 0o777 == 0o600


def test_nothing_to_embed(tmp_path: Path, counting: Counting) -> None:
    with CachedEmbedder(counting, tmp_path / "vectors.sqlite") as cached:
        assert cached.embed([]).shape == (0, 384)
    counting.close()
