"""Which paragraphs are captions, and of what."""

import pytest

from capsa.chunkers.build import TextBuilder
from capsa.chunkers.captions import LONGEST, caption_of, is_caption, mark_captions


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Table 3. Results", "table"),
        ("Table 3 Results of the survey", "table"),
        ("Table\u00a03.1.\u00a0List of boot loaders", "table"),
        ("TABLE II. Costs", "table"),
        ("Table A-1: Units", "table"),
        ("Supplementary Table S2: Units", "table"),
        ("**Table 1:** in bold", "table"),
        ("Table: Pandoc's own way", "table"),
        ("Tabelle 2", "table"),
        ("Tab. 4.2 – Vergleich", "table"),
        ("Tableau 3 : Coûts", "table"),
        ("表1 结果", "table"),
        ("Fig. 2a", "figure"),
        ("Figure 3 (a) Left", "figure"),
        ("Figure 22: Partial Sort By Index", "figure"),
        ("Abb. 3: Das Rad", "figure"),
        ("Abbildung 12. Das Rad", "figure"),
        ("図 3 車輪", "figure"),
        ("Listing 4.1: The loop", "code"),
        ("Algorithm 1 Greedy", "code"),
        ("Quelltext 2: Schleife", "code"),
        ("Example 1. Two wheels", "other"),
        ("Exhibit 7: Revenue", "other"),
        ("Example 2-1 Query that tells the wheels", "other"),
        ("Figure 1-2 Two wheels", "figure"),
        ("Figure 1-2   Wheels set apart", "figure"),
        ("Code 1: The loop", "code"),
        ("Fig.3: The dam", "figure"),
        ("Table3: Units", "table"),
        ("abb.3: Das Rad", "figure"),
        ("טבלה 1: גלגלים", "table"),
        ("الجدول 3: العجلات", "table"),
        ("شكل 2. العجلة", "figure"),
    ],
)
def test_captions_say_what_they_belong_to(text: str, kind: str) -> None:
    assert caption_of(text) == kind


@pytest.mark.parametrize(
    "text",
    [
        "Table 3 shows that the wheel turns.",
        "Fig. 2a shows the dam",
        "Figures 2 and 3",
        "Table of contents",
        "Tables are below",
        "Example 3.5 million people",
        "Box plots are drawn",
        "Maple 3",
        "In Table 3 we see",
        "example1",
        "Example 3.1 Let the wheel turn",
        "chart5: the axis",
        "",
        "Table 1: " + "long " * LONGEST,
    ],
)
def test_sentences_are_no_captions(text: str) -> None:
    assert not is_caption(text)


def test_only_paragraphs_beside_a_table_become_captions() -> None:
    builder = TextBuilder()
    for kind, text in (("paragraph", "Table 1: far"), ("paragraph", "words"), ("paragraph", "Table 2: near")):
        builder.add(kind, text)  # type: ignore[arg-type]
    builder.add("table", "a\tb")
    marked = mark_captions(builder.text, builder.blocks)
    assert [block.kind for block in marked] == ["paragraph", "paragraph", "caption", "table"]


@pytest.mark.parametrize(
    ("comment", "kind", "found_by"),
    [
        ("<!-- image -->", "caption", "markdown:picture"),
        ("<!-- to do -->", "paragraph", "markdown:paragraph"),
    ],
)
def test_the_caption_of_a_picture_that_was_left_out(comment: str, kind: str, found_by: str) -> None:
    builder = TextBuilder()
    builder.add("paragraph", "Figure 1: The wheel", found_by="markdown:paragraph")
    builder.add("comment", comment)
    marked = mark_captions(builder.text, builder.blocks)
    assert (marked[0].kind, marked[0].found_by) == (kind, found_by)
