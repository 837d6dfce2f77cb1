"""The measure of caption binding: what counts as bound, and the labels themselves."""

from pathlib import Path

import pytest

from capsa.eval import structure_captions
from capsa.eval.structure_captions import measure_captions
from capsa.eval.structure_html import read_labels

_TABLE = "<table><tr><th>Month</th><th>Workers</th></tr><tr><td>June</td><td>40000</td></tr></table>"
_PAGE = f"<main><h1>Bees</h1><p>Intro.</p><p class=c>Table 1. Workers by month</p>{_TABLE}<p>End.</p></main>"


def _scores(folder: Path, monkeypatch: pytest.MonkeyPatch, **row: object) -> list[bool]:
    whole = {"document": "bees.html", "sha256": "", "kind": "table", **row}
    monkeypatch.setattr(structure_captions, "read_labels", lambda name: [whole])
    monkeypatch.setattr(
        structure_captions, "labelled_bytes", lambda folder, name, sha256: (folder / name).read_bytes()
    )
    return [score.right for score in measure_captions(folder)]


def test_a_caption_is_right_only_with_its_own_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bees.html").write_text(_PAGE)
    assert _scores(tmp_path, monkeypatch, item=["table", 0], caption=["p.c", 0]) == [True]
    assert _scores(tmp_path, monkeypatch, item=["table", 0], caption=["p", 2]) == [False]
    assert _scores(tmp_path, monkeypatch, item=["h1", 0], caption=["p.c", 0]) == [False]


def test_lines_of_markdown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.md").write_text("# Bees\n\nRun this:\n\n```\nhive open\n```\n\nIt opens.\n\nIt closes.\n")
    fields = {"document": "a.md", "kind": "code"}
    assert _scores(tmp_path, monkeypatch, **fields, item=5, caption=3) == [True]
    assert _scores(tmp_path, monkeypatch, **fields, item=5, caption=11) == [False]


def test_the_labels_name_kinds_that_bind() -> None:
    rows = read_labels("captions_html")
    assert len(rows) >= 80
    assert {row["kind"] for row in rows} == {"table", "figure", "code"}


@pytest.mark.data
def test_every_labelled_document_is_measured(data: Path) -> None:
    assert len(measure_captions(data)) == len(read_labels("captions_html"))
