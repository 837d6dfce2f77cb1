"""Audit, sweep and dimensions: the plain functions, and the commands on three documents."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_corpus import write_corpus

from capsa.chunkers.errors import CapsaError, UsageError
from capsa.daemon.cli import main
from capsa.eval.ablations import OVERLAPS, SIZES
from capsa.eval.audit import ceilings
from capsa.eval.dims import check, dimensions_of, principal, truncation
from capsa.eval.runs import read_rows
from capsa.eval.selection import select
from capsa.store.embedder import unit
from capsa.store.models import Model
from capsa.store.quantisers import rotate


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


def model(dimension: int, rotated: bool) -> Model:
    prefixes = ("", "")
    return Model("m", Path("m"), dimension, 256, 254, "mean", *prefixes, True, rotated, (), "")


def vectors(seed: int, count: int, dimension: int) -> Any:
    return unit(np.random.default_rng(seed).normal(size=(count, dimension)).astype(np.float32))


@settings(max_examples=20)
@given(st.integers(0, 1000), st.sampled_from([8, 16, 32]))
def test_truncation_is_of_the_models_own_dimensions(seed: int, size: int) -> None:
    own = vectors(seed, 5, 64)
    plain = truncation(model(64, rotated=False), size)(own)
    assert np.allclose(plain, unit(own[:, :size]), atol=1e-6)
    turned = truncation(model(64, rotated=True), size)(rotate(own))
    assert np.allclose(turned, plain, atol=1e-4)
    check(plain, plain, size)


@settings(max_examples=20)
@given(st.integers(0, 1000))
def test_all_principal_axes_change_no_inner_product(seed: int) -> None:
    some = vectors(seed, 40, 16)
    turned = principal(some, 16)(some)
    assert np.allclose(turned @ turned.T, some @ some.T, atol=1e-4)


def test_a_few_principal_axes_hold_what_lies_in_them() -> None:
    plane = np.zeros((30, 16), dtype=np.float32)
    plane[:, [3, 11]] = vectors(1, 30, 2)
    assert np.allclose(principal(plane, 2)(plane) @ principal(plane, 2)(plane).T, plane @ plane.T, atol=1e-4)


def test_unsound_vectors_are_refused() -> None:
    good = vectors(1, 3, 8)
    with pytest.raises(CapsaError, match="not of 4 dimensions"):
        check(good, good, 4)
    with pytest.raises(CapsaError, match="has a norm of 2"):
        check(2 * good, good, 8)
    bad = good.copy()
    bad[1] = np.nan
    with pytest.raises(CapsaError):
        check(bad, good, 8)


def test_the_dimensions_are_the_papers_and_the_models_own() -> None:
    assert dimensions_of(model(768, rotated=True)) == (64, 128, 256, 384, 512, 768)
    assert dimensions_of(model(384, rotated=False)) == (64, 128, 256, 384)


def row(parser: str, chunker: str, value: float, **more: Any) -> dict[str, Any]:
    main_experiment = {"retriever": "dense", "vectors": "flat", "scope": "document", "matcher": "paper"}
    return {"parser": parser, "chunker": chunker, "er@5": value, **main_experiment, **more}


def test_the_rule_selects_the_best_pair_over_all_models_and_questions() -> None:
    rows = [
        row("normal", "basic", 1.0),
        row("normal", "basic", 0.0),
        row("native", "advanced", 0.7),
        row("native", "medium", 0.9, retriever="bm25"),
        row("native", "medium", 0.9, scope="corpus"),
    ]
    assert select(rows) == ("native", "advanced")
    assert select([row("b", "x", 0.5), row("a", "y", 0.5)]) == ("a", "y")
    with pytest.raises(UsageError, match="nothing to choose"):
        select(rows[3:])


def test_ceilings_are_means_over_documents() -> None:
    common = {"set": "s", "parser": "p", "chunker": "c", "matcher": "strict", "full_coverage": 0.0}
    findings = [
        {**common, "document": "a", "questions": 9, "chunks": 3, "coverage": 1.0},
        {**common, "document": "b", "questions": 1, "chunks": 2, "coverage": 0.5},
    ]
    (found,) = ceilings(findings)
    assert (found["coverage"], found["documents"], found["questions"], found["chunks"]) == (0.75, 2, 10, 5)


def ask(home: Path, capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["--home", str(home), "eval", *words]) == 0
    return capsys.readouterr().out


def test_the_audit_command(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root, questions = write_corpus(tmp_path)
    words = ("audit", str(root), str(questions), "--parsers", "native,normal", "--chunkers", "basic")
    found = json.loads(ask(home, capsys, *words, "--json"))
    assert found["schema"] == "capsa.eval.audit/1"
    by_document = {
        each["document"]: each["coverage"]
        for each in found["documents"]
        if (each["parser"], each["matcher"]) == ("native", "strict")
    }
    assert by_document == {"tea.md": 1, "coffee.md": 1, "notes/cocoa.html": 0.5}
    (ceiling,) = [
        each for each in found["ceilings"] if (each["parser"], each["matcher"]) == ("native", "strict")
    ]
    assert ceiling["coverage"] == pytest.approx(2.5 / 3)
    assert "questions, mean over 3 documents" in ask(home, capsys, *words)


def test_the_sweep_command(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root, questions = write_corpus(tmp_path)
    out = str(tmp_path / "run")
    found = json.loads(ask(home, capsys, "sweep", str(root), str(questions), "--out", out, "--json"))
    assert {(cell["size"], cell["overlap"]) for cell in found["cells"]} == {
        (s, o) for s in SIZES for o in OVERLAPS
    }
    assert {(row["size"], row["overlap"]) for row in read_rows(tmp_path / "run")} == {
        (size, float(overlap)) for size in SIZES for overlap in OVERLAPS
    }
    assert [gap["name"] for gap in found["gaps"]] == ["bge-base-en-v1.5"]
    shown = ask(home, capsys, "sweep", str(root), str(questions), "--out", out)
    assert "overlap 64" in shown
    assert "not here: model bge-base-en-v1.5" in shown


def test_the_dims_command(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root, questions = write_corpus(tmp_path)
    out = str(tmp_path / "run")
    shown = ask(home, capsys, "dims", str(root), str(questions), "--out", out)
    assert "was not trained for truncation" in shown
    assert "normal / advanced (the paper's choice)" in shown
    rows = list(read_rows(tmp_path / "run"))
    assert {(row["dimension"], row["vectors"]) for row in rows} == {
        (size, how) for size in (64, 128, 256, 384) for how in ("flat", "pca")
    }
    grid = str(tmp_path / "grid")
    ask(
        home,
        capsys,
        "grid",
        str(root),
        str(questions),
        "--out",
        grid,
        "--chunkers",
        "basic",
        "--parsers",
        "native",
    )
    assert "native / basic (by the rule from the run)" in ask(
        home, capsys, "dims", str(root), str(questions), "--run", grid
    )
