"""What ``capsa search`` loads, and what it says when the model cannot be loaded."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from capsa.daemon.cli import main

TEXT = "The mill stands by the river and the water turns its wheel all day long.\n"


@pytest.fixture
def indexed(home: Path, tmp_path: Path) -> Path:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "mill.txt").write_text(TEXT)
    assert main(["index", str(docs), "-q"]) == 0
    return home


def test_a_search_imports_only_what_it_needs(indexed: Path) -> None:
    program = (
        "import sys; from capsa.daemon.cli import main; main(['search', 'river', '--json']); "
        "print(sorted({'faiss', 'onnx', 'lxml', 'bs4', 'rich', 'pypdf', 'sqlite_utils'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    output, _, loaded = done.stdout.rstrip().rpartition("\n")
    assert loaded == "[]"
    [hit] = json.loads(output)["hits"]
    assert hit["why"]["dense"]["rank"] == 1


def test_a_damaged_model_leaves_keyword_search(
    indexed: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        from capsa.chunkers.errors import UnavailableError

        raise UnavailableError("the weights are not those of the model")

    monkeypatch.setattr("capsa.store.opening.load_graph", refuse)
    capsys.readouterr()
    assert main(["search", "river", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["notes"] == ["keyword search only: the weights are not those of the model"]
    assert [hit["why"]["dense"] for hit in found["hits"]] == [None]
    assert main(["search", "river", "--retriever", "dense"]) == 3


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["xyzzyq"], "nearest in meaning"),
        (["..."], "the query has no word"),
        (["river", "--kind", "pdf"], "filters let through was searched: --kind"),
        (["river", "--in", "/nowhere"], "/nowhere is not indexed"),
    ],
)
def test_a_search_without_hits_says_why(
    indexed: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    capsys.readouterr()
    assert main(["search", *arguments]) == 0
    assert told in capsys.readouterr().err
