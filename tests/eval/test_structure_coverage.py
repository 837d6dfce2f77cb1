"""Evidence coverage: question sets are found, evidence is held, cut or lost, absent documents are named."""

import json
from pathlib import Path

from capsa.chunkers.tokens import Tokenizer
from capsa.eval.structure_coverage import EvidenceScore, fate, find_sets, prepare, summarise
from capsa.eval.structure_library import Library


def write_set(path: Path, *rows: tuple[str, str, str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        {"id": name, "doc": doc, "question": "Which?", "required_evidence": [evidence]}
        for name, doc, evidence in rows
    ]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")


def test_documents_are_named_from_the_question_file_or_a_folder_above(
    tmp_path: Path, tokenizer: Tokenizer
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("The bay is deep.\n")
    write_set(tmp_path / "qa" / "bay.jsonl", ("1", "docs/a.md", "The bay is deep."), ("2", "docs/b.md", "No"))
    (tmp_path / "het" / "docs").mkdir(parents=True)
    (tmp_path / "het" / "docs" / "c.md").write_text("The sea is wide.\n")
    write_set(tmp_path / "het" / "questions.jsonl", ("1", "docs/c.md", "the sea is narrow"))
    (tmp_path / "notes.jsonl").write_text('{"text": "no question"}\nnot even JSON')
    work = prepare(Library(tmp_path, tokenizer))
    assert [name for name, _ in work.steps] == ["docs/a.md", "het/docs/c.md"]
    assert work.gaps == ["bay.jsonl: 1 questions on 1 documents that are not there"]
    scores = [score for _, step in work.steps for score in step()]
    assert [(score.questions, score.id, score.fate) for score in scores] == [
        ("bay", "1", "held"),
        ("het", "1", "not parsed"),
    ]
    assert [work.misses(score) for score in scores] == [[], ["het 1: not parsed"]]


def test_a_set_is_known_by_its_first_row(tmp_path: Path) -> None:
    write_set(tmp_path / "a" / "q.jsonl", ("1", "x.md", "y"))
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "list.jsonl").write_text("[1]")
    assert list(find_sets(tmp_path)) == [tmp_path / "a" / "q.jsonl"]


def test_evidence_may_be_cut_by_a_chunk_edge() -> None:
    assert fate("b c", ["a b", "b c d"], "a b c d") == "held"
    assert fate("a b c", ["a b", "b c d"], "a b c d") == "cut"
    assert fate("e", ["a b", "b c d"], "a b c d") == "not parsed"


def test_shares_are_by_set_and_for_pdf() -> None:
    scores = [
        EvidenceScore("a.pdf", "het", "1", "cut"),
        EvidenceScore("a.md", "het", "2", "held"),
        EvidenceScore("b.md", "bay", "1", "held"),
    ]
    summary = summarise(scores)
    assert (summary["held het"], summary["held het, PDF"], summary["held bay"]) == (0.5, 0.0, 1.0)
    assert "held bay, PDF" not in summary
