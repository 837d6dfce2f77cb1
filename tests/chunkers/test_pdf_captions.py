"""Captions in PDFs beside what they belong to, wherever rules and fonts do not tell."""

from collections.abc import Callable

from pdf_samples import WORDS, draw, text_lines
from reportlab.pdfgen.canvas import Canvas

from capsa.chunkers.model import Document
from capsa.chunkers.parsers import pdf

Paint = Callable[[Canvas], None]


def parse(paint: Paint) -> Document:
    return pdf.parse(draw(paint), "captions.pdf", 60_000.0)


def blocks(document: Document) -> list[tuple[str, str]]:
    return [(block.kind, document.text[block.start : block.end]) for block in document.blocks]


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
