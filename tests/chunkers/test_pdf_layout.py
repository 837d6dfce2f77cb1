"""The layout pass's parts on lines made by hand."""

from collections.abc import Sequence

import pytest
from pdf_samples import hand_made

from capsa.chunkers.parsers import pdf_furniture, pdf_headings, pdf_lines, pdf_meta, pdf_order, pdf_tables
from capsa.chunkers.parsers.pdf_bands import make_bands
from capsa.chunkers.parsers.pdf_drawings import Box
from capsa.chunkers.parsers.pdf_finder import find_areas
from capsa.chunkers.parsers.pdf_fonts import Font, read_font
from capsa.chunkers.parsers.pdf_headings import Bookmark
from capsa.chunkers.parsers.pdf_layout import lay_out
from capsa.chunkers.parsers.pdf_lines import Cell, Line
from capsa.chunkers.parsers.pdf_plain import plain_elements
from capsa.chunkers.parsers.pdf_rules import Rules
from capsa.chunkers.parsers.pdf_text import Joiner, clean, readable

PLAIN = Font("Times", False, False, False)


def line(text: str, x0: float = 72, base: float = 700, *, page: int = 1, size: float = 10, **fields) -> Line:
    """A line whose characters are half an em wide."""
    values = {
        "bold": False,
        "mono": False,
        "hyphen": False,
        "leader": False,
        "cells": (),
        "angle": 0,
    } | fields
    return Line(
        text=text,
        x0=x0,
        x1=x0 + 0.5 * size * len(text),
        base=base,
        top=base + 0.7 * size,
        bottom=base - 0.2 * size,
        size=size,
        font=PLAIN,
        page=page,
        **values,
    )


def row(base: float, *cells: tuple[float, str], **fields) -> Line:
    """A line of cells."""
    parts = tuple(Cell(x, x + 5 * len(text), text) for x, text in cells)
    made = line(" ".join(text for _, text in cells), cells[0][0], base, cells=parts, **fields)
    return made._replace(x1=parts[-1].x1)


def tables(lines: Sequence[Line]) -> list[tuple[tuple[str, ...], ...]]:
    bands = make_bands(lines)
    return [
        pdf_tables.build_table(
            bands[first:after], gutters, Joiner((member.text, member.hyphen) for member in lines)
        ).rows
        for first, after, gutters in pdf_tables.find_tables(bands)
    ]


@pytest.mark.parametrize(
    ("name", "weight", "bold", "mono"),
    [
        (b"ABCDEF+CMBX12", 400, True, False),
        (b"LMRoman10-Regular", 744, False, False),
        (b"ABCDEF+LMRoman10-Bold", 400, True, False),
        (b"CMTT9", 700, False, True),
        (b"t1xtt", 420, False, True),
        (b"DejaVuSansMono-Bold", 400, True, True),
        (b"ArialMT", 700, True, False),
        (b"Courier", 400, False, True),
    ],
)
def test_font_style_is_read_from_the_name_first(name: bytes, weight: int, bold: bool, mono: bool) -> None:
    font = read_font(name, 4, weight)
    assert (font.bold, font.mono) == (bold, mono)


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("ﬁnd the ﬂag, o\ufb03ce", "find the flag, office"),
        ("10² is not 102", "10² is not 102"),
        ("co\u00adoperate", "cooperate"),
        ("a\x01b\ud800c", "ab\ufffdc"),
        ("no\u00a0break", "no break"),
        ("\uf0b7 item", "• item"),
        ("H¨ohe und Ko\u0308ln", "Höhe und Köln"),
        ("it´s 20 ˚ C", "it´s 20 ˚ C"),
        ("\u202bשלום\u202c", "שלום"),
        ("\uf8ee\uf8f0", "⎡⎣"),
        ("well\u2011known", "well-known"),
        ("plain", "plain"),
    ],
)
def test_characters_are_made_plain(raw: str, plain: str) -> None:
    assert clean(raw) == plain


