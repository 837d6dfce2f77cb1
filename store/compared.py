"""What an index would take otherwise: float32 vectors, a larger model, chunks cut at any place.

The other index is the usual hand-made one: chunks of one size that overlap, the text of each kept as it is,
one float32 vector each, no keyword index. Its chunks are counted from this index's texts.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

from capsa.chunkers.strategies import find_strategy
from capsa.chunkers.tokens import Tokenizer

from .texts import TextReader

# Bytes of a number of a float32 vector, and the dimensions that the chunking study compares.
FLOAT32 = 4
SMALL, LARGE = 384, 1024
NAIVE = "fixed-overlap"
# Characters that are tokenised to know how long a token is, from documents spread over the index.
SAMPLE, SAMPLED = 400_000, 40


@dataclass(frozen=True, slots=True)
class Naive:
    """The chunks of the usual index: how many, and what is repeated by their overlap, as a share."""

    chunks: int
    repeated: float


def compare(
    connection: sqlite3.Connection, storage: Mapping[str, Any], tokenizer: Path
) -> Mapping[str, Mapping[str, float]]:
    """Return bytes by way of keeping the same documents, each with its ratio to this index."""
    vectors, index = storage["vectors"], storage["index"]["bytes"]
    others = index - vectors["bytes"]
    texts = sample_texts(connection)
    naive = count_naive(connection, characters_per_token(texts, Tokenizer.from_file(tokenizer)))
    text = storage["text"]["characters"] * bytes_per_character(texts) * (1 + naive.repeated)
    ways = {
        "float32_384": others + vectors["count"] * FLOAT32 * SMALL,
        "float32_1024": others + vectors["count"] * FLOAT32 * LARGE,
        "naive_384": text + naive.chunks * FLOAT32 * SMALL,
        "naive_1024": text + naive.chunks * FLOAT32 * LARGE,
    }
    found = {name: {"bytes": round(size), "to_index": _ratio(size, index)} for name, size in ways.items()}
    embedding = naive.chunks * FLOAT32 * LARGE
    return {
        **found,
        "naive": {"chunks": naive.chunks, "repeated": round(naive.repeated, 3)},
        # The study's claim: its vectors beside those of 1024 dimensions for naive chunks.
        "vectors_1024": {"bytes": embedding, "to_vectors": _ratio(embedding, vectors["bytes"])},
    }


def count_naive(connection: sqlite3.Connection, length: float) -> Naive:
    """Count the chunks of one size with an overlap; a token has ``length`` characters."""
    strategy = find_strategy(NAIVE)
    overlap = int(strategy.size * strategy.overlap)
    chunks, repeated, tokens = 0, 0, 0.0
    for (characters,) in connection.execute("SELECT characters FROM documents"):
        more = max(0, ceil((characters / length - strategy.size) / (strategy.size - overlap)))
        chunks, repeated, tokens = chunks + 1 + more, repeated + more, tokens + characters / length
    return Naive(chunks, repeated * overlap / tokens if tokens else 0.0)


def sample_texts(connection: sqlite3.Connection) -> list[str]:
    """Return the beginnings of some documents, spread over the index."""
    ids = [row[0] for row in connection.execute("SELECT id FROM documents ORDER BY id")]
    reader = TextReader(connection)
    return [reader.read(each, 0, SAMPLE // SAMPLED) for each in ids[:: max(1, len(ids) // SAMPLED)]]


def characters_per_token(texts: Sequence[str], tokenizer: Tokenizer) -> float:
    """Return how many characters a token has; 4 when there is no text."""
    tokens = sum(tokenizer.count(text) for text in texts)
    return sum(map(len, texts)) / tokens if tokens else 4.0


def bytes_per_character(texts: Sequence[str]) -> float:
    """Return how many bytes of UTF-8 a character has; 1 when there is no text."""
    characters = sum(map(len, texts))
    return (
        sum(len(text.encode("utf-8", "surrogatepass")) for text in texts) / characters if characters else 1.0
    )


def _ratio(size: float, other: float) -> float:
    return round(size / other, 2) if other else 0.0
