"""Question sets from the command line, and the digests that a run is known by."""

from pathlib import Path

import pytest
from small_corpus import rows, write_corpus, write_questions

from capsa.chunkers.errors import UnavailableError, UsageError
from capsa.eval.options import pick_model, read_sets
from capsa.eval.provenance import corpus_digest, fingerprint, versions


def test_sets_are_named_after_their_files_and_told_apart(tmp_path: Path) -> None:
    root, questions = write_corpus(tmp_path)
    other = write_questions(tmp_path / "other.jsonl", *rows())
    sets = read_sets([root, questions, root, other, root, other])
    assert [each.name for each in sets] == [tmp_path.name, "other", "other-2"]
    assert sets[1].sha256 == sets[2].sha256
    assert len(sets[0].questions) == 5


def test_questions_whose_evidence_is_not_verbatim_are_not_asked(tmp_path: Path) -> None:
    root, _ = write_corpus(tmp_path)
    path = write_questions(tmp_path / "q.jsonl", *rows()[:2], rows()[2] | {"verbatim": False})
    assert [question.id for question in read_sets([root, path])[0].questions] == ["t1", "t2"]
    write_questions(path, rows()[0] | {"verbatim": False})
    with pytest.raises(UsageError, match='"verbatim": false'):
        read_sets([root, path])


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    _, questions = write_corpus(tmp_path)
    with pytest.raises(UsageError, match="no such file or folder"):
        read_sets([tmp_path / "none", questions])


def test_the_papers_model_is_a_gap_and_a_named_one_must_be_there(tmp_path: Path) -> None:
    model, gaps = pick_model(tmp_path, None, "bge-base-en-v1.5")
    assert model == "all-MiniLM-L6-v2"
    assert [gap.name for gap in gaps] == ["bge-base-en-v1.5"]
    assert pick_model(tmp_path, "all-MiniLM-L6-v2", "bge-base-en-v1.5") == ("all-MiniLM-L6-v2", [])
    with pytest.raises(UnavailableError):
        pick_model(tmp_path, "magic", "bge-base-en-v1.5")


def test_a_corpus_is_known_by_its_names_and_contents(tmp_path: Path) -> None:
    root, _ = write_corpus(tmp_path)
    first = corpus_digest(root)
    assert corpus_digest(root) == first
    (root / "tea.md").write_text("other", encoding="utf-8")
    changed = corpus_digest(root)
    (root / "tea.md").rename(root / "tee.md")
    assert len({first, changed, corpus_digest(root)}) == 3
    assert corpus_digest(root / "tee.md")


def test_versions_and_fingerprints() -> None:
    assert {"python", "capsa", "numpy", "onnxruntime"} <= set(versions())
    assert fingerprint({"a": 1, "b": [2]}) == fingerprint({"b": [2], "a": 1})
    assert fingerprint({"a": 1}) != fingerprint({"a": 2})
