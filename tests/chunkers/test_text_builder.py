"""The builder of texts with spans."""

from capsa.chunkers.build import TextBuilder, storable


def test_blocks_are_spans_of_the_joined_text() -> None:
    builder = TextBuilder()
    builder.add("heading", " Mills ", level=1, page=2, found_by="x")
    builder.add("list_item", "one", level=1)
    builder.add("list_item", "two", level=1, joiner="\n")
    document = builder.document("html", title="T")
    assert document.text == "Mills\n\none\ntwo"
    assert [document.text[block.start : block.end] for block in document.blocks] == ["Mills", "one", "two"]
    assert (document.blocks[0].page, document.blocks[0].level, document.title) == (2, 1, "T")


def test_white_space_adds_nothing_and_an_empty_document_says_so() -> None:
    builder = TextBuilder()
    builder.add("paragraph", " \n\t")
    assert builder.document("pdf").outcome == "empty"
    assert builder.document("pdf", outcome="scan").outcome == "scan"


def test_code_keeps_its_indentation() -> None:
    builder = TextBuilder()
    builder.add("code", "\n    x = 1\n\n    y\n  \n")
    assert builder.text == "    x = 1\n\n    y"


def test_a_header_end_moves_with_its_text() -> None:
    builder = TextBuilder()
    builder.add("paragraph", "words")
    builder.add("table", "  a\tb\n1\t2", header_end_rel=5)
    block = builder.blocks[1]
    assert builder.text[block.start : block.header_end] == "a\tb"


def test_what_cannot_be_stored_is_replaced() -> None:
    assert storable("a\0b\ud800c") == "a\ufffdb\ufffdc"
