"""Reading order of pages in columns, however they are painted."""

from collections.abc import Callable, Iterator
from itertools import zip_longest

import pytest
from pdf_samples import draw, text_lines
from reportlab.pdfgen.canvas import Canvas

from capsa.chunkers.model import Document
from capsa.chunkers.parsers import pdf

ROWS = 24
NAMES = ("alba", "brea", "cors")
Row = tuple[float, float, str]
Painting = Callable[[int], Iterator[Row]]


def sentence(column: int, row: int) -> str:
    return f"{NAMES[column]} {row} the clerk writes on ships"


def rows(columns: int, shift: float) -> list[list[Row]]:
    """The lines of each column by place; each column stands ``shift`` lower than the one before it."""
    width = 480 / columns
    return [
        [(60 + column * width, 660 - 14 * row - shift * column, sentence(column, row)) for row in range(ROWS)]
        for column in range(columns)
    ]


def by_columns(columns: int) -> Iterator[Row]:
    for column in rows(columns, 0):
        yield from column


def by_rows(columns: int) -> Iterator[Row]:
    for row in zip(*rows(columns, 0), strict=True):
        yield from row


def by_uneven_rows(columns: int) -> Iterator[Row]:
    for row in zip(*rows(columns, 14 / columns), strict=True):
        yield from row


@pytest.mark.parametrize("columns", [2, 3])
@pytest.mark.parametrize("painting", [by_columns, by_rows, by_uneven_rows])
def test_columns_are_read_one_after_the_other(columns: int, painting: Painting) -> None:
    def paint(canvas: Canvas) -> None:
        text_lines(canvas, 60, 720, ["A title that runs over all of the columns of it"], "Helvetica-Bold", 18)
        for x, y, text in painting(columns):
            text_lines(canvas, x, y, [text], size=8 if columns == 3 else 9)
        text_lines(canvas, 60, 300, ["The text below runs over the whole of the page, as the title does."])

    document = pdf.parse(draw(paint), "columns.pdf")
    wanted = [sentence(column, row) for column in range(columns) for row in range(ROWS)]
    assert " ".join(wanted) in " ".join(document.text.split())
    assert document.text.startswith("A title that runs")
    assert document.text.endswith("as the title does.")


def test_footnotes_and_a_side_bar_do_not_come_between_the_lines_of_columns() -> None:
    bar = ["Open at noon", "Ring twice", "No dogs"]

    def paint(canvas: Canvas) -> None:
        text_lines(canvas, 60, 720, ["The title of the page"], "Helvetica-Bold", 18)
        for column in rows(2, 0):
            for x, y, text in column:
                text_lines(canvas, x * 0.85, y, [text], size=9)
        text_lines(canvas, 52, 120, ["1 The tide tables of that year are lost."], size=7)
        text_lines(canvas, 500, 600, bar, size=8)

    text = " ".join(pdf.parse(draw(paint), "bar.pdf").text.split())
    wanted = [sentence(column, row) for column in range(2) for row in range(ROWS)]
    assert " ".join(wanted) in text
    assert " ".join(bar) in text
    assert text.index("alba 0") < text.index("1 The tide tables of that year are lost.")


def test_a_page_painted_from_the_bottom_is_read_from_the_top() -> None:
    words = [f"line {n} of the report on the lights" for n in range(20)]

    def paint(canvas: Canvas) -> None:
        for number, text in reversed(list(enumerate(words))):
            text_lines(canvas, 72, 700 - 13 * number, [text])

    assert " ".join(words) in " ".join(pdf.parse(draw(paint), "upward.pdf").text.split())


def side_by_side(*columns: list[str]) -> Document:
    """Parse a page with the words of the columns painted row by row."""

    def paint(canvas: Canvas) -> None:
        text_lines(canvas, 60, 720, ["The words below are those of the harbour, in their order."])
        for row, words in enumerate(zip_longest(*columns, fillvalue="")):
            for column, word in enumerate(words):
                canvas.drawString(60 + 130 * column, 690 - 13 * row, word)

    return pdf.parse(draw(paint), "words.pdf")


WORDS = [first + second for first in "bcdfghklmnprst" for second in ("ark", "ell", "ight", "oam")]
MEANINGS = [f"the {word} of the day" for word in sorted(WORDS[:14], key=lambda word: word[::-1])]


@pytest.mark.parametrize("columns", [2, 3, 4])
def test_lists_of_words_side_by_side_are_read_one_after_the_other(columns: int) -> None:
    parts = [WORDS[14 * column : 14 * (column + 1)] for column in range(columns)]
    document = side_by_side(*parts)
    assert " ".join(word for part in parts for word in part) in " ".join(document.text.split())
    assert not any(block.kind == "table" for block in document.blocks)


@pytest.mark.parametrize(
    "columns",
    [
        [WORDS[:14], MEANINGS],
        [WORDS[:14], [word.title() for word in WORDS[:14]]],
        [WORDS[:14], MEANINGS, WORDS[14:28]],
        [WORDS[:14], [str(n) for n in range(10, 24)], [str(n) for n in range(30, 44)]],
    ],
    ids=["meanings", "the same words", "a third column", "numbers"],
)
def test_a_table_of_words_in_order_stays_a_table(columns: list[list[str]]) -> None:
    document = side_by_side(*columns)
    [table] = [document.text[block.start : block.end] for block in document.blocks if block.kind == "table"]
    assert [row.split("\t") for row in table.split("\n")] == [list(row) for row in zip(*columns, strict=True)]
