"""Captions in PDFs beside what they belong to, wherever rules and fonts do not tell."""

import io
from collections.abc import Callable, Sequence

import pytest
from pdf_samples import WORDS, draw, text_lines
from reportlab.lib.pagesizes import letter
from reportlab.pdfgen.canvas import Canvas

from capsa.chunkers.model import Document
from capsa.chunkers.parsers import pdf
from capsa.chunkers.strategies import chunk
from capsa.chunkers.tokens import Tokenizer

Paint = Callable[[Canvas], None]


def parse(paint: Paint) -> Document:
    return pdf.parse(draw(paint), "captions.pdf", 60_000.0)


def blocks(document: Document) -> list[tuple[str, str]]:
    return [(block.kind, document.text[block.start : block.end]) for block in document.blocks]


def chunks(document: Document, tokenizer: Tokenizer) -> list[str]:
    return [document.text[one.start : one.end] for one in chunk(document, tokenizer)]


def prose(canvas: Canvas, y: float) -> None:
    text_lines(canvas, 60, y, [WORDS[:96], WORDS[20:114], WORDS[40:138]], "Times-Roman")


def columns(canvas: Canvas, y: float, rows: list[tuple[str, str]]) -> None:
    """Paint rows of two cells without any rule."""
    for name, meaning in rows:
        canvas.drawString(80, y, name)
        canvas.drawString(200, y, meaning)
        y -= 12


def test_caption_right_below_an_unruled_table_is_no_cell_of_it() -> None:
    rows = [
        ("alba", "the lamp of the northern pier"),
        ("brea", "the bell of the island"),
        ("cors", "the mole"),
    ]

    def paint(canvas: Canvas) -> None:
        prose(canvas, 740)
        columns(canvas, 680, rows)
        text_lines(canvas, 230, 640, ["Table 2: Marks of the bay"], "Times-Roman")
        prose(canvas, 600)

    found = blocks(parse(paint))
    assert found[1] == ("table", "\n".join("\t".join(row) for row in rows))
    assert found[2] == ("caption", "Table 2: Marks of the bay")


def test_caption_between_two_unruled_tables_does_not_join_them() -> None:
    def paint(canvas: Canvas) -> None:
        columns(canvas, 700, [("alba", "north"), ("brea", "south"), ("cors", "west")])
        text_lines(canvas, 80, 664, ["Table 3: More marks"])
        columns(canvas, 652, [("dune", "red"), ("ebor", "green"), ("fens", "white")])

    assert [kind for kind, _ in blocks(parse(paint))] == ["table", "caption", "table"]


STEPS = ["Input: the ships of the day", "for each ship in the bay do", "  if the berth is free then"]
STEPS += ["    give the berth to the ship", "  end if", "end for", "return the ships without a berth"]
SCRIPT = ["def berth(ship, quays):", "    for quay in quays:", "        if quay.free(ship):"]
SCRIPT += ["            return quay", "", "    return None"]
COMMANDS = ["$ cd harbour", "$ make berths", "$ ./berths --all > ships.txt"]
TAGS = ['<harbour name="Alba">', '  <berth free="yes"/>', '  <berth free="no"/>', "</harbour>"]
SETTINGS = ["[harbour]", "name = Alba", "berths = 12", "lamps = red, green"]
SPACED = ["f r o m b a y i m p o r t qu a y", "s h i p = n ext sh i p", "qu a y g ive s h i p b e rth"]
SENTENCES = [
    "For each ship the clerk writes its name in the log and,",
    "if there is a berth that is free and wide enough, then",
]
SENTENCES += ["gives it to the ship."]
NOTICE = [
    "The clerk writes the name of each ship in the log, and",
    "the ship takes the berth that he has given to it.",
]


def listing(canvas: Canvas, code: Sequence[str], caption: str, below: bool, framed: bool) -> None:
    """Paint code in a proportional font with its caption, between two paragraphs."""
    prose(canvas, 740)
    y = 690.0
    if not below:
        y = text_lines(canvas, 60, y, [caption], "Times-Roman") - 6
    if framed:
        canvas.rect(60, y + 9 - 12 * len(code), 400, 12 * len(code) + 4)
    for line in code:
        canvas.drawString(70 + 6 * (len(line) - len(line.lstrip())), y, line.lstrip())
        y -= 12
    if below:
        y = text_lines(canvas, 60, y - 8, [caption], "Times-Roman")
    prose(canvas, y - 16)


