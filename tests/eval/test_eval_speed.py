"""``capsa eval speed`` with tiny sizes: its shape, and that it leaves nothing behind; not how fast it was."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from capsa.chunkers.parsers import parse
from capsa.daemon.cli import main
from capsa.eval import generated, speed_embedding, speed_home
from capsa.eval.probe import peak_bytes
from capsa.eval.speed_table import lines

CHUNKS = 60


def measure(home: Path, capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main(["--home", str(home), "eval", "speed", "--quick", "--json", *words]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    found: dict[str, Any] = json.loads(out)
    return found


def check(found: Mapping[str, Any]) -> None:
    """What must hold whatever the machine does."""
    assert found["schema"] == "capsa.speed/1"
    embedding, search, indexing = (found[name] for name in ("embedding", "search", "indexing"))
    assert embedding["same_vectors"] == {"in_any_order": True, "from_any_thread": True}
    assert 0.95 < embedding["fidelity"]["min"] <= embedding["fidelity"]["median"] <= 1.0001
    assert all(rate["tokens_per_s"] > 0 for rate in embedding["rates"].values())
    warm = search["warm_ms"]
    # The keyword arm works beside the other two parts: the whole is the rest and, each time, the longer side.
    means = {name: spread["mean"] for name, spread in warm.items()}
    sides = means["keyword_arm"], means["query_embedding"] + means["dense_arm"]
    assert max(sides) - 1e-9 <= means["total"] - means["rest"] <= sum(sides)
    assert sum(search["storage"]["bytes"].values()) == search["storage"]["total_bytes"]
    for tally in indexing["formats"].values():
        assert sum(tally["shares"].values()) == pytest.approx(1)
        assert tally["chunks"] >= tally["documents"] > 0


def check_command(command: Mapping[str, Any]) -> None:
    without, with_model, unchanged = (command[name] for name in ("without_model", "with_model", "unchanged"))
    assert without["indexed"] == with_model["indexed"] == unchanged["unchanged"] > 0
    assert without["embedded"] == unchanged["embedded"] == unchanged["indexed"] == 0
    assert with_model["embedded"] >= with_model["chunks"] == without["chunks"] > 0
    assert [run["model_loaded"] for run in (without, with_model, unchanged)] == [False, True, False]


def test_a_quick_run_measures_everything_and_keeps_only_its_index(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = measure(tmp_path, capsys, "--chunks", str(CHUNKS))
    check(found)
    check_command(found["indexing"]["command"])
    assert set(found["indexing"]["formats"]) == set(generated.FORMATS)
    assert found["search"]["chunks"] == CHUNKS
    assert [path.name for path in (tmp_path / "eval").iterdir()] == [f"speed-{CHUNKS}"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cache", "eval"]
    text = "\n".join(lines(found))
    assert "Embedding (" in text
    assert "nan" not in text
    assert "of a process that parses" in text or sys.platform == "win32"
    assert max(map(len, text.splitlines())) < 120


def test_the_documents_of_a_folder_are_used(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for number, form in enumerate(generated.FORMATS):
        (folder / f"{number}{generated.SUFFIXES[form]}").write_bytes(generated.document(number, form, 2))
    (folder / "empty.txt").touch()
    before = {path: path.read_bytes() for path in folder.iterdir()}
    made = speed_home.open_home(tmp_path / "home", 40, folder, lambda text: None)
    assert made.chunks == 40
    assert made.documents > 3  # later rounds mix the paragraphs
    texts = speed_embedding.passages(folder, 4)
    assert len(texts) == 4
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_a_kept_index_is_used_again_and_made_anew_when_something_else_is_asked_for(tmp_path: Path) -> None:
    steps: list[str] = []
    made = speed_home.open_home(tmp_path, 20, None, steps.append)
    first = len(steps)
    assert first > 0
    assert speed_home.open_home(tmp_path, 20, None, steps.append) == made
    assert len(steps) == first
    record = made.home.parent / "made.json"
    data = json.loads(record.read_text(encoding="utf-8"))
    data["mark"][-1] = "another model"
    record.write_text(json.dumps(data), encoding="utf-8")
    assert speed_home.open_home(tmp_path, 20, None, steps.append) == made
    assert len(steps) == 2 * first


@pytest.mark.parametrize("words", [["--chunks", "0"], ["--folder", "no-such-folder"]])
def test_wrong_usage(words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--home", str(tmp_path), "eval", "speed", *words]) == 2
    assert capsys.readouterr().err.startswith("capsa: ")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("form", generated.FORMATS)
def test_made_up_documents_are_the_same_every_time_and_have_structure(form: generated.Format) -> None:
    data = generated.document(5, form)
    assert data == generated.document(5, form)
    assert data != generated.document(6, form)
    document = parse(data, f"a{generated.SUFFIXES[form]}")
    assert document.kind == form
    assert len(document.blocks) > 5
    if form != "text":
        assert {"heading", "paragraph", "list_item"} <= {block.kind for block in document.blocks}


def test_peak_memory_is_told_where_the_system_tells_it() -> None:
    peak = peak_bytes()
    assert peak is None or peak > 1 << 20
