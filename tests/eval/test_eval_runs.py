"""A run on disk: what is written is read back, an interrupted group leaves nothing."""

from pathlib import Path
from typing import Any

import pytest

from capsa.chunkers.errors import CapsaError, UsageError
from capsa.eval.runs import COLUMNS, METRIC_COLUMNS, TABLE, RunFolder, read_rows, read_sidecar, to_csv

DESCRIPTION = {"fingerprint": "abc", "seed": 1}


def row(question: str, **values: Any) -> dict[str, Any]:
    filled: dict[str, Any] = dict.fromkeys(COLUMNS, "") | dict.fromkeys(METRIC_COLUMNS, 0.5)
    return (
        filled
        | {"size": None, "overlap": None, "dimension": 384, "evidence": 2, "tokens": 7}
        | {
            "question_id": question,
            **values,
        }
    )


def test_rows_come_back_with_their_types(tmp_path: Path) -> None:
    run = RunFolder.open(tmp_path / "run", DESCRIPTION)
    run.add("g", to_csv([row('a,"b"\n', overlap=0.15, span_recall=None)]), [{"cell": 1}])
    record = run.finish(gaps=[])
    (found,) = read_rows(tmp_path / "run")
    assert (found["question_id"], found["overlap"], found["span_recall"]) == ('a,"b"\n', 0.15, None)
    assert (found["dimension"], found["evidence"], found["size"], found["er@1"]) == (384, 2, None, 0.5)
    assert read_sidecar(tmp_path / "run") == record
    assert record["cells"] == [{"cell": 1}]
    assert record["complete"]


def test_a_run_goes_on_after_its_last_whole_group(tmp_path: Path) -> None:
    run = RunFolder.open(tmp_path, DESCRIPTION)
    run.add("one", to_csv([row("a")]), [])
    with (tmp_path / TABLE).open("a") as file:
        file.write("half a ro")
    again = RunFolder.open(tmp_path, DESCRIPTION)
    assert again.done == {"one"}
    again.add("two", to_csv([row("b")]), [])
    assert [found["question_id"] for found in read_rows(tmp_path)] == ["a", "b"]


def test_a_run_begun_and_left_at_once_can_go_on(tmp_path: Path) -> None:
    RunFolder.open(tmp_path, DESCRIPTION)
    RunFolder.open(tmp_path, DESCRIPTION).add("one", to_csv([row("a")]), [])
    assert len(list(read_rows(tmp_path))) == 1


def test_another_run_is_not_mixed_in_nor_overwritten_unasked(tmp_path: Path) -> None:
    RunFolder.open(tmp_path, DESCRIPTION).add("one", to_csv([row("a")]), [])
    with pytest.raises(UsageError, match="--fresh"):
        RunFolder.open(tmp_path, {"fingerprint": "other"})
    assert RunFolder.open(tmp_path, {"fingerprint": "other"}, fresh=True).done == frozenset()
    assert list(read_rows(tmp_path)) == []


def test_a_table_of_someone_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / TABLE).write_text("mine")
    with pytest.raises(UsageError, match="belongs to no run"):
        RunFolder.open(tmp_path, DESCRIPTION, fresh=True)
    assert (tmp_path / TABLE).read_text() == "mine"


@pytest.mark.parametrize(
    ("table", "says"), [("a,b\n1,2\n", "no column question_id"), (",".join(COLUMNS) + "\nx\n", "csv:2: ")]
)
def test_a_damaged_table_is_told_with_its_line(tmp_path: Path, table: str, says: str) -> None:
    (tmp_path / TABLE).write_text(table)
    with pytest.raises(CapsaError, match=says):
        list(read_rows(tmp_path))


def test_no_run_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no run"):
        list(read_rows(tmp_path))
    with pytest.raises(UsageError, match="holds no run"):
        read_sidecar(tmp_path)
    (tmp_path / "run.json").write_text("{")
    with pytest.raises(CapsaError, match="damaged"):
        read_sidecar(tmp_path)
