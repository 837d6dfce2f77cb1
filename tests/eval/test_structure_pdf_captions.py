"""Captions of PDFs against labels: found by their label, beside their element, and in one chunk with it."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from capsa.chunkers.model import Document
from capsa.chunkers.tokens import Tokenizer
from capsa.eval.structure_library import Library
from capsa.eval.structure_pdf_captions import CaptionScore, find_caption, measure, summarise

TABLE = "Month\tVessels\nJune\t40\nJuly\t31"


class OneDocument(Library):
    """A library whose only document is one that was built block by block."""

    def __init__(self, document: Document, tokenizer: Tokenizer) -> None:
        super().__init__(Path(), tokenizer)
        self.parsed = lambda name: document  # type: ignore[assignment]


def wrong(document: Document, tokenizer: Tokenizer, **label: object) -> str:
    row: Mapping[str, Any] = {"page": 1, "kind": "table", "label": "Table 3", "caption": "above", **label}
    return measure(OneDocument(document, tokenizer), "a.pdf", [row])[0].wrong


def test_a_caption_is_right_with_its_element_on_its_side(
    build: Callable[..., Document], tokenizer: Tokenizer
) -> None:
    document = build(
        ("paragraph", "Table 3 lists what the office counted.", {"page": 1}),
        ("furniture", "page 1", {"page": 1}),
        ("caption", "Table 3: Vessels by month", {"page": 1}),
        ("table", TABLE, {"page": 1}),
        ("paragraph", "So it went.", {"page": 1}),
        kind="pdf",
    )
    assert wrong(document, tokenizer) == ""
    assert wrong(document, tokenizer, caption="below") == "a paragraph where the table is"
    assert wrong(document, tokenizer, kind="code") == "a table where the code is"
    assert wrong(document, tokenizer, label="Table 33") == "no block begins with it"
    assert wrong(document, tokenizer, page=2) == "no block begins with it"


def test_the_caption_of_a_figure_without_text_stands_alone(
    build: Callable[..., Document], tokenizer: Tokenizer
) -> None:
    document = build(
        ("paragraph", "Fig. 1: The bay", {"page": 1}),
        ("heading", "Tides", {"page": 2}),
        ("caption", "Fig. 1: The bay", {"page": 2}),
        kind="pdf",
    )
    fields: dict[str, object] = {"kind": "figure", "label": "Fig. 1", "caption": "below", "text": False}
    assert wrong(document, tokenizer, **fields) == "taken for prose"
    assert wrong(document, tokenizer, **fields, page=2) == ""
    assert (
        wrong(document, tokenizer, **{**fields, "page": 2, "text": True}) == "a heading where the figure is"
    )


def test_a_caption_in_another_chunk_is_wrong(build: Callable[..., Document], tokenizer: Tokenizer) -> None:
    long = " ".join(f"Line {number} tells of ships." for number in range(400))
    document = build(
        ("table", TABLE, {"page": 1}),
        ("footnote", long, {"page": 1}),
        ("caption", "Table 3: Vessels by month", {"page": 1}),
        kind="pdf",
    )
    assert wrong(document, tokenizer, caption="below") == "in another chunk"


def test_a_caption_goes_before_a_sentence_that_begins_like_it(build: Callable[..., Document]) -> None:
    document = build(
        ("paragraph", "Fig. 2 shows it.", {"page": 4}),
        ("caption", "Fig. 2: The bay", {"page": 4}),
        ("caption", "Fig. 21: The sea", {"page": 4}),
    )
    assert find_caption(document, {"page": 4, "label": "Fig. 2"}) == 1
    assert find_caption(document, {"page": 4, "label": "Fig. 21"}) == 2
    assert find_caption(document, {"page": 4, "label": "Fig. 3"}) is None


def test_shares_are_by_kind_and_by_format() -> None:
    scores = [
        CaptionScore("a.pdf", "", "table", ""),
        CaptionScore("a.pdf", "", "code", "in another chunk"),
        CaptionScore("a.html", "", "table", "", pdf=False),
    ]
    summary = summarise(scores)
    assert (summary["bound"], summary["table"], summary["code"], summary["figure"]) == (0.5, 1.0, 0.0, None)
    assert (summary["html_captions"], summary["html_bound"]) == (1, 1.0)


@pytest.mark.parametrize("kind", ["table", "code"])
def test_a_long_element_may_share_only_a_part(
    kind: str, build: Callable[..., Document], tokenizer: Tokenizer
) -> None:
    rows = "\n".join(f"vessel {number}\tcargo {number}" for number in range(500))
    document = build(("caption", "Table 3: Cargo", {"page": 1}), (kind, rows, {"page": 1}), kind="pdf")
    assert wrong(document, tokenizer, kind=kind) == ""
