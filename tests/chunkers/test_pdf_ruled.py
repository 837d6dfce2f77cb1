"""Tables in PDFs that rules tell apart: grids, stacks of rules, shaded rows; and what only looks like one."""

from collections.abc import Callable, Sequence

import pypdf
import pytest
from pdf_samples import STYLES, WORDS, draw, flow, hand_made, rewritten, text_lines
from pypdf.generic import DecodedStreamObject, NameObject
from reportlab.lib import colors
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, Table

from capsa.chunkers.model import Document
from capsa.chunkers.parsers import pdf
from capsa.chunkers.parsers.pdf_drawings import Box
from capsa.chunkers.parsers.pdf_rules import merge_across
from capsa.chunkers.strategies import chunk
from capsa.chunkers.tokens import Tokenizer

ROWS = [
    ["Port", "Vessels", "Tonnage"],
    ["Alba", "12", "3,400"],
    ["Brea", "7", "1,150"],
    ["Cors", "31", "9,020"],
    ["Dune", "4", "870"],
]
GRID = ("GRID", (0, 0), (-1, -1), 0.5, colors.black)
BODY = STYLES["BodyText"]
Paint = Callable[[Canvas], None]


def parse(data: bytes) -> Document:
    return pdf.parse(data, "ruled.pdf", 60_000.0)


def tables(document: Document) -> list[list[list[str]]]:
    return [
        [row.split("\t") for row in document.text[block.start : block.end].split("\n")]
        for block in document.blocks
        if block.kind == "table"
    ]


def heads(document: Document) -> list[str]:
    return [
        document.text[block.start : block.header_end]
        for block in document.blocks
        if block.kind == "table" and block.header_end is not None
    ]


def styled(rows: Sequence[Sequence[object]], *styles: tuple[object, ...], **options: object) -> Table:
    table = Table([list(row) for row in rows], **options)
    table.setStyle(list(styles))
    return table


def around(*flowables: object) -> Document:
    """Parse a page with the flowables between two paragraphs."""
    return parse(flow([Paragraph(WORDS, BODY), *flowables, Paragraph(WORDS, BODY)]))


BOOKTABS = [("LINEABOVE", (0, row), (-1, row), 0.8, colors.black) for row in (0, 1)]
BOOKTABS.append(("LINEBELOW", (0, -1), (-1, -1), 0.8, colors.black))
ZEBRA = [("BACKGROUND", (0, row), (-1, row), colors.lightgrey) for row in (1, 3)]
SHADED = [
    ("BACKGROUND", (column, row), (column, row), colors.lightgrey)
    for row in (0, 1, 3)
    for column in (0, 1, 2)
]
CELLS = [("BACKGROUND", (0, 0), (-1, 0), colors.grey), ("INNERGRID", (0, 0), (-1, -1), 1, colors.white)]


@pytest.mark.parametrize(
    "styles",
    [
        [GRID],
        BOOKTABS,
        ZEBRA,
        SHADED,
        [*BOOKTABS, *ZEBRA],
        [("LINEBELOW", (0, 0), (-1, -1), 0.3, colors.grey)],
    ],
    ids=["grid", "booktabs", "zebra", "shaded cells", "both", "a rule below each row"],
)
def test_rules_and_shades_make_tables(styles: list[tuple[object, ...]]) -> None:
    document = around(styled(ROWS, *styles))
    assert tables(document) == [ROWS]
    assert heads(document) == ["Port\tVessels\tTonnage"]
    assert [block.kind for block in document.blocks if block.kind in ("table", "paragraph")] == [
        "paragraph",
        "table",
        "paragraph",
    ]


def test_narrow_cells_are_cut_at_the_rules_between_them() -> None:
    rows = [["one two", "three four", "5"], ["six seven", "eight nine", "10"]]
    narrow = styled(rows, GRID, ("LEFTPADDING", (0, 0), (-1, -1), 1), ("RIGHTPADDING", (0, 0), (-1, -1), 1))
    assert tables(around(narrow)) == [rows]


