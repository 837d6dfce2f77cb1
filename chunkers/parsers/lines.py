"""The lines of a source text and blocks that are spans of them, for parsers whose text is the source."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import PurePath

from ..captions import mark_captions
from ..language import detect
from ..model import Block, BlockKind, Document

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_EDGE = re.compile(r"\S")
_SAMPLED = frozenset(("paragraph", "list_item", "quote", "heading"))


class Lines:
    """A text's lines by number: where they start and end, and whether they are blank."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [match.start() for match in _LINE.finditer(text)]
        self.starts.append(len(text))

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, number: int) -> str:
        """Return the line without its newline."""
        return self.text[self.starts[number] : self.starts[number + 1]].removesuffix("\n")

    def is_blank(self, number: int) -> bool:
        """Say whether only white space stands on the line."""
        return _EDGE.search(self.text, self.starts[number], self.starts[number + 1]) is None

    def block(self, kind: BlockKind, first: int, after: int, **fields: object) -> Block | None:
        """Return the block of lines ``first`` to ``after - 1`` without white space around it, None if blank.

        Code keeps the indentation of its first line.
        """
        end = self.starts[min(after, len(self))]
        block = span_block(self.text, kind, self.starts[first], end, **fields)
        if block is None or kind != "code":
            return block
        line_start = self.text.rfind("\n", self.starts[first], block.start) + 1
        return replace(block, start=max(line_start, self.starts[first]))


def span_block(text: str, kind: BlockKind, start: int, end: int, **fields: object) -> Block | None:
    """Return the block of a span without the white space around, None if there is nothing else."""
    first = _EDGE.search(text, start, end)
    if first is None:
        return None
    while text[end - 1].isspace():
        end -= 1
    return Block(kind, first.start(), end, **fields)  # type: ignore[arg-type]


def fill_gaps(text: str, blocks: Iterable[Block]) -> list[Block]:
    """Return the blocks in order, paragraphs for text between them; of overlapping ones the first stays."""
    filled: list[Block] = []
    position = 0
    for block in sorted(blocks, key=lambda block: (block.start, -block.end)):
        if block.start < position:
            clipped = span_block(text, block.kind, position, block.end) if block.end > position else None
            if clipped is None:
                continue
            block = replace(block, start=clipped.start, end=clipped.end)
        filled += _paragraphs(text, position, block.start)
        filled.append(block)
        position = block.end
    return filled + _paragraphs(text, position, len(text))


_BLANK_LINES = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")


def _paragraphs(text: str, start: int, end: int) -> list[Block]:
    """Cut a gap at its blank lines."""
    if _EDGE.search(text, start, end) is None:
        return []
    edges = [start]
    for blank in _BLANK_LINES.finditer(text, start, end):
        edges += [blank.start(), blank.end()]
    edges.append(end)
    parts = (
        span_block(text, "paragraph", a, b, found_by="gap")
        for a, b in zip(edges[::2], edges[1::2], strict=True)
    )
    return [part for part in parts if part is not None]


def source_document(text: str, blocks: Iterable[Block], kind: str, **fields: object) -> Document:
    """Return the document of a source text: gaps filled, captions marked, the language detected."""
    covered = mark_captions(text, fill_gaps(text, blocks))
    language = detect(prose(text, covered))
    document = Document(text, covered, kind, language=language, outcome="ok" if covered else "empty")
    return replace(document, **fields)  # type: ignore[arg-type]


def prose(text: str, blocks: Sequence[Block], enough: int = 2000) -> str:
    """Return the first running text, which tells the language better than code and tables do."""
    parts: list[str] = []
    size = 0
    for block in blocks:
        if block.kind in _SAMPLED:
            parts.append(text[block.start : min(block.end, block.start + enough)])
            size += len(parts[-1])
            if size >= enough:
                break
    return "\n".join(parts)


def stem(name: str) -> str:
    """Return the file's name without folder and suffix, the title of last resort."""
    return PurePath(name.replace("\\", "/")).stem
