"""PDFs in a script that runs to the left: painted from the left as on paper, read in order."""

from collections.abc import Callable
from random import Random

import pypdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pdf_samples import draw, hand_made, rewritten
from pdf_tagged import Node, Words, tagged
from pypdf.generic import DecodedStreamObject, NameObject
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from capsa.chunkers.model import Document
from capsa.chunkers.ocr_document import to_lines
from capsa.chunkers.ocr_page import OcrLine, OcrPage
from capsa.chunkers.parsers import pdf
from capsa.chunkers.parsers.pdf_leftward import read_words
from capsa.chunkers.parsers.pdf_order import order

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
    return parse_bytes(draw(paint))


def parse_bytes(data: bytes) -> Document:
    def add(writer: pypdf.PdfWriter) -> None:
        stream = DecodedStreamObject()
        stream.set_data(CMAP)
        for font in writer.pages[0]["/Resources"]["/Font"].values():
            font.get_object()[NameObject("/ToUnicode")] = writer._add_object(stream)

    return pdf.parse(rewritten(data, add), "hebrew.pdf", 60_000.0)


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


def test_points_and_brackets_stand_on_the_right_side_of_numbers() -> None:
    read = "1. the log (of 1998) says: ship 2 (page 7), 12.5 or 15-20 on the 3rd [5], a-44; PYTHON 3.11 too"
    # As it is painted: letters from the right, numbers and Latin words not, brackets mirrored.
    painted = read.translate(str.maketrans("()[]", ")(]["))[::-1]
    for part in ("1998", "12.5", "15-20", "44", "PYTHON 3.11"):
        painted = painted.replace(part[::-1], part)

    def paint(canvas: Canvas) -> None:
        for number in range(4):
            canvas.drawRightString(540, 700 - 13 * number, painted)

    text = " ".join(parse(paint).text.split())
    assert text == " ".join([hebrew(read)] * 4)


def test_words_that_the_file_spells_beside_the_glyphs_are_not_turned_around() -> None:
    words = WORDS.split()[:12]
    shown, right = [], 540.0
    for word in words:
        right -= stringWidth(f"{word} ", "Helvetica", 10)
        spelled = hebrew(word).encode("utf-16-be").hex()
        shown.append(
            f"/Span <</ActualText <feff{spelled}>>> BDC BT /F1 10 Tf {right} 700 Td ({word[::-1]}) Tj ET EMC"
        )
    document = parse_bytes(hand_made("\n".join(shown).encode()))
    assert document.text == hebrew(" ".join(words))


class Boxes:
    """Characters that stand anywhere."""

    def __init__(self, places: list[float]) -> None:
        self.places = places

    def char_box(self, position: int) -> tuple[float, float, float, float]:
        return self.places[position], self.places[position] + 5, 0, 10


@settings(max_examples=80)
@given(
    st.text("אבגשם ערבيةل()[]{} 0123456789.,:-%$ABcd é", min_size=1, max_size=40).filter(str.strip),
    st.randoms(use_true_random=False),
)
def test_no_character_is_lost_wherever_it_stands(text: str, random: Random) -> None:
    words = read_words(Boxes([random.uniform(0, 500) for _ in text]), 0, text)
    assert sorted("".join(word.text for word in words)) == sorted("".join(text.split()))


def leftward_words(mark: int | None, right: float, y: float, text: str) -> Words:
    return Words(mark, right - stringWidth(text, "Helvetica", 10), y, text[::-1])


def test_an_untagged_table_on_a_tagged_page_begins_at_the_right() -> None:
    lines = [leftward_words(number, 540, 740 - 13 * number, WORDS) for number in range(20)]
    lines += [
        leftward_words(None, right, 460 - 16 * number, word)
        for number, row in enumerate(ROWS)
        for right, word in zip((540, 420, 300), row, strict=True)
    ]
    lines += [leftward_words(20 + number, 540, 380 - 13 * number, WORDS) for number in range(6)]
    found = blocks(parse_bytes(tagged([(lines, Node("Document", [Node("P", [n]) for n in range(26)]))])))
    assert [kind for kind, _ in found] == ["paragraph"] * 20 + ["table"] + ["paragraph"] * 6
    assert found[20][1] == "\n".join("\t".join(map(hebrew, row)) for row in ROWS)


def recognised_columns() -> OcrPage:
    lines = [
        OcrLine(hebrew(f"{WORDS} {column}"), x0, x0 + 240, 700 - 14 * row, 688 - 14 * row, 0.9)
        for row in range(8)
        for column, x0 in ((1, 310), (2, 50))
    ]
    return OcrPage(600, 800, tuple(lines))


def test_recognised_columns_begin_at_the_right() -> None:
    found = to_lines(recognised_columns(), 1)
    assert [line.text[-1] for line in found] == ["1"] * 8 + ["2"] * 8
    assert all(0 < line.x1 - line.x0 < 250 for line in found)


def test_columns_of_a_page_turned_by_a_right_angle_begin_at_the_right() -> None:
    lines = to_lines(recognised_columns(), 1)
    by_row = [line._replace(angle=90) for pair in zip(lines[:8], lines[8:], strict=True) for line in pair]
    upright, turned = order(by_row)
    assert [line.text[-1] for line in upright] == ["1"] * 8 + ["2"] * 8
    assert turned == []
