"""The shipped set is what its manifest says, and its questions can be answered from their documents."""

import hashlib
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from capsa.eval.questions import load_questions
from capsa.eval.shipped import DOCUMENTS, ROOT, documents, files, question_files, questions
from capsa.eval.shipped.check import PHRASINGS, TYPES, problems

COLLECTIONS = sorted(path.name for path in DOCUMENTS.glob("c[0-9][0-9]"))
SOURCES = ROOT / "sources"


def entries(collection: str) -> dict[str, dict[str, Any]]:
    return {name: entry for name, entry in files().items() if entry["collection"] == collection}


@pytest.mark.parametrize("collection", COLLECTIONS)
def test_the_manifest_names_every_file_with_its_hash(collection: str) -> None:
    on_disk = [*(DOCUMENTS / collection).iterdir(), *ROOT.glob(f"questions_{collection}.jsonl")]
    told = entries(collection)
    assert sorted(told) == sorted(path.relative_to(ROOT).as_posix() for path in on_disk)
    for path in on_disk:
        data, entry = path.read_bytes(), told[path.relative_to(ROOT).as_posix()]
        assert (hashlib.sha256(data).hexdigest(), len(data)) == (entry["sha256"], entry["bytes"])


@pytest.mark.parametrize("path", question_files(), ids=lambda path: path.stem)
def test_every_evidence_is_in_its_document_and_in_no_other(path: Path) -> None:
    assert problems(path.stem.removeprefix("questions_")) == []


@pytest.mark.parametrize("path", question_files(), ids=lambda path: path.stem)
def test_half_of_a_collection_is_held_out(path: Path) -> None:
    collection = path.stem.removeprefix("questions_")
    slices = {name: entry["slice"] for name, entry in entries(collection).items() if "slice" in entry}
    assert Counter(slices.values()) == {"development": 5, "heldout": 5}
    asked = Counter(slices[f"documents/{question.doc}"] for question in load_questions(path))
    assert asked == {"development": 10, "heldout": 10}


def test_the_slices_share_no_document_and_no_question() -> None:
    assert not set(documents("heldout")) & set(documents("development"))
    assert not {q.id for q in questions("heldout")} & {q.id for q in questions("development")}


def test_the_whole_set() -> None:
    told = [entry for entry in files().values() if "slice" in entry]
    assert Counter(entry["slice"] for entry in told) == {"development": 60, "heldout": 60}
    assert min(Counter(entry["kind"] for entry in told).values()) >= 36
    assert sum(entry["bytes"] for entry in told) <= 8_000_000
    pdfs = [entry for entry in told if entry["kind"] == "pdf"]
    assert abs(sum(1 if pdf["tagged"] else -1 for pdf in pdfs)) <= 2
    assert sum(pdf["pages"] >= 20 for pdf in pdfs) >= 6


def test_the_questions_of_each_slice() -> None:
    for part in ("development", "heldout"):
        asked = questions(part)
        assert len(asked) == 120
        assert {question.type for question in asked} == TYPES
        phrased = Counter(question.phrasing for question in asked)
        assert set(phrased) == PHRASINGS
        assert min(phrased.values()) >= 36


def test_the_committed_pdfs_are_what_the_sources_make() -> None:
    pytest.importorskip("typst")
    build = pytest.importorskip("capsa.eval.shipped.build")
    if version("typst") != build.manifest()["typst"]:
        pytest.skip("another version of typst made them")
    for source in sorted(SOURCES.glob("c*/[!_]*.typ"))[::8]:
        made = DOCUMENTS / source.parent.name / f"{source.stem}.pdf"
        assert build.typeset(source) == made.read_bytes(), source
