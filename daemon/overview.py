"""What ``capsa status`` tells: figures read from the store through its reader, none of them from the disk."""

import json
import os
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from capsa.store.reader import Reader

if TYPE_CHECKING:
    import sqlite3

    from .encoder import Encoder

FAILURES_SHOWN = 50


def overview(reader: Reader, encoder: "Encoder") -> dict[str, Any]:
    """The record ``capsa.status/1``."""
    with reader.snapshot():
        counts = reader.counts()
        connection = reader.connection
        return {
            "schema": "capsa.status/1",
            "documents": counts.documents,
            "chunks": counts.chunks,
            "vectors": counts.vectors,
            "waiting_for_vectors": counts.pending_documents,
            "skipped": dict(counts.skipped),
            "failed": dict(counts.failed),
            "sources": _sources(reader),
            "kinds": dict(
                connection.execute("SELECT kind, count(*) FROM documents GROUP BY kind").fetchall()
            ),
            "layout": _layout(connection),
            "without_text": _outcomes(connection),
            "failures": _failures(connection),
            "model": _model(reader, encoder),
            "cache": _cache(reader),
        }


def _sources(reader: Reader) -> list[dict[str, Any]]:
    counts = dict(
        reader.connection.execute("SELECT source_id, count(*) FROM documents GROUP BY source_id").fetchall()
    )
    return [
        {
            "id": source.id,
            "kind": source.kind,
            "path": _text(source.path),
            "documents": counts.get(source.id, 0),
            "present": os.path.lexists(source.path),
        }
        for source in reader.sources()
    ]


def _layout(connection: "sqlite3.Connection") -> dict[str, dict[str, int]]:
    """How far the layout pass got, by kind: full, partial or none."""
    states: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for kind, state, count in connection.execute(
        "SELECT kind, layout_state, count(*) FROM documents WHERE outcome = 'ok' GROUP BY kind, layout_state"
    ):
        states[kind][state] = count
    return dict(states)


def _outcomes(connection: "sqlite3.Connection") -> dict[str, int]:
    """Healthy files that gave no text: empty, protected by a password, or a scan."""
    rows = connection.execute(
        "SELECT outcome, count(*) FROM documents WHERE outcome != 'ok' GROUP BY outcome"
    )
    return dict(rows.fetchall())


def _failures(connection: "sqlite3.Connection") -> list[dict[str, str]]:
    rows = connection.execute(
        "SELECT path, reason, detail FROM files WHERE status = 'failed' ORDER BY path LIMIT ?",
        (FAILURES_SHOWN,),
    )
    return [{"path": _text(path), "reason": reason, "detail": detail} for path, reason, detail in rows]


def _model(reader: Reader, encoder: "Encoder") -> dict[str, Any]:
    mark = reader.model
    return {
        "name": encoder.model.name,
        "usable": encoder.usable,
        "problem": encoder.problem,
        "of_the_index": None if mark is None else mark.name,
        "current": mark is None or mark.fingerprint == encoder.model.fingerprint,
    }


def _cache(reader: Reader) -> dict[str, Any]:
    """Whether the FAISS file is there and how many changes it is behind; searches catch up by themselves."""
    values = dict(
        reader.connection.execute("SELECT name, value FROM meta WHERE name IN ('cache', 'change')").fetchall()
    )
    if "cache" not in values:
        return {"state": "none", "behind": values.get("change", 0)}
    record = json.loads(values["cache"])
    behind = values.get("change", 0) - record["generation"]
    if not (reader.home / record["file"]).is_file():
        return {"state": "missing", "behind": behind}
    return {"state": "current" if behind == 0 else "behind", "behind": behind}


def _text(path: bytes) -> str:
    return path.decode("utf-8", "replace")
