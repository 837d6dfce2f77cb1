"""PDFs made with reportlab, parsed to blocks."""

import io
import math

import pypdf
import pypdfium2 as pdfium
import pytest
from pdf_samples import (
    WORDS,
    draw,
    encrypted,
    form,
    hand_made,
    report,
    rewritten,
    running_heads,
    scan,
    text_lines,
    two_columns,
)
from reportlab.pdfgen.canvas import Canvas

from capsa.chunkers.errors import ParseError
from capsa.chunkers.model import Document
from capsa.chunkers.parsers import pdf
from capsa.chunkers.parsers.pdf_clock import LayoutClock
from capsa.chunkers.parsers.pdf_pages import PageReader


def dump(document: Document) -> str:
    """One line for each block."""
    lines = [f"{document.kind} {document.pages} {document.outcome} {document.title!r}"]
    for block in document.blocks:
        text = document.text[block.start : block.end]
        header = (
            "" if block.header_end is None else f" header={document.text[block.start : block.header_end]!r}"
        )
        lines.append(f"p{block.page} {block.kind}{block.level or ''} [{block.found_by}]{header} {text!r}")
    return "\n".join(lines) + "\n"


def texts(document: Document, kind: str) -> list[str]:
    return [document.text[b.start : b.end] for b in document.blocks if b.kind == kind]


def parse(data: bytes, budget: float = 60_000.0) -> Document:
    return pdf.parse(data, "sample.pdf", budget)


def test_report_has_its_structure(golden) -> None:
    golden("pdf_report.txt", dump(parse(report())))


@pytest.mark.parametrize("row_by_row", [False, True])
def test_two_columns_are_read_one_after_the_other(row_by_row: bool, golden) -> None:
    golden("pdf_two_columns.txt", dump(parse(two_columns(row_by_row))))


def test_running_heads_and_page_numbers_are_left_out() -> None:
    document = parse(running_heads())
    assert "Annals of the Harbour" not in document.text
    assert "Page 3" not in document.text
    assert texts(document, "heading") == [f"Year {1900 + n} of the quay" for n in range(1, 9)]


def test_paragraph_over_two_pages_is_one_block_on_the_first() -> None:
    document = parse(running_heads())
    paragraphs = [b for b in document.blocks if b.kind == "paragraph"]
    assert len(paragraphs) == 8 * 3
    assert all(document.text[b.start : b.end] == (WORDS * 5).strip() for b in paragraphs)
    assert [b.page for b in paragraphs] == sorted(b.page or 0 for b in paragraphs)


def test_bookmarks_confirm_headings_and_their_levels() -> None:
    document = parse(running_heads(bookmarks=True))
    headings = [b for b in document.blocks if b.kind == "heading"]
    assert {(b.found_by, b.level) for b in headings} == {("pdf:bookmark", 1)}
    assert len(headings) == 8


def test_budget_keeps_structure_of_the_pages_done_and_text_of_all() -> None:
    data = running_heads(30)
    full, none = parse(data), parse(data, 0.0)
    assert full.layout.state == "full"
    assert full.layout.pages_done == full.pages
    assert none.layout.state == "none"
    assert "0 ms" in none.layout.reason
    assert {b.found_by for b in none.blocks} == {"pdf:plain"}
    assert all(f"Year {1900 + n} of the quay" in none.text for n in range(1, 31))


def test_bookmarked_headings_are_found_without_layout() -> None:
    document = parse(running_heads(bookmarks=True), 0.0)
    assert texts(document, "heading") == [f"Year {1900 + n} of the quay" for n in range(1, 9)]


def test_same_budget_in_pages_gives_the_same_document() -> None:
    data = report()
    first, second = parse(data), parse(data)
    assert first.text == second.text
    assert first.blocks == second.blocks


def test_words_broken_at_line_ends_are_joined() -> None:
    lines = [
        "The well-known master of the schooner saw that the light-",
        "house was dark. Nobody else had a compass so well-",
        "known to be exact, and the anchor-",
        "age was far from safe. In the lighthouse no lamp had been lit.",
    ]
    document = parse(draw(lambda canvas: text_lines(canvas, 72, 700, lines)))
    assert "saw that the lighthouse was dark" in document.text
    assert "a compass so well-known to be exact" in document.text
    assert "the anchorage was far from safe" in document.text


