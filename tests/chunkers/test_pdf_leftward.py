"""PDFs in a script that runs to the left: painted from the left as on paper, read in order."""

from collections.abc import Callable

import pypdf
import pytest
from pdf_samples import draw, rewritten
from pypdf.generic import DecodedStreamObject, NameObject
from reportlab.pdfgen.canvas import Canvas

from capsa.chunkers.model import Document
from capsa.chunkers.parsers import pdf

WORDS = "the clerk keeps a log of all ships that come in to the bay and of the cargo"
ROWS = [
    ("name", "ship", "berth"),
    ("alba", "brig", "north"),
    ("cors", "sloop", "west"),
    ("dune", "yawl", "east"),
]
CMAP = (
    b"begincmap 1 begincodespacerange <00> <ff> endcodespacerange 2 beginbfrange"
    b" <61> <7a> <05d0> <20> <40> <0020> endbfrange endcmap"
)


def hebrew(text: str) -> str:
    """Write the text in other letters, one for each."""
    return "".join(chr(ord("\u05d0") + ord(mark) - ord("a")) if mark.islower() else mark for mark in text)


def parse(paint: Callable[[Canvas], None]) -> Document:
    """Parse a page whose small letters are Hebrew ones."""

    def add(writer: pypdf.PdfWriter) -> None:
        stream = DecodedStreamObject()
        stream.set_data(CMAP)
        for font in writer.pages[0]["/Resources"]["/Font"].values():
            font.get_object()[NameObject("/ToUnicode")] = writer._add_object(stream)

    return pdf.parse(rewritten(draw(paint), add), "hebrew.pdf", 60_000.0)


def write(canvas: Canvas, right: float, y: float, text: str) -> None:
    """Paint text that ends at the left, its letters from the right."""
    canvas.drawRightString(right, y, text[::-1])


def blocks(document: Document) -> list[tuple[str, str]]:
    return [(block.kind, document.text[block.start : block.end]) for block in document.blocks]


@pytest.mark.parametrize("ruled", [False, True])
def test_rows_of_a_table_begin_at_the_right(ruled: bool) -> None:
    def paint(canvas: Canvas) -> None:
        for line in range(4):
            write(canvas, 540, 740 - 13 * line, WORDS)
        for number, row in enumerate(ROWS):
            for right, word in zip((540, 420, 300), row, strict=True):
                write(canvas, right, 660 - 16 * number, word)
        if ruled:
            for line in range(5):
                canvas.line(200, 672 - 16 * line, 545, 672 - 16 * line)
            for x in (200, 310, 430, 545):
                canvas.line(x, 672, x, 608)
        for line in range(4):
            write(canvas, 540, 568 - 13 * line, WORDS)

    prose, table, rest = blocks(parse(paint))
    assert table == ("table", "\n".join("\t".join(map(hebrew, row)) for row in ROWS))
    assert prose == rest == ("paragraph", " ".join([hebrew(WORDS)] * 4))


def test_the_right_column_is_read_first() -> None:
    def paint(canvas: Canvas) -> None:
        for line in range(20):
            write(canvas, 550, 720 - 13 * line, f"{WORDS[:39]} a")
            write(canvas, 290, 720 - 13 * line, f"{WORDS[:39]} b")

    text = " ".join(parse(paint).text.split())
    assert text == hebrew(" ".join([f"{WORDS[:39]} a"] * 20 + [f"{WORDS[:39]} b"] * 20))


def test_words_of_another_script_are_read_to_the_right() -> None:
    line = f"{WORDS[:31]} NOHTYP DNA R {WORDS[:21]}"

    def paint(canvas: Canvas) -> None:
        for number in range(4):
            write(canvas, 540, 700 - 13 * number, line)

    text = " ".join(parse(paint).text.split())
    assert text == " ".join([hebrew(WORDS[:31]) + " R AND PYTHON " + hebrew(WORDS[:21])] * 4)
