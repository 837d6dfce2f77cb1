"""Recognised pages in a document: laid out among its own pages, with numbers and how they were found."""

from capsa.chunkers.model import Block, Document
from capsa.chunkers.ocr_document import add_recognised
from capsa.chunkers.ocr_page import OcrLine, OcrPage

HEIGHT = 12.5
HARBOUR = (
    "The harbour office keeps a record of every vessel that",
    "enters the bay, of its cargo, and of the port of depar-",
    "ture. A clerk compares the record with the tide tables.",
)
TIDES = (
    "Spring tides follow the new moon and the full moon by",
    "a day or two, when the pull of the sun is added to that",
    "of the moon; neap tides come with the half moon.",
)


def recognised(heading: str, body: tuple[str, ...]) -> OcrPage:
    """A page with a large line over a paragraph of three lines."""
    lines = [OcrLine(heading, 60, 260, 720, 694, 0.99)]
    lines += [
        OcrLine(text, 60, 500, 660 - 13 * n, 660 - 13 * n - HEIGHT, 0.98) for n, text in enumerate(body)
    ]
    return OcrPage(600, 800, tuple(lines))


def shown(document: Document) -> list[tuple[int | None, str, str, str]]:
    return [
        (block.page, block.kind, block.found_by, document.text[block.start : block.end])
        for block in document.blocks
    ]


def test_a_scan_becomes_a_document() -> None:
    scan = Document("", (), "pdf", pages=2, outcome="scan", scanned_pages=(1, 2))
    document = add_recognised(
        scan, {1: recognised("Harbour Report", HARBOUR), 2: recognised("Tides and Currents", TIDES)}
    )
    assert (document.outcome, document.title, document.ocr_pages) == ("ok", "Harbour Report", 2)
    assert document.notes == ("the text of 2 of 2 pages was recognised (OCR)",)
    blocks = shown(document)
    assert [block[:3] for block in blocks] == [
        (1, "heading", "ocr"),
        (1, "paragraph", "ocr"),
        (2, "heading", "ocr"),
        (2, "paragraph", "ocr"),
    ]
    assert "of the port of departure. A clerk" in blocks[1][3]


def test_recognised_pages_stand_among_the_others_and_replace_stamps() -> None:
    text = "First page.\n\nreceived\n\nThird page.\n- an item\n- another\n\nAuthor: nobody"
    marks = [("First page.", "paragraph", 1), ("received", "paragraph", 2), ("Third page.", "paragraph", 3)]
    marks += [
        ("- an item", "list_item", 3),
        ("- another", "list_item", 3),
        ("Author: nobody", "metadata", None),
    ]
    blocks = tuple(
        Block(kind, text.index(piece), text.index(piece) + len(piece), page=page, found_by="pdf:layout")  # type: ignore[arg-type]
        for piece, kind, page in marks
    )
    document = add_recognised(
        Document(text, blocks, "pdf", title="T", pages=3, scanned_pages=(2,)),
        {2: recognised("Tides and Currents", TIDES)},
    )
    assert document.title == "T"
    assert [(page, kind) for page, kind, *_ in shown(document)] == [
        (1, "paragraph"),
        (2, "heading"),
        (2, "paragraph"),
        (3, "paragraph"),
        (3, "list_item"),
        (3, "list_item"),
        (None, "metadata"),
    ]
    assert "received" not in document.text
    assert "Third page.\n- an item\n- another\n\nAuthor: nobody" in document.text


def test_only_scanned_pages_are_replaced() -> None:
    document = Document("Text.", (Block("paragraph", 0, 5, page=1),), "pdf", pages=1)
    assert add_recognised(document, {1: recognised("Tides and Currents", TIDES)}) is document


def test_a_page_without_anything_on_it_stays_a_scan_that_was_looked_at() -> None:
    scan = Document("", (), "pdf", pages=1, outcome="scan", scanned_pages=(1,))
    document = add_recognised(scan, {1: OcrPage(600, 800, ())})
    assert (document.outcome, document.ocr_pages, document.text) == ("scan", 1, "")
