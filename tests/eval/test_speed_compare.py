import json
import shutil
import sys
from pathlib import Path

import pytest

from capsa.daemon.cli import main
from capsa.eval import speed_compare
from capsa.eval.mine_questions import Mined
from capsa.eval.speed_compare import PEERS, SCRIPTS, Peer

# A peer that answers every question with all texts, written as the others are.
STUB = """
from measuring import Indexed, measure

def index(task, paths):
    task.work.mkdir()
    (task.work / "index").write_bytes(bytes(100))
    texts = [path.read_text() for path in paths]
    return Indexed(lambda question: texts, task.work, chunks=10, tokens=50)

measure(index)
"""
# What the scripts share.
SHARED = {"measuring.py", "sentences.py"}

ASKED = Mined("heading", "priming the pump", "clean water")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    docs = tmp_path / "docs"
    docs.mkdir()
    text = (
        "# The pump\n\n## Priming the pump\n\nFill the whole housing with clean water until it runs over.\n"
    )
    (docs / "pump.md").write_text(text)
    (docs / "picture.png").write_bytes(b"no text")
    return docs


def test_capsa_is_measured_and_absent_peers_are_named(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    home = ["--home", str(tmp_path / "home"), "eval", "speed", "--compare", "--folder", str(folder)]
    assert main([*home, "--peers", sys.executable, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    [capsa] = found["rows"]
    assert (capsa["name"], capsa["files"]) == ("capsa", 1)
    assert capsa["recall@10"] == 1
    assert set(capsa["ratios"].values()) == {1.0}
    assert len(found["missing"]) == len(PEERS)
    assert "Recoll (files): no program recollindex is installed" in found["missing"]


def test_a_peer_is_asked_the_same_and_compared(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "stub.py").write_text(STUB)
    shutil.copy(SCRIPTS / "measuring.py", tmp_path)
    monkeypatch.setattr(speed_compare, "SCRIPTS", tmp_path)
    peer = Peer("stub", "stub.py", "json")
    work = tmp_path / "questions.json"
    work.write_text('["priming the pump"]')
    questions = [ASKED]
    words = [folder, "model", "tokenizer", tmp_path / "work", 1, work]
    row = speed_compare._peer(Path(sys.executable), peer, words, questions)
    assert (row["files"], row["chunks"], row["tokens"], row["index_bytes"]) == (1, 10, 50, 100)
    assert row["recall@5"] == 1.0
    assert row["source_bytes"] == (folder / "pump.md").stat().st_size
    ratios = speed_compare._ratios({**row, "index_to_source": 2 * row["index_to_source"]}, row)
    assert ratios["index_to_source"] == 2.0


def test_every_peer_has_its_script() -> None:
    assert {peer.script for peer in PEERS} == {path.name for path in SCRIPTS.glob("*.py")} - SHARED


def test_a_comparison_needs_documents(tmp_path: Path) -> None:
    assert main(["--home", str(tmp_path), "eval", "speed", "--compare"]) == 2
    assert main(["--home", str(tmp_path), "eval", "speed", "--compare", "--folder", str(tmp_path)]) == 2


def test_a_peer_without_vectors_is_compared_by_bytes() -> None:
    record = {"source_bytes": 10**6, "wall_s": 1.0, "cpu_s": 2.0, "index_bytes": 10**5}
    rows = [
        speed_compare._row(name, {**record, "chunks": chunks, "answers": [{"ms": 1.0, "texts": []}]}, [ASKED])
        for name, chunks in (("capsa", 40), ("files", 0))
    ]
    for row in rows:
        row["ratios"] = speed_compare._ratios(rows[0], row)
    *_, last = speed_compare.lines({"rows": rows, "missing": []})
    assert last == "capsa against files, in a CPU second: 1.00 x the bytes; its index: 1.00 x"


@pytest.mark.parametrize("program", ["recollindex", "carrel"])
def test_programs_that_are_installed_find_files(folder: Path, tmp_path: Path, program: str) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    (folder / "picture.png").unlink()
    peer = next(peer for peer in PEERS if peer.program == program)
    work = tmp_path / "questions.json"
    work.write_text('["priming the pump?"]')
    words = [folder, "model", "tokenizer", tmp_path / "work", 1, work]
    row = speed_compare._peer(Path(sys.executable), peer, words, [ASKED])
    assert (row["files"], row["chunks"], row["recall@5"]) == (1, 0, 1.0)
    assert row["index_bytes"] > 1000