def test_text_turned_sideways_does_not_mix_with_the_lines() -> None:
    def paint(canvas: Canvas) -> None:
        text_lines(canvas, 100, 700, [f"Line {n} of the upright text is here" for n in range(12)])
        canvas.saveState()
        canvas.translate(60, 500)
        canvas.rotate(90)
        canvas.drawString(0, 0, "Turned remark in the margin")
        canvas.restoreState()

    document = parse(draw(paint))
    assert texts(document, "paragraph")[-1] == "Turned remark in the margin"
    assert "Line 3 of the upright text is here Line 4 of the upright text is here" in document.text


def test_page_that_is_turned_as_a_whole_is_read_in_order() -> None:
    def paint(canvas: Canvas) -> None:
        canvas.translate(400, 100)
        canvas.rotate(90)
        text_lines(
            canvas,
            0,
            0,
            ["The first line of the page", "runs on in the second one", "and ends in the third."],
        )

    document = parse(draw(paint))
    assert document.text == "The first line of the page runs on in the second one and ends in the third."


def test_definition_terms_are_no_headings() -> None:
    def paint(canvas: Canvas) -> None:
        y = text_lines(canvas, 72, 740, ["Settings of the lamp"], "Helvetica-Bold", 16) - 10
        for term in ("brightness", "colour", "interval"):
            y = text_lines(canvas, 72, y, [term], "Helvetica-Bold")
            y = (
                text_lines(
                    canvas,
                    97,
                    y,
                    ["Says how the lamp shall be lit when the sun", "has gone down over the bay."],
                )
                - 6
            )

    document = parse(draw(paint))
    assert texts(document, "heading") == ["Settings of the lamp"]


def test_captions_of_figures_are_captions() -> None:
    def paint(canvas: Canvas) -> None:
        text_lines(canvas, 72, 740, ["The chart below has been drawn from the log of the year."])
        canvas.rect(72, 500, 300, 200)
        text_lines(canvas, 72, 480, ["Figure 2a: Depth of the bay by season"])
        text_lines(canvas, 72, 440, ["Figure 2a shows that the bay is deepest in spring."])

    document = parse(draw(paint))
    assert texts(document, "caption") == ["Figure 2a: Depth of the bay by season"]


def test_cells_of_several_lines_stay_cells() -> None:
    def paint(canvas: Canvas) -> None:
        rows = [
            ("Flag", ["Meaning"]),
            ("-a", ["Reads all of the entries,", "old ones too"]),
            ("-b", ["Begins at the bottom"]),
            ("-c", ["Counts the entries and", "prints the sum"]),
        ]
        y = 700.0
        for flag, meaning in rows:
            text_lines(canvas, 72, y, [flag])
            y = text_lines(canvas, 200, y, meaning) - 4

    document = parse(draw(paint))
    assert texts(document, "table") == [
        "Flag\tMeaning\n-a\tReads all of the entries, old ones too\n-b\tBegins at the bottom\n"
        "-c\tCounts the entries and prints the sum"
    ]


def test_form_values_and_attachment_names_can_be_found() -> None:
    data = rewritten(form(), lambda writer: writer.add_attachment("tides-1902.csv", b"a,b"))
    document = parse(data)
    assert texts(document, "metadata") == ["Name of vessel: Marigold Seven", "tides-1902.csv"]
    assert texts(document, "paragraph") == ["Berth application of the harbour office"]


def test_metadata_give_title_author_and_dates() -> None:
    document = parse(report())
    assert document.title == "Report of the Harbour"
    assert document.metadata["author"] == "A. Clerk"
    assert document.metadata["created"] == "2000-01-01"


def test_placeholder_titles_give_way_to_the_first_heading() -> None:
    data = rewritten(report(), lambda writer: writer.add_metadata({"/Title": "Microsoft Word - draft.docx"}))
    assert parse(data).title == "Harbour Report"


