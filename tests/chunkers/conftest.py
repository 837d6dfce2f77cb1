"""The shipped model's tokenizer, and documents built block by block."""

from collections.abc import Callable
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import settings

from capsa.chunkers.model import Block, BlockKind, Document
from capsa.chunkers.tokens import Tokenizer

# A slow machine is no error: no test here asserts a time.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

Part = tuple[BlockKind, str] | tuple[BlockKind, str, dict[str, Any]]


@pytest.fixture(scope="session")
def tokenizer() -> Tokenizer:
    """The tokenizer of the shipped model."""
    return Tokenizer.from_file(
        str(files("capsa.store") / "model_data" / "all-MiniLM-L6-v2" / "tokenizer.json")
    )


@pytest.fixture(scope="session")
def build() -> Callable[..., Document]:
    """Build a document from (kind, text, further fields of Block), its blocks parted by an empty line."""

    def build_document(*parts: Part, **fields: Any) -> Document:
        text, blocks = "", []
        for part in parts:
            kind, body, more = (*part, {})[:3]
            text += "\n\n" if text else ""
            more = {"header_end": len(text) + more["header"]} if "header" in more else more
            blocks.append(Block(kind, len(text), len(text) + len(body), **more))
            text += body
        return Document(text, tuple(blocks), **{"kind": "html", **fields})

    return build_document
