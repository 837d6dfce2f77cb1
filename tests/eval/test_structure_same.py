"""One document in several formats: agreement of versions whose difference is known."""

from pathlib import Path

import pytest

from capsa.chunkers.build import TextBuilder
from capsa.chunkers.model import BlockKind
from capsa.chunkers.strategies import chunk
from capsa.chunkers.tokens import Tokenizer
from capsa.eval.structure_same import Version, compare, measure_same

HTML: list[tuple[BlockKind, str]] = [
    ("heading", "2.1. Turning the wheel"),
    ("paragraph", "The miller opens the gate when the tide has turned, and the wheel begins to move."),
    ("table", "Estuary\tMills\nDeben\t3"),
    ("heading", "2.2. Stopping it"),
    ("paragraph", "The gate is shut before the ebb is over, or the wheel runs dry and breaks."),
]


def version(tokenizer: Tokenizer, blocks: list[tuple[BlockKind, str]]) -> Version:
    builder = TextBuilder()
    for kind, text in blocks:
        builder.add(kind, text, level=2 if kind == "heading" else 0)
    document = builder.document("html")
    return Version("other", ((document, tuple(chunk(document, tokenizer))),))


def test_a_version_agrees_with_itself(tokenizer: Tokenizer) -> None:
    score = compare(version(tokenizer, HTML), version(tokenizer, HTML))
    assert (score.heading_precision, score.heading_recall, score.chunk_f1, score.text_f1) == (1, 1, 1, 1)
    assert score.tables == (1, 1, 1)


@pytest.mark.parametrize("number", ["Chapter 2. ", "2.1 ", "TWO ", "B.1. ", ""])
def test_headings_are_compared_without_their_numbers(number: str, tokenizer: Tokenizer) -> None:
    other: list[tuple[BlockKind, str]] = [("heading", f"{number}Turning the wheel"), *HTML[1:]]
    assert compare(version(tokenizer, HTML), version(tokenizer, other)).heading_recall == 1


def test_what_is_missing_costs_recall_and_what_is_new_precision(tokenizer: Tokenizer) -> None:
    other: list[tuple[BlockKind, str]] = [
        *HTML[:2],
        ("table", "not\tthe\nsame\ttable"),
        ("heading", "Contents"),
        *HTML[3:],
    ]
    score = compare(version(tokenizer, HTML), version(tokenizer, other))
    assert (score.heading_precision, score.heading_recall) == (pytest.approx(2 / 3), 1)
    assert (score.other_headings, score.missing_headings) == (("contents",), ())
    assert score.tables == (1, 0, 1)
    assert score.text_f1 < 1
    assert score.chunk_f1 < 1


def test_other_text_does_not_agree(tokenizer: Tokenizer) -> None:
    other: list[tuple[BlockKind, str]] = [("paragraph", "Nothing of all this is said in here, not a word.")]
    score = compare(version(tokenizer, HTML), version(tokenizer, other))
    assert (score.heading_recall, score.chunk_f1, score.text_f1) == (0, 0, 0)


def test_nothing_is_measured_without_the_documents(tmp_path: Path, tokenizer: Tokenizer) -> None:
    assert measure_same(tmp_path, tokenizer) == []


@pytest.mark.data
def test_the_manual_in_three_formats(data: Path, tokenizer: Tokenizer) -> None:
    """The target: chunk texts agree to 0.9."""
    scores = measure_same(data, tokenizer)
    assert [score.format for score in scores] == ["pdf", "text"]
    assert all(score.chunk_f1 >= 0.9 for score in scores)
    assert all(min(score.heading_precision, score.heading_recall) >= 0.9 for score in scores)
