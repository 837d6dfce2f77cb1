"""Statistics over runs: effects that were put into data are found again, tests and intervals by hand."""

import csv
import json
import sys
from collections.abc import Callable, Iterator
from itertools import product
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_runs import make_rows, write_run

from capsa.chunkers.errors import CapsaError, UnavailableError, UsageError
from capsa.daemon.cli import main
from capsa.eval import stats_model
from capsa.eval.stats_bootstrap import clustered
from capsa.eval.stats_model import fit, fit_any, fit_complete, make_design
from capsa.eval.stats_runs import Setup, load_runs, make_matrix, setup_names
from capsa.eval.stats_tests import holm, paired_p
from capsa.eval.stats_versus import by_embedding, leaderboard, versus_bm25

Run = Callable[..., tuple[int, str, str]]
PARSERS, CHUNKERS, MODELS = ("context_aware", "normal"), ("basic", "medium"), ("bge-base-en-v1.5", "mpnet")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def ask(*options: object) -> tuple[int, str, str]:
        code = main(["eval", "stats", *map(str, options)])
        return (code, *capsys.readouterr())

    return ask


def known_effects() -> dict[tuple[str, ...], float]:
    return {("normal",): 0.04, ("medium",): 0.03, ("mpnet",): -0.05, ("normal", "medium"): -0.08}


def simulate(questions: int, noise: float) -> tuple[list[Setup], np.ndarray[Any, Any]]:
    """The paper's table 3: main effects, an interaction, a question's own intercept, noise."""
    random = np.random.default_rng(7)
    setups = [Setup(p, c, "dense", m) for p, c, m in product(PARSERS, CHUNKERS, MODELS)]
    means = [
        0.8 + sum(value for levels, value in known_effects().items() if set(levels) <= set(setup))
        for setup in setups
    ]
    own = random.normal(0, 0.2, questions)
    return setups, np.array(means)[:, None] + own + random.normal(0, noise, (len(setups), questions))


def test_the_model_finds_known_effects() -> None:
    pytest.importorskip("statsmodels")
    setups, values = simulate(400, 0.1)
    model = fit(setups, values)
    assert model["reference"] == {"parser": "context_aware", "chunker": "basic", "embedding": MODELS[0]}
    assert (model["observations"], model["questions"], model["cells"]) == (3200, 400, 8)
    found = {effect["name"]: effect for effect in model["effects"]}
    assert len(found) == 8
    for levels, value in known_effects().items():
        effect = found[" x ".join(levels)]
        assert effect["estimate"] == pytest.approx(value, abs=0.025)
        assert abs(effect["estimate"] - value) < 3 * effect["error"]
        assert effect["p"] < 0.01
    assert found["normal x medium x mpnet"]["p"] > 0.01
    assert model["question_variance"] == pytest.approx(0.04, rel=0.25)
    assert model["residual_variance"] == pytest.approx(0.01, rel=0.1)
    terms = {term["term"]: term for term in model["terms"]}
    assert terms["parser x chunker"]["p"] < 0.0001
    assert terms["parser x chunker x embedding"]["p"] > 0.01


def test_effects_of_crossed_cells_are_differences_of_their_means() -> None:
    pytest.importorskip("statsmodels")
    setups, values = simulate(40, 0.1)
    effects = {effect["name"]: effect["estimate"] for effect in fit(setups, values)["effects"]}
    means = dict(zip(setups, values.mean(axis=1), strict=True))
    base = means[Setup("context_aware", "basic", "dense", MODELS[0])]
    normal = means[Setup("normal", "basic", "dense", MODELS[0])]
    assert effects["intercept"] == pytest.approx(base, abs=1e-6)
    assert effects["normal"] == pytest.approx(normal - base, abs=1e-6)


@pytest.mark.parametrize("own", [0.2, 0.0])
def test_the_closed_form_is_what_statsmodels_finds(own: float) -> None:
    pytest.importorskip("statsmodels")
    random = np.random.default_rng(11)
    setups, _ = simulate(60, 0.1)
    values = 0.8 + random.normal(0, own, 60) + random.normal(0, 0.1, (8, 60))
    columns = make_design(setups).columns
    one, other = fit_complete(columns, values), fit_any(columns, values, stats_model._mixed_model())
    assert one.estimates == pytest.approx(other.estimates, abs=1e-6)
    assert one.within == pytest.approx(other.within, rel=0.01)
    assert one.between == pytest.approx(other.between, rel=0.01, abs=1e-4)
    assert np.sqrt(np.diag(one.covariance)) == pytest.approx(np.sqrt(np.diag(other.covariance)), rel=0.01)


