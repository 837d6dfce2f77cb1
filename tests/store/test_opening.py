from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from capsa.chunkers.errors import UnavailableError
from capsa.store.embedder import FastEmbedder
from capsa.store.models import Model, load_model
from capsa.store.opening import OpeningEmbedder


@pytest.fixture
def model(tmp_path: Path) -> Model:
    return load_model(tmp_path)


def test_its_vectors_are_those_of_the_embedder(tmp_path: Path, model: Model) -> None:
    opening = OpeningEmbedder(model, tmp_path)
    with FastEmbedder(model, tmp_path) as embedder:
        assert np.array_equal(opening.embed_query("the same words"), embedder.embed_query("the same words"))
        assert np.array_equal(opening.embed(["a passage"]), embedder.embed(["a passage"]))
    opening.close()


def test_its_error_is_told_to_who_waits(tmp_path: Path, model: Model) -> None:
    opening = OpeningEmbedder(replace(model, sha256="0" * 64), tmp_path)
    with pytest.raises(UnavailableError, match="SHA-256"):
        opening.embed_query("words")
    opening.close()


def test_it_can_be_closed_unused(tmp_path: Path, model: Model) -> None:
    OpeningEmbedder(model, tmp_path).close()
