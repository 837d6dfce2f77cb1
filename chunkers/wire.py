"""Document and chunks as bytes for the pipe from a parser worker: plain JSON, so nothing in it can run."""

import json
from collections.abc import Sequence
from dataclasses import fields
from operator import attrgetter
from typing import Any

from .captures.model import Page
from .model import Block, Chunk, Document, Layout, Window

_BLOCK = attrgetter(*(field.name for field in fields(Block)))
_LAYOUT = attrgetter(*(field.name for field in fields(Layout)))
_DOCUMENT = tuple(field.name for field in fields(Document) if field.name not in ("blocks", "layout"))
_CHUNK = attrgetter(*(field.name for field in fields(Chunk) if field.name != "windows"))
_WINDOW = attrgetter(*(field.name for field in fields(Window)))
_CHUNK_NAMES = tuple(field.name for field in fields(Chunk) if field.name != "windows")


def dump(document: Document, chunks: Sequence[Chunk]) -> bytes:
    """Return a document and its chunks as bytes; lone surrogates survive."""
    return _to_bytes(_pack(document, chunks))


def dump_pages(pages: Sequence[tuple[Page, Sequence[Chunk]]]) -> bytes:
    """Return the pages of one file with their chunks as bytes."""
    rows = [[page.uri, page.captured, *_pack(page.document, chunks)] for page, chunks in pages]
    return _to_bytes({"pages": rows})


def load_pages(data: bytes) -> list[tuple[Page, tuple[Chunk, ...]]] | None:
    """Return what ``dump_pages`` was given; None for what ``dump`` gave."""
    # Told by the first byte: a document's answer is parsed once, by ``load``.
    if not data.startswith(b"{"):
        return None
    record = json.loads(data.decode("utf-8", "surrogatepass"))
    found = [(uri, captured, *_unpack(*packed)) for uri, captured, *packed in record["pages"]]
    return [(Page(document, uri, captured), chunks) for uri, captured, document, chunks in found]


def load(data: bytes) -> tuple[Document, tuple[Chunk, ...]]:
    """Return what ``dump`` was given."""
    record, rows = json.loads(data.decode("utf-8", "surrogatepass"))
    return _unpack(record, rows)


def _pack(document: Document, chunks: Sequence[Chunk]) -> list[Any]:
    record: dict[str, Any] = {name: getattr(document, name) for name in _DOCUMENT}
    record["metadata"] = dict(document.metadata)
    record["layout"] = _LAYOUT(document.layout)
    record["blocks"] = [_BLOCK(block) for block in document.blocks]
    rows = [(_CHUNK(chunk), [_WINDOW(window) for window in chunk.windows]) for chunk in chunks]
    return [record, rows]


def _to_bytes(record: Any) -> bytes:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _unpack(record: dict[str, Any], rows: Sequence[tuple[Any, Any]]) -> tuple[Document, tuple[Chunk, ...]]:
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
