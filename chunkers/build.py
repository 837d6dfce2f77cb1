"""A document's text and blocks, assembled piece by piece; for parsers that build their text (HTML, PDF)."""

import re
from collections.abc import Mapping, Sequence
from typing import TypedDict, Unpack

from .model import Block, BlockKind, Document, Layout, Outcome

# Code begins with its indentation, and a table with a tab when its first cell is empty.
_AROUND: Mapping[str, str] = {"code": "\r\n", "table": " \r\n"}
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class BlockFields(TypedDict, total=False):
    """What a block may say beside its kind and text; see Block."""

    page: int | None
    level: int
    found_by: str
    language: str


class DocumentFields(TypedDict, total=False):
    """What a document may say beside its kind, text and blocks; see Document."""

    title: str
    language: str
    pages: int
    outcome: Outcome
    layout: Layout
    metadata: Mapping[str, str]
    notes: tuple[str, ...]


def storable(text: str) -> str:
    """Replace what neither SQLite nor UTF-8 can hold, NUL and lone surrogates, by U+FFFD."""
    return _UNSTORABLE.sub("\ufffd", text)


class TextBuilder:
    """Collects pieces of text with their kinds and joins them into one text with spans."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self.blocks: list[Block] = []

    def __len__(self) -> int:
        """Return the characters so far."""
        return self._length

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self._parts)

    def add(
        self,
        kind: BlockKind,
        text: str,
        *,
        header_end_rel: int | None = None,
        joiner: str = "\n\n",
        **fields: Unpack[BlockFields],
    ) -> None:
        """Append a block after ``joiner``; text of white space only adds nothing.

        ``header_end_rel`` counts from the start of the given text. Code keeps its indentation.
        """
        kept = text.strip(_AROUND.get(kind)).rstrip()
        if not kept.strip():
            return
        if header_end_rel is not None:
            header_end_rel = min(max(header_end_rel - text.index(kept), 0), len(kept))
        start = self._append(storable(kept), joiner)
        header_end = None if header_end_rel is None else start + header_end_rel
        self.blocks.append(Block(kind, start, self._length, header_end=header_end, **fields))

    def _append(self, text: str, joiner: str) -> int:
        if self._parts:
            self._parts.append(joiner)
            self._length += len(joiner)
        start = self._length
        self._parts.append(text)
        self._length += len(text)
        return start

    def document(
        self, kind: str, blocks: Sequence[Block] | None = None, **fields: Unpack[DocumentFields]
    ) -> Document:
        """Return what was built; without any text the outcome is "empty" unless another one is given."""
        if not self.blocks:
            fields.setdefault("outcome", "empty")
        chosen = self.blocks if blocks is None else blocks
        return Document(self.text, tuple(chosen), kind, **fields)