@pytest.mark.parametrize(
    ("left", "right", "joined"),
    [
        ("the light", "house was", "the lighthouse was"),
        ("a well", "known man", "a well-known man"),
        ("the Smith", "Waterman way", "the Smith-Waterman way"),
        ("in 1901", "1902 it", "in 1901-1902 it"),
        ("an agree", "ment of", "an agreement of"),
    ],
)
def test_hyphen_at_a_line_end_stays_where_the_document_writes_one(left: str, right: str, joined: str) -> None:
    joiner = Joiner([("a lighthouse, a well-known thing", False)])
    assert joiner.run([(left, True), (right, False)]) == joined


def test_long_paragraphs_are_joined_without_a_seam() -> None:
    lines = [line(f"number {n} of the words that break in a hy", hyphen=True) for n in range(2000)]
    text = Joiner((member.text, member.hyphen) for member in lines).paragraph(lines)
    assert text == "".join(f"number {n} of the words that break in a hy" for n in range(2000)) + "-"


def test_rows_of_aligned_cells_are_a_table() -> None:
    lines = [
        line("The table below has the ports."),
        row(680, (72, "Port"), (200, "Vessels")),
        row(668, (72, "Alba"), (200, "12")),
        row(656, (72, "Brea"), (200, "7")),
        line("Text after the table.", base=630),
    ]
    assert tables(lines) == [(("Port", "Vessels"), ("Alba", "12"), ("Brea", "7"))]


def test_empty_cells_and_continued_cells_keep_their_columns() -> None:
    lines = [
        row(700, (72, "Name"), (200, "Age"), (300, "Note")),
        row(688, (72, "Ann"), (300, "has no age and a long")),
        line("note", 300, 676),
        row(664, (72, "Bob"), (200, "41")),
    ]
    assert tables(lines) == [
        (("Name", "Age", "Note"), ("Ann", "", "has no age and a long note"), ("Bob", "41", ""))
    ]


@pytest.mark.parametrize(
    "lines",
    [
        [row(700, (72, "1."), (100, "first thing")), row(688, (72, "2."), (100, "second thing"))],
        [row(700, (72, "•"), (100, "first thing")), row(688, (72, "•"), (100, "second thing"))],
        [row(700, (200, "a = b + c"), (500, "(1)")), row(680, (200, "d = e + f"), (500, "(2)"))],
        [row(700, (72, "a word"), (200, "another"))],
        [row(700, (72, "for x in"), (200, "y"), mono=True), row(688, (72, "  print"), (200, "x"), mono=True)],
        [
            row(700, (72, "7.7 Words"), (150, "between"), (220, "source"), (280, "and pack"), hyphen=True),
            row(688, (72, "ages"), (112, "-"), (150, "Builds, of"), (220, "every part")),
        ],
        [
            row(700, (72, "independent parts (of"), (190, "all).")),
            line("For example:", 72, 688),
            row(676, (72, "becomes Words:"), (150, "a part in the middle"), (300, "and the end")),
        ],
    ],
    ids=["numbers", "bullets", "equations", "one row", "code", "a drawn out heading", "drawn out lines"],
)
def test_items_equations_and_code_are_no_tables(lines: list[Line]) -> None:
    assert tables(lines) == []


def test_columns_are_split_only_where_they_are_certain() -> None:
    left, right = "words of the left column go on", "words of the right column go on"
    both = [row(700 - 12 * n, (60, f"{left} {n}"), (320, f"{right} {n}")) for n in range(10)]
    ordered, turned = pdf_order.order([line("A title over both columns", base=730, size=16), *both])
    assert [member.text[:18] for member in ordered[1:12]] == ["words of the left "] * 10 + [
        "words of the right"
    ]
    assert turned == []
    few = both[:3]
    assert pdf_order.order(few)[0] == few