def test_missing_values_are_left_out_of_the_model() -> None:
    pytest.importorskip("statsmodels")
    setups, values = simulate(400, 0.1)
    values[np.random.default_rng(1).random(values.shape) < 0.2] = np.nan
    model = fit(setups, values)
    assert model["observations"] == int((~np.isnan(values)).sum())
    found = {effect["name"]: effect for effect in model["effects"]}
    for levels, value in known_effects().items():
        effect = found[" x ".join(levels)]
        assert abs(effect["estimate"] - value) < 3 * effect["error"]


def test_no_effect_is_seldom_significant() -> None:
    pytest.importorskip("statsmodels")
    random = np.random.default_rng(3)
    setups = [Setup(p, c, "dense", m) for p, c, m in product(PARSERS, CHUNKERS, MODELS)]
    ps = [
        effect["p"]
        for _ in range(20)
        for effect in fit(setups, random.normal(0.5, 0.2, (8, 50)) + random.normal(0, 0.2, 50))["effects"][1:]
    ]
    assert 0.01 < np.mean(np.array(ps) < 0.05) < 0.11


def test_another_reference_turns_the_sign() -> None:
    pytest.importorskip("statsmodels")
    setups, values = simulate(50, 0.1)
    model = fit(setups, values, ["normal", "mpnet"])
    assert model["reference"] == {"parser": "normal", "chunker": "basic", "embedding": "mpnet"}
    effects = {effect["name"]: effect["estimate"] for effect in model["effects"]}
    assert effects[MODELS[0]] > 0


def test_effects_of_missing_cells_are_named() -> None:
    setups = [Setup("normal", "basic", "dense", "a"), Setup("normal", "medium", "dense", "a")]
    design = make_design([*setups, Setup("native", "basic", "dense", "a")])
    assert design.left_out == ((("parser", "normal"), ("chunker", "medium")),)
    assert design.columns.shape == (3, 3)
    with pytest.raises(UsageError, match="there is no level 'magic'"):
        make_design(setups, ["magic"])


def test_too_little_is_one_line() -> None:
    setups, values = simulate(400, 0.1)
    with pytest.raises(CapsaError, match="9 questions are too few for a model: it takes 10"):
        fit(setups, values[:, :9])
    with pytest.raises(CapsaError, match="at least two configurations"):
        fit(setups[:1], values[:1])
    with pytest.raises(CapsaError, match="every value is 1"):
        fit(setups, np.ones_like(values))


def test_without_statsmodels_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "statsmodels.regression.mixed_linear_model", None)
    with pytest.raises(UnavailableError, match=r"pip install 'capsa\[eval\]'"):
        stats_model._mixed_model()


def test_the_command_without_statsmodels(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "statsmodels.regression.mixed_linear_model", None)
    code, out, err = run(write_run(tmp_path / "run", make_rows()))
    assert (code, out, err) == (3, "", "capsa: the model needs statsmodels: pip install 'capsa[eval]'\n")


# Paired tests


def by_counting(differences: list[float]) -> float:
    """All ways to turn the signs, one by one."""
    total = abs(sum(differences))
    sums = [abs(sum(s * d for s, d in zip(signs, differences, strict=True))) for signs in _signs(differences)]
    return sum(value >= total - 1e-9 for value in sums) / len(sums)


def _signs(differences: list[float]) -> Iterator[tuple[int, ...]]:
    return product((-1, 1), repeat=len(differences))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from([-1.0, -0.5, -1 / 3, 0.0, 0.25, 0.5, 2 / 3, 1.0]), min_size=1, max_size=9))
def test_the_paired_test_counts_all_signs(differences: list[float]) -> None:
    assert paired_p(np.array(differences)) == pytest.approx(by_counting(differences))


