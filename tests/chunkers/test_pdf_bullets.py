"""Lists whose bullets are drawn, as browsers print them."""

import io
from collections.abc import Callable

import pytest
from pdf_samples import text_lines
from reportlab.lib.pagesizes import letter
from reportlab.pdfgen.canvas import Canvas

from capsa.chunkers.model import Document
from capsa.chunkers.parsers import pdf

ABOVE = ["The clerk of the harbour has duties on each day of the week, and this is a list of", "all of them:"]


def parsed(*paints: Callable[[Canvas], None]) -> Document:
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=letter, invariant=1)
    for paint in paints:
        paint(canvas)
    canvas.save()
    return pdf.parse(out.getvalue(), "list.pdf", 60_000.0)


def blocks(document: Document) -> list[tuple[str, int, str]]:
    return [(each.kind, each.level, document.text[each.start : each.end]) for each in document.blocks]


def disc(canvas: Canvas, x: float, y: float) -> None:
    canvas.circle(x, y, 2, stroke=0, fill=1)


def ring(canvas: Canvas, x: float, y: float) -> None:
    canvas.circle(x, y, 2.2, stroke=1, fill=0)


def square(canvas: Canvas, x: float, y: float) -> None:
    canvas.rect(x - 1.9, y - 1.9, 3.8, 3.8, stroke=0, fill=1)


def small(canvas: Canvas, x: float, y: float) -> None:
    canvas.circle(x, y, 1.1, stroke=0, fill=1)


def test_items_with_drawn_bullets_are_nested_by_their_indentation() -> None:
    def paint(canvas: Canvas) -> None:
        text_lines(canvas, 72, 720, ABOVE, size=10)
        rows = [
            (
                disc,
                90,
                ["Keep the log of the ships that lie in the harbour, with their names and", "their ports"],
            ),
            (ring, 120, ["Write the names"]),
            (square, 150, ["In the order of the days"]),
            (ring, 120, ["Write the ports"]),
            (disc, 90, ["Set the lamps of the pier"]),
        ]
        base = 690
        for bullet, x, lines in rows:
            bullet(canvas, x - 10, base + 3)
            text_lines(canvas, x, base, lines, size=10)
            base -= 12 * len(lines)

    document = parsed(paint)
    assert blocks(document) == [
        ("paragraph", 0, " ".join(ABOVE)),
        (
            "list_item",
            1,
            "Keep the log of the ships that lie in the harbour, with their names and their ports",
        ),
        ("list_item", 2, "Write the names"),
        ("list_item", 3, "In the order of the days"),
        ("list_item", 2, "Write the ports"),
        ("list_item", 1, "Set the lamps of the pier"),
    ]


@pytest.mark.parametrize("bullet", [disc, ring, square, small])
def test_every_shape_parts_items_and_is_no_figure(bullet: Callable[[Canvas, float, float], None]) -> None:
    def paint(canvas: Canvas) -> None:
        text_lines(canvas, 72, 720, ABOVE, size=10)
        for number in range(4):
            bullet(canvas, 80, 693 - 12 * number)
        text_lines(canvas, 90, 690, [f"Look after lamp {number}" for number in range(4)], size=10)

    found = blocks(parsed(paint))
    assert [kind for kind, *_ in found] == ["paragraph", *["list_item"] * 4]


def test_a_number_further_out_ends_a_nested_item() -> None:
    def paint(canvas: Canvas) -> None:
        text_lines(canvas, 72, 700, ["1. Number the ships of the harbour"], size=10)
        disc(canvas, 96, 691)
        text_lines(canvas, 105, 688, ["with the letter of their port"], size=10)
        text_lines(canvas, 72, 676, ["2. Number the lamps"], size=10)

    assert [text for *_, text in blocks(parsed(paint))] == [
        "1. Number the ships of the harbour",
        "with the letter of their port",
        "2. Number the lamps",
    ]


def test_the_points_of_a_plot_are_no_bullets() -> None:
    def paint(canvas: Canvas) -> None:
        text_lines(canvas, 72, 720, ABOVE, size=10)
        for number in range(30):
            disc(canvas, 100 + 9 * number, 560 + (number * 37) % 90)
        text_lines(canvas, 395, 600, ["ships a day"], size=10)
        text_lines(
            canvas,
            72,
            500,
            ["What the clerk saw in the year before is the same as what is told here."],
            size=10,
        )

    assert not [kind for kind, *_ in blocks(parsed(paint)) if kind == "list_item"]


def test_an_ornament_before_a_heading_makes_it_no_item() -> None:
    def paint(canvas: Canvas) -> None:
        square(canvas, 64, 726)
        text_lines(canvas, 72, 720, ["The Duties"], "Helvetica-Bold", 16)
        text_lines(
            canvas, 72, 690, [*ABOVE, "He keeps the log. He sets the lamps. He counts the ships."], size=10
        )

    assert blocks(parsed(paint))[0] == ("heading", 1, "The Duties")
