"""The paper's raw text parser."""

import pytest
from pdf_samples import draw, encrypted, report, scan, text_lines

from capsa.chunkers.errors import ParseError
from capsa.chunkers.model import Document
from capsa.chunkers.parsers import parse


def elements(document: Document) -> list[tuple[int | None, str]]:
    return [(block.page, document.text[block.start : block.end]) for block in document.blocks]


def test_text_is_split_on_blank_lines() -> None:
    document = parse(b"One line\nand another\n\n \t\nTwo\n\n\n\nThree\n", "a.txt", "normal")
    assert elements(document) == [(None, "One line\nand another"), (None, "Two"), (None, "Three")]
    assert document.text == "One line\nand another\n\nTwo\n\nThree"
    assert {block.kind for block in document.blocks} == {"paragraph"}


def test_markdown_is_not_interpreted() -> None:
    document = parse(b"# Title\n\n- a\n- b\n", "a.md", "normal")
    assert elements(document) == [(None, "# Title"), (None, "- a\n- b")]


def test_web_page_gives_all_text_nodes() -> None:
    page = "<html><body><nav>Menu</nav><p>Caf&eacute;</p>\n\n<p>Tea</p><pre>one\n\ntwo</pre></body></html>"
    document = parse(page.encode(), "a.html", "normal")
    assert elements(document) == [(None, "MenuCafé\nTeaone"), (None, "two")]


def test_xhtml_is_read_as_html_without_a_warning() -> None:
    page = '<?xml version="1.0"?>\n<html xmlns="http://www.w3.org/1999/xhtml"><body><p>Tea</p></body></html>'
    assert elements(parse(page.encode(), "a.xhtml", "normal")) == [(None, "Tea")]


def test_pdf_gives_the_raw_text_of_each_page() -> None:
    def paint(canvas) -> None:
        text_lines(canvas, 72, 700, ["First page, line one", "line two"])
        canvas.showPage()
        text_lines(canvas, 72, 700, ["Second page"])

    document = parse(draw(paint), "a.pdf", "normal")
    assert elements(document) == [(1, "First page, line one\nline two"), (2, "Second page")]
    assert (document.pages, document.layout.state) == (2, "none")


def test_lines_of_a_pdf_are_not_joined() -> None:
    document = parse(report(), "a.pdf", "normal")
    assert "Port\nVessels\nTonnage" in document.text


@pytest.mark.parametrize("parser", ["normal", "context_aware"])
def test_password_is_an_outcome(parser: str) -> None:
    assert parse(encrypted("secret"), "a.pdf", parser).outcome == "protected"
    assert parse(encrypted(""), "a.pdf", parser).outcome == "ok"


def test_scan_is_empty() -> None:
    assert parse(scan(), "a.pdf", "normal").outcome == "empty"


def test_damage_is_a_parse_error() -> None:
    with pytest.raises(ParseError, match=r"a\.pdf: pypdf") as caught:
        parse(b"%PDF-1.4\nnothing", "a.pdf", "normal")
    assert caught.value.reason == "damaged"
