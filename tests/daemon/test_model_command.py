import json
import shutil
from pathlib import Path

import pytest

from capsa.daemon.cli import main
from capsa.store.models import DEFAULT, load_model, model_path, tokenizer_path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The shipped model as a user would have it: a folder with two files."""
    model = load_model(tmp_path)
    folder = tmp_path / "mine"
    folder.mkdir()
    shutil.copy(model_path(model), folder / "model.onnx")
    shutil.copy(tokenizer_path(model), folder / "tokenizer.json")
    return folder


def call(home: Path, *words: str) -> int:
    return main(["--home", str(home), "model", *words])


def test_a_model_is_added_used_and_listed(
    tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "home"
    options = ["--name", "other", "--query-prefix", "query: ", "--pooling", "cls"]
    assert call(home, "add", str(folder), *options) == 0
    assert "capsa model use other" in capsys.readouterr().out
    assert call(home, "use", "other") == 0
    assert call(home, "list") == 0
    out = capsys.readouterr().out
    assert "* other (384 dimensions, 256 tokens, cls pooling)" in out
    assert f"  {DEFAULT} (" in out
    assert load_model(home).query_prefix == "query: "


def test_the_list_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(tmp_path, "--json") == 0
    record = json.loads(capsys.readouterr().out)
    assert record["schema"] == "capsa.models/1"
    assert [(model["name"], model["current"]) for model in record["models"]] == [(DEFAULT, True)]


def test_errors_have_their_exit_codes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(tmp_path, "use", "missing") == 3
    assert call(tmp_path, "add", str(tmp_path)) == 2
    assert "holds no model.onnx" in capsys.readouterr().err
    assert call(tmp_path, "list") == 0
