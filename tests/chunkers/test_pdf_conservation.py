"""Every character of a PDF's text is in one block or in its furniture."""

import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pypdfium2 as pdfium
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pdf_samples import draw, report, running_heads, text_lines, two_columns
from reportlab.pdfgen.canvas import Canvas

from capsa.chunkers.parsers.pdf_clock import LayoutClock
from capsa.chunkers.parsers.pdf_headings import read_bookmarks
from capsa.chunkers.parsers.pdf_layout import lay_out_pages
from capsa.chunkers.parsers.pdf_pages import PageReader
from capsa.chunkers.parsers.pdf_text import clean

# What is written anew where lines are joined: hyphens, and the leaders of a table of contents.
NOT_COUNTED = "-.·…_"


def characters(text: str) -> Counter[str]:
    """The characters as they are stored: made plain, without white space."""
    plain = clean(text.replace("\ufffe", "-"))
    return Counter(mark for mark in plain if not mark.isspace() and mark not in NOT_COUNTED)


def balance(data: bytes) -> tuple[Counter[str], Counter[str], int]:
    """Return the characters that are lost, those that are there too often, and how many there are."""
    pdf = pdfium.PdfDocument(data)
    reader = PageReader(pdf, LayoutClock(math.inf))
    reader.read_layout(len(pdf))
    pages = reader.pages
    laid = lay_out_pages(pages.lines, read_bookmarks(pdf), pages.trees, pages.areas)
    alts = {stretch.alt for tree in pages.trees.values() for stretch in tree.stretches if stretch.alt}
    text: Counter[str] = Counter()
    for number in pages.lines:
        textpage = pdf[number - 1].get_textpage()
        text += characters(textpage.get_text_range(errors="replace") if textpage.count_chars() else "")
    found = characters(" ".join(line.text for line in laid.furniture))
    found += characters(" ".join(element.text for element in laid.elements if element.text not in alts))
    return text - found, found - text, text.total()


@pytest.mark.parametrize(
    "make",
    [
        report,
        running_heads,
        lambda: running_heads(8, True),
        lambda: two_columns(True),
        lambda: two_columns(False),
    ],
)
def test_no_character_is_lost_or_doubled(make: Callable[[], bytes]) -> None:
    lost, doubled, total = balance(make())
    assert total > 500
    assert (lost, doubled) == (Counter(), Counter())


PLACED = st.lists(
    st.tuples(
        st.integers(0, 560),
        st.integers(10, 780),
        st.sampled_from((7, 10, 10, 16)),
        st.sampled_from(("Helvetica", "Helvetica-Bold", "Courier")),
        st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=30),
        st.sampled_from((0, 0, 0, 90)),
    ),
    min_size=1,
    max_size=30,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(PLACED)
def test_no_character_is_lost_wherever_lines_stand(placed: list[tuple[int, int, int, str, str, int]]) -> None:
    def paint(canvas: Canvas) -> None:
        for x, y, size, font, text, angle in placed:
            canvas.saveState()
            canvas.translate(x, y)
            canvas.rotate(angle)
            text_lines(canvas, 0, 0, [text], font, size)
            canvas.restoreState()

    lost, doubled, _ = balance(draw(paint))
    assert (lost, doubled) == (Counter(), Counter())


@pytest.mark.data
def test_development_pdfs_lose_nothing_but_heads_of_tables_that_come_again(data: Path) -> None:
    for path in sorted(data.rglob("*.pdf")):
        try:
            lost, doubled, total = balance(path.read_bytes())
        except pdfium.PdfiumError:
            continue
        assert not doubled, path.name
        assert lost.total() <= 0.001 * total, path.name
