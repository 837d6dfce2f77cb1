"""``capsa eval codes`` on a small corpus, and its parts on made vectors."""

import json
from pathlib import Path

import numpy as np
import pytest
from small_corpus import write_corpus

from capsa.daemon.cli import main
from capsa.eval.codes import CANDIDATES, Rescored, candidates, mark_frontier, same_first_ten
from capsa.eval.exact import ExactVectors, Kept


def kept(rows: int = 400, dimension: int = 64) -> Kept:
    vectors = np.random.default_rng(1).standard_normal((rows, dimension)).astype(np.float32)
    return Kept(np.arange(1, rows + 1), vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def test_there_is_a_candidate_for_each_step_of_the_bar() -> None:
    assert len(list(candidates(kept()))) == CANDIDATES


def test_a_smaller_code_shares_less_of_its_first_ten() -> None:
    made = kept()
    named = {each.name: each for each in candidates(made)}
    exact = named["float32"].make()
    queries = made.vectors[:20]
    shares = [same_first_ten(named[name].make(), exact, queries) for name in ("pq48", "pq96", "pq192", "sq8")]
    assert shares == sorted(shares)
    assert same_first_ten(exact, exact, queries) == 1.0


def test_the_first_hits_are_scored_again_and_the_others_stay() -> None:
    made = kept()
    rough = ExactVectors(made.chunks, np.roll(made.vectors, 1, axis=1))
    fine = ExactVectors(made.chunks, made.vectors)
    query = made.vectors[7]
    before, after = rough.search(query, 30), Rescored(rough, fine, 10).search(query, 30)
    assert {chunk for chunk, _ in after[:10]} == {chunk for chunk, _ in before[:10]}
    assert after[:10] == sorted(after[:10], key=lambda hit: -hit[1])
    assert after[10:] == before[10:]


def test_the_frontier_has_what_nothing_as_small_beats() -> None:
    rows = [
        {"name": name, "bytes": size, "same_first_ten": share}
        for name, size, share in [("a", 10, 0.5), ("b", 10, 0.6), ("c", 20, 0.55), ("d anew", 10, 0.9)]
    ]
    mark_frontier(rows)
    assert [row["frontier"] for row in rows] == [False, True, False, True]


def test_the_command_prints_a_row_for_each_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus, questions = write_corpus(tmp_path)
    words = ["--home", str(tmp_path / "home"), "eval", "codes", str(corpus), str(questions)]
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    rows = {row["name"]: row for row in found["sets"][0]["rows"]}
    assert rows["float32"]["same_first_ten"] == 1.0
    assert rows["float32"]["differences"]["mrr"]["mean"] == 0
    assert {name for name, row in rows.items() if row["settable"]} >= {"pq24", "pq48", "pq96", "sq8"}
    assert main(words) == 0
    assert "on the frontier" in capsys.readouterr().out