def test_edge_of_a_shaded_cell_does_not_hide_the_rule_beside_it() -> None:
    edge, left, right = (
        Box(275.6, 631.1, 524.3, 631.1),
        Box(64.1, 631.1, 269.9, 631.5),
        Box(270.4, 631.1, 524.4, 631.5),
    )
    below = Box(64.1, 608.3, 524.4, 608.8)
    assert merge_across([edge, left, right, below]) == [below, left._replace(x1=524.4)]


def test_rules_that_leave_out_the_first_column_do_not_make_its_names_one_cell() -> None:
    rows = [
        ["Mark", "Lamps", "Bells"],
        ["Alba", "12", "1"],
        ["Brea", "7", "2"],
        ["Cors", "31", "3"],
        ["Dune", "4", "5"],
    ]
    styles = [("LINEBELOW", (1, row), (-1, row), 0.5, colors.black) for row in range(1, 5)]
    styles += [
        ("LINEBELOW", (0, 0), (-1, 0), 0.5, colors.black),
        ("LINEABOVE", (0, 0), (-1, 0), 0.5, colors.black),
    ]
    styles.append(("INNERGRID", (1, 0), (-1, -1), 0.5, colors.black))
    assert tables(around(styled(rows, *styles, colWidths=[80, 60, 60]))) == [rows]


def test_lines_of_one_cell_are_joined() -> None:
    long = "The harbour office keeps a record of every vessel that enters the bay"
    rows = [["Port", "Remark"], ["Alba", Paragraph(long, BODY)], ["Brea", "none"]]
    found = tables(around(styled(rows, GRID, colWidths=[80, 120])))
    assert found == [[["Port", "Remark"], ["Alba", long], ["Brea", "none"]]]


def test_rows_between_few_rules_are_told_by_their_first_column() -> None:
    rows = [*ROWS[:2], ["", "", "of which 200 in ballast"], *ROWS[2:]]
    lines = [("GRID", (0, 0), (-1, 0), 0.5, colors.black), ("BOX", (0, 0), (-1, -1), 0.5, colors.black)]
    lines += [("LINEAFTER", (column, 0), (column, -1), 0.5, colors.black) for column in (0, 1)]
    found = tables(around(styled(rows, *lines)))
    assert found == [[ROWS[0], ["Alba", "12", "3,400 of which 200 in ballast"], *ROWS[2:]]]


def test_heading_over_several_columns_is_a_second_row_of_the_head() -> None:
    rows = [["Port", "Vessels", "", "Year"], ["", "In", "Out", ""], ["Alba", "12", "9", "1901"]]
    rows += [["Brea", "7", "6", "1902"], ["Cors", "3", "2", "1903"]]
    spans = [("SPAN", (1, 0), (2, 0)), ("SPAN", (0, 0), (0, 1)), ("SPAN", (3, 0), (3, 1))]
    found = tables(around(styled(rows, GRID, *spans, ("ALIGN", (0, 0), (-1, 1), "CENTER"))))
    assert [row[:3] for row in found[0][:2]] == [["Port", "Vessels", ""], ["", "In", "Out"]]
    assert [len(row) for row in found[0][2:]] == [4, 4, 4]


def test_table_over_pages_is_one_without_its_repeated_head() -> None:
    rows = [["Port", "Vessels", "Tonnage"], *([f"Port {n}", str(n), str(100 * n)] for n in range(90))]
    document = parse(flow([Paragraph("Table 7: All ports", BODY), styled(rows, GRID, repeatRows=1)]))
    assert document.pages > 1
    assert tables(document) == [rows]
    assert heads(document) == ["Port\tVessels\tTonnage"]


def test_table_in_one_of_two_columns_leaves_the_other_whole() -> None:
    def paint(canvas: Canvas) -> None:
        text_lines(canvas, 60, 700, [f"words of the left column, line {n}" for n in range(12)])
        for number, row in enumerate(ROWS):
            for column, text in enumerate(row):
                canvas.drawString(330 + 70 * column, 688 - 24 * number, text)
        for y in (702, 678, 578):
            canvas.line(325, y, 530, y)

    document = parse(draw(paint))
    assert tables(document) == [ROWS]
    assert " ".join(f"words of the left column, line {n}" for n in range(12)) in " ".join(
        document.text.split()
    )