def test_lines_in_another_direction_come_apart() -> None:
    upright, turned = pdf_order.order([line("upright words of the page"), line("turned", angle=90)])
    assert [member.text for member in upright] == ["upright words of the page"]
    assert [member.text for member in turned] == ["turned"]


def furniture(pages: dict[int, list[Line]]) -> set[str]:
    found = pdf_furniture.find_furniture(pages, 10.0, frozenset())
    return {member.text for lines in pages.values() for member in lines if id(member) in found}


def test_what_comes_again_at_the_edges_is_furniture() -> None:
    pages = {
        n: [
            line(f"{n}.1 Section {n}  {n + 4}", base=760, page=n),
            *[line(f"Body {k} of page {n} goes on", base=700 - 12 * k, page=n) for k in range(12)],
            line("Confidential", base=40, page=n),
        ]
        for n in range(1, 7)
    }
    expected = {"Confidential"} | {f"{n}.1 Section {n}  {n + 4}" for n in range(1, 7)}
    assert furniture(pages) == expected


def test_headings_that_differ_at_the_top_of_pages_stay() -> None:
    names = ("Alba", "Brea", "Cors", "Dune", "Ebor", "Fens")
    pages = {
        n: [line(f"Chapter {n} {name}", base=720, page=n, size=16)]
        + [line(f"Body {k} of {name}", base=690 - 12 * k, page=n) for k in range(12)]
        for n, name in enumerate(names, start=1)
    }
    assert furniture(pages) == set()


def test_levels_follow_numbers_then_bookmarks_then_size() -> None:
    headings = [
        ("1 Ports", line("", size=14, bold=True), 0),
        ("1.1 Alba", line("", size=12, bold=True), 0),
        ("Without a number", line("", size=12, bold=True), 0),
        ("Small and unnumbered", line("", size=10, bold=True), 0),
        ("Known", line("", size=10, bold=True), 4),
    ]
    assert pdf_headings.assign_levels(headings) == [1, 2, 2, 4, 4]
    sizes = [
        ("Title", line("", size=20), 0),
        ("Lesser", line("", size=14), 0),
        ("Deeper", line("", size=12), 0),
    ]
    assert pdf_headings.assign_levels(sizes) == [1, 2, 3]


def test_bookmarks_match_titles_of_several_lines_without_their_numbers() -> None:
    lines = [
        line("A list of what follows: keeping the log", base=740),
        line("4.2 Keeping the", base=700, size=14),
        line("log of the harbour", base=684, size=14),
        line("Keeping the log is a duty.", base=660),
    ]
    found = pdf_headings.confirm([Bookmark("Keeping the log of the harbour", 1, 2)], {1: lines})
    assert found == {id(lines[1]): 1, id(lines[2]): 1}


def test_code_keeps_its_lines_indentation_and_columns() -> None:
    code = [
        line("if x:", 72, 700, mono=True),
        line("return 1", 92, 688, mono=True),
        row(664, (72, "y"), (112, "# why"), mono=True),
    ]
    elements = lay_out(
        {1: [*code, *[line(f"Prose line {n} of the page.", base=600 - 12 * n) for n in range(9)]]}
    )
    assert elements[0].kind == "code"
    assert elements[0].text == "if x:\n    return 1\n\ny       # why"


def test_list_items_are_parted_and_keep_their_continuation() -> None:
    lines = [
        line("• The first item of the list runs on over its line", 72, 700),
        line("until here.", 84, 688),
        line("• The second item is short", 72, 676),
        line("A paragraph after a gap.", 72, 640),
    ]
    assert [(e.kind, e.text) for e in lay_out({1: lines})] == [
        ("list_item", "• The first item of the list runs on over its line until here."),
        ("list_item", "• The second item is short"),
        ("paragraph", "A paragraph after a gap."),
    ]


