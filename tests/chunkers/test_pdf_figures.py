"""Figures in PDFs: their labels are no text of the body, and their captions stand beside them."""

from collections.abc import Callable

import pypdf
import pytest
from pdf_samples import draw, rewritten, text_lines
from pdf_tagged import Node, Words, tagged
from pypdf.generic import DecodedStreamObject, NameObject
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from capsa.chunkers.bind import find_groups
from capsa.chunkers.model import Document
from capsa.chunkers.parsers import pdf

PROSE = [f"The clerk of the harbour wrote this line of running text, number {n}" for n in range(4)]
CAPTION = "Figure 2. How a ship is berthed"
Paint = Callable[[Canvas], None]


def parse(paint: Paint) -> Document:
    return pdf.parse(draw(paint), "figures.pdf", 60_000.0)


def texts(document: Document, kind: str) -> list[str]:
    return [document.text[block.start : block.end] for block in document.blocks if block.kind == kind]


def flowchart(canvas: Canvas) -> None:
    for number, label in enumerate(("arrive", "signal", "berth")):
        canvas.ellipse(100 + 120 * number, 500, 180 + 120 * number, 540)
        canvas.drawCentredString(140 + 120 * number, 516, label)
    for x in (180, 300):
        canvas.line(x, 520, x + 40, 520)


def chart(canvas: Canvas) -> None:
    canvas.line(100, 450, 100, 550)
    canvas.line(100, 450, 300, 450)
    for number, height in enumerate((30, 70, 50)):
        canvas.rect(120 + 60 * number, 450, 30, height, fill=1)
        canvas.drawCentredString(135 + 60 * number, 438, str(1901 + number))
    for number in range(3):
        canvas.drawRightString(96, 450 + 40 * number, str(10 * number))
    canvas.saveState()
    canvas.rotate(90)
    canvas.drawString(470, -72, "Ships")
    canvas.restoreState()


