"""The shipped slices side by side, and who may read the held-out one."""

import json
from pathlib import Path

import pytest
from small_corpus import rows, write_corpus, write_questions

from capsa.daemon.cli import main
from capsa.eval import heldout, options, shipped
from capsa.eval.heldout import SLICES, gap_interval, in_slice
from capsa.eval.questions import Question

EVAL = Path(heldout.__file__).parent


def files_that_say(word: str) -> set[str]:
    found = (path for path in EVAL.rglob("*.py") if word in path.read_text(encoding="utf-8"))
    return {path.relative_to(EVAL).as_posix() for path in found}


def test_only_two_commands_read_the_held_out_questions() -> None:
    assert files_that_say('questions("heldout")') == {"heldout.py"}
    assert files_that_say("both_slices") == {"heldout.py", "commands/heldout.py", "commands/strategies.py"}


def test_every_other_command_gets_the_development_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def questions(part: str) -> list[Question]:
        asked.append(part)
        return [Question(part, "?", ("x",), "a.md", slice=part)]

    monkeypatch.setattr(shipped, "questions", questions)
    (found,) = options.read_sets([])
    assert asked == ["development"]
    assert [question.id for question in found.questions] == ["development"]
    assert [question.id for question in heldout.both_slices().questions] == ["development", "heldout"]


def test_rows_without_a_slice_are_development_rows() -> None:
    rows = [{"slice": ""}, {"slice": "heldout"}, {"slice": "development"}]
    assert in_slice(rows, "development") == [rows[0], rows[2]]
    assert in_slice(rows, "heldout") == [rows[1]]


def test_the_gap_is_that_of_the_means_and_its_interval_holds_it() -> None:
    found = gap_interval([1, 1, 0, 1], [0, 1, 0])
    assert found.mean == pytest.approx(1 / 3 - 3 / 4)
    assert found.low < found.mean < found.high


def test_both_slices_are_printed_side_by_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root, path = write_corpus(tmp_path)
    mixed = [row | {"slice": SLICES[place % 2]} for place, row in enumerate(rows())]
    write_questions(path, *mixed)
    words = ["--home", str(tmp_path / "home"), "eval", "heldout", str(root), str(path)]
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["schema"] == "capsa.eval.heldout/1"
    assert found["questions"] == {"development": 3, "heldout": 2}
    assert set(found["retrievers"]) == {"bm25", "dense", "hybrid"}
    # The last question's evidence is nowhere, and it is a development question.
    coverage = found["retrievers"]["hybrid"]["coverage"]
    assert (coverage["development"], coverage["heldout"]) == (pytest.approx(2 / 3), 1)
    for metrics in found["retrievers"].values():
        for sides in metrics.values():
            assert sides["mean"] == pytest.approx(sides["heldout"] - sides["development"])
            assert sides["low"] <= sides["mean"] <= sides["high"]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "3 development and 2 held-out questions" in out
    assert "hybrid ER@10 by type" in out


def test_a_file_of_one_slice_has_nothing_to_compare(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root, path = write_corpus(tmp_path)
    assert main(["eval", "heldout", str(root), str(path)]) == 2
    assert 'no question has "slice": "heldout"' in capsys.readouterr().err
    assert main(["eval", "heldout", str(root)]) == 2
    assert "or neither" in capsys.readouterr().err
