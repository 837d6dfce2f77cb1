"""Whole documents, each with one thing that a layout pass has to see."""

import io
from collections.abc import Callable, Sequence

import pytest
from pdf_samples import STYLES, WORDS, flow, text_lines
from reportlab.lib.pagesizes import letter
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import ListFlowable, ListItem, Paragraph

from capsa.chunkers.model import Document
from capsa.chunkers.parsers import pdf

BODY = STYLES["BodyText"]
PORTS = ["Alba", "Brea", "Cors", "Dune", "Ebor", "Fens"]
LINES = [
    f"line {n} of the log tells of ships, of their crews and of the weather on that day" for n in range(40)
]


def pages(*paints: Callable[[Canvas], None]) -> Document:
    """Parse a document of the painted pages."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=letter, invariant=1)
    for paint in paints:
        paint(canvas)
        canvas.showPage()
    canvas.save()
    return pdf.parse(out.getvalue(), "document.pdf", 60_000.0)


def blocks(document: Document, *kinds: str) -> list[str]:
    return [document.text[b.start : b.end] for b in document.blocks if not kinds or b.kind in kinds]


def log(page: int) -> list[str]:
    """Lines that no other page has."""
    return [f"{name} and {PORTS[page]} saw {line}" for name, line in zip(PORTS * 3, LINES[:18], strict=False)]


def turned(canvas: Canvas, x: float, y: float, angle: float, text: str, size: float) -> None:
    canvas.saveState()
    canvas.translate(x, y)
    canvas.rotate(angle)
    canvas.setFont("Helvetica-Bold", size)
    canvas.drawString(0, 0, text)
    canvas.restoreState()


@pytest.mark.parametrize("size", [14, 60])
def test_a_watermark_across_the_pages_is_left_out(size: float) -> None:
    def page(number: int) -> Callable[[Canvas], None]:
        def paint(canvas: Canvas) -> None:
            turned(canvas, 150, 250, 45, "CONFIDENTIAL DRAFT", size)
            text_lines(canvas, 72, 700, log(number))

        return paint

    document = pages(*map(page, range(1, 5)))
    assert "CONFIDENTIAL" not in document.text
    assert all(log(number)[-1] in document.text for number in range(1, 5))


@pytest.mark.parametrize(
    "style",
    [
        {"bulletType": "bullet", "start": "•"},
        {"bulletType": "1", "bulletFormat": "%s."},
        {"bulletType": "a", "bulletFormat": "(%s)"},
    ],
    ids=["bullets", "numbers", "letters"],
)
def test_nested_lists_keep_their_depth(style: dict[str, str]) -> None:
    inner = ListFlowable([Paragraph(text, BODY) for text in ("Write the names", "Write the ports")], **style)
    outer = [
        ListItem([Paragraph("Keep the log of the ships", BODY), inner]),
        ListItem(Paragraph("Set the lamps of the pier", BODY)),
    ]
    made = [
        Paragraph("The clerk has these duties:", BODY),
        ListFlowable(outer, **style),
        Paragraph(WORDS, BODY),
    ]
    document = pdf.parse(flow(made), "list.pdf", 60_000.0)
    found = [
        (block.level, document.text[block.start : block.end])
        for block in document.blocks
        if block.kind == "list_item"
    ]
    assert [level for level, _ in found] == [1, 2, 2, 1]
    assert [text.split(" ", 1)[1] for _, text in found] == [
        "Keep the log of the ships",
        "Write the names",
        "Write the ports",
        "Set the lamps of the pier",
    ]


def test_a_paragraph_goes_on_in_the_next_column() -> None:
    def paint(canvas: Canvas) -> None:
        text_lines(canvas, 60, 740, ["A Title over Both of the Columns"], "Helvetica-Bold", 16)
        text_lines(canvas, 60, 700, [f"{line[:44].strip()} and so" for line in LINES[:30]], size=9)
        text_lines(canvas, 320, 700, [f"{line[:44].strip()} and so" for line in LINES[30:]], size=9)

    _, paragraph = blocks(pages(paint))
    assert paragraph == " ".join(f"{line[:44].strip()} and so" for line in LINES)


def test_an_unruled_table_goes_on_over_the_page_between_running_heads() -> None:
    rows = [("Ship", "Berth", "Tons")] + [
        (f"Vessel {n}", f"quay {n % 7}", str(37 * n % 101)) for n in range(1, 61)
    ]

    def page(number: int, some: Sequence[Sequence[str]]) -> Callable[[Canvas], None]:
        def paint(canvas: Canvas) -> None:
            text_lines(canvas, 72, 760, ["Report of the harbour"], "Helvetica-Oblique", 8)
            y = 700.0
            if number == 1:
                y = text_lines(canvas, 72, y, [*LINES[:3], "", "Table 1: All ships"]) - 6
            for place, row in enumerate((rows[0], *some)):
                for x, cell in zip((80, 220, 360), row, strict=True):
                    text_lines(canvas, x, y, [cell], "Helvetica-Bold" if place == 0 else "Helvetica", 10)
                y -= 15
            if number == 3:
                text_lines(canvas, 72, y - 20, LINES[:3])
            text_lines(canvas, 300, 40, [str(number)], size=8)

        return paint

    document = pages(page(1, rows[1:31]), page(2, rows[31:72]), page(3, rows[72:]))
    [table] = blocks(document, "table")
    assert [tuple(row.split("\t")) for row in table.split("\n")] == rows
    assert "Report of the harbour" not in document.text
    assert blocks(document, "caption") == ["Table 1: All ships"]


def test_a_footnote_stands_apart_from_the_text_that_goes_on_over_the_page() -> None:
    def first(canvas: Canvas) -> None:
        text_lines(canvas, 72, 720, LINES[:30])
        canvas.line(72, 110, 200, 110)
        text_lines(
            canvas,
            72,
            98,
            ["1 The weather is told by the mate, who has a glass of", "his own for it."],
            size=7,
        )

    def second(canvas: Canvas) -> None:
        text_lines(canvas, 72, 720, LINES[30:])

    document = pages(first, second)
    assert blocks(document, "footnote") == [
        "1 The weather is told by the mate, who has a glass of his own for it."
    ]
    assert blocks(document, "paragraph") == [" ".join(LINES)]


def test_a_box_at_the_side_is_read_by_itself() -> None:
    bar = ["OPENING TIMES", "The office is open from", "nine until the tide is", "out, and on no Sunday."]

    def paint(canvas: Canvas) -> None:
        text_lines(canvas, 72, 720, [line[:62] for line in LINES[:30]])
        canvas.setFillGray(0.9)
        canvas.rect(420, 560, 150, 90, stroke=0, fill=1)
        canvas.setFillGray(0)
        text_lines(canvas, 430, 630, bar)

    document = pages(paint)
    text = " ".join(document.text.split())
    assert " ".join(line[:62].strip() for line in LINES[:30]) in text
    assert " ".join(bar) in text


def test_a_word_that_begins_every_chapter_is_no_running_head() -> None:
    names = ["The Ships", "The Lamps", "The Tides", "The Crews", "The Cargo", "The Quays"]

    def page(number: int) -> Callable[[Canvas], None]:
        def paint(canvas: Canvas) -> None:
            text_lines(canvas, 72, 720, ["CHAPTER"], "Helvetica-Bold", 18)
            text_lines(canvas, 72, 690, [f"{number + 1} {names[number]}"], "Helvetica-Bold", 18)
            text_lines(canvas, 72, 640, LINES[:25])
            text_lines(canvas, 300, 40, [str(number + 1)], size=8)

        return paint

    found = blocks(pages(*map(page, range(6))), "heading")
    assert found == [f"CHAPTER {number} {name}" for number, name in enumerate(names, start=1)]