def test_empty_password_opens_by_itself() -> None:
    plain, locked = parse(report()), parse(encrypted(""))
    assert locked.text == plain.text
    assert locked.outcome == "ok"


@pytest.mark.parametrize("algorithm", ["RC4-128", "AES-128", "AES-256"])
def test_password_is_an_outcome(algorithm: str) -> None:
    document = parse(encrypted("secret", algorithm))
    assert (document.outcome, document.text, document.blocks) == ("protected", "", ())
    assert document.notes == ("needs a password to open",)


def test_scan_is_an_outcome() -> None:
    document = parse(scan())
    assert (document.outcome, document.text, document.pages) == ("scan", "", 1)


def test_blank_page_is_empty() -> None:
    assert parse(hand_made(b"")).outcome == "empty"


def test_ligatures_and_control_characters_are_made_plain() -> None:
    content = b"BT /F1 12 Tf 72 700 Td (\\256nd the \\257ag \\001here) Tj ET"
    data = hand_made(content).replace(
        b"/BaseFont/Helvetica>>", b"/BaseFont/Helvetica/Encoding<</Differences[174/fi/fl]>>>>"
    )
    document = parse(data)
    assert document.text.startswith("find the flag")
    assert document.text.isprintable()


def test_contents_pages_are_no_headings() -> None:
    entries = [
        f"{n}.{m} Section on the quay {' .' * 40} {10 * n + m}" for n in range(1, 4) for m in range(1, 4)
    ]

    def paint(canvas: Canvas) -> None:
        text_lines(canvas, 72, 740, ["Contents"], "Helvetica-Bold", 18)
        text_lines(canvas, 72, 700, entries)

    document = parse(draw(paint))
    assert texts(document, "heading") == ["Contents"]
    assert texts(document, "list_item")[4] == "2.2 Section on the quay 22"


def test_damage_names_the_file_and_what_pdfium_said() -> None:
    with pytest.raises(ParseError, match=r"sample\.pdf: pdfium: .*Data format error") as caught:
        parse(b"%PDF-1.7\nno more than this")
    assert caught.value.reason == "damaged"


@pytest.mark.data
def test_evidence_in_the_development_pdfs_is_kept(data) -> None:
    path = data / "het" / "docs" / "pdf" / "speex-manual.pdf"
    document = pdf.parse(path.read_bytes(), path.name, 60_000.0)
    table = next(t for t in texts(document, "table") if "only with headphones" in t)
    assert "4\t5-6\t11,000\t14\tArtifacts usually noticeable only with headphones" in table
    assert "Table 9.2: Quality versus bit-rate" in texts(document, "caption")


def crowded(lines: int) -> bytes:
    """A page of so many short lines between two pages of text."""
    rows = b"".join(b"1 0 0 1 10 %d Tm (w%d) Tj " % (12_500 - n * 10, n) for n in range(lines))
    page = b"BT /F1 8 Tf " + rows + b"ET"

    def add(writer: pypdf.PdfWriter) -> None:
        for name, content in (("before", None), ("crowd", page), ("after", None)):
            text = b"BT /F1 12 Tf 72 700 Td (The page %s it) Tj ET" % name.encode()
            writer.append(io.BytesIO(hand_made(content or text, media_box=b"[0 0 612 12600]")))

    return rewritten(hand_made(b""), add)


def test_a_crowded_page_is_plain_text_between_pages_with_layout() -> None:
    document = parse(crowded(1200))
    assert (document.layout.state, document.layout.pages_done) == ("full", 3)
    assert [block.page for block in document.blocks] == sorted(block.page or 0 for block in document.blocks)
    assert "w0 w1 w2" in document.text
    assert (
        document.text.index("page before") < document.text.index("w1199") < document.text.index("page after")
    )
    assert any("1 of 4 pages have no layout" in note for note in document.notes)


def test_pages_within_the_budget_have_the_blocks_that_they_have_without_one() -> None:
    data = running_heads(6)
    reader = PageReader(pdfium.PdfDocument(data), LayoutClock(math.inf))
    reader.read_layout(3)
    again = PageReader(pdfium.PdfDocument(data), LayoutClock(math.inf))
    again.read_layout(3)
    again.read_rest(5)
    assert reader.pages.lines == again.pages.lines
    assert sorted(again.pages.plain) == [4, 5]
    assert again.pages.cut


