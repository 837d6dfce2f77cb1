"""Which lines are headings when the whole document is in view."""

from collections.abc import Sequence

import pytest
from test_pdf_layout import line

from capsa.chunkers.parsers.pdf_fonts import Font
from capsa.chunkers.parsers.pdf_headings import is_bare_part
from capsa.chunkers.parsers.pdf_layout import lay_out
from capsa.chunkers.parsers.pdf_lines import Line

LIGHT = Font("Example", False, False, False)
HEAVY = Font("Head-Bold", True, False, False)
MONO = Font("Code-Bold", True, False, True)


def prose(page: int, base: float = 500.0) -> list[Line]:
    words = "A sentence of the body that is as long as its line on the page number"
    return [line(f"{words} {page} {n}.", base=base - 12 * n, page=page) for n in range(6)]


def headings(lines: Sequence[Line]) -> list[str]:
    pages: dict[int, list[Line]] = {}
    for member in lines:
        pages.setdefault(member.page, []).append(member)
    return [element.text for element in lay_out(pages) if element.kind == "heading"]


def head(text: str, base: float = 700, page: int = 1, size: float = 16, font: Font = HEAVY, **fields) -> Line:
    return line(text, base=base, page=page, size=size, bold=font.bold, **fields)._replace(font=font)


def test_long_title_is_one_heading_whatever_its_lines_begin_with() -> None:
    lines = [
        head("7.2 Dependencies - Depends, En", hyphen=True),
        head("hances, Pre-Depends", 680, font=MONO, mono=True)._replace(x0=99),
        *prose(1, 640),
    ]
    assert headings(lines) == ["7.2 Dependencies - Depends, Enhances, Pre-Depends"]


def test_two_numbered_titles_below_one_another_are_two() -> None:
    lines = [head("1 The harbour"), head("1.1 The quay", 680), *prose(1, 640)]
    assert headings(lines) == ["1 The harbour", "1.1 The quay"]


def test_chapter_and_its_spelled_number_are_a_part_of_the_title() -> None:
    lines = [head("CHAPTER", 730), head("TWELVE", 700), head("Of tides", 650, size=20), *prose(1, 600)]
    assert headings(lines) == ["CHAPTER TWELVE Of tides"]


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("Chapter 3", True),
        ("CHAPTER", True),
        ("TWENTYONE", True),
        ("Appendix B", True),
        ("Chapter Three", True),
        ("Part Time", False),
        ("One harbour", False),
    ],
)
def test_bare_parts_have_no_name_of_their_own(text: str, bare: bool) -> None:
    assert is_bare_part(text) is bare


@pytest.mark.parametrize(
    "text", ["α β", "s1 s2", "(0,0) the origin", "Release 4.2", "May 9, 2022", "Figure 3: A quay"]
)
def test_labels_dates_and_captions_set_large_are_no_headings(text: str) -> None:
    assert headings([*prose(1, 750), head(text, 600), *prose(1, 550)]) == []


@pytest.mark.parametrize("text", ["Theorem 3", "Beweis: (kurz)", "Definition 2.1"])
def test_names_of_theorems_are_no_headings(text: str) -> None:
    assert headings([*prose(1, 750), head(text, 600, size=10), *prose(1, 550)]) == []


def test_light_text_is_no_heading_where_headings_are_bold() -> None:
    lines = []
    for page in range(1, 13):
        lines += [
            *prose(page, 750),
            head(f"The quay of {'abcdefghijklm'[page]} town", 600, page),
            *prose(page),
        ]
    lines.append(head("An example set in large letters", 300, 12, font=LIGHT))
    assert "An example set in large letters" not in headings(lines)
    assert len(headings(lines)) == 12


def test_a_style_that_crowds_few_of_many_pages_is_no_heading_style() -> None:
    lines = []
    for page in range(1, 31):
        lines += prose(page, 750)
    for n in range(6):
        lines.append(head(f"Sample {'abcdef'[n]} of the typeface", 600 - 60 * n, 20, font=LIGHT))
    assert headings(lines) == []


def test_a_bold_line_right_above_code_names_it_where_headings_are_larger() -> None:
    lines = []
    for page in range(1, 10):
        lines += [head(f"The quay of {'abcdefghij'[page]} town", 700, page), *prose(page, 650)]
    lines.append(head("hello.c", 500, 9, size=10))
    lines += [line("int main;", 80, 480 - 12 * n, page=9, mono=True) for n in range(3)]
    assert "hello.c" not in headings(lines)


def test_only_the_title_of_a_title_page_is_a_heading() -> None:
    cover = [head("The Harbour Book", 600, size=24), head("A. Clerk", 500), head("Second printing", 400)]
    assert headings([*cover, *prose(2, 700), *prose(3, 700)]) == ["The Harbour Book"]


@pytest.mark.parametrize("text", ["B. Of tides and moons", "3.1 Of tides and moons"])
def test_numbered_italic_lines_with_room_above_are_headings(text: str) -> None:
    slanted = line(text, base=560)._replace(font=Font("Example-Italic", False, True, False))
    assert headings([*prose(1, 700), slanted, *prose(1, 548)]) == [text]
    assert headings([*prose(1, 700), slanted._replace(base=628), *prose(1, 616)]) == []


def test_italic_lines_that_stand_apart_are_headings_where_there_are_several() -> None:
    pytest.importorskip("reportlab")
    from pdf_samples import WORDS, draw, text_lines

    from capsa.chunkers.parsers import pdf

    def parse(titles: list[str]) -> list[str]:
        def paint(canvas) -> None:
            y = 720.0
            for title in titles:
                y = text_lines(canvas, 72, y, [title], "Times-Italic") - 2
                y = text_lines(canvas, 72, y, [WORDS[:80], WORDS[80:160], WORDS[160:230]], "Times-Roman") - 14

        document = pdf.parse(draw(paint), "italic.pdf")
        return [document.text[b.start : b.end] for b in document.blocks if b.kind == "heading"]

    assert parse(["Tides of the Bay", "Ships and Masters"]) == ["Tides of the Bay", "Ships and Masters"]
    assert parse(["Tides of the Bay"]) == []
    assert parse(["Tides of the bay, as told", "Ships and their masters"]) == []
