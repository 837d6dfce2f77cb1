"""A sample of a home's documents, read again: the texts of their vectors are not in the home."""

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from capsa.chunkers.context import embedding_texts
from capsa.chunkers.errors import CapsaError, ParseError
from capsa.chunkers.model import Document
from capsa.chunkers.parsers import parse
from capsa.chunkers.strategies import WINDOW, chunk
from capsa.chunkers.tokens import Tokenizer
from capsa.store.blocks import read_windows
from capsa.store.coding import vectors_of
from capsa.store.keywords import hash64
from capsa.store.reader import Reader

# Largest file that is read again.
_BYTES = 64 << 20

Step = Callable[[int], None]


@dataclass(slots=True)
class Sample:
    """Documents as they were indexed, with the ids of their vectors and chunks, and the text of each vector.

    ``whole`` says that it is all of the home; ``left_out`` counts by reason the documents that were looked at
    and could not be used.
    """

    documents: dict[int, Document] = field(default_factory=dict)
    vectors: list[int] = field(default_factory=list)
    chunks: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    size: int = 0
    whole: bool = False

    def add(self, document_id: int, document: Document, rows: Sequence[tuple[int, int, str]]) -> None:
        """Add a document with a row for each vector: its id, its chunk's, its text."""
        self.documents[document_id] = document
        for vector, chunk_id, text in rows:
            self.vectors.append(vector)
            self.chunks.append(chunk_id)
            self.texts.append(text)

    @property
    def order(self) -> npt.NDArray[np.int64]:
        """Where the vectors are, in ascending order of their ids."""
        return np.argsort(np.array(self.vectors, dtype=np.int64))


@dataclass(frozen=True, slots=True)
class Shelved:
    """A document of the home, as far as reading it again goes; ``size`` is its vectors, else its chunks."""

    id: int
    path: bytes | None
    parser: str
    chunker: str
    ocr_pages: int
    content_hash: bytes | None
    size: int


def draw(reader: Reader, tokenizer: Tokenizer, room: int, limit: int, seed: int, step: Step) -> Sample:
    """Read documents again, in random order from the seed, while their vectors are at most ``limit``.

    ``step`` is told the vectors found. CapsaError when no document can be read again.
    """
    shelf = _shelf(reader)
    sample = Sample()
    passed = 0
    for place in np.random.default_rng(seed).permutation(len(shelf)):
        shelved = shelf[place]
        if sample.documents and sample.size + shelved.size > limit:
            passed += 1
        elif _take(reader, shelved, tokenizer, min(room, WINDOW), sample):
            sample.size += shelved.size
            step(shelved.size)
    if not sample.documents:
        raise CapsaError(f"no document of the index can be read again ({_told(sample.left_out)})")
    sample.whole = not passed and not sample.left_out
    return sample


def _take(reader: Reader, shelved: Shelved, tokenizer: Tokenizer, window: int, sample: Sample) -> bool:
    """Read a document again and add it to the sample, or count why not."""
    data = _read(shelved)
    if isinstance(data, str):
        sample.left_out[data] += 1
        return False
    name = os.path.basename(os.fsdecode(shelved.path or b""))
    try:
        document = parse(data, name, shelved.parser)
    except ParseError as error:
        sample.left_out[error.reason] += 1
        return False
    chunks = chunk(document, tokenizer, shelved.chunker, window=window)
    texts = {hash64(text): text for part in chunks for text in embedding_texts(document, part)}
    vectors = vectors_of(reader.connection, shelved.id)
    if not all(vector.key in texts for vector in vectors):
        sample.left_out["read in another way than when it was indexed"] += 1
        return False
    rows = [(vector.id, vector.chunk_id, texts[vector.key]) for vector in vectors]
    sample.add(shelved.id, document, rows)
    return True


def _read(shelved: Shelved) -> bytes | str:
    """Return the file's bytes, or why they are not those that were indexed.

    Only those: they went through the limited worker once, which an evaluation does not have.
    """
    if shelved.path is None:
        return "no file of its own"
    if shelved.ocr_pages:
        return "its text was recognised from images"
    path = Path(os.fsdecode(shelved.path))
    try:
        if not path.is_file() or path.stat().st_size > _BYTES:
            return "no longer there"
        data = path.read_bytes()
    except OSError:
        return "cannot be opened"
    same = hashlib.blake2b(data, digest_size=16).digest() == shelved.content_hash
    return data if same else "changed since it was indexed"


def _shelf(reader: Reader) -> list[Shelved]:
    windows = Counter(read_windows(reader.connection).chunks.tolist())
    chunks = reader.connection.execute("SELECT document_id, id FROM chunks").fetchall()
    sizes: Counter[int] = Counter()
    for document_id, chunk_id in chunks:
        sizes[document_id] += windows[chunk_id] or 1
    rows: list[tuple[int, bytes | None, str, str, int, bytes | None]] = reader.connection.execute(
        "SELECT d.id, d.path, d.parser, d.chunker, d.ocr_pages, f.content_hash"
        " FROM documents AS d LEFT JOIN files AS f ON f.path = d.path ORDER BY d.id"
    ).fetchall()
    return [Shelved(*row, sizes[row[0]]) for row in rows if sizes[row[0]]]


def _told(left_out: Counter[str]) -> str:
    return ", ".join(f"{count} {reason}" for reason, count in left_out.most_common()) or "it has none"
