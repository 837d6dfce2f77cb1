"""One document as HTML and as Chromium prints it (headless, no header and footer), with tags and without."""

import math
from pathlib import Path

import pypdf
import pytest
from pdf_samples import rewritten

from capsa.chunkers.model import Document
from capsa.chunkers.parsers import parse

DOCUMENTS = Path(__file__).parent / "documents"
SAME = ("heading", "paragraph", "caption", "table", "code")
IN_THE_DRAWING = "Wheel Shaft"


def untag(writer: pypdf.PdfWriter) -> None:
    del writer.root_object["/StructTreeRoot"], writer.root_object["/MarkInfo"]


def printed(tags: bool) -> Document:
    data = (DOCUMENTS / "handbook.pdf").read_bytes()
    return parse(data if tags else rewritten(data, untag), "handbook.pdf", layout_budget_ms=math.inf)


def blocks(document: Document) -> list[tuple[str, str]]:
    """Return kinds and texts without soft hyphens, which HTML keeps as it has them."""
    return [
        (block.kind, document.text[block.start : block.end].replace("\u00ad", ""))
        for block in document.blocks
        if block.kind in SAME
    ]


@pytest.mark.parametrize("tags", [True, False], ids=["tagged", "untagged"])
def test_a_printed_page_has_the_blocks_of_its_source(tags: bool) -> None:
    source = parse((DOCUMENTS / "handbook.html").read_bytes(), "handbook.html")
    document = printed(tags)
    assert blocks(document) == blocks(source)
    assert {block.found_by == "pdf:tag" for block in document.blocks if block.kind == "heading"} == {tags}
    [drawing] = [block for block in document.blocks if block.kind == "figure"]
    assert document.text[drawing.start : drawing.end] == IN_THE_DRAWING


def test_tags_tell_how_deep_items_and_headings_are() -> None:
    document = printed(True)
    levels = {kind: [block.level for block in document.blocks if block.kind == kind] for kind in SAME}
    items = [block.level for block in document.blocks if block.kind == "list_item"]
    assert (levels["heading"], items) == ([1, 2, 2, 2, 2], [1, 2, 2, 1])