def test_for_found_or_not_it_is_mcnemars_exact_test() -> None:
    # 9 questions only the one finds, 2 only the other: P(X <= 2 or X >= 9), X ~ Bin(11, 1/2)
    differences = np.array([1.0] * 9 + [-1.0] * 2 + [0.0] * 30)
    assert paired_p(differences) == pytest.approx(2 * sum(comb(11, k) for k in range(3)) / 2**11)
    assert paired_p(np.zeros(5)) == 1.0


def test_recalls_rounded_in_the_table_count_as_they_were() -> None:
    assert paired_p(np.array([0.333333, 0.333333, 0.333333])) == pytest.approx(0.25)


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


# Intervals


def test_intervals_of_independent_questions_are_those_of_the_normal_law() -> None:
    values = np.random.default_rng(1).normal(0.5, 0.2, (1, 400))
    found = clustered(values, np.arange(400), 4000)
    assert found is not None
    reach = 1.96 * values.std() / 20
    assert found.high[0] - values.mean() == pytest.approx(reach, rel=0.1)
    assert values.mean() - found.low[0] == pytest.approx(reach, rel=0.1)


def test_alike_questions_of_a_document_widen_its_interval() -> None:
    documents = np.repeat(np.arange(20), 20)
    values = np.random.default_rng(2).normal(0, 1, 20)[documents][None]
    narrow, wide = clustered(values, np.arange(400), 2000), clustered(values, documents, 2000)
    assert narrow is not None
    assert wide is not None
    assert wide.high[0] - wide.low[0] > 3 * (narrow.high[0] - narrow.low[0])
    assert clustered(values, np.zeros(400, dtype=np.int64)) is None


# Runs


def test_dense_against_bm25_by_cell(tmp_path: Path) -> None:
    run_folder = write_run(tmp_path / "run", make_rows(lift={"A": 0.5, "B": -0.5}))
    matrix = make_matrix(load_runs([run_folder]), "document", "strict", "er@10")
    cells = versus_bm25(matrix)
    assert [(cell["document"], cell["questions"]) for cell in cells] == [("made: A", 40), ("made: B", 40)] * 4
    assert all((cell["difference"] > 0) == (cell["document"] == "made: A") for cell in cells)
    (row,) = by_embedding(cells, matrix, 500)
    assert (row["cells"], row["wins"], row["losses"]) == (8, 4, 4)
    assert row["significant_wins"] == row["significant_losses"] == 0.5
    assert row["mean_difference"] == pytest.approx(np.mean([cell["difference"] for cell in cells]))
    assert all(cell["p"] <= cell["p_holm"] <= 8 * cell["p"] + 1e-12 for cell in cells)


def test_documents_of_few_questions_are_put_together(tmp_path: Path) -> None:
    rows = make_rows(documents=("A", "B"), questions=10)
    matrix = make_matrix(load_runs([write_run(tmp_path / "run", rows)]), "document", "strict", "er@10")
    assert {cell["document"] for cell in versus_bm25(matrix)} == {"made: documents of few questions"}


def test_the_leaderboard_is_in_order(tmp_path: Path) -> None:
    run_folder = write_run(tmp_path / "run", make_rows(lift={"A": 0.3, "B": 0.3}))
    rows = leaderboard(make_matrix(load_runs([run_folder]), "document", "strict", "er@10"), 500)
    assert [row["mean"] for row in rows] == sorted((row["mean"] for row in rows), reverse=True)
    assert rows[0]["retriever"] == "dense"
    assert rows[0]["p_holm"] is None
    assert all(row["by_question"]["low"] <= row["mean"] <= row["by_question"]["high"] for row in rows)


def test_sizes_and_dimensions_are_part_of_a_name(tmp_path: Path) -> None:
    rows = [*make_rows(size=256, overlap=32.0), *make_rows(size=128, overlap=0.0, dimension=64)]
    cells = load_runs([write_run(tmp_path / "run", rows)]).cells_with(matcher="strict", retriever="dense")
    names = {(setup.chunker, setup.embedding) for setup in setup_names(cells).values()}
    assert ("basic 256+32", "model") in names
    assert ("basic 128+0", "model [64]") in names


