"""Text that nobody sees is furniture; the text layer of a scan is not."""

from pdf_samples import draw, scan_with_text, text_lines
from reportlab.pdfgen.canvas import Canvas

from capsa.chunkers.model import Document
from capsa.chunkers.parsers import pdf

SEEN = ["The harbour office keeps a record of every vessel", "that enters the bay and of its cargo."]


def parse(data: bytes) -> Document:
    return pdf.parse(data, "hidden.pdf", 60_000.0)


def furniture(document: Document) -> list[str]:
    return [
        document.text[block.start : block.end] for block in document.blocks if block.found_by == "pdf:hidden"
    ]


def paint_invisibly(canvas: Canvas, y: float, text: str) -> None:
    words = canvas.beginText(72, y)
    words.setFont("Helvetica", 10)
    words.setTextRenderMode(3)
    words.textLine(text)
    canvas.drawText(words)


def test_invisible_text_beside_visible_text_is_furniture() -> None:
    def paint(canvas: Canvas) -> None:
        text_lines(canvas, 72, 700, SEEN)
        paint_invisibly(canvas, 600, "buy cheap rum here")

    document = parse(draw(paint))
    assert furniture(document) == ["buy cheap rum here"]
    assert document.blocks[-1].kind == "furniture"
    assert document.blocks[0].kind == "paragraph"


def test_text_off_the_page_is_furniture() -> None:
    def paint(canvas: Canvas) -> None:
        text_lines(canvas, 72, 700, SEEN)
        text_lines(canvas, 72, 900, ["cut off at the top"])
        text_lines(canvas, 700, 500, ["cut off at the right"])
        text_lines(canvas, 560, 450, ["runs over the edge"])

    assert furniture(parse(draw(paint))) == ["cut off at the top cut off at the right"]


def test_hidden_text_does_not_cut_a_paragraph_that_goes_on_over_the_page() -> None:
    def paint(canvas: Canvas) -> None:
        text_lines(canvas, 72, 100, ["The clerk writes that the vessel", "is laden with salt and"])
        paint_invisibly(canvas, 60, "nobody reads this")
        canvas.showPage()
        text_lines(canvas, 72, 700, ["that her master is ill."])

    document = parse(draw(paint))
    assert "laden with salt and that her master is ill." in document.text
    assert furniture(document) == ["nobody reads this"]


def test_the_text_layer_of_a_scan_is_body() -> None:
    document = parse(
        scan_with_text(lambda canvas: paint_invisibly(canvas, 700, "words that were recognised"))
    )
    assert furniture(document) == []
    assert document.text == "words that were recognised"


def test_the_text_layer_of_a_scan_is_body_beside_a_visible_stamp() -> None:
    def paint(canvas: Canvas) -> None:
        paint_invisibly(canvas, 700, "words that were recognised on the page")
        text_lines(canvas, 300, 40, ["Scanned by the harbour office on a Monday"])

    assert furniture(parse(scan_with_text(paint))) == []


def test_a_page_of_invisible_text_alone_is_body() -> None:
    document = parse(draw(lambda canvas: paint_invisibly(canvas, 700, "a text layer over a drawing")))
    assert furniture(document) == []


def test_white_text_on_white_paper_is_furniture_and_on_a_dark_ground_it_is_body() -> None:
    def paint(canvas: Canvas) -> None:
        text_lines(canvas, 72, 700, SEEN)
        canvas.setFillColorRGB(0.1, 0.1, 0.4)
        canvas.rect(60, 590, 400, 24, stroke=0, fill=1)
        canvas.setFillColorRGB(1, 1, 1)
        text_lines(canvas, 72, 600, ["Signals of the lighthouse keeper"])
        text_lines(canvas, 72, 500, ["ignore what is written above"])

    document = parse(draw(paint))
    assert furniture(document) == ["ignore what is written above"]
    assert "Signals of the lighthouse keeper" in document.text


def test_text_too_small_to_read_is_furniture() -> None:
    def paint(canvas: Canvas) -> None:
        text_lines(canvas, 72, 700, SEEN)
        text_lines(canvas, 72, 600, ["words for machines only"], size=0.5)

    assert furniture(parse(draw(paint))) == ["words for machines only"]


def test_text_painted_with_no_opacity_is_furniture() -> None:
    def paint(canvas: Canvas) -> None:
        text_lines(canvas, 72, 700, SEEN)
        canvas.setFillAlpha(0)
        text_lines(canvas, 72, 600, ["a clear lie"])

    assert furniture(parse(draw(paint))) == ["a clear lie"]
