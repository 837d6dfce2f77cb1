"""``capsa eval check``: each fault in one line, with the line of the file it is in."""

import json
from pathlib import Path
from typing import Any

import pytest
from small_corpus import rows, write_corpus, write_questions

from capsa.daemon.cli import main

GOOD: dict[str, Any] = {
    "id": "x",
    "question": "How is tea steeped?",
    "required_evidence": ["Steep it for two minutes"],
    "doc": "tea.md",
}


def check(tmp_path: Path, capsys: pytest.CaptureFixture[str], *questions: Any) -> tuple[int, list[str]]:
    root, _ = write_corpus(tmp_path)
    path = write_questions(tmp_path / "asked.jsonl", *questions)
    code = main(["eval", "check", str(path), str(root)])
    return code, capsys.readouterr().out.splitlines()


def test_a_sound_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, lines = check(tmp_path, capsys, *rows()[:4])
    assert (code, lines) == (0, ["4 questions, 3 documents, 0 faults"])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"required_evidence": ["nowhere at all"]}, "evidence found nowhere in the corpus: nowhere at all"),
        (
            {"required_evidence": ["a little cold milk"]},
            "not in tea.md but in cocoa.html: a little cold milk",
        ),
        ({"required_evidence": ["two minutes steep it for longer"]}, "by 80 % of its words only"),
        ({"doc": "none.md"}, "its document none.md is not in"),
        ({"doc": "broken.pdf"}, "its document broken.pdf cannot be read: damaged"),
        ({"pages": [2]}, "page 2: tea.md has 0"),
        ({"doc": "", "pages": [2]}, '"pages" without "doc"'),
        ({"question": "Steep it for two minutes?"}, "the question holds its evidence"),
        ({"question": "when are coffee  beans ground?"}, "asks what c1 (line 3) asks"),
        ({"id": "t1"}, 'the id "t1" is used twice, first in line 1'),
        ({"required_evidence": []}, '"required_evidence" must be'),
        ({"slice": "heldout"}, "leak between slices: its document tea.md is also that of t1 (line 1)"),
    ],
)
def test_each_fault_is_one_line(
    change: dict[str, Any], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, lines = check(tmp_path, capsys, *rows()[:4], GOOD | change)
    assert code == 1
    assert any("asked.jsonl:5: " in line and says in line for line in lines), lines


def test_all_faults_are_told_and_the_order_of_the_words_does_not_matter(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root, _ = write_corpus(tmp_path)
    path = write_questions(tmp_path / "asked.jsonl", {"id": 1}, GOOD | {"doc": "none.md"}, GOOD | {"id": "y"})
    assert main(["eval", "check", str(root), str(path), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["questions"], found["documents"], len(found["faults"])) == (2, 3, 3)


def test_evidence_that_is_nowhere_is_noted_and_a_wrong_corpus_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root, _ = write_corpus(tmp_path)
    common = ["--home", str(tmp_path / "home"), "eval", "run", str(root)]
    path = write_questions(tmp_path / "asked.jsonl", *rows())
    assert main([*common, str(path), "--retriever", "bm25"]) == 0
    out = capsys.readouterr().out
    assert "note: 1 of 5 questions have evidence that is nowhere in the corpus, first" in out
    assert "asked.jsonl:5" in out
    write_questions(path, GOOD | {"required_evidence": ["nothing"]})
    assert main([*common, str(path), "--retriever", "bm25"]) == 2
    err = capsys.readouterr().err
    assert "asked.jsonl:1: this evidence and all other is nowhere in the corpus" in err
    assert err.count("\n") == 1