def test_right_to_left_lines_are_joined_by_their_right_edge() -> None:
    words = "מלים בעברית שעוברות לשורה הבאה"
    lines = [
        line(words, 300 - 5 * len(words), 700),
        line(words, 300 - 5 * len(words), 688),
        line("סוף", 285, 676),
    ]
    mirrored = [pdf_order.mirror(one) for one in lines]
    assert [e.text for e in lay_out({1: mirrored})] == [f"{words} {words} סוף"]


def test_plain_pages_lose_running_heads_and_join_broken_words() -> None:
    ports = ("Alba", "Brea", "Cors", "Dune", "Ebor")
    pages = {
        n: [
            "Annals",
            f"{port} has a well-known light\ufffe",
            "house and a well\ufffe",
            f"known {port}.",
            f"Page {n}",
        ]
        for n, port in enumerate(ports, start=1)
    }
    pages[3].insert(1, "The third port")
    elements = plain_elements(pages, [Bookmark("1. The third port", 3, 2)])
    paragraphs = [(e.page, e.text) for e in elements if e.kind == "paragraph"]
    assert paragraphs == [
        (n, f"{port} has a well-known lighthouse and a well-known {port}.")
        for n, port in enumerate(ports, start=1)
    ]
    assert [(e.text, e.level) for e in elements if e.kind == "heading"] == [("The third port", 2)]


def test_damaged_texts_beside_the_pages_are_left_out() -> None:
    assert readable(lambda: b"\x00\xdc".decode("utf-16-le")) == ""
    assert readable(lambda: " Of\u00a0 tides ") == "Of tides"


def test_pypdf_cannot_read_on_after_its_time() -> None:
    with pytest.raises(pdf_meta.TimeUp):
        pdf_meta.open_reader(hand_made(b""), seconds=-1.0)


def test_second_opinion_is_none_for_what_pypdf_refuses() -> None:
    assert pdf_meta.second_opinion(b"%PDF-1.4 nothing") is None
    assert pdf_meta.second_opinion(hand_made(b"", pages=0)) == []


def test_leaders_are_rows_of_dots() -> None:
    assert pdf_lines.has_leader("Chapter . . . . . . 7")
    assert pdf_lines.has_leader("Chapter ......... 7")
    assert not pdf_lines.has_leader("And so on...")


def items(lines: Sequence[Line]) -> list[tuple[int, str]]:
    return [(e.level, e.text) for e in lay_out({1: lines}) if e.kind == "list_item"]


def test_items_are_nested_by_their_indentation() -> None:
    lines = [
        line("• Ports of the bay", 72, 700),
        line("– Alba has a quay", 92, 688),
        line("– Brea has none", 92, 676),
        line("• Ships of the bay.", 72, 664),
        line("1. Under sail", 95, 652),
        line("10. Under steam", 90, 640),
    ]
    assert [level for level, _ in items(lines)] == [1, 2, 2, 1, 2, 2]


def test_a_list_in_the_next_column_is_no_deeper() -> None:
    lines = [line("• Ports", 72, 700), line("• Lamps", 72, 680), line("• Ships of the bay", 330, 700)]
    assert [level for level, _ in items(lines)] == [1, 1, 1]


def cells_of(page: int, *texts: tuple[str, ...], base: float = 700.0, x: float = 200.0) -> list[Line]:
    return [row(base - 12 * n, (72, a), (x, b), page=page) for n, (a, b) in enumerate(texts)]


HEAD = ("Port", "Vessels")


def cut_tables(second: list[Line]) -> list[str]:
    prose = [line(f"Line {n} of the page before the table.", base=700 - 14 * n) for n in range(20)]
    first = cells_of(1, HEAD, ("Alba", "12"), ("Brea", "7"), base=300)
    return [e.text for e in lay_out({1: [*prose, *first], 2: second}) if e.kind == "table"]


def test_a_table_cut_by_a_page_is_one_and_has_its_header_once() -> None:
    assert cut_tables(cells_of(2, HEAD, ("Cors", "31"), ("Dune", "4"))) == [
        "Port\tVessels\nAlba\t12\nBrea\t7\nCors\t31\nDune\t4"
    ]