def test_the_command(tmp_path: Path, run: Run) -> None:
    pytest.importorskip("statsmodels")
    folder = write_run(tmp_path / "run", make_rows(lift={"A": 0.5, "B": 0.4}))
    code, out, err = run(folder)
    assert (code, err) == (0, "")
    for part in ("Mixed-effects model of dense", "Mixed-effects model of bm25", "Reference: native / basic"):
        assert part in out
    assert "Dense against BM25 over the same chunks: 8 cells" in out
    assert "The pre-declared rule" not in out  # strict rows only
    code, out, _ = run(folder, "--json")
    found = json.loads(out)
    assert (code, found["schema"], found["questions"]) == (0, "capsa.eval.stats/1", 80)
    assert set(found["models"]) == {"dense", "bm25"}
    assert found["versus_bm25"]["family"] == 8


def test_the_rule_selects_from_paper_matches(tmp_path: Path, run: Run) -> None:
    pytest.importorskip("statsmodels")
    folder = write_run(tmp_path / "run", make_rows(matcher="paper", best=("normal", "sentence")))
    code, out, _ = run(folder, "--match", "paper")
    assert code == 0
    assert "The pre-declared rule (best mean dense ER@5, paper match) selects normal / sentence." in out


def test_two_runs_are_read_as_one(tmp_path: Path) -> None:
    one = write_run(tmp_path / "one", make_rows(parsers=("native",)))
    other = write_run(tmp_path / "other", make_rows(parsers=("normal",)))
    again = write_run(tmp_path / "again", make_rows(parsers=("native",)))
    loaded = load_runs([one, other, again])
    matrix = make_matrix(loaded, "document", "strict", "er@10")
    assert matrix.values.shape == (8, 80)
    assert not np.isnan(matrix.values).any()
    assert len(loaded.cells) == 8


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            {"sets": [{"name": "made", "questions_sha256": "x", "corpus_sha256": "b"}]},
            "differ in the questions",
        ),
        ({"sets": [{"name": "made", "questions_sha256": "a", "corpus_sha256": "x"}]}, "differ in the corpus"),
        ({"models": {"model": "other"}}, "they call different models model"),
        ({}, "they differ in made / document / native / basic / dense / model / flat / 384, strict match"),
    ],
)
def test_runs_that_do_not_fit(tmp_path: Path, run: Run, change: dict[str, Any], says: str) -> None:
    one = write_run(tmp_path / "one", make_rows())
    other = write_run(tmp_path / "other", make_rows(lift={"A": 0.4}), **change)
    code, out, err = run(one, other)
    assert (code, out) == (2, "")
    assert "do not fit together" in err
    assert says in err
    assert err.count("\n") == 1


def test_bad_folders_are_one_line(tmp_path: Path, run: Run) -> None:
    folder = write_run(tmp_path / "run", make_rows())
    empty = write_run(tmp_path / "empty", [])
    (tmp_path / "none").mkdir()
    with (folder / "results.csv").open(encoding="utf-8", newline="") as file:
        assert next(csv.reader(file))[0] == "question_id"
    for words, code, says in (
        ((tmp_path / "none",), 2, "holds no run"),
        ((tmp_path / "absent",), 2, "holds no run"),
        ((empty,), 2, "no question was asked"),
        ((folder, folder), 2, "named twice"),
        ((folder, "--scope", "corpus"), 2, "not made with the scope corpus"),
        ((folder, "--match", "pages"), 2, "no pages rows"),
    ):
        assert run(*words)[0] == code
        assert says in run(*words)[2]
        assert run(*words)[2].count("\n") == 1


def test_too_few_questions_are_one_line(tmp_path: Path, run: Run) -> None:
    pytest.importorskip("statsmodels")
    code, _, err = run(write_run(tmp_path / "run", make_rows(questions=4)))
    assert code == 1
    assert "8 questions are too few for a model" in err
    code, _, err = run(write_run(tmp_path / "one", make_rows(parsers=("native",), chunkers=("basic",))))
    assert code == 1
    assert "no model of dense" in err


def test_a_reference_must_be_there(tmp_path: Path, run: Run) -> None:
    pytest.importorskip("statsmodels")
    folder = write_run(tmp_path / "run", make_rows())
    code, _, err = run(folder, "--reference", "normal,magic")
    assert (code, err) == (2, "capsa: there is no level 'magic' to refer to in these runs\n")
    code, out, _ = run(folder, "--reference", "normal,model")
    assert code == 0
    assert "Reference: normal / basic / model" in out
