"""What ``capsa status`` tells: the store's figures, with what the model and the disk say now."""

import os
from typing import TYPE_CHECKING, Any

from capsa.store.overview import Overview, read_overview
from capsa.store.reader import Reader

from .layout_status import layout_record, scans_record
from .quarantine import BROKE

if TYPE_CHECKING:
    from .encoder import Encoder


def overview(reader: Reader, encoder: "Encoder") -> dict[str, Any]:
    """The record ``capsa.status/1``."""
    with reader.snapshot():
        counts, figures = reader.counts(), read_overview(reader)
    return {
        "schema": "capsa.status/1",
        "documents": counts.documents,
        "chunks": counts.chunks,
        "vectors": counts.vectors,
        "waiting_for_vectors": counts.pending_documents,
        "skipped": dict(counts.skipped),
        "failed": dict(counts.failed),
        "quarantine": {reason: count for reason, count in counts.failed.items() if reason in BROKE},
        "sources": _sources(figures),
        "kinds": dict(figures.kinds),
        "layout": {kind: dict(states) for kind, states in figures.layout.items()},
        "layout_budget": layout_record(figures.pages),
        "scans": scans_record(figures.pages),
        "given_up": [{"path": _text(path), "detail": detail} for path, detail in figures.pages.given_up],
        "without_text": dict(figures.without_text),
        "failures": [
            {"path": _text(failed.path), "reason": failed.reason, "detail": failed.detail}
            for failed in figures.failures
        ],
        "model": _model(figures, encoder),
        "cache": {"state": figures.cache.state, "behind": figures.cache.behind},
    }


def _sources(figures: Overview) -> list[dict[str, Any]]:
    return [
        {
            "id": source.id,
            "kind": source.kind,
            "path": _text(source.path),
            "documents": documents,
            "present": os.path.lexists(source.path),
        }
        for source, documents in figures.sources
    ]


def _model(figures: Overview, encoder: "Encoder") -> dict[str, Any]:
    mark = figures.model
    return {
        "name": encoder.model.name,
        "usable": encoder.usable,
        "problem": encoder.problem,
        "of_the_index": None if mark is None else mark.name,
        "current": mark is None or mark.fingerprint == encoder.model.fingerprint,
    }


def _text(path: bytes) -> str:
    return path.decode("utf-8", "replace")