def test_tables_of_other_columns_or_with_text_between_stay_apart() -> None:
    assert len(cut_tables(cells_of(2, HEAD, ("Cors", "31"), ("Dune", "4"), x=60 + 260))) == 2
    between = line("Another table has the ports of the year after.", base=740, page=2)
    assert len(cut_tables([between, *cells_of(2, HEAD, ("Cors", "31"), ("Dune", "4"))])) == 2


@pytest.mark.parametrize(
    ("rows", "bold", "count"),
    [
        ([("", "Ships", ""), ("Port", "Sail", "Steam"), ("Alba", "1", "2"), ("Brea", "3", "4")], (), 2),
        ([("Port", "Ships"), ("North", "bay"), ("Alba", "1"), ("Brea", "2"), ("Cors", "3")], (), 1),
        ([("a b", "c"), ("d", "e"), ("f", "g")], (True, True, False), 2),
        ([("Alba", "1"), ("Brea", "2")], (), 0),
        ([("Port", "Ships"), ("Alba", "1")], (), 1),
        ([("Alba", "the quay"), ("Brea", "the lamp")], (), 0),
        ([("Port", "2019", "2020"), ("Alba", "12", "34"), ("Brea", "7", "11")], (), 1),
        ([("Alba", "2019", "2020"), ("Brea", "2018", "2021"), ("Cors", "2001", "2003")], (), 0),
    ],
)
def test_header_rows_are_counted(rows: list[tuple[str, ...]], bold: tuple[bool, ...], count: int) -> None:
    assert pdf_tables.header_rows(rows, bold or [False] * len(rows)) == count


@pytest.mark.parametrize(("count", "blocks"), [(5, 1), (45, 2)])
def test_code_cut_by_a_page_is_one_block_unless_it_is_a_long_listing(count: int, blocks: int) -> None:
    first = [line(f"call({n})", 80, 700 - 12 * n, mono=True) for n in range(count)]
    second = [line("if done:", 80, 720, page=2, mono=True), line("stop()", 100, 708, page=2, mono=True)]
    prose = [line(f"Prose line {n} of the page goes on.", base=690 - 14 * n, page=2) for n in range(40)]
    code = [e.text for e in lay_out({1: first, 2: [*second, *prose]}) if e.kind == "code"]
    assert len(code) == blocks
    assert code[-1].endswith("if done:\n    stop()")


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("Chapter 3 Tides", 1),
        ("3.2.1 Tides", 3),
        ("Capítulo 2", 1),
        ("第三章 潮汐", 1),
        ("第2节 港口", 2),
        ("제3장 조석", 1),
        ("제 4 절 항구", 2),
        ("Article 7 of the harbour", 2),
        ("TWENTYONE TIDES", 1),
        ("One of the tides", 0),
        ("Tides and moons", 0),
    ],
)
def test_words_and_numbers_tell_a_heading_s_level(text: str, level: int) -> None:
    assert pdf_headings.level_by_words(text) == level


def test_bookmarks_without_number_are_compared_with_no_more_lines_than_bounds_allow(monkeypatch) -> None:
    lines = [line(f"Tide {n}", base=700 - 12 * n) for n in range(40)]
    bookmarks = [Bookmark(f"Tide {n}", 1, 1) for n in range(40)]
    assert len(pdf_headings.confirm(bookmarks, {1: lines})) == 40
    monkeypatch.setattr(pdf_headings, "MAX_LOOKS", 400)
    assert len(pdf_headings.confirm(bookmarks, {1: lines})) == 10


def test_a_page_s_areas_are_given_up_when_its_time_is_over() -> None:
    rules = Rules(shapes=[Box(100, 400, 300, 600)])
    labels = [line("a label", x0=150, base=500), line("Figure 1: a drawing", base=380)]
    assert find_areas(labels, rules) is not None
    assert find_areas(labels, rules, until=0.0) is None
