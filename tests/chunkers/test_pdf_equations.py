"""Displayed equations stay whole, with their numbers."""

from pdf_samples import draw, text_lines
from reportlab.pdfgen.canvas import Canvas

from capsa.chunkers.model import Document
from capsa.chunkers.parsers import pdf

ABOVE = [
    "The mean depth of the bay is told by the sum over all of the",
    "soundings of the year, each weighed by its area:",
]
BELOW = ["where the area of each of the soundings is known from the chart."]


def parse(paint) -> Document:
    return pdf.parse(draw(paint), "equations.pdf", 60_000.0)


def equations(document: Document) -> list[str]:
    return [document.text[b.start : b.end] for b in document.blocks if b.kind == "equation"]


def test_an_equation_and_its_number_are_one_block() -> None:
    def paint(canvas: Canvas) -> None:
        text_lines(canvas, 72, 700, ABOVE)
        text_lines(canvas, 220, 660, ["d = (a + b) / c"])
        text_lines(canvas, 480, 660, ["(3.2)"])
        text_lines(canvas, 72, 630, BELOW)

    document = parse(paint)
    assert equations(document) == ["d = (a + b) / c (3.2)"]
    assert [block.kind for block in document.blocks] == ["paragraph", "equation", "paragraph"]


def test_the_lines_and_the_limits_of_an_equation_stay_together() -> None:
    def paint(canvas: Canvas) -> None:
        text_lines(canvas, 72, 700, ABOVE)
        text_lines(canvas, 220, 660, ["d = a + b + c"])
        text_lines(canvas, 220, 645, ["= a + 2b"])
        text_lines(canvas, 232, 636, ["i=1"], size=7)
        text_lines(canvas, 72, 605, BELOW)

    (equation,) = equations(parse(paint))
    assert equation.split("\n") == ["d = a + b + c", "= a + 2b", "i=1"]


def test_a_formula_inside_the_text_and_an_indented_quotation_are_no_equations() -> None:
    def paint(canvas: Canvas) -> None:
        text_lines(canvas, 72, 700, [*ABOVE, "so that d = a + b holds for each of them at any time."])
        text_lines(canvas, 120, 640, ["Whoever takes the tide as given = a fool, said the old clerk."])
        text_lines(canvas, 72, 610, BELOW)

    assert equations(parse(paint)) == []
