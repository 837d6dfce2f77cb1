"""The whole of ``capsa eval run`` on a corpus of three documents, with the real model."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from reportlab.pdfgen.canvas import Canvas
from small_corpus import rows, write_corpus, write_questions

from capsa.daemon.cli import main
from capsa.eval.corpus import parse_corpus

Ask = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("corpus"))[0]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture
def ask(corpus: Path, home: Path, capsys: pytest.CaptureFixture[str]) -> Ask:
    def run(*options: str) -> tuple[int, str, str]:
        questions = str(corpus.parent / "questions.jsonl")
        code = main(["--home", str(home), "eval", "run", str(corpus), questions, *options])
        out, err = capsys.readouterr()
        return code, out, err

    return run


def test_metrics_of_a_small_corpus(ask: Ask) -> None:
    code, out, err = ask("--json", "--k", "1,5")
    result: dict[str, Any] = json.loads(out)
    assert (code, err, result["schema"]) == (0, "", "capsa.eval/1")
    assert (result["questions"], result["documents"]) == (5, 3)
    assert list(result["failures"].values()) == ["damaged"]
    strict = result["metrics"]["strict"]
    # Four of the five questions have their evidence in the corpus, and all its chunks are in the first ten.
    assert strict["evidence_recall@5"] == strict["evidence_coverage"] == pytest.approx(0.8)
    assert strict["hit@5"] == strict["full@5"] == pytest.approx(0.8)
    assert 0 < strict["mrr"] <= 0.8
    assert result["metrics"]["paper"]["evidence_recall@5"] >= strict["evidence_recall@5"]
    assert result["cut_share"] == 0
    assert result["index_cpu_s"] > 0
    assert result["spans"]["questions"] == 4
    assert result["spans"]["recall"] == 1
    assert 0 < result["spans"]["precision"] < 1
    assert set(result["by_phrasing"]) == {"natural"}
    assert set(result["by_type"]) == {"t", "c", "n"}


def test_the_scope_of_a_document_finds_only_there(ask: Ask) -> None:
    result = json.loads(ask("--json", "--scope", "document", "--k", "1,5")[1])
    assert result["config"]["scope"] == "document"
    # Three of the five documents' answers are the only chunk that could be found.
    assert result["metrics"]["strict"]["mrr"] >= 0.7


def test_the_table_is_readable(ask: Ask) -> None:
    code, out, _ = ask("--retriever", "bm25")
    assert code == 0
    assert "5 questions, 3 documents" in out
    assert "native / structure-caption-overlap / bm25 / pq96" in out
    assert "cut by a chunk edge 0.00%" in out


@pytest.mark.parametrize(("axis", "rows"), [("arms", 4), ("vectors", 3)])
def test_variants_are_compared_on_the_same_questions(ask: Ask, axis: str, rows: int) -> None:
    result = json.loads(ask("--compare", axis, "--json")[1])
    assert result["schema"] == "capsa.eval.compare/1"
    assert len(result["rows"]) == rows
    assert result["reference"] not in result["differences"]
    for row in result["differences"].values():
        assert all(value["low"] <= value["mean"] <= value["high"] for value in row.values())
    assert "difference (95 %)" in ask("--compare", axis)[1]


@pytest.mark.parametrize(
    ("options", "code", "says"),
    [
        (["--k", "0"], 2, "each depth must be from 1 to 1000"),
        (["--k", "x"], 2, "not a list of numbers"),
        (["--chunker", "magic"], 2, "there is no chunker 'magic'"),
        (["--parser", "magic"], 2, "there is no parser 'magic'"),
        (["--size", "3"], 2, "chunks of 3 tokens are too small"),
        (["--model", "magic"], 3, "magic"),
        (["--layout-budget", "-1"], 2, "must be 0 or more milliseconds"),
        (["--layout-budget", "x"], 2, "is no number of milliseconds"),
    ],
)
def test_wrong_options_are_one_line(ask: Ask, options: list[str], code: int, says: str) -> None:
    found, out, err = ask(*options)
    assert (found, out) == (code, "")
    assert says in err
    assert err.count("\n") == 1


def test_pdfs_are_laid_out_whole_or_within_a_budget(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "bay.pdf"), invariant=1)
    for page in range(3):
        canvas.drawString(72, 700, f"Page {page} tells of the bay.")
        canvas.showPage()
    canvas.save()

    def state(**budget: float) -> str:
        (source,) = parse_corpus(tmp_path, "native", **budget).by_path.values()
        return source.document.layout.state

    assert state() == "full"
    assert state(layout_budget_ms=0.0) == "none"


def test_a_question_about_a_document_that_is_not_there(
    corpus: Path, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {"id": "x", "question": "What?", "required_evidence": ["y"], "doc": "other.md"}
    (tmp_path / "q.jsonl").write_text(json.dumps(row), encoding="utf-8")
    assert main(["--home", str(home), "eval", "run", str(corpus), str(tmp_path / "q.jsonl")]) == 2
    assert "its document other.md is not in" in capsys.readouterr().err


def test_an_empty_corpus(
    home: Path, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = str(corpus.parent / "questions.jsonl")
    assert main(["--home", str(home), "eval", "run", str(tmp_path), questions]) == 2
    assert "no file there could be read" in capsys.readouterr().err


def test_a_document_that_cannot_be_read_is_a_miss_of_the_parser(
    corpus: Path, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {
        "id": "b",
        "question": "What is broken?",
        "required_evidence": ["and no more"],
        "doc": "broken.pdf",
    }
    questions = write_questions(tmp_path / "q.jsonl", row, *rows())
    for scope in ("corpus", "document"):
        words = [
            "eval",
            "run",
            str(corpus),
            str(questions),
            "--retriever",
            "bm25",
            "--scope",
            scope,
            "--json",
        ]
        assert main(["--home", str(home), *words]) == 0
        result = json.loads(capsys.readouterr().out)
        assert result["questions"] == 6
        assert result["metrics"]["strict"]["evidence_coverage"] == pytest.approx(4 / 6)


def test_pages_are_scored_where_a_question_has_them(
    corpus: Path, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {"id": "p", "question": "How hot is the water for tea?", "doc": "tea.md", "pages": [1]}
    questions = write_questions(tmp_path / "q.jsonl", row, *rows())
    words = ["eval", "run", str(corpus), str(questions), "--retriever", "bm25", "--json"]
    assert main(["--home", str(home), *words]) == 0
    result = json.loads(capsys.readouterr().out)
    # Markdown has no pages, so the page is nowhere; the other five are scored by their evidence alone.
    assert result["metrics"]["pages"]["evidence_coverage"] == 0
    assert result["questions"] == 5


def test_the_question_file_is_no_document(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root, _ = write_corpus(tmp_path)
    questions = write_questions(root / "asked.jsonl", *rows())
    assert main(["--home", str(home), "eval", "run", str(root), str(questions), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["documents"] == 3
