"""Captions of drawings with axes set apart, of texts that are figures, of listings in plain fonts."""

from collections.abc import Callable, Sequence

import pytest
from pdf_samples import WORDS, draw, text_lines
from reportlab.lib.utils import simpleSplit
from reportlab.pdfgen.canvas import Canvas

from capsa.chunkers.bind import find_groups
from capsa.chunkers.model import Document
from capsa.chunkers.parsers import pdf

DECLARED = (
    "We the harbour masters of the three bays declare that",
    "every vessel is to pay its due before the berth is given",
    "away, and that none may leave at night without a pilot.",
)
STEPS = ("1. Let S be the ships of the day", "2. Repeat until S is empty:", "3. Return what is written")


def parse(paint: Callable[[Canvas], None]) -> Document:
    return pdf.parse(draw(paint), "figures.pdf", 60_000.0)


def blocks(document: Document) -> list[tuple[str, str]]:
    return [(block.kind, document.text[block.start : block.end]) for block in document.blocks]


def prose(canvas: Canvas, y: float, x: float = 72, width: float = 460) -> float:
    """Paint a paragraph in Helvetica and return the y below it, with some room."""
    return text_lines(canvas, x, y, simpleSplit(WORDS, "Helvetica", 10, width)) - 14


def bound(document: Document, label: str) -> list[str]:
    """Return the kinds of the blocks in one group with the caption, without it and paragraphs."""
    texts = [document.text[block.start : block.end] for block in document.blocks]
    place = next(number for number, text in enumerate(texts) if text.startswith(label))
    kinds = [block.kind for block in document.blocks]
    assert kinds[place] == "caption", blocks(document)
    group = next(range(one.first, one.last) for one in find_groups(document) if one.first <= place < one.last)
    return [kinds[number] for number in group if number != place and kinds[number] != "paragraph"]


def chart(canvas: Canvas, x: float, y: float) -> float:
    """Paint curves in a frame that they do not touch, with the words of axes; return the y below."""
    canvas.line(x, y - 90, x + 150, y - 90)
    canvas.line(x, y - 90, x, y)
    for shift in (0, 10, 25):
        canvas.bezier(x + 12, y - 80 + shift, x + 50, y - 40, x + 90, y - 70, x + 130, y - 30 + shift)
    canvas.setFont("Helvetica", 10)
    for number in range(3):
        canvas.drawRightString(x - 6, y - 85 + 30 * number, str(2 * number + 2))
        canvas.drawString(x + 40 * number, y - 102, str(number))
    canvas.drawString(x + 40, y - 120, "Days since spring")
    return y - 140


def test_numbers_and_names_of_axes_set_apart_from_the_curves_belong_to_the_figure() -> None:
    def paint(canvas: Canvas) -> None:
        y = chart(canvas, 200, prose(canvas, 740))
        prose(canvas, text_lines(canvas, 200, y, ["Figure 2: Ships by day"]) - 20)

    found = blocks(parse(paint))
    assert [kind for kind, _ in found] == ["paragraph", "figure", "caption", "paragraph"]
    assert sorted(found[1][1].split()) == sorted(["0", "1", "2", "2", "4", "6", "Days", "since", "spring"])


def test_text_beside_a_figure_in_another_column_is_not_between_it_and_its_caption() -> None:
    def paint(canvas: Canvas) -> None:
        y = prose(canvas, 740, 60, 230)
        canvas.line(80, y - 60, 200, y - 60)
        canvas.line(80, y - 60, 80, y)
        canvas.bezier(80, y - 50, 120, y - 20, 160, y - 50, 200, y - 10)
        for number in range(3):
            canvas.drawString(90 + 40 * number, y - 72, f"May {number}")
        y = text_lines(canvas, 80, y - 98, ["Fig. 4. Ships in May"]) - 20
        for _ in range(2):
            y = prose(canvas, y, 60, 230)
        y = 740
        for _ in range(5):
            y = prose(canvas, y, 320, 230)

    assert bound(parse(paint), "Fig. 4.") == ["figure"]


@pytest.mark.parametrize("framed", [True, False])
def test_a_text_in_a_frame_or_in_another_font_is_the_figure_of_its_caption(framed: bool) -> None:
    def paint(canvas: Canvas) -> None:
        y = prose(canvas, 700)
        if framed:
            canvas.rect(90, y - 34, 330, 50)
        y = text_lines(canvas, 100, y, DECLARED, "Helvetica" if framed else "Times-Italic") - 16
        prose(canvas, text_lines(canvas, 100, y, ["Figure 3: What was declared"]) - 20)

    document = parse(paint)
    assert ("figure", " ".join(DECLARED)) in blocks(document)
    assert bound(document, "Figure 3") == ["figure"]


def test_prose_above_a_caption_is_no_figure() -> None:
    def paint(canvas: Canvas) -> None:
        y = prose(canvas, prose(canvas, 700))
        prose(canvas, text_lines(canvas, 100, y, ["Figure 3: A picture that is lost"], "Helvetica-Oblique"))

    assert {kind for kind, _ in blocks(parse(paint))} == {"paragraph", "caption"}


