import json
import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest
import tokenizers
from tiny_model import write_json, write_model, write_tokenizer

from capsa.chunkers.errors import UnavailableError, UsageError
from capsa.store import models
from capsa.store.models import (
    DEFAULT,
    add_model,
    current_name,
    list_models,
    load_model,
    read_weights,
    use_model,
)
from capsa.store.registry import KNOWN, Settings

SMALL = Settings(window=32)


def test_the_shipped_model_is_the_default(tmp_path: Path) -> None:
    model = load_model(tmp_path)
    assert (model.name, model.dimension, model.window, model.room, model.pooling) == (
        DEFAULT,
        384,
        256,
        254,
        "mean",
    )
    assert model.shipped
    assert len(read_weights(model)) == 22_928_619
    assert not list(tmp_path.iterdir())


def test_the_shipped_tokenizer_neither_cuts_nor_pads(tmp_path: Path) -> None:
    tokenizer = tokenizers.Tokenizer.from_file(str(models.tokenizer_path(load_model(tmp_path))))
    assert tokenizer.truncation is None
    assert tokenizer.padding is None
    assert len(tokenizer.encode("word " * 999).ids) == 1001


def test_the_licence_lies_beside_the_tokenizer(tmp_path: Path) -> None:
    assert "Apache License" in (load_model(tmp_path).folder / "LICENSE").read_text(encoding="utf-8")


def test_weights_with_another_hash_are_refused(tmp_path: Path) -> None:
    model = replace(load_model(tmp_path), sha256="0" * 64)
    with pytest.raises(UnavailableError, match=r"SHA-256 8199be6f699a.*install capsa again"):
        read_weights(model)


def test_an_added_model_is_listed_and_used(tmp_path: Path) -> None:
    home = tmp_path / "home"
    added = add_model(home, write_model(tmp_path / "tiny"), settings=SMALL)
    assert (added.name, added.dimension, added.window, added.room) == ("tiny", 16, 32, 30)
    assert added.inputs == ("input_ids", "attention_mask")
    assert added.rotate
    assert [model.name for model in list_models(home)] == [DEFAULT, "tiny"]
    assert current_name(home) == DEFAULT
    assert use_model(home, "tiny") == load_model(home) == load_model(home, "tiny") == added
    assert use_model(home, DEFAULT) == load_model(home)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
