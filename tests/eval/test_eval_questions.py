import json
from pathlib import Path
from typing import Any

import pytest

from capsa.chunkers.errors import UsageError
from capsa.eval.questions import load_questions, without_heldout

GOOD: dict[str, Any] = {"id": "q1", "question": "Who?", "required_evidence": ["the clerk"], "doc": "a.md"}


def write(path: Path, *rows: object) -> Path:
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), "utf-8")
    return path


def test_a_question_is_read_with_all_it_says(tmp_path: Path) -> None:
    row = GOOD | {"type": "list", "phrasing": "natural", "pages": [2, 3], "difficulty": "easy"}
    (question,) = load_questions(write(tmp_path / "q.jsonl", row, ""))
    assert (question.id, question.text, question.evidence) == ("q1", "Who?", ("the clerk",))
    assert (question.type, question.phrasing, question.pages) == ("list", "natural", (2, 3))
    assert question.verbatim


def test_one_evidence_string_may_stand_alone(tmp_path: Path) -> None:
    path = write(tmp_path / "q.jsonl", GOOD | {"required_evidence": "the clerk", "verbatim": False})
    (question,) = load_questions(path)
    assert question.evidence == ("the clerk",)
    assert not question.verbatim


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        (["{"], ":1: not JSON"),
        (["[]"], ":1: expected a JSON object"),
        ([GOOD, {"id": "q2", "required_evidence": ["x"]}], ':2: "question" is missing'),
        ([GOOD | {"id": "  "}], ':1: "id" is missing'),
        ([GOOD | {"required_evidence": []}], ':1: "required_evidence" must be'),
        ([GOOD | {"required_evidence": ["a", " "]}], ':1: "required_evidence" must be'),
        ([GOOD, GOOD], ':2: the id "q1" is used twice, first in line 1'),
        ([GOOD | {"pages": [0]}], ':1: "pages" must be'),
        ([GOOD | {"pages": "3"}], ':1: "pages" must be'),
        ([GOOD | {"pages": [True]}], ':1: "pages" must be'),
        ([GOOD | {"slice": "test"}], ':1: "slice" must be'),
        (["[" * 100_000], ":1: not JSON"),
        ([], "holds no questions"),
    ],
)
def test_a_bad_file_is_told_in_one_line(tmp_path: Path, rows: list[object], says: str) -> None:
    with pytest.raises(UsageError) as caught:
        load_questions(write(tmp_path / "q.jsonl", *rows))
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_or_not_text(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.jsonl: cannot be read"):
        load_questions(tmp_path / "none.jsonl")
    (tmp_path / "binary.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="cannot be read as a question file"):
        load_questions(tmp_path / "binary.jsonl")


def test_a_question_with_pages_may_be_without_evidence(tmp_path: Path) -> None:
    path = write(tmp_path / "q.jsonl", {"id": "p", "question": "?", "doc": "a.pdf", "pages": [3, 1, 3]})
    (question,) = load_questions(path)
    assert (question.evidence, question.pages) == ((), (1, 3))
    with pytest.raises(UsageError, match="required_evidence"):
        load_questions(write(path, {"id": "p", "question": "?", "pages": [3]}))


def test_held_out_questions_are_left_out(tmp_path: Path) -> None:
    rows = [GOOD | {"slice": "heldout"}, GOOD | {"id": "q2", "slice": "development"}]
    questions = load_questions(write(tmp_path / "q.jsonl", *rows))
    assert [question.id for question in without_heldout(questions, tmp_path)] == ["q2"]
    with pytest.raises(UsageError, match="only `capsa eval heldout`"):
        without_heldout(questions[:1], tmp_path)
