import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from capsa.chunkers.errors import UnavailableError
from capsa.store.embedder import FastEmbedder
from capsa.store.graph_cache import load_graph
from capsa.store.models import Model, load_model


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    return load_model(tmp_path_factory.mktemp("home"))


@pytest.fixture
def cache(tmp_path: Path, model: Model) -> Path:
    load_graph(model, tmp_path / "cache")
    return tmp_path / "cache"


def contents(cache: Path) -> dict[str, tuple[int, bytes]]:
    return {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in cache.iterdir()}


def query(model: Model, cache: Path) -> np.ndarray:
    with FastEmbedder(model, cache) as embedder:
        return embedder.embed_query("the same words")


def test_the_graph_is_built_once(model: Model, cache: Path) -> None:
    before = contents(cache)
    assert sorted(name.rpartition(".")[2] for name in before) == ["bin", "onnx"]
    assert isinstance(load_graph(model, cache), Path)
    assert contents(cache) == before


@pytest.mark.parametrize("suffix", ["bin", "onnx"])
@pytest.mark.parametrize("fault", ["cut", "flipped", "gone"])
def test_a_damaged_cache_is_built_anew(model: Model, cache: Path, suffix: str, fault: str) -> None:
    expected, before = query(model, cache), contents(cache)
    path = next(cache.glob(f"*.{suffix}"))
    data = bytearray(path.read_bytes())
    if fault == "gone":
        path.unlink()
    elif fault == "cut":
        path.write_bytes(data[: len(data) // 2])
    else:
        data[len(data) // 3] ^= 1
        path.write_bytes(data)
    np.testing.assert_array_equal(query(model, cache), expected)
    assert {name: data for name, (_, data) in contents(cache).items()} == {
        name: data for name, (_, data) in before.items()
    }


def test_a_cache_that_cannot_be_written_gives_the_same_vectors(
    model: Model, cache: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way of a folder")
    assert isinstance(load_graph(model, tmp_path / "file"), bytes)
    np.testing.assert_array_equal(query(model, tmp_path / "file"), query(model, cache))


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="the mode does not bind this user")
def test_a_read_only_cache_folder(model: Model, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o500)
    assert isinstance(load_graph(model, folder), bytes)


def test_what_another_version_left_is_removed(model: Model, cache: Path) -> None:
    old = cache / f"fast-{model.sha256[:16]}-0-{'a' * 32}.bin"
    old.write_bytes(b"old")
    foreign = cache / "notes.txt"
    foreign.write_bytes(b"kept")
    next(cache.glob("*.onnx")).unlink()
    load_graph(model, cache)
    assert not old.exists()
    assert foreign.exists()


def test_weights_of_another_hash_are_not_made_into_a_graph(model: Model, tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="SHA-256"):
        load_graph(replace(model, sha256="0" * 64), tmp_path / "cache")
    assert not (tmp_path / "cache").exists()
