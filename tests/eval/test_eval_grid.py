"""``capsa eval grid`` on three documents: its table, its record, going on after a stop, its gaps."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_corpus import rows, write_corpus, write_questions

from capsa.chunkers.errors import UnavailableError
from capsa.chunkers.parsers import PARSERS
from capsa.daemon.cli import main
from capsa.eval import grid, gridrun
from capsa.eval.compare import SEED
from capsa.eval.gaps import split_models, split_parsers
from capsa.eval.runs import read_rows, read_sidecar
from capsa.store.models import load_model, model_path, tokenizer_path
from capsa.store.registry import KNOWN

Run = Callable[..., tuple[int, str, str]]
SMALL = ("--parsers", "native,normal", "--chunkers", "sentence,basic", "--json")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture
def run(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    root, questions = write_corpus(tmp_path)

    def ask(*options: str) -> tuple[int, str, str]:
        words = ["eval", "grid", str(root), str(questions), "--out", str(tmp_path / "run"), *options]
        code = main(["--home", str(home), *words])
        return (code, *capsys.readouterr())

    return ask


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The groups that are done, as they are begun."""
    begun: list[str] = []
    do_group = grid.do_group

    def noted(plan: Any, group: Any, *others: Any) -> Any:
        begun.append(group.name)
        return do_group(plan, group, *others)

    monkeypatch.setattr(gridrun, "do_group", noted)
    return begun


def add_model(folder: Path, name: str, *options: str) -> list[str]:
    """Add the shipped model's files as a user's model to a home; return the options that name the home."""
    shipped = load_model(folder)
    model = folder / name
    model.mkdir()
    shutil.copy(model_path(shipped), model / "model.onnx")
    shutil.copy(tokenizer_path(shipped), model / "tokenizer.json")
    home = ["--home", str(folder / "home")]
    assert main([*home, "model", "add", str(model), *options]) == 0
    return home


def test_every_cell_has_a_row_for_each_question(run: Run, tmp_path: Path) -> None:
    code, out, err = run(*SMALL)
    assert (code, err) == (0, "")
    record = json.loads(out)
    assert record == read_sidecar(tmp_path / "run")
    assert (record["complete"], record["seed"]) == (True, SEED)
    # 2 parsers x 2 chunkers x 4 retrievers x 2 scopes
    assert len(record["cells"]) == 32
    rows = list(read_rows(tmp_path / "run"))
    assert len(rows) == 32 * 5 * 2
    assert {row["matcher"] for row in rows} == {"strict", "paper"}
    assert all(row["er@1"] <= row["er@10"] <= row["coverage"] for row in rows)
    assert {row["miss"] for row in rows if row["question_id"] == "k2"} == {"parse"}
    for cell in record["cells"]:
        assert (cell["documents"], cell["questions"]) == (3, 5)
        assert cell["coverage"] == pytest.approx(0.8)
        assert 0 < cell["er@10"] <= 0.8
        assert cell["index_bytes"] > 0
        assert (cell["vector_count"] > 0) == (cell["model"] != "")


def test_missing_models_and_parsers_are_named(run: Run) -> None:
    code, out, _ = run("--parsers", "native,docling", "--chunkers", "basic", "--scope", "document")
    assert code == 0
    assert all(f"not here: model {name}: " in out for name in KNOWN)
    assert "ER@5 by question type" in out
    assert "ER@10, mean over chunkers" in out
    assert ("not here: parser docling: " in out) == bool(split_parsers(["docling"])[1])


def test_models_and_parsers_are_split_into_here_and_not(tmp_path: Path) -> None:
    here, gaps = split_models(tmp_path, ())
    assert here == ["all-MiniLM-L6-v2"]
    assert [gap.name for gap in gaps] == list(KNOWN)
    assert split_models(tmp_path, ["magic"])[1][0].name == "magic"
    assert split_parsers(["native"]) == (["native"], [])


