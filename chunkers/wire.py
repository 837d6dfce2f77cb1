"""Document and chunks as bytes for the pipe from a parser worker: plain JSON, so nothing in it can run."""

import json
from collections.abc import Sequence
from dataclasses import fields
from operator import attrgetter
from typing import Any

from .model import Block, Chunk, Document, Layout, Window

_BLOCK = attrgetter(*(field.name for field in fields(Block)))
_LAYOUT = attrgetter(*(field.name for field in fields(Layout)))
_DOCUMENT = tuple(field.name for field in fields(Document) if field.name not in ("blocks", "layout"))
_CHUNK = attrgetter(*(field.name for field in fields(Chunk) if field.name != "windows"))
_WINDOW = attrgetter(*(field.name for field in fields(Window)))
_CHUNK_NAMES = tuple(field.name for field in fields(Chunk) if field.name != "windows")


def dump(document: Document, chunks: Sequence[Chunk]) -> bytes:
    """Return a document and its chunks as bytes; lone surrogates survive."""
    record: dict[str, Any] = {name: getattr(document, name) for name in _DOCUMENT}
    record["metadata"] = dict(document.metadata)
    record["layout"] = _LAYOUT(document.layout)
    record["blocks"] = [_BLOCK(block) for block in document.blocks]
    rows = [(_CHUNK(chunk), [_WINDOW(window) for window in chunk.windows]) for chunk in chunks]
    line = json.dumps([record, rows], ensure_ascii=False, separators=(",", ":"))
    return line.encode("utf-8", "surrogatepass")


def load(data: bytes) -> tuple[Document, tuple[Chunk, ...]]:
    """Return what ``dump`` was given."""
    record, rows = json.loads(data.decode("utf-8", "surrogatepass"))
    record["blocks"] = tuple(Block(*row) for row in record["blocks"])
    record["layout"] = Layout(*record["layout"])
    record["notes"] = tuple(record["notes"])
    record["scanned_pages"] = tuple(record["scanned_pages"])
    return Document(**record), tuple(_load_chunk(row, windows) for row, windows in rows)


def _load_chunk(row: Sequence[Any], windows: Sequence[Any]) -> Chunk:
    values = dict(zip(_CHUNK_NAMES, row, strict=True))
    values["headings"] = tuple(values["headings"])
    return Chunk(**values, windows=tuple(_load_window(*window) for window in windows))


def _load_window(start: int, end: int, context: Sequence[Sequence[int]]) -> Window:
    return Window(start, end, tuple((first, last) for first, last in context))