def test_the_home_is_private(tmp_path: Path) -> None:
    home = tmp_path / "home"
    add_model(home, write_model(tmp_path / "tiny"), settings=SMALL)
    use_model(home, "tiny")
    for path in (home, *home.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_a_model_added_again_replaces_the_old_one(tmp_path: Path) -> None:
    first = add_model(tmp_path, write_model(tmp_path / "tiny"), settings=SMALL)
    again = add_model(tmp_path, write_model(tmp_path / "tiny"), settings=SMALL)
    other = add_model(tmp_path, write_model(tmp_path / "tiny", dimension=24), settings=SMALL)
    assert first.fingerprint == again.fingerprint != other.fingerprint
    assert sorted(path.name for path in (tmp_path / "models").iterdir()) == ["tiny"]


@pytest.mark.parametrize(
    "change",
    [
        {"pooling": "cls"},
        {"query_prefix": "query: "},
        {"window": 48},
        {"rotate": False},
        {"sha256": "0" * 64},
    ],
)
def test_the_fingerprint_tells_what_shapes_a_vector(tmp_path: Path, change: dict[str, object]) -> None:
    model = add_model(tmp_path, write_model(tmp_path / "tiny"), settings=SMALL)
    assert replace(model, **change).fingerprint != model.fingerprint
    assert replace(model, folder=tmp_path, name="renamed").fingerprint == model.fingerprint


def test_the_settings_come_from_the_folder(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "tiny")
    write_json(folder / "sentence_bert_config.json", max_seq_length=40)
    write_json(
        folder / "1_Pooling" / "config.json", pooling_mode_cls_token=True, pooling_mode_mean_tokens=False
    )
    write_json(folder / "config_sentence_transformers.json", prompts={"query": "query a ", "document": "a "})
    model = add_model(tmp_path, folder)
    assert (model.window, model.room, model.pooling) == (40, 37, "cls")
    assert (model.query_prefix, model.passage_prefix) == ("query a ", "a ")


def test_a_graph_in_the_folder_onnx_and_one_that_pools_itself(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "tiny", pooled=True)
    (folder / "onnx").mkdir()
    (folder / "model.onnx").rename(folder / "onnx" / "model.onnx")
    assert add_model(tmp_path, folder, settings=SMALL).pooling == "none"


def test_a_known_name_brings_its_settings_and_checks_the_dimension(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "bge-small-en-v1.5", dimension=384)
    model = add_model(tmp_path, folder)
    assert (model.pooling, model.window) == ("cls", 512)
    assert model.query_prefix.startswith("Represent this sentence")
    with pytest.raises(UsageError, match=r"known to give 768 dimensions but this model\.onnx gives 384"):
        add_model(tmp_path, folder, "bge-base-en-v1.5")


def test_the_known_models_are_sane() -> None:
    for name, settings in KNOWN.items():
        assert models.NAME.fullmatch(name)
        assert settings.dimension % 8 == 0
        assert settings.window >= 256


def _broken(folder: Path, fault: str) -> None:
    if fault == "no graph":
        (folder / "model.onnx").unlink()
    elif fault == "no tokenizer":
        (folder / "tokenizer.json").unlink()
    elif fault == "cut":
        data = (folder / "model.onnx").read_bytes()
        (folder / "model.onnx").write_bytes(data[: len(data) // 2])
    elif fault == "text":
        (folder / "model.onnx").write_text("version https://git-lfs.github.com/spec/v1")
    elif fault == "bad tokenizer":
        (folder / "tokenizer.json").write_text("{}")
    elif fault == "bad config":
        (folder / "config.json").write_text("{")
    elif fault == "max pooling":
        write_json(folder / "1_Pooling" / "config.json", pooling_mode_mean_tokens=False)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("no graph", "holds no model.onnx"),
        ("no tokenizer", "holds no tokenizer.json"),
        ("cut", "not an ONNX model"),
        ("text", "not an ONNX model"),
        ("bad tokenizer", "not a tokenizer.json"),
        ("bad config", "is not JSON"),
        ("max pooling", "pools neither"),
    ],
)
def test_a_folder_that_cannot_serve_is_refused_and_leaves_nothing(
    tmp_path: Path, fault: str, message: str
) -> None:
    folder = write_model(tmp_path / "tiny")
    _broken(folder, fault)
    with pytest.raises(UsageError, match=message):
        add_model(tmp_path / "home", folder)
    assert [model.name for model in list_models(tmp_path / "home")] == [DEFAULT]
    assert not list((tmp_path / "home").rglob("*.onnx"))


def test_a_graph_that_capsa_cannot_feed_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="an input 'pixel_values'"):
        add_model(tmp_path, write_model(tmp_path / "image", extra_input="pixel_values"))
    with pytest.raises(UsageError, match="does not take two texts"):
        add_model(tmp_path, write_model(tmp_path / "single", batch=1))
    with pytest.raises(UsageError, match="multiple of 8"):
        add_model(tmp_path, write_model(tmp_path / "odd", dimension=15))
    with pytest.raises(UsageError, match="leaves 1 for a text"):
        add_model(tmp_path, write_model(tmp_path / "tiny"), settings=Settings(window=3))


@pytest.mark.parametrize("name", ["", "..", "a/b", ".hidden", DEFAULT, "current", "x" * 101])
def test_a_name_that_cannot_be_a_folder_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="--name"):
        add_model(tmp_path, write_model(tmp_path / "tiny"), name)


@pytest.mark.parametrize("name", ["missing", "..", "", "a/../b"])
def test_a_name_that_is_not_there_says_what_to_do(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnavailableError, match="capsa model list"):
        load_model(tmp_path, name)


def test_a_damaged_record_says_what_to_do(tmp_path: Path) -> None:
    model = add_model(tmp_path, write_model(tmp_path / "tiny"), settings=SMALL)
    (model.folder / "model.json").write_text(json.dumps({"name": "tiny"}))
    with pytest.raises(UnavailableError, match="add the model again"):
        load_model(tmp_path, "tiny")


def test_weights_that_changed_or_went_since_are_refused(tmp_path: Path) -> None:
    model = add_model(tmp_path, write_model(tmp_path / "tiny"), settings=SMALL)
    write_tokenizer(model.folder)
    (model.folder / "model.onnx").write_bytes(b"other")
    with pytest.raises(UnavailableError, match="capsa model add FOLDER --name tiny"):
        read_weights(model)
    (model.folder / "model.onnx").unlink()
    with pytest.raises(UnavailableError, match="are missing"):
        read_weights(model)
