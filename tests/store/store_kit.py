"""What the tests of the store share: small documents, their chunks, and an embedder made of hashes."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from capsa.chunkers.model import Block, Chunk, Document, Window
from capsa.store.reader import Reader
from capsa.store.records import Entry, Query, Recipe, Results
from capsa.store.search import search
from capsa.store.writer import Writer

DAY_NS = 86_400 * 10**9


@dataclass(frozen=True)
class HashModel:
    name: str = "hash"
    fingerprint: str = "f1"
    dimension: int = 384


@dataclass
class HashEmbedder:
    """Texts that share words get vectors that point the same way; counts what it embeds."""

    model: Any = field(default_factory=HashModel)
    embedded: int = 0

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.embedded += len(texts)
        return np.array([self._vector(text) for text in texts], dtype=np.float32).reshape(
            -1, self.model.dimension
        )

    def embed_query(self, text: str) -> np.ndarray:
        return self._vector(text)

    def _vector(self, text: str) -> np.ndarray:
        vector = np.full(self.model.dimension, 1e-6, dtype=np.float32)
        for word in text.lower().split():
            noise = blake2b(word.encode("utf-8", "surrogatepass"), digest_size=48).digest()
            signs = np.unpackbits(np.frombuffer(noise, dtype=np.uint8)).astype(np.float32)
            vector += np.resize(signs * 2 - 1, self.model.dimension)
        return vector / np.linalg.norm(vector)


def make_document(text: str, title: str = "Notes", kind: str = "text") -> Document:
    """Take each paragraph for a block."""
    blocks, position = [], 0
    for paragraph in text.split("\n\n"):
        if paragraph.strip():
            blocks.append(Block("paragraph", position, position + len(paragraph)))
        position += len(paragraph) + 2
    return Document(text, tuple(blocks), kind, title=title)


def make_chunks(document: Document, headings: tuple[str, ...] = ()) -> tuple[Chunk, ...]:
    """Take each block for a chunk of one window."""
    return tuple(
        Chunk(b.start, b.end, b.start, headings=headings, windows=(Window(b.start, b.end),))
        for b in document.blocks
    )


def make_entry(name: str, text: str, source_id: int = 1, **changes: Any) -> Entry:
    values = {
        "path": os.fsencode(name),
        "uri": f"file://{name}",
        "source_id": source_id,
        "kind": "text",
        "size": len(text),
        "mtime_ns": 1_700_000_000 * 10**9,
        "ctime_ns": 1,
        "inode": 7,
        "content_hash": blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest(),
    }
    return Entry(**(values | changes))


def put(writer: Writer, name: str, text: str, embedder: HashEmbedder | None = None, **changes: Any) -> int:
    """Index one text and return how many of its texts had to be embedded."""
    title = changes.pop("title", "Notes")
    headings = changes.pop("headings", ())
    document = make_document(text, title)
    plan = writer.plan(
        make_entry(name, text, **changes),
        document,
        make_chunks(document, headings),
        Recipe(parser_version="1"),
    )
    writer.commit([(plan, embedder.embed(plan.texts) if embedder else None)], durable=False)
    return len(plan.texts)


def find(home: Path, text: str, embedder: HashEmbedder | None = None, **filters: Any) -> Results:
    with Reader.open(home) as reader:
        return search(reader, Query(text, **filters), embedder)


def found_texts(home: Path, text: str, embedder: HashEmbedder | None = None, **filters: Any) -> list[str]:
    return [hit.text for hit in find(home, text, embedder, **filters).hits]