def test_a_caption_at_the_side_of_a_picture_is_one() -> None:
    def paint(canvas: Canvas) -> None:
        y = prose(canvas, 700)
        canvas.setFillGray(0.7)
        canvas.rect(72, y - 90, 150, 100, fill=1)
        canvas.setFillGray(0)
        text_lines(canvas, 236, y - 40, ["Figure 7: The quay by", "night, with lamps"])
        prose(canvas, y - 130)

    found = parse(paint)
    block = next(block for block in found.blocks if block.kind == "caption")
    assert (block.found_by, found.text[block.start : block.end][-10:]) == ("pdf:picture", "with lamps")


def test_the_words_of_a_caption_stand_below_its_label() -> None:
    def paint(canvas: Canvas) -> None:
        y = prose(canvas, 700)
        canvas.setFont("Helvetica", 8)
        canvas.drawCentredString(300, y, "TABLE II")
        canvas.drawCentredString(300, y - 10, "SHIPS BY PORT")
        for number, row in enumerate((("Port", "Ships"), ("Alba", "12"), ("Brea", "7"), ("Cors", "31"))):
            for x, cell in zip((240, 340), row, strict=True):
                canvas.drawString(x, y - 30 - 13 * number, cell)
        prose(canvas, y - 100)

    found = blocks(parse(paint))
    assert ("caption", "TABLE II SHIPS BY PORT") in found
    assert [kind for kind, _ in found] == ["paragraph", "caption", "table", "paragraph"]


def test_captions_side_by_side_are_two() -> None:
    def paint(canvas: Canvas) -> None:
        y = prose(canvas, 700)
        text_lines(canvas, 90, y, ["Figure 5. The quay"])
        text_lines(canvas, 330, y - 4, ["Figure 6. The bay"])
        prose(canvas, y - 50)

    assert [text for kind, text in blocks(parse(paint)) if kind == "caption"] == [
        "Figure 5. The quay",
        "Figure 6. The bay",
    ]


def test_a_rule_ends_a_caption_and_what_follows_up_to_the_next_is_its_listing() -> None:
    def paint(canvas: Canvas) -> None:
        y = prose(canvas, 700)
        canvas.line(72, y + 12, 530, y + 12)
        text_lines(canvas, 72, y, ["Algorithm 1 Record the ships"], "Helvetica-Bold")
        canvas.line(72, y - 4, 530, y - 4)
        text_lines(canvas, 72, y - 15, STEPS)
        canvas.line(72, y - 44, 530, y - 44)
        prose(canvas, y - 70)

    found = blocks(parse(paint))
    assert found[1:3] == [("caption", "Algorithm 1 Record the ships"), ("code", "\n".join(STEPS))]


@pytest.mark.parametrize(
    ("label", "code"),
    [
        ("Listing 4: Record", ("for ship in ships:", "    record(ship)", "print(total())")),
        ("Figure 4: Record", ("f o r s h i p i n s h i p s :", "r e c o r d ( s h i p )", "p r i n t ( t )")),
    ],
)
def test_code_above_a_caption_is_its_own_though_prose_and_code_follow(
    label: str, code: Sequence[str]
) -> None:
    def paint(canvas: Canvas) -> None:
        y = prose(canvas, 700)
        for number in range(2):
            y = text_lines(canvas, 72, y, code)
            y = prose(canvas, text_lines(canvas, 200, y - 4, [label.replace("4", str(number))]) - 6)

    found = [kind for kind, _ in blocks(parse(paint))]
    assert found == ["paragraph", *(["code", "caption", "paragraph"] * 2)]


def test_a_listing_that_a_page_has_cut_goes_on_below_a_table_at_the_top() -> None:
    code = [f"record({number}, ships[{number}])" for number in range(8)]

    def paint(canvas: Canvas) -> None:
        y = 740.0
        for _ in range(9):
            y = prose(canvas, y)
        y = text_lines(canvas, 72, y, ["Listing 2: What is recorded"])
        text_lines(canvas, 72, y - 4, code[:4], "Courier")
        canvas.showPage()
        y = text_lines(canvas, 200, 740, ["Table 3: Ships by port"]) - 8
        for row in range(4):
            canvas.line(200, y + 12 - 16 * row, 400, y + 12 - 16 * row)
        for row, cells in enumerate((("Port", "Ships"), ("Alba", "12"), ("Brea", "7"))):
            for x, cell in zip((206, 306), cells, strict=True):
                canvas.drawString(x, y - 16 * row, cell)
        y = text_lines(canvas, 72, y - 70, code[4:], "Courier") - 14
        for _ in range(5):
            y = prose(canvas, y)

    found = blocks(parse(paint))
    assert ("code", "\n".join(code)) in found
    assert [kind for kind, _ in found if kind != "paragraph"] == ["caption", "code", "caption", "table"]
