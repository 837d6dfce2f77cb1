"""Pages that are images without text are told from pages with text, empty ones, and pages with a figure."""

import io

import pypdf
import pytest
from reportlab.lib.pagesizes import letter
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas
from scans import LETTER_LINES, picture, scan

from capsa.chunkers.model import Document
from capsa.chunkers.ocr_scans import find_scans
from capsa.chunkers.parsers import parse

TEXT = "\n".join([*LETTER_LINES, "A clerk compares it with the tide tables."])


def test_a_scan_says_so() -> None:
    document = parse(scan([picture(LETTER_LINES)] * 3), "scan.pdf")
    assert (document.outcome, document.scanned_pages, document.ocr_pages) == ("scan", (1, 2, 3), 0)
    assert document.text == ""


def test_a_document_that_is_a_scan_in_part_keeps_its_text() -> None:
    document = parse(scan([TEXT, picture(LETTER_LINES), None, TEXT]), "mixed.pdf")
    assert (document.outcome, document.scanned_pages) == ("ok", (2,))
    assert "tide tables" in document.text


@pytest.mark.parametrize("strips", [2, 8])
def test_a_page_may_be_scanned_in_strips(strips: int) -> None:
    document = parse(scan([picture(LETTER_LINES)], strips), "strips.pdf")
    assert (document.outcome, document.scanned_pages) == ("scan", (1,))


def test_empty_pages_are_no_scans() -> None:
    document = parse(scan([None, None]), "empty.pdf")
    assert (document.outcome, document.scanned_pages) == ("empty", ())


def test_a_page_with_text_and_a_large_figure_is_no_scan() -> None:
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=letter, invariant=1)
    canvas.drawImage(ImageReader(picture(())), 0, 0, *letter)
    text = canvas.beginText(72, 700)
    text.textLines(TEXT)
    canvas.drawText(text)
    canvas.save()
    assert parse(out.getvalue(), "figure.pdf").scanned_pages == ()


@pytest.mark.parametrize(("stretch", "found"), [(1.0, (1,)), (0.2, ())])
def test_images_inside_a_form_count_by_what_they_cover(stretch: float, found: tuple[int, ...]) -> None:
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=letter, invariant=1)
    canvas.beginForm("page")
    canvas.drawImage(ImageReader(picture(LETTER_LINES)), 0, 0, *letter)
    canvas.endForm()
    canvas.scale(stretch, stretch)
    canvas.doForm("page")
    canvas.save()
    assert parse(out.getvalue(), "form.pdf").scanned_pages == found


def test_a_file_with_a_password_is_not_looked_at() -> None:
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(scan([picture(LETTER_LINES)])))
    writer.encrypt("secret")
    out = io.BytesIO()
    writer.write(out)
    document = parse(out.getvalue(), "closed.pdf")
    assert (document.outcome, document.scanned_pages) == ("protected", ())


def test_a_file_that_pdfium_refuses_has_no_scans_that_could_be_read() -> None:
    assert find_scans(Document("", (), "pdf", pages=2), b"%PDF-1.7 and nothing else") == ()
