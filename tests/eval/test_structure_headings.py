"""Headings against bookmarks and labels: what counts as the same heading, as missed and as wrong."""

import io
from collections.abc import Sequence
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from capsa.chunkers.tokens import Tokenizer
from capsa.eval.structure_headings import (
    Heading,
    HeadingScore,
    label_key,
    match,
    measure_bookmarks,
    measure_labels,
    prepare,
    read_bookmarks,
    summarise,
    without_number,
)
from capsa.eval.structure_library import Library

BODY = "The harbour office keeps a record of every vessel that enters the bay and of its cargo."


def manual(printed: Sequence[str], bookmarks: Sequence[str]) -> bytes:
    """A PDF of one page that prints some titles, and has bookmarks to it."""
    out = io.BytesIO()
    canvas = Canvas(out, invariant=1)
    for title in bookmarks:
        canvas.bookmarkPage(title)
        canvas.addOutlineEntry(title, title, level=0)
    y = 780
    for title in printed:
        canvas.setFont("Helvetica-Bold", 16)
        canvas.drawString(72, y, title)
        canvas.setFont("Helvetica", 10)
        for line in range(4):
            canvas.drawString(72, y - 24 - 12 * line, BODY)
        y -= 110
    canvas.save()
    return out.getvalue()


def library(folder: Path, data: bytes, tokenizer: Tokenizer) -> Library:
    (folder / "manual.pdf").write_bytes(data)
    return Library(folder, tokenizer)


def test_bookmarks_that_are_printed_are_wanted_and_others_are_not(
    tmp_path: Path, tokenizer: Tokenizer
) -> None:
    data = manual(
        ["1 Berths", "2 Tides and Winds", "3 Papers"], ["Berths", "Tides and winds", "Papers", "Nowhere"]
    )
    books = library(tmp_path, data, tokenizer)
    (score,) = measure_bookmarks(books, "manual.pdf", read_bookmarks(data))
    assert (score.bookmarks, score.wanted, score.found, score.right) == (4, 3, 3, 3)
    assert score.usable


def test_a_heading_without_a_bookmark_costs_precision_and_a_lost_one_recall(
    tmp_path: Path, tokenizer: Tokenizer
) -> None:
    data = manual(["Berths", "Tides", "Papers"], ["Berths", "Tides", BODY])
    (score,) = measure_bookmarks(library(tmp_path, data, tokenizer), "manual.pdf", read_bookmarks(data))
    assert (score.wanted, score.found, score.right) == (3, 3, 2)
    assert sorted(wrong.split(":")[0] for wrong in score.wrong) == ["p1 missed", "p1 not a bookmark"]
    summary = summarise([score])
    assert summary["recall"] == summary["precision"] == pytest.approx(2 / 3)


def test_bookmarks_that_nothing_printed_matches_are_told_apart(tmp_path: Path, tokenizer: Tokenizer) -> None:
    data = manual(["Berths"], ["One", "Zwei", "Trois", "Cuatro"])
    (score,) = measure_bookmarks(library(tmp_path, data, tokenizer), "manual.pdf", read_bookmarks(data))
    assert not score.usable
    assert summarise([score])["documents"] == 0
    assert summarise([score])["unusable"] == 1


def test_few_bookmarks_are_a_gap(tmp_path: Path, tokenizer: Tokenizer) -> None:
    work = prepare(library(tmp_path, manual(["Berths"], ["Berths"]), tokenizer))
    assert "manual.pdf: bookmarks too few, 1" in work.gaps
    assert work.steps == []


def test_labels_hold_hashes_and_what_is_doubtful_does_not_count(tmp_path: Path, tokenizer: Tokenizer) -> None:
    books = library(tmp_path, manual(["Berths", "Tides", "Papers"], []), tokenizer)
    keys = {word: label_key(Heading(1, 1, word, False, word)) for word in ("berths", "tides", "lost")}
    label = {"page": 1, "headings": [keys["berths"], keys["lost"]], "maybe": [keys["tides"]]}
    (score,) = measure_labels(books, "manual.pdf", [label])
    assert (score.wanted, score.found, score.right) == (2, 2, 1)
    assert score.wrong == ["p1: 1 missed", "p1 not a heading: Papers"]


@pytest.mark.parametrize(
    ("spoken", "rest"),
    [
        ("chapter one about this manual", "about this manual"),
        ("twentytwo upgrading checklist", "upgrading checklist"),
        ("2 3 tides", "tides"),
        ("appendix b papers", "papers"),
        ("chapter 3", ""),
        ("note", "note"),
    ],
)
def test_numbers_before_a_heading_do_not_count(spoken: str, rest: str) -> None:
    assert without_number(spoken.split()) == rest.split()


def test_a_heading_is_taken_once_and_its_own_page_comes_first() -> None:
    wanted = [Heading(page, 1, "tides", False, "") for page in (1, 2)]
    found = [Heading(page, 1, "tides", False, "") for page in (2, 3)]
    assert match(wanted, found) == {1: 0}
    assert match(wanted[1:], found) == {0: 0}
    assert match(wanted[:1], found[:1]) == {0: 0}


def test_nothing_measured_gives_no_number() -> None:
    summary = summarise([])
    assert summary["recall"] is summary["precision"] is summary["labelled_recall"] is None
    assert HeadingScore("a.pdf", None, 1, 1, 1, 0).usable
