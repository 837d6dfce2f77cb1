"""Passages in their surroundings: pieces of a document with the chunks they are made of, its outline."""

import os
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from capsa.chunkers.errors import UnavailableError, UsageError
from capsa.store.filters import newest_documents
from capsa.store.outline import Outline
from capsa.store.reader import DocumentRow, Reader
from capsa.store.records import PAGE
from capsa.store.rows import CHUNK_COLUMNS, KINDS, ChunkRow
from capsa.store.spelling import correct
from capsa.store.visited import read_visited

from .absent import hidden_roots, refuse_hidden
from .output import instant, json_path, page_to_json
from .searching import check, read_query

# Characters of a piece of text: what is asked for without a length, and the most that is given.
LENGTH = 6000
MAX_LENGTH = 50_000
# What of a piece stands before the chunk that was asked for, as a share.
BEFORE = 0.3
# Headings of an outline; a document of more is cut, and says so.
MAX_HEADINGS = 2000


class Passages:
    """Reads pieces of documents; UnavailableError for an id that is not there, or must not be shown."""

    def __init__(self, reader: Reader, home: Path) -> None:
        self._reader = reader
        self._hidden = hidden_roots(home, reader.sources())

    def text_of(self, chunk_id: int) -> str:
        """The chunk's text."""
        with self._reader.snapshot():
            chunk = self._chunk(chunk_id)
            self._document(chunk.document_id)
            return self._reader.text(chunk)

    def document(self, document_id: int) -> DocumentRow:
        """What is known of the document."""
        with self._reader.snapshot():
            return self._document(document_id)

    def roots(self) -> list[bytes]:
        """The paths of the sources."""
        with self._reader.snapshot():
            return [source.path for source in self._reader.sources()]

    def read(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The record ``capsa.read/1``."""
        length = _whole(request, "length", LENGTH, MAX_LENGTH)
        with self._reader.snapshot():
            chunk = None
            if request.get("chunk") is not None:
                chunk = self._chunk(_whole(request, "chunk"))
            document = self._document(chunk.document_id if chunk else _whole(request, "document"))
            characters = self._characters(document.id)
            start = _whole(request, "start", 0)
            if chunk is not None and "start" not in request:
                room = max(0, length - (chunk.end - chunk.start))
                start = max(0, chunk.start - int(room * BEFORE))
                start = self._line_after(document.id, start, chunk.start)
            start = min(start, characters)
            return self._piece(document, chunk, start, min(start + length, characters), characters)

    def _line_after(self, document_id: int, start: int, end: int) -> int:
        """The first line that begins in the span, so that a piece begins with no half of a word."""
        return start + self._reader.texts.read(document_id, start, end).find("\n") + 1 if start else 0

    def recent(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The record ``capsa.recent/1``."""
        check(request)
        with self._reader.snapshot():
            query = replace(read_query({**request, "text": ""}), hidden=self._hidden)
            found = newest_documents(self._reader.connection, query)
            records = [
                {"document": self._document_record(self._document(document_id)), "chunk": chunk_id}
                for document_id, chunk_id in found
            ]
        return {"schema": "capsa.recent/1", "documents": records}

    def outline(self, document_id: int) -> dict[str, Any]:
        """The record ``capsa.outline/1``."""
        with self._reader.snapshot():
            document = self._document(document_id)
            rows = self._reader.connection.execute(
                "SELECT heading, min(core_start), min(page_first) FROM chunks"
                " WHERE document_id = ? AND heading > 0 GROUP BY heading",
                (document_id,),
            ).fetchall()
        places = {heading: (start, page) for heading, start, page in rows}
        headings = _headings(document.outline, places)
        return {
            "schema": "capsa.outline/1",
            "document": self._document_record(document),
            "headings": headings[:MAX_HEADINGS],
            "cut": len(headings) > MAX_HEADINGS,
        }

    def spell(self, text: str) -> dict[str, Any]:
        """The record ``capsa.spelling/1``."""
        with self._reader.snapshot():
            found = correct(self._reader, text)
        return {"schema": "capsa.spelling/1", "corrections": [each._asdict() for each in found]}

    def _piece(
        self, document: DocumentRow, chunk: ChunkRow | None, start: int, end: int, characters: int
    ) -> dict[str, Any]:
        length = end - start
        return {
            "schema": "capsa.read/1",
            "document": self._document_record(document),
            "chunk": None if chunk is None else _chunk_record(chunk, document.outline),
            "text": self._reader.texts.read(document.id, start, end),
            "start": start,
            "end": end,
            "characters": characters,
            "parts": self._parts(document, start, end),
            "previous": max(0, start - length) if start else None,
            "next": end if end < characters else None,
        }

    def _parts(self, document: DocumentRow, start: int, end: int) -> list[dict[str, Any]]:
        """What the piece is made of: of each chunk what no chunk before it holds, up to the next one."""
        rows = self._reader.connection.execute(
            f"SELECT {CHUNK_COLUMNS} FROM chunks WHERE document_id = ? AND end > ? AND core_start < ?"
            " ORDER BY core_start",
            (document.id, start, end),
        )
        found = [ChunkRow(*row) for row in rows]
        ends = [after.core_start for _, after in pairwise(found)] + [end]
        return [
            _chunk_record(row, document.outline)
            | {"start": max(row.core_start, start), "end": min(until, end)}
            for row, until in zip(found, ends, strict=True)
            if max(row.core_start, start) < min(until, end)
        ]

    def _document_record(self, document: DocumentRow) -> dict[str, Any]:
        """What a record tells of a document, as a hit does."""
        visited = read_visited(self._reader.connection, document.id) if document.kind == PAGE else None
        path = None if document.path is None else json_path(document.path)
        return {
            "id": document.id,
            "uri": document.uri,
            "path": path,
            "title": document.title or os.path.basename(path or ""),
            "kind": document.kind,
            "modified": instant(document.modified),
            **page_to_json(document.kind, document.uri, visited),
        }

    def _chunk(self, chunk_id: int) -> ChunkRow:
        chunk = self._reader.chunks([chunk_id]).get(chunk_id)
        if chunk is None:
            raise UnavailableError("this passage is no longer in the index: search again")
        return chunk

    def _document(self, document_id: int) -> DocumentRow:
        there = self._reader.connection.execute("SELECT 1 FROM documents WHERE id = ?", (document_id,))
        if there.fetchone() is None:
            raise UnavailableError("this document is no longer in the index: search again")
        document = self._reader.document(document_id)
        refuse_hidden(document.path, self._hidden)
        return document

    def _characters(self, document_id: int) -> int:
        found = self._reader.connection.execute(
            "SELECT characters FROM documents WHERE id = ?", (document_id,)
        ).fetchone()
        return int(found[0])


def _chunk_record(chunk: ChunkRow, outline: Outline) -> dict[str, Any]:
    return {
        "id": chunk.id,
        "start": chunk.start,
        "end": chunk.end,
        "page_first": chunk.page_first,
        "page_last": chunk.page_last,
        "headings": list(outline.path(chunk.heading)),
        "kind": KINDS[chunk.kind],
    }


def _headings(outline: Outline, places: Mapping[int, tuple[int, int | None]]) -> list[dict[str, Any]]:
    """The headings in the order of the text; one without text of its own begins with the first below it."""
    starts = dict(places)
    for node in range(len(outline.nodes), 0, -1):
        parent = outline.nodes[node - 1][0]
        if node in starts and parent and (parent not in starts or starts[node][0] < starts[parent][0]):
            starts[parent] = starts[node]
    return [
        {
            "heading": outline.nodes[node - 1][1],
            "level": len(outline.path(node)),
            "start": start,
            "page": page,
        }
        for node, (start, page) in sorted(starts.items(), key=lambda item: (item[1][0], item[0]))
    ]


def _whole(request: Mapping[str, Any], name: str, default: int | None = None, most: int = 1 << 62) -> int:
    value = request.get(name, default)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most:
        return value
    raise UsageError(f"{name}: must be a whole number from 0 to {most}")
