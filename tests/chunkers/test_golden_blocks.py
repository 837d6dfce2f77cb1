"""Golden block lists: every document in documents/ against golden/NAME.blocks."""

from collections.abc import Callable
from pathlib import Path

import pytest

from capsa.chunkers.model import Block, Document
from capsa.chunkers.parsers import parse

DOCUMENTS = sorted(path for path in (Path(__file__).parent / "documents").iterdir())


def render(document: Document) -> str:
    facts = [f"kind: {document.kind}", f"title: {document.title}", f"language: {document.language}"]
    facts += [f"{key}: {value}" for key, value in sorted(document.metadata.items())]
    return "\n".join([*facts, "", *(line(document.text, block) for block in document.blocks), ""])


def line(text: str, block: Block) -> str:
    header = "" if block.header_end is None else f" header={text[block.start : block.header_end]!r}"
    found = " ".join(filter(None, (block.found_by, block.language)))
    return (
        f"{block.kind} {block.level} {block.page or '-'} {found} | {text[block.start : block.end]!r}{header}"
    )


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_blocks_of_a_document_are_as_accepted(path: Path, golden: Callable[[str, str], None]) -> None:
    golden(f"{path.name}.blocks", render(parse(path.read_bytes(), path.name)))