def boxes(canvas: Canvas) -> None:
    canvas.grid([100, 140, 180, 220], [480, 500, 520])
    for number, letter in enumerate("abcdef"):
        canvas.drawString(115 + 40 * (number % 3), 505 - 20 * (number // 3), letter)


@pytest.mark.parametrize(
    ("paint", "labels"),
    [
        (flowchart, {"arrive", "signal", "berth"}),
        (chart, {"1901", "1902", "1903", "0", "10", "20", "Ships"}),
        (boxes, set("abcdef")),
    ],
    ids=["flow chart", "bar chart", "boxes"],
)
@pytest.mark.parametrize("first", [True, False], ids=["in order", "painted last"])
def test_labels_are_a_figure_beside_its_caption(paint: Paint, labels: set[str], first: bool) -> None:
    def page(canvas: Canvas) -> None:
        text_lines(canvas, 72, 700, PROSE)
        if first:
            paint(canvas)
        text_lines(canvas, 72, 424, [CAPTION])
        text_lines(canvas, 72, 360, PROSE)
        if not first:
            paint(canvas)

    document = parse(page)
    [figure] = texts(document, "figure")
    assert set(figure.split()) == labels
    assert [block.kind for block in document.blocks] == ["paragraph", "figure", "caption", "paragraph"]
    [group] = find_groups(document)
    assert (group.first, group.last, group.item) == (0, 3, 1)


def test_caption_above_its_drawing() -> None:
    def page(canvas: Canvas) -> None:
        flowchart(canvas)
        text_lines(canvas, 72, 560, [CAPTION])
        text_lines(canvas, 72, 400, PROSE)

    kinds = [block.kind for block in parse(page).blocks]
    assert kinds == ["caption", "figure", "paragraph"]


def test_captions_side_by_side_are_read_one_after_the_other() -> None:
    def page(canvas: Canvas) -> None:
        for x, letter in ((72, "a"), (320, "b")):
            for number in range(3):
                canvas.circle(x + 40 * number + 20, 550, 15)
                canvas.drawString(x + 40 * number + 16, 547, f"{letter}{number}")
        for row, words in enumerate((("Figure 3. The", "Figure 4. The"), ("quay by day", "quay by night"))):
            for x, text in zip((72, 320), words, strict=True):
                canvas.drawString(x, 520 - 14 * row, text)

    document = parse(page)
    assert texts(document, "caption") == ["Figure 3. The quay by day", "Figure 4. The quay by night"]
    assert texts(document, "figure") == ["a0 a1 a2", "b0 b1 b2"]


def test_caption_of_a_picture_without_words_stands_for_it() -> None:
    from PIL import Image

    picture = ImageReader(Image.new("L", (40, 40), 90))

    def page(canvas: Canvas) -> None:
        text_lines(canvas, 72, 700, PROSE)
        canvas.drawImage(picture, 100, 500, 150, 120)
        text_lines(canvas, 72, 480, [CAPTION])

    document = parse(page)
    assert [(block.kind, block.found_by) for block in document.blocks][1:] == [("caption", "pdf:picture")]
    [group] = find_groups(document)
    assert (group.first, group.last, group.kind) == (0, 2, "figure")


def test_prose_in_a_frame_with_round_corners_is_no_figure() -> None:
    def page(canvas: Canvas) -> None:
        for size in (0, 2, 4):
            canvas.roundRect(60 + size, 600 + size, 450 - 2 * size, 120 - 2 * size, 8)
        text_lines(canvas, 80, 690, PROSE)

    document = parse(page)
    assert texts(document, "figure") == []
    assert texts(document, "paragraph") == [" ".join(PROSE)]


def test_title_over_a_picture_stays_a_heading() -> None:
    from PIL import Image

    picture = ImageReader(Image.new("L", (40, 40), 200))

    def page(canvas: Canvas) -> None:
        canvas.drawImage(picture, 60, 400, 400, 300)
        text_lines(canvas, 80, 600, ["Annals of the harbour"], "Helvetica-Bold", 24)
        text_lines(canvas, 72, 360, PROSE)

    document = parse(page)
    assert texts(document, "heading") == ["Annals of the harbour"]


def test_sentence_that_begins_with_a_label_is_no_caption() -> None:
    def page(canvas: Canvas) -> None:
        flowchart(canvas)
        text_lines(canvas, 72, 480, ["Figure 2 shows how a ship is berthed by the clerk of the harbour."])

    assert texts(parse(page), "caption") == []


def test_untagged_drawing_on_a_tagged_page_is_a_figure() -> None:
    lines = [Words(n, 72, 740 - 30 * n, f"Paragraph {n} on the way of the ships.") for n in range(12)]
    lines += [Words(None, 120, 300, "Alba"), Words(None, 220, 300, "Brea")]
    lines += [
        Words(12, 72, 240, "Figure 1. The way between the ports"),
        Words(13, 72, 60, "The last paragraph."),
    ]
    lines += [Words(None, 300, 20, "Page 1")]
    tree = Node("Document", [Node("P", [n]) for n in range(14)])
    circles = b"".join(
        b"%d 300 m %d 330 %d 330 %d 300 c S " % (x, x, x + 60, x + 60) for x in (100, 150, 200)
    )

    def draw_circles(writer: pypdf.PdfWriter) -> None:
        page = writer.pages[0]
        stream = DecodedStreamObject()
        stream.set_data(page["/Contents"].get_data() + b" " + circles)
        page[NameObject("/Contents")] = writer._add_object(stream)

    document = pdf.parse(rewritten(tagged([(lines, tree)]), draw_circles), "tagged.pdf", 60_000.0)
    assert {block.found_by for block in document.blocks if block.kind == "paragraph"} == {"pdf:tag"}
    kinds = [block.kind for block in document.blocks if block.kind != "furniture"]
    assert kinds == [*["paragraph"] * 12, "figure", "caption", "paragraph"]
    assert texts(document, "figure") == ["Alba Brea"]
