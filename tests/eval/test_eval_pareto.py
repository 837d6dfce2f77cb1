"""Frontiers: nothing on them is beaten, everything else is."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_runs import make_rows, write_run

from capsa.daemon.cli import main
from capsa.eval.pareto import frontier

POINTS = st.lists(
    st.fixed_dictionaries({"cost": st.integers(0, 9), "er@5": st.integers(0, 9)}), min_size=1, max_size=12
)


@settings(max_examples=60)
@given(POINTS)
def test_a_frontier_is_what_nothing_beats(points: list[dict[str, int]]) -> None:
    kept = frontier(points, "cost", "er@5")
    for point in points:
        beaten = any(
            other["cost"] <= point["cost"] and other["er@5"] >= point["er@5"] and other != point
            for other in points
        )
        assert (point in kept) != beaten
    assert [point["cost"] for point in kept] == sorted({point["cost"] for point in kept})
    assert [point["er@5"] for point in kept] == sorted({point["er@5"] for point in kept})


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_run(tmp_path / "run", make_rows(lift={"A": 0.4, "B": 0.4}))
    assert main(["eval", "pareto", str(folder)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "made, scope document: 8 configurations, 80 questions, strict match" in out
    assert "Evidence Recall@5 against bytes of the index" in out
    assert main(["eval", "pareto", str(folder), "--json", "--metric", "er@10"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["schema"], found["metric"]) == ("capsa.eval.pareto/1", "er@10")
    (group,) = found["sets"]
    assert len(group["points"]) == 8
    # The best of BM25 is cheaper, the best of the dense ones finds more.
    assert [point["retriever"] for point in group["frontiers"]["index_bytes"]] == ["bm25", "dense"]
    best = max(group["points"], key=lambda point: point["er@10"])
    assert group["frontiers"]["latency_p50_ms"][-1] == best


def test_no_run_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "pareto", str(tmp_path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "holds no run" in err
    assert err.count("\n") == 1