def test_a_stopped_grid_goes_on_and_repeats_nothing(
    run: Run, done: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    do_group = gridrun.do_group

    def stop_after_two(*words: Any) -> Any:
        if len(done) == 2:
            raise KeyboardInterrupt
        return do_group(*words)

    with monkeypatch.context() as patch:
        patch.setattr(gridrun, "do_group", stop_after_two)
        assert run(*SMALL)[0] == 130
    assert "complete" not in read_sidecar(tmp_path / "run")
    assert len(done) == 2
    assert run(*SMALL)[0] == 0
    assert len(set(done)) == len(done) == 4
    assert len(list(read_rows(tmp_path / "run"))) == 320
    assert run(*SMALL)[0] == 0
    assert len(done) == 4


def test_groups_done_before_are_copied_into_another_run(
    run: Run, done: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ("--chunkers", "basic", "--scope", "document", "--retrievers", "bm25", "--json")
    first = json.loads(run(*options)[1])
    groups = len(done)
    table = (tmp_path / "run" / "results.csv").read_bytes()
    shutil.rmtree(tmp_path / "run")
    again = json.loads(run(*options)[1])
    assert (again["cells"], len(done)) == (first["cells"], groups)
    assert (tmp_path / "run" / "results.csv").read_bytes() == table
    run(*options, "--fresh")
    assert len(done) == 2 * groups
    monkeypatch.setattr(gridrun, "describe", lambda *_: {**first, "code_sha256": "newer"})
    shutil.rmtree(tmp_path / "run")
    run(*options)
    assert len(done) == 3 * groups


def test_other_options_do_not_go_into_the_same_run(run: Run) -> None:
    assert run("--chunkers", "basic", "--scope", "document", "--retrievers", "bm25")[0] == 0
    code, _, err = run("--chunkers", "sentence", "--scope", "document", "--retrievers", "bm25")
    assert code == 2
    assert "--fresh" in err
    assert run("--chunkers", "sentence", "--scope", "document", "--retrievers", "bm25", "--fresh")[0] == 0


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--parsers", "magic"], "there is no parser 'magic'"),
        (["--chunkers", "magic"], "there is no chunker 'magic'"),
        (["--retrievers", "magic"], "there is no retriever 'magic'"),
        (["--parsers", ","], "names nothing"),
    ],
)
def test_wrong_words_are_one_line(run: Run, options: list[str], says: str) -> None:
    code, out, err = run(*options)
    assert (code, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1


def test_a_folder_without_questions_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "grid", "--out", str(tmp_path / "run"), str(tmp_path)]) == 2
    assert "needs a question file after it" in capsys.readouterr().err


def test_a_parser_that_turns_out_not_to_work_is_a_gap_and_the_others_go_on(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> Any:
        raise UnavailableError("its models are not on this machine")

    monkeypatch.setitem(PARSERS, "normal", refuse)  # type: ignore[arg-type]
    record = json.loads(run("--chunkers", "basic", "--parsers", "native,normal", "--json")[1])
    assert {"axis": "parser", "name": "normal", "reason": "its models are not on this machine"} in record[
        "gaps"
    ]
    assert {cell["parser"] for cell in record["cells"]} == {"native"}


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("scope", ["document", "corpus"])
def test_an_unknown_document_is_told_with_its_line(
    workers: str, scope: str, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root, questions = write_corpus(tmp_path)
    write_questions(questions, *rows(), rows()[0] | {"id": "x", "doc": "none.md"})
    words = ["eval", "grid", str(root), str(questions), "--out", str(tmp_path / "run"), "--chunkers", "basic"]
    options = ["--parsers", "native", "--retrievers", "bm25", "--scope", scope, "--workers", workers]
    assert main(["--home", str(home), *words, *options]) == 2
    err = capsys.readouterr().err
    assert f"{questions}:6: question x: its document none.md is not in" in err
    assert err.count("\n") == 1


def test_a_model_that_was_added_has_cells_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The shipped file as a user's model: embedded in another way, so that its vectors are near the same."""
    home = add_model(tmp_path, "mine")
    root, questions = write_corpus(tmp_path)
    words = ["eval", "grid", str(root), str(questions), "--out", str(tmp_path / "run"), "--chunkers", "basic"]
    capsys.readouterr()
    assert main([*home, *words, "--parsers", "native", "--scope", "corpus", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert list(record["models"]) == ["all-MiniLM-L6-v2", "mine"]
    cells = {(cell["model"], cell["retriever"]): cell for cell in record["cells"]}
    assert cells["mine", "dense"]["er@10"] == cells["all-MiniLM-L6-v2", "dense"]["er@10"]
    assert (cells["mine", "dense"]["vectors"], cells["mine", "hybrid"]["vectors"]) == ("flat", "pq96")


def test_a_model_that_cannot_read_the_passages_is_a_gap_also_when_the_run_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Passages are cut in tokens of the first model; another one may read fewer."""
    home = add_model(tmp_path, "narrow", "--window", "34")
    root, questions = write_corpus(tmp_path)
    (root / "long.md").write_text("sparrows and other birds " * 40, encoding="utf-8")
    words = ["eval", "grid", str(root), str(questions), "--out", str(tmp_path / "run"), "--chunkers", "basic"]
    for _ in range(2):
        capsys.readouterr()
        assert main([*home, *words, "--parsers", "native", "--scope", "corpus", "--json"]) == 0
        record = json.loads(capsys.readouterr().out)
        (reason,) = (gap["reason"] for gap in record["gaps"] if gap["name"] == "narrow")
        assert reason.startswith("some passages have more than the 34 tokens that it reads")
        assert {cell["model"] for cell in record["cells"]} == {"", "all-MiniLM-L6-v2"}
    words[words.index("--out") + 1] = str(tmp_path / "alone")
    options = ["--models", "narrow", "--parsers", "native", "--scope", "corpus", "--json"]
    assert main([*home, *words, *options]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["gaps"] == []
    assert {cell["model"] for cell in record["cells"]} == {"", "narrow"}
