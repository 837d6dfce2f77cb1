"""The layout budget: what is reached decides on the document, and no page takes it far beyond its end."""

import gc
import math
import time
from collections.abc import Callable

import pypdfium2 as pdfium
import pytest
from pdf_samples import draw, report, running_heads
from reportlab.pdfgen.canvas import Canvas

from capsa.chunkers.model import Document
from capsa.chunkers.parsers import pdf, pdf_lines
from capsa.chunkers.parsers.pdf_clock import LayoutClock, collector_paused
from capsa.chunkers.parsers.pdf_pages import PageReader
from capsa.chunkers.parsers.pdf_tables import common

CELLS = [str(17 * number % 997) for number in range(2400)]


class PageClock(LayoutClock):
    """A clock that ends the reading, or the laying out, of pages after a number of looks at it."""

    looks = 0
    share_left = math.inf

    def end(self, kept: float = 0.0, share: float = 1.0) -> float:
        """Count the looks; there are two for each page that is read."""
        if share < 1:
            return self.share_left
        self.looks -= 1
        return math.inf if self.looks >= 0 else -math.inf


def parse_pages(data: bytes, pages: int, monkeypatch: pytest.MonkeyPatch, left: float = math.inf) -> Document:
    monkeypatch.setattr(PageClock, "looks", 2 * pages)
    monkeypatch.setattr(PageClock, "share_left", left)
    monkeypatch.setattr(pdf, "LayoutClock", PageClock)
    return pdf.parse(data, "sample.pdf")


@pytest.mark.parametrize("pages", [0, 1, 5, 7])
def test_the_pages_that_are_reached_decide_on_the_document(
    pages: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = running_heads()
    first, second = (parse_pages(data, pages, monkeypatch) for _ in range(2))
    assert first.layout.pages_done == pages
    assert first.layout.state == {0: "none", 7: "full"}.get(pages, "partial")
    assert (first.text, first.blocks) == (second.text, second.blocks)
    plain = {block.page for block in first.blocks if block.found_by == "pdf:plain"}
    assert plain == set(range(pages + 1, 8))


def test_pages_that_are_read_but_not_laid_out_in_time_are_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    document = parse_pages(running_heads(6), 6, monkeypatch, left=-math.inf)
    assert (document.layout.state, document.layout.pages_done) == ("none", 0)
    assert all(f"Year {1900 + number} of the quay" in document.text for number in range(1, 7))
    assert not any("have no layout" in note for note in document.notes)


def test_clock_counts_only_while_it_is_entered() -> None:
    clock = LayoutClock(400.0)
    sum(range(100_000))
    assert clock.spent() == (0.0, 0.0)
    with clock:
        sum(range(100_000))
    assert min(clock.spent()) > 0
    assert clock.end(kept=1.0) < clock.end() < LayoutClock(math.inf).end(share=0.5)


def test_the_collector_is_paused_only_meanwhile() -> None:
    assert gc.isenabled()
    with collector_paused():
        with collector_paused():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


def grid(canvas: Canvas) -> None:
    canvas.setFont("Helvetica", 4)
    for number, cell in enumerate(CELLS):
        canvas.drawString(21 + number % 40 * 14, 700 - number // 40 * 6, cell)


def many_paths(canvas: Canvas) -> None:
    canvas.drawString(72, 700, "The chart of all soundings in the bay")
    for number in range(100_000):
        x, y = number % 590, number // 590 * 4
        canvas.line(x, y, x + 1.3, y + 2)


def many_characters(canvas: Canvas) -> None:
    canvas.setFont("Helvetica", 1.5)
    for row in range(500):
        canvas.drawString(5, 5 + 1.5 * row, "soundings of the bay " * 20)


def test_a_page_of_a_huge_table_keeps_every_cell() -> None:
    document = pdf.parse(draw(grid), "grid.pdf", math.inf)
    assert sorted(document.text.split()) == sorted(CELLS)


def test_a_page_of_very_many_paths_keeps_its_text() -> None:
    document = pdf.parse(draw(many_paths), "paths.pdf")
    assert (document.layout.state, document.text) == ("full", "The chart of all soundings in the bay")


def many_boxes(canvas: Canvas) -> None:
    for number in range(3000):
        canvas.setFillGray(0.1 + number % 9 / 10)
        canvas.rect(number * 7 % 590, number * 11 % 780, 4 + number % 50, 4 + number % 31, stroke=0, fill=1)
    canvas.setFillGray(1)
    for row in range(480):
        canvas.drawString(5, 5 + 1.6 * row, "white soundings of the bay")


@pytest.mark.parametrize("drawn", [grid, many_boxes])
def test_a_page_for_which_the_time_ends_on_the_way_is_plain(
    drawn: Callable[[Canvas], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pdf_lines, "LINES_A_LOOK", 10**6)
    monkeypatch.setattr(PageReader, "_end", lambda _: time.thread_time() + 1e-4)
    reader = PageReader(pdfium.PdfDocument(draw(drawn)), LayoutClock(400.0))
    reader.read_layout(1)
    assert reader.pages.lines == {}
    reader.read_rest(1)
    assert reader.pages.plain[1]
    assert not reader.pages.crowded


def test_no_page_is_read_for_its_layout_without_a_budget() -> None:
    reader = PageReader(pdfium.PdfDocument(report()), LayoutClock(0.0))
    reader.read_layout(1)
    assert (reader.pages.lines, reader.pages.plain) == ({}, {})


def test_a_page_of_very_many_characters_is_read_without_layout() -> None:
    document = pdf.parse(draw(many_characters), "characters.pdf")
    assert document.layout.pages_done == 0
    assert document.text.count("soundings") == 10_000
    assert any("1 of 1 pages have no layout" in note for note in document.notes)


def test_common_ranges_are_those_free_in_both() -> None:
    first = [(-math.inf, 10.0), (20.0, 30.0), (40.0, 41.0), (60.0, math.inf)]
    second = [(-math.inf, 5.0), (8.0, 25.0), (26.0, 45.0), (70.0, math.inf)]
    expected = [(-math.inf, 5.0), (8.0, 10.0), (20.0, 25.0), (26.0, 30.0), (40.0, 41.0), (70.0, math.inf)]
    assert common(first, second) == common(second, first) == expected


def test_an_unlimited_budget_gives_all_pages_their_layout() -> None:
    assert pdf.parse(report(), "report.pdf", math.inf).layout.state == "full"