@pytest.mark.parametrize("framed", [False, True], ids=["bare", "framed"])
@pytest.mark.parametrize("below", [False, True], ids=["above", "below"])
@pytest.mark.parametrize(
    ("label", "code"),
    [
        ("Algorithm 2", STEPS),
        ("Listing 4.1:", SCRIPT),
        ("Code 1.", COMMANDS),
        ("Listing 2.", TAGS),
        ("Program 7:", SETTINGS),
        ("Listing 3:", SPACED),
        ("Fig. 3.", STEPS),
        ("Figure 2:", SCRIPT),
        ("Example 2-1", SCRIPT),
    ],
)
def test_code_beside_its_caption_is_a_listing_in_any_font(
    label: str, code: list[str], below: bool, framed: bool, tokenizer: Tokenizer
) -> None:
    caption = f"{label} Giving away the berths"
    document = parse(lambda canvas: listing(canvas, code, caption, below, framed))
    found = blocks(document)
    assert sorted(found[1:3])[0] == ("caption", caption)
    [text] = [text for kind, text in found if kind == "code"]
    assert [line.split() for line in text.split("\n")] == [line.split() for line in code]
    assert len(found) == 4
    assert any(caption in one and code[-1].strip() in one for one in chunks(document, tokenizer))


@pytest.mark.parametrize("below", [False, True], ids=["above", "below"])
@pytest.mark.parametrize("label", ["Listing 3.", "Figure 3.", "Example 3."])
def test_a_paragraph_beside_a_caption_is_no_listing(label: str, below: bool) -> None:
    found = blocks(parse(lambda canvas: listing(canvas, SENTENCES, f"{label} Words", below, False)))
    assert {kind for kind, _ in found} == {"paragraph", "caption"}


def test_listing_below_a_caption_ends_where_a_paragraph_follows_an_empty_line() -> None:
    code = [*SCRIPT[:4], "", *NOTICE]
    found = blocks(parse(lambda canvas: listing(canvas, code, "Listing 3: Berths", False, False)))
    assert [text.count("\n") for kind, text in found if kind == "code"] == [3]
    assert ("paragraph", " ".join(NOTICE)) in found


def test_caption_in_quoted_typewritten_text_is_bound_to_the_drawing_above_it() -> None:
    drawing = ["+------+------+", "| ship | port |", "+------+------+"]

    def paint(canvas: Canvas) -> None:
        prose(canvas, 740)
        y = text_lines(
            canvas, 60, 680, [*drawing, "", "   Figure 1: A record", "", "The record goes on."], "Courier"
        )
        prose(canvas, y - 20)

    found = blocks(parse(paint))
    assert found[1:4] == [
        ("code", "\n".join(drawing)),
        ("caption", "Figure 1: A record"),
        ("code", "The record goes on."),
    ]


def test_words_that_stand_upright_in_a_drawing_are_not_read_with_the_line_before() -> None:
    def paint(canvas: Canvas) -> None:
        text_lines(canvas, 60, 720, ["The ship is drawn from above in this figure."], "Times-Roman")
        canvas.rect(200, 560, 80, 120, fill=0)
        canvas.saveState()
        canvas.translate(260, 570)
        canvas.rotate(90)
        canvas.drawString(0, 0, "Hull and deck")
        canvas.restoreState()
        text_lines(canvas, 180, 530, ["Figure 1: The ship"], "Helvetica-Oblique", 12)

    assert blocks(parse(paint)) == [
        ("paragraph", "The ship is drawn from above in this figure."),
        ("figure", "Hull and deck"),
        ("caption", "Figure 1: The ship"),
    ]


def test_code_in_a_box_with_round_corners_and_columns_is_a_listing() -> None:
    rows = [("1", "name = Alba"), ("2", "berths = 12"), ("3", "lamps = red, green"), ("4", "tide = 3.5")]

    def paint(canvas: Canvas) -> None:
        prose(canvas, 740)
        text_lines(canvas, 60, 690, ["Listing 5: Settings of the harbour"], "Times-Roman")
        canvas.roundRect(60, 616, 300, 64, 8)
        canvas.line(95, 616, 95, 680)
        columns(canvas, 664, [(number, code) for number, code in rows])
        prose(canvas, 580)

    kinds = [kind for kind, _ in blocks(parse(paint))]
    assert [kind for kind in kinds if kind != "furniture"] == ["paragraph", "caption", "code", "paragraph"]