def test_table_that_goes_on_in_the_next_column_is_one() -> None:
    def paint(canvas: Canvas) -> None:
        for column, rows in enumerate(([*ROWS[:3]], [ROWS[0], *ROWS[3:]])):
            x, top = 60 + 260 * column, 400 if column == 0 else 700
            for number, row in enumerate(rows):
                for place, text in enumerate(row):
                    canvas.drawString(x + 4 + 70 * place, top - 14 - 20 * number, text)
            canvas.grid([x, x + 70, x + 140, x + 210], [top - 20 * n for n in range(len(rows) + 1)])
            canvas.setFont("Helvetica", 10)
        text_lines(canvas, 60, 700, [f"words of the left column, line {n}" for n in range(20)])
        text_lines(canvas, 320, 600, [f"words of the right column, line {n}" for n in range(20)])

    assert tables(parse(draw(paint))) == [ROWS]


def test_letters_beyond_sixteen_bits_do_not_shift_the_cells_after_them() -> None:
    codes = (
        b"/CIDInit /ProcSet findresource begin begincmap 1 beginbfchar <41> <D835DC34> endbfchar endcmap end"
    )
    words = b"(AAAAAAAAAAAA) Tj 0 -30 Td " + b" ".join(
        b"(%s) Tj %d 0 Td (%s) Tj -%d -20 Td" % (left, step, right, step)
        for left, right, step in ((b"port", b"ships", 90), (b"lba", b"12", 90), (b"rea", b"7", 90))
    )

    def spell(writer: pypdf.PdfWriter) -> None:
        stream = DecodedStreamObject()
        stream.set_data(codes)
        font = writer.pages[0]["/Resources"]["/Font"]["/F1"]
        font[NameObject("/ToUnicode")] = writer._add_object(stream)

    document = parse(rewritten(hand_made(b"BT /F1 12 Tf 72 700 Td " + words + b" ET"), spell))
    assert "\U0001d434" in document.text
    assert tables(document) == [[["port", "ships"], ["lba", "12"], ["rea", "7"]]]


def test_rules_of_a_form_are_found_where_it_is_placed() -> None:
    def paint(canvas: Canvas) -> None:
        canvas.beginForm("box")
        styled(ROWS, GRID).wrapOn(canvas, 300, 300)
        canvas.grid([0, 80, 160, 240], [0, 20, 40, 60, 80, 100])
        canvas.endForm()
        canvas.translate(100, 400)
        canvas.doForm("box")
        for number, row in enumerate(ROWS):
            for column, text in enumerate(row):
                canvas.drawString(5 + 80 * column, 85 - 20 * number, text)

    assert tables(parse(draw(paint))) == [ROWS]


def two_columns_between_rules(canvas: Canvas) -> None:
    canvas.line(60, 730, 550, 730)
    for number in range(30):
        text_lines(canvas, 60, 710 - 12 * number, [f"the left column goes on about ships, line {number}"])
        text_lines(canvas, 320, 710 - 12 * number, [f"the right column goes on about tides, line {number}"])
    canvas.line(60, 300, 550, 300)


def boxed_prose(canvas: Canvas) -> None:
    canvas.rect(60, 500, 400, 200)
    canvas.line(60, 670, 460, 670)
    text_lines(canvas, 70, 680, ["Note"])
    text_lines(canvas, 70, 650, [f"A line of the note that the clerk wrote, number {n}" for n in range(8)])


def shaded_code(canvas: Canvas) -> None:
    canvas.setFillColor(colors.lightgrey)
    for number in range(6):
        canvas.rect(60, 500 + 12 * number, 400, 12, stroke=0, fill=1)
    canvas.setFillColor(colors.black)
    text_lines(canvas, 64, 563, ["x   = ship.name", "yy  = ship.size", "zzz = ship.flag"] * 2, "Courier")


def references(canvas: Canvas) -> None:
    for number, key in enumerate(("[Car80]", "[New89]", "[War77]", "[STT81]")):
        canvas.drawString(60, 700 - 30 * number, key)
        canvas.drawString(130, 700 - 30 * number, "A. Clerk. On the lamps of harbours. Annals, 1901.")