def test_layout_tells_the_time_that_it_took() -> None:
    layout = parse(report()).layout
    assert layout.ms > 0
    assert layout.wall_ms > 0


def test_an_arabic_ligature_of_one_glyph_is_read_in_order() -> None:
    """The glyphs of "سلام": sin, lam-alef, mim, painted from the left as they are on paper."""
    cmap = (
        b"begincmap 1 begincodespacerange <00> <ff> endcodespacerange 3 beginbfchar"
        b" <41> <0645> <42> <06440627> <43> <0633> endbfchar endcmap"
    )

    def add(writer: pypdf.PdfWriter) -> None:
        stream = pypdf.generic.DecodedStreamObject()
        stream.set_data(cmap)
        font = writer.pages[0]["/Resources"]["/Font"]["/F1"]
        font[pypdf.generic.NameObject("/ToUnicode")] = writer._add_object(stream)

    data = rewritten(hand_made(b"BT /F1 12 Tf 72 700 Td (ABC) Tj ET"), add)
    assert parse(data).text == "سلام"


def test_a_large_word_across_every_page_and_heads_beside_a_turned_page_are_furniture() -> None:
    def paint(canvas: Canvas) -> None:
        for page in range(4):
            text_lines(canvas, 200, 760, ["Annals of the Harbour Office"], size=9)
            text_lines(canvas, 150, 400, ["DRAFT"], "Helvetica-Bold", 60)
            if page == 2:
                canvas.saveState()
                canvas.translate(120, 100)
                canvas.rotate(90)
                text_lines(
                    canvas, 0, 0, [f"line {n} of the table that was turned on page {page}" for n in range(9)]
                )
                canvas.restoreState()
            else:
                lines = [f"line {n} of the text that stands on page {page} of the book" for n in range(40)]
                text_lines(canvas, 72, 700, lines)
            canvas.showPage()

    document = parse(draw(paint))
    assert "DRAFT" not in document.text
    assert "Annals" not in document.text
    assert "line 8 of the table that was turned on page 2" in document.text
    assert "line 39 of the text that stands on page 3" in document.text


def test_contents_without_dots_are_entries_and_a_table_of_codes_is_none() -> None:
    def paint(canvas: Canvas) -> None:
        text_lines(canvas, 72, 740, ["Contents"], "Helvetica-Bold", 18)
        for n, page in enumerate((1, 3, 3, 8, 12, 20, 21, 35, 41)):
            text_lines(canvas, 72, 700 - 14 * n, [f"{n + 1} The story of the quay"])
            text_lines(canvas, 400, 700 - 14 * n, [str(page)])
        canvas.showPage()
        for n in range(9):
            text_lines(canvas, 72, 700 - 14 * n, [f"ERROR_OF_LAMP_{n}"])
            text_lines(canvas, 400, 700 - 14 * n, [str(n)])

    document = parse(draw(paint))
    assert texts(document, "list_item")[3] == "4 The story of the quay 8"
    assert len(texts(document, "list_item")) == 9
    assert [text.count("\n") for text in texts(document, "table")] == [8]
    assert texts(document, "heading") == ["Contents"]


def test_an_entry_too_long_for_its_dots_is_no_heading() -> None:
    dots = " ." * 40

    def paint(canvas: Canvas) -> None:
        text_lines(canvas, 72, 740, ["Contents"], "Helvetica-Bold", 18)
        entries = [f"{n}.1 Lamps{dots} {n}" for n in range(1, 6)]
        entries.insert(3, "3.2 The very long story of the lamps of the harbour and of their keepers 4")
        text_lines(canvas, 72, 700, entries, size=12)
        canvas.showPage()
        text_lines(canvas, 72, 700, [WORDS[:90], WORDS[90:180], WORDS[180:260]] * 12, size=9)

    document = parse(draw(paint))
    assert texts(document, "heading") == ["Contents"]
    assert any(text.startswith("3.2 The very") for text in texts(document, "list_item"))
