"""The paper's parser that tags each element with its heading."""

from pdf_samples import draw, text_lines

from capsa.chunkers.model import Document
from capsa.chunkers.parsers import parse


def blocks(document: Document) -> list[tuple[str, int, str]]:
    return [(b.kind, b.level, document.text[b.start : b.end]) for b in document.blocks]


def test_each_element_is_tagged_with_the_heading_before_it() -> None:
    text = (
        "Words before any heading.\n\n"
        "1. Short title\n\n"
        "This Act may be called the Act.\n\n"
        "It extends to the whole of it.\n\n"
        "DEFINITIONS AND TERMS\n\n"
        "In this Act, a record is a record.\n\n"
        "## Penalties\n\n"
        "A fine may be laid."
    )
    assert blocks(parse(text.encode(), "act.txt", "context_aware")) == [
        ("paragraph", 0, "Words before any heading."),
        ("heading", 1, "1. Short title"),
        ("paragraph", 0, "[Section: 1. Short title]\nThis Act may be called the Act."),
        ("paragraph", 0, "[Section: 1. Short title]\nIt extends to the whole of it."),
        ("heading", 1, "DEFINITIONS AND TERMS"),
        ("paragraph", 0, "[Section: DEFINITIONS AND TERMS]\nIn this Act, a record is a record."),
        ("heading", 2, "## Penalties"),
        ("paragraph", 0, "[Section: Penalties]\nA fine may be laid."),
    ]


def test_element_that_begins_with_a_heading_is_parted() -> None:
    document = parse(b"# Title\nText below it\nand more.", "a.md", "context_aware")
    assert blocks(document) == [
        ("heading", 1, "# Title"),
        ("paragraph", 0, "[Section: Title]\nText below it\nand more."),
    ]


def test_sentence_that_begins_with_a_number_is_no_heading() -> None:
    document = parse(b"1995 was a good year.\n\n3 ships came.", "a.txt", "context_aware")
    assert {block.kind for block in document.blocks} == {"paragraph"}


def test_heading_of_one_page_tags_the_next() -> None:
    def paint(canvas) -> None:
        text_lines(canvas, 72, 700, ["CHAPTER IV", "The first page of it."])
        canvas.showPage()
        text_lines(canvas, 72, 700, ["The second page of it."])

    document = parse(draw(paint), "a.pdf", "context_aware")
    assert blocks(document) == [
        ("heading", 1, "CHAPTER IV"),
        ("paragraph", 0, "[Section: CHAPTER IV]\nThe first page of it."),
        ("paragraph", 0, "[Section: CHAPTER IV]\nThe second page of it."),
    ]
    assert [block.page for block in document.blocks] == [1, 1, 2]