def equations(canvas: Canvas) -> None:
    for number, (left, right) in enumerate([("y = f(x) = 0,", "0 < x < 1"), ("y = s,", "1 < x < 2")]):
        canvas.drawString(200, 700 - 20 * number, left)
        canvas.drawString(330, 700 - 20 * number, right)


def justified(canvas: Canvas) -> None:
    lines = [
        "a long line of words that fills the whole",
        "and it goes",
        "a long line of words that is as full as",
    ]
    for number, line in enumerate(lines):
        words = line.split()
        gap = (200 - sum(canvas.stringWidth(word) for word in words)) / (len(words) - 1)
        x = 60.0
        for word in words:
            canvas.drawString(x, 700 - 14 * number, word)
            x += canvas.stringWidth(word) + gap


def contents(canvas: Canvas) -> None:
    for number in range(8):
        canvas.drawString(60, 700 - 16 * number, f"Chapter on the port number {number} . . . . . . . . . .")
        canvas.drawString(500, 700 - 16 * number, str(number + 3))


@pytest.mark.parametrize(
    "paint",
    [two_columns_between_rules, boxed_prose, shaded_code, references, equations, justified, contents],
    ids=lambda paint: paint.__name__,
)
def test_what_only_looks_like_a_table_is_none(paint: Paint) -> None:
    assert tables(parse(draw(paint))) == []


def test_numbered_listing_is_code_and_its_numbers_are_furniture() -> None:
    code = ["int main(void) {", "  int ships = 3;", "  berth(ships);", "  return 0;", "}"]

    def paint(canvas: Canvas) -> None:
        for number, line in enumerate(code, start=1):
            canvas.drawRightString(70, 700 - 14 * number, str(number))
            canvas.drawString(90 + 6 * (len(line) - len(line.lstrip())), 700 - 14 * number, line.lstrip())

    document = parse(draw(paint))
    kinds = {block.kind: document.text[block.start : block.end] for block in document.blocks}
    assert [line.strip() for line in kinds["code"].split("\n")] == [line.strip() for line in code]
    assert kinds["furniture"] == "1 2 3 4 5"


def test_windows_of_a_long_table_repeat_its_caption_and_head(tokenizer: Tokenizer) -> None:
    rows = [["Port", "Vessels", "Tonnage"], *([f"Port {n}", str(n), str(100 * n)] for n in range(90))]
    caption = "Table 7: All ports of the bay"
    document = parse(
        flow([Paragraph(WORDS, BODY), Paragraph(caption, BODY), styled(rows, GRID, repeatRows=1)])
    )
    [table] = [block for block in document.blocks if block.kind == "table"]
    windows = [window for one in chunk(document, tokenizer) for window in one.windows]
    inside = [window for window in windows if table.start < window.start < table.end]
    assert len(inside) > 1
    for window in inside:
        repeated = [document.text[start:end] for start, end in window.context]
        assert repeated == [caption, "Port\tVessels\tTonnage"]


ALGORITHM = ["Input: the ships of the day", "for each ship in the bay do", "if the berth is free then"]
ALGORITHM += ["give the berth to the ship", "end if", "end for", "return the ships without a berth"]


@pytest.mark.parametrize("label", ["Algorithm 2", "Listing 4.1:", "Code 1."])
@pytest.mark.parametrize("below", [False, True], ids=["caption above", "caption below"])
def test_listing_between_rules_is_code_by_its_caption(label: str, below: bool) -> None:
    caption = f"{label} Giving away the berths"

    def paint(canvas: Canvas) -> None:
        text_lines(canvas, 60, 740, [WORDS[:90]], "Times-Roman")
        canvas.line(60, 700, 400, 700)
        text_lines(canvas, 70, 685, ALGORITHM, "Times-Roman")
        canvas.line(60, 600, 400, 600)
        text_lines(canvas, 60, 585 if below else 706, [caption], "Times-Roman")
        text_lines(canvas, 60, 540, [WORDS[:90]], "Times-Roman")

    document = parse(draw(paint))
    kinds = {block.kind: document.text[block.start : block.end] for block in document.blocks}
    assert kinds["code"].split("\n") == ALGORITHM
    assert kinds["caption"] == caption


