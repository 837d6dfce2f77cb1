"""``capsa eval structure``: the record, the table, gaps that are named, and nothing told of the test half."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from capsa.chunkers.tokens import Tokenizer
from capsa.daemon.cli import main
from capsa.eval import structure_library, structure_time, structure_versions
from capsa.eval.structure import PARTS
from capsa.eval.structure_library import Library, slice_of
from capsa.eval.structure_same import SameScore
from capsa.eval.structure_table import TITLES, lines

LABELS = "tables", "captions", "captions_html", "columns", "headings", "html"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a question set on two documents, one in each half, both without the evidence."""
    names = {slice_of(f"{name}.md"): f"{name}.md" for name in "abcdefgh"}
    made = tmp_path / "data"
    made.mkdir()
    rows = []
    for half, name in names.items():
        (made / name).write_text("The bay is deep.\n")
        rows.append({"id": half, "doc": name, "question": "What?", "required_evidence": ["The sea"]})
    (made / "bay.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return made


def run(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main(["eval", "structure", *words, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    found: dict[str, Any] = json.loads(out)
    return found


def test_without_a_folder_the_usage_says_what_to_give(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["eval", "structure"]) == 2
    assert "no folder was given; DATA_FOLDER is" in capsys.readouterr().err
    assert main(["eval", "structure", str(tmp_path / "absent")]) == 2
    assert "no such folder" in capsys.readouterr().err


def test_misses_are_told_of_the_development_half_only(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = run(capsys, str(folder), "--part", "coverage")
    assert (found["schema"], found["slice"]) == ("capsa.structure/1", "all")
    part = found["parts"]["coverage"]
    assert [part["measures"][name]["evidence"] for name in ("dev", "test", "all")] == [1, 1, 2]
    assert [miss.split(": ", 1)[1] for miss in part["misses"]] == ["bay dev: not parsed"]
    of_test = run(capsys, str(folder), "--part", "coverage", "--slice", "test")["parts"]["coverage"]
    assert of_test["measures"]["test"] == of_test["measures"]["all"]
    assert of_test["misses"] == []


def test_labelled_documents_that_are_not_there_are_named(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = run(capsys, str(folder), "--part", "tables", "--part", "order")
    labelled = {row["document"] for row in structure_library.read_labels("tables")}
    assert len(found["parts"]["tables"]["gaps"]) == len(labelled)
    assert found["parts"]["tables"]["measures"]["all"]["recall"] is None
    assert list(found["parts"]) == ["tables", "order"]


def test_the_table_shows_every_part(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(structure_library, "read_labels", lambda name: [])
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 broken")
    text = "\n".join(lines(run(capsys, str(folder)), details=True))
    assert all(f"\n{TITLES.get(part, part.capitalize())} " in text for part in PARTS)
    assert "not measured: broken.pdf: damaged" in text
    assert "bay dev: not parsed" in text


def test_versions_of_a_document_are_shown_by_format() -> None:
    same = SameScore("pdf", 0.8, 0.9, (2, 1, 4), 0.7, 0.95, ("lost",), ("new",))
    score = structure_versions.VersionScore(structure_versions.DOCUMENT, same)
    summary = structure_versions.summarise([score])
    assert (summary["pdf_tables"], summary["pdf_other_tables"], summary["text_tables"]) == (0.5, 3, None)
    assert (summary["pdf_heading_recall"], summary["pdf_heading_precision"]) == (0.9, 0.8)
    assert structure_versions._misses(score) == [
        "pdf lacks the heading: lost",
        "pdf alone has the heading: new",
    ]


def pdf(pages: int, **options: Any) -> bytes:
    out = io.BytesIO()
    canvas = Canvas(out, invariant=1, **options)
    for number in range(pages):
        canvas.drawString(72, 700, f"Page {number} tells of the bay.")
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def test_times_are_of_files_that_open(tmp_path: Path, tokenizer: Tokenizer) -> None:
    (tmp_path / "open.pdf").write_bytes(pdf(3))
    (tmp_path / "locked.pdf").write_bytes(pdf(1, encrypt=StandardEncryption("a", "b", strength=40)))
    books = Library(tmp_path, tokenizer)
    assert structure_time.measure(books, "locked.pdf") == []
    score = structure_time.measure(books, "open.pdf")[0]
    assert score.pages == 3
    assert not score.cut
    summary = structure_time.summarise([score])
    assert summary["page_ms_median"] == summary["page_ms_p95"] == pytest.approx(score.full_ms / 3)
    assert (summary["cut"], summary["cut_1-10"], summary["cut_11-50"]) == (0.0, 0.0, None)
    assert summary["index_cost"] is None


def test_the_cost_of_structure_in_an_index_counts_what_is_embedded(
    tmp_path: Path, tokenizer: Tokenizer
) -> None:
    (tmp_path / "open.pdf").write_bytes(pdf(2))
    embedded: list[str] = []
    books = Library(tmp_path, tokenizer, embed=embedded.extend)
    score = structure_time.measure(books, "open.pdf")[0]
    assert "tells of the bay" in embedded[0]
    assert structure_time.index_cost([score]) is not None
    one = structure_time.TimeScore("a.pdf", 1, 10, 20, False, 430, (90, 92), 25)
    assert structure_time.index_cost([one]) == pytest.approx(0.12)
    assert structure_time.summarise([one])["overrun_ms"] == 30
    assert structure_time.summarise([one])["pypdf_cost"] == pytest.approx(-0.2)