def test_caption_in_the_font_of_its_code_is_a_caption() -> None:
    def paint(canvas: Canvas) -> None:
        prose(canvas, 740)
        y = text_lines(canvas, 60, 690, ["Listing 5: A berth"], "Courier")
        text_lines(canvas, 60, y, SCRIPT, "Courier")
        prose(canvas, 560)

    assert [kind for kind, _ in blocks(parse(paint))] == ["paragraph", "caption", "code", "paragraph"]


def bars(canvas: Canvas, low: float) -> None:
    """Paint a drawing of bars and slanted lines."""
    for number in range(4):
        canvas.rect(100 + 60 * number, low, 30, 40 + 20 * number, fill=1)
        canvas.line(100 + 60 * number, low, 140 + 60 * number, low + 90)


def test_running_feet_and_heads_right_beside_drawings_are_no_labels_of_them() -> None:
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=letter, invariant=1)
    for page in range(1, 6):
        text_lines(canvas, 100, 764, ["Harbour report"], "Helvetica", 9)
        text_lines(canvas, 300, 34, [str(page)], "Helvetica", 9)
        prose(canvas, 500)
        text_lines(canvas, 60, 640, [f"Figure {page}. The tides of day {page}"], "Times-Roman")
        bars(canvas, 658)
        if page % 2:
            bars(canvas, 46)
            text_lines(canvas, 60, 160, [f"Figure {page + 5}. The lamps of day {page}"], "Times-Roman")
        canvas.showPage()
    canvas.save()
    document = pdf.parse(out.getvalue(), "feet.pdf", 60_000.0)
    assert {block.kind for block in document.blocks} == {"paragraph", "caption"}
    assert sum(block.found_by == "pdf:picture" for block in document.blocks) == 8


def test_a_caption_at_the_height_of_running_feet_stays() -> None:
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=letter, invariant=1)
    for page in range(1, 8):
        prose(canvas, 700)
        if page == 4:
            bars(canvas, 60)
            text_lines(canvas, 60, 40, ["Figure 4: The bars"], "Helvetica", 9)
        else:
            text_lines(canvas, 60, 40, [f"Report of the harbour, page {page}"], "Helvetica", 9)
        canvas.showPage()
    canvas.save()
    found = blocks(pdf.parse(out.getvalue(), "feet.pdf", 60_000.0))
    assert [text for kind, text in found if kind != "paragraph"] == ["Figure 4: The bars"]


def test_a_first_line_in_another_font_belongs_to_its_listing() -> None:
    def paint(canvas: Canvas) -> None:
        prose(canvas, 740)
        y = text_lines(canvas, 60, 690, ["Listing 5: A berth"], "Times-Roman") - 4
        y = text_lines(canvas, 60, y, ["the berth that is free for a ship"], "Times-Italic")
        text_lines(canvas, 60, y, SCRIPT[:4], "Courier")
        prose(canvas, 580)

    found = blocks(parse(paint))
    assert [kind for kind, _ in found] == ["paragraph", "caption", "code", "paragraph"]
    assert found[2][1].count("\n") == 4


def test_code_of_fixed_pitch_in_a_grid_below_its_caption_is_no_table() -> None:
    def paint(canvas: Canvas) -> None:
        prose(canvas, 740)
        text_lines(canvas, 60, 690, ["Listing 5: A berth"], "Times-Roman")
        canvas.grid([60, 84, 400], [622, 634, 646, 658, 670, 682])
        for number, line in enumerate(SCRIPT[:5], start=1):
            text_lines(canvas, 66, 685 - 12 * number, [f"{number}   {line}"], "Courier")
        prose(canvas, 590)

    kinds = [kind for kind, _ in blocks(parse(paint))]
    assert [kind for kind in kinds if kind != "furniture"] == ["paragraph", "caption", "code", "paragraph"]
