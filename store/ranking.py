"""The two arms: chunks by BM25 over the keyword index, and chunks by their nearest vector."""

import json
import math
import sqlite3
from collections.abc import Sequence

from .embedder import Embedder
from .quantisers import Vectors
from .querysyntax import ParsedQuery, Term
from .vectors import Ids, NearestVectors, Ranked

# Chunks that an arm hands to the fusion.
CANDIDATES = 200
# A chunk of several windows may take several places among the nearest vectors.
VECTOR_CANDIDATES = 250
# Weights of the columns crumb and body.
CRUMB_WEIGHT, BODY_WEIGHT = 2.0, 1.0

# A byte for each id, 1 where the chunk is wanted: ranking takes a sixth less time than with a list of ids.
IN_CHUNKS = " AND substr(?, rowid, 1) = x'01'"
IN_DOCUMENTS = (
    " AND (SELECT document_id FROM chunks WHERE id = keywords.rowid) IN (SELECT value FROM json_each(?))"
)


def match_expression(optional: Sequence[Term], parsed: ParsedQuery) -> str:
    """Return the FTS5 expression: all required terms, any of the optional ones given, no excluded one."""
    expression = _join((*parsed.required, *optional), "OR")
    if parsed.required:
        # What must match stands in front; the rest only adds to the score.
        expression = f"({_join(parsed.required, 'AND')}) AND ({expression})"
    if parsed.excluded:
        expression = f"({expression}) NOT ({_join(parsed.excluded, 'OR')})"
    return expression


def rank_keywords(
    connection: sqlite3.Connection,
    expression: str,
    documents: Sequence[int] | None = None,
    chunk_ids: Sequence[int] | None = None,
) -> Ranked:
    """Return the best chunks by BM25, best first, among the documents or the chunks only."""
    filtered: str = ""
    values: list[str | bytes] = []
    if documents is not None:
        filtered, values = IN_DOCUMENTS, [json.dumps(documents)]
    elif chunk_ids is not None:
        filtered, values = IN_CHUNKS, [_marks(chunk_ids)]
    rows = connection.execute(
        "SELECT rowid, -bm25(keywords, ?, ?) AS score FROM keywords WHERE keywords MATCH ?"
        f"{filtered} ORDER BY score DESC, rowid LIMIT ?",
        (CRUMB_WEIGHT, BODY_WEIGHT, expression, *values, CANDIDATES),
    )
    return rows.fetchall()


def ask_index(
    index: NearestVectors, embedder: Embedder, text: str, allowed: Ids | None
) -> tuple[Vectors, Ranked]:
    """Return the query's vector, float32 [dimension], and the best chunks by cosine; needs no database."""
    vector = embedder.embed_query(text)
    return vector, index.search(vector, VECTOR_CANDIDATES, allowed)[:CANDIDATES]


def drop_unwanted(connection: sqlite3.Connection, ranked: Ranked, parsed: ParsedQuery) -> Ranked:
    """Keep the chunks that have every required term and none of the excluded."""
    if parsed.required:
        wanted = _matching(connection, _join(parsed.required, "AND"), ranked)
        ranked = [item for item in ranked if item[0] in wanted]
    if parsed.excluded:
        unwanted = _matching(connection, _join(parsed.excluded, "OR"), ranked)
        ranked = [item for item in ranked if item[0] not in unwanted]
    return ranked


def _matching(connection: sqlite3.Connection, expression: str, ranked: Ranked) -> set[int]:
    rows = connection.execute(
        "SELECT rowid FROM keywords WHERE keywords MATCH ?" + IN_CHUNKS,
        (expression, _marks([chunk_id for chunk_id, _ in ranked])),
    )
    return {chunk_id for (chunk_id,) in rows}


def _marks(chunk_ids: Sequence[int]) -> bytes:
    marks = bytearray(max(chunk_ids, default=0))
    for chunk_id in chunk_ids:
        marks[chunk_id - 1] = 1
    return bytes(marks)


def inverse_frequency(frequency: int, rows: int) -> float:
    """Return the idf of a term as FTS5's bm25 has it, but never below its floor of 1e-6."""
    return max(1e-6, math.log((rows - frequency + 0.5) / (frequency + 0.5)))


def _join(terms: Sequence[Term], operator: str) -> str:
    return f" {operator} ".join(f"({term.expression()})" for term in terms)
