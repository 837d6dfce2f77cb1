"""What a document will look like in the store, and which of its texts need a vector that is not there yet."""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import replace

from capsa.chunkers.model import Chunk, Document

from .coding import known_codes
from .keywords import columns, hash64
from .records import Entry, Plan, PlannedChunk, Recipe
from .stems import scrub


def plan_document(
    connection: sqlite3.Connection, entry: Entry, document: Document, chunks: Sequence[Chunk], recipe: Recipe
) -> Plan:
    """Compare the chunks with the old version of the document, or with a document of the same bytes."""
    from capsa.chunkers import context

    # Only what is stored may shape the keyword texts: they are recomputed from it when the row is deleted.
    document = replace(document, title=scrub(document.title))
    stored = Document(document.text, (), document.kind, title=document.title)
    texts: dict[int, str] = {}
    planned = []
    for chunk in chunks:
        windows = {hash64(text): text for text in context.embedding_texts(document, chunk)}
        texts |= windows
        crumb, body = row = columns(stored, chunk)
        planned.append(PlannedChunk(chunk, crumb, body, row.key, tuple(windows)))
    codes = _known_codes(connection, entry)
    new = {key: text for key, text in texts.items() if key not in codes}
    reused = {key: codes[key] for key in texts if key in codes}
    return Plan(entry, document, tuple(planned), recipe, tuple(new.values()), tuple(new), reused)


def _known_codes(connection: sqlite3.Connection, entry: Entry) -> Mapping[int, bytes]:
    """Return codes by key of the same URI's document and of one with the same content (a copy, or moved)."""
    rows = connection.execute(
        "SELECT id FROM documents WHERE uri = :uri UNION"
        " SELECT * FROM (SELECT document_id FROM files"
        " WHERE content_hash = :hash AND document_id IS NOT NULL LIMIT 1)",
        {"uri": entry.uri, "hash": entry.content_hash},
    ).fetchall()
    return known_codes(connection, [document_id for (document_id,) in rows])
