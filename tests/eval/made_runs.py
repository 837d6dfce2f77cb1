"""Runs with known figures, written as the grid writes them."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from capsa.eval.runs import CELL_COLUMNS, COLUMNS, METRIC_COLUMNS, Row, RunFolder, to_csv

TYPES = ("exact_fact", "table_lookup", "negation")


def make_rows(
    parsers: Sequence[str] = ("native", "normal"),
    chunkers: Sequence[str] = ("basic", "sentence"),
    documents: Sequence[str] = ("A", "B"),
    questions: int = 40,
    lift: Mapping[str, float] | None = None,
    best: tuple[str, str] | None = None,
    retrievers: Sequence[str] = ("bm25", "dense"),
    **more: Any,
) -> list[Row]:
    """Rows found or not at random (seeded), dense more often by ``lift`` in a document; ``best`` always."""
    random = np.random.default_rng(5)
    rows: list[Row] = []
    for parser, chunker, retriever, document in product(parsers, chunkers, retrievers, documents):
        dense = retriever != "bm25"
        share = 0.5 + ((lift or {}).get(document, 0.0) if dense else 0.0)
        for number in range(questions):
            found = float(random.random() < share or (parser, chunker) == best)
            cell = _cell(parser, chunker, retriever, dense, more)
            rows.append(_row(cell, f"{document}{number}", document, TYPES[number % 3], found, more))
    return rows


def write_run(folder: Path, rows: Iterable[Row], **record: Any) -> Path:
    """Write rows and a record as ``capsa eval grid`` does."""
    rows = list(rows)
    description = {
        "command": "grid",
        "configuration": {},
        "models": {"model": "print"},
        "sets": [{"name": "made", "questions_sha256": "a", "corpus_sha256": "b", "count": 80}],
        "code_sha256": "c",
        "versions": {"python": "3"},
        "seed": 1,
        "fingerprint": "f",
        "gaps": [{"axis": "parser", "name": "docling", "reason": "pip install 'capsa[docling]'"}],
    }
    run = RunFolder.open(folder, {**description, **record})
    run.add("all", to_csv(rows), _records(rows))
    run.finish()
    return folder


def _cell(parser: str, chunker: str, retriever: str, dense: bool, more: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "set": "made",
        "scope": more.get("scope", "document"),
        "parser": parser,
        "chunker": chunker,
        "size": more.get("size"),
        "overlap": more.get("overlap"),
        "retriever": retriever,
        "model": "model" if dense else "",
        "vectors": more.get("vectors", "flat") if dense else "",
        "dimension": more.get("dimension", 384) if dense else None,
    }


def _row(
    cell: Mapping[str, Any], question: str, document: str, kind: str, found: float, more: Mapping[str, Any]
) -> Row:
    values: dict[str, Any] = dict.fromkeys(METRIC_COLUMNS, found)
    values |= {"coverage": 1.0, "tokens": 900, "latency_ms": 2.0 if cell["model"] else 0.5}
    described = {"question_id": question, "document": document, "type": kind, "phrasing": "", "slice": ""}
    miss = "" if found else ("boundary" if cell["chunker"] == "basic" else "ranking")
    row = {
        **described,
        **cell,
        "matcher": more.get("matcher", "strict"),
        "evidence": 1,
        **values,
        "miss": miss,
    }
    assert set(row) == set(COLUMNS)
    return row


def _records(rows: Sequence[Row]) -> list[dict[str, Any]]:
    cells: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        cells.setdefault(tuple(row[name] for name in CELL_COLUMNS), []).append(row)
    return [_record(dict(zip(CELL_COLUMNS, cell, strict=True)), found) for cell, found in cells.items()]


def _record(cell: dict[str, Any], rows: Sequence[Row]) -> dict[str, Any]:
    mean = float(np.mean([float(row["er@10"] or 0) for row in rows]))
    dense = bool(cell["model"])
    return {
        **cell,
        "documents": 2,
        "chunks": 100,
        "vector_count": 100 if dense else 0,
        "index_bytes": 153_600 if dense else 40_000,
        "seconds": 1.0,
        "questions": len(rows),
        "coverage": 1.0,
        "full_coverage": 1.0,
        "latency_p50_ms": 2.0 if dense else 0.5,
        "latency_p95_ms": 3.0 if dense else 0.9,
        **dict.fromkeys(("er@5", "er@10", "rr", "ndcg@10"), mean),
    }