def test_long_listing_in_a_frame_is_code_by_its_caption() -> None:
    code = [f"berth_{n} = quay.give(ship_{n});" for n in range(44)]

    def paint(canvas: Canvas) -> None:
        text_lines(canvas, 60, 720, ["Example 4.1: Giving many berths"], "Times-Roman")
        canvas.rect(60, 160, 400, 550)
        text_lines(canvas, 70, 695, code, "Times-Roman")
        canvas.showPage()
        text_lines(canvas, 60, 700, [WORDS[:90]] * 30, "Times-Roman")

    document = parse(draw(paint))
    [found] = [document.text[b.start : b.end] for b in document.blocks if b.kind == "code"]
    assert found.split("\n") == code


def test_code_of_fixed_pitch_between_rules_is_no_table_whatever_stands_around() -> None:
    code = ["SELECT   name,", "         berth", "FROM     ships", "WHERE    tonnage > 100;"]

    def paint(canvas: Canvas) -> None:
        text_lines(canvas, 60, 740, [WORDS[:90]] * 3, "Times-Roman")
        canvas.line(60, 690, 460, 690)
        text_lines(canvas, 60, 678, code, "Courier")
        canvas.line(60, 636, 460, 636)
        text_lines(canvas, 60, 620, [WORDS[:90]] * 3, "Times-Roman")

    document = parse(draw(paint))
    assert [document.text[b.start : b.end] for b in document.blocks if b.kind == "code"] == ["\n".join(code)]


def test_prose_between_rules_below_an_example_is_no_code() -> None:
    def paint(canvas: Canvas) -> None:
        text_lines(canvas, 60, 706, ["Example 3: The clerk at work"], "Times-Roman")
        canvas.rect(60, 640, 400, 60)
        text_lines(canvas, 70, 680, [f"The clerk writes the name of ship {n} in the log" for n in range(3)])

    assert not any(block.kind == "code" for block in parse(draw(paint)).blocks)


def test_ruled_table_whose_last_column_counts_upwards_is_no_table_of_contents() -> None:
    numbers = (3, 7, 7, 15, 21, 30, 44, 52, 60)
    rows = [["Berth", "Ships so far"], *([f"Berth of the {n}th lamp", str(n)] for n in numbers)]
    assert tables(parse(flow([styled(rows, GRID)]))) == [rows]


@pytest.mark.parametrize(
    "style",
    [
        ("FONT", (0, 0), (-1, 0), "Times-Italic"),
        ("FONTSIZE", (0, 0), (-1, 0), 8),
        ("ALIGN", (0, 0), (-1, 0), "CENTER"),
    ],
    ids=["in another font", "smaller", "in the middle"],
)
def test_head_is_told_by_its_looks(style: tuple[object, ...]) -> None:
    rows = [["lamp", "colour of it", "seen"], ["North pier of the bay", "red light that turns", "from afar"]]
    rows += [["South pier", "green", "near by"], ["Island", "white", "from the sea"]]
    assert heads(around(styled(rows, GRID, style))) == ["lamp\tcolour of it\tseen"]
    assert heads(around(styled(rows, GRID))) == []


def test_tables_without_rules_one_below_the_other_stay_apart() -> None:
    first = [["Invoice", "4711"], ["Date", "3 March 1901"], ["Customer", "The harbour office"]]
    second = [["", "1901", "1902", "1903"], ["Alba", "12", "14", "15"], ["Brea", "7", "7", "9"]]

    def paint(canvas: Canvas) -> None:
        y = 700
        for rows, step in ((first, 90), (second, 55)):
            for row in rows:
                for column, text in enumerate(row):
                    canvas.drawString(72 + step * column, y, text)
                y -= 16
            y -= 12

    document = parse(draw(paint))
    assert tables(document) == [first, second]
    assert heads(document) == ["\t1901\t1902\t1903"]
