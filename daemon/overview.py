"""What ``capsa status`` tells: the store's figures, with what the model and the disk say now."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from capsa.chunkers.errors import StoreError, UnavailableError
from capsa.store import meta
from capsa.store.home import database_path
from capsa.store.overview import Overview, read_overview, read_sites
from capsa.store.reader import Reader

from .beginning import require_index
from .daemon_status import daemon_record
from .encoder import Encoder, find_encoder
from .layout_status import layout_record, scans_record
from .quarantine import BROKE
from .terminal import show_path
from .unread import count_unread


def status_record(home: Path) -> dict[str, Any]:
    """The record with bytes by part and what the daemon tells; UnavailableError without an index."""
    require_index(home)
    with Reader.open(home) as reader:
        record = {"home": show_path(str(home)), **overview(reader, find_encoder(home))}
        record["unread"] = {_text(path): waiting for path, waiting in count_unread(home, reader).items()}
        record["storage"] = _bytes(reader.storage())
    return record | {"daemon": daemon_record(home)}


def glance(home: Path) -> dict[str, int]:
    """The number of the index's last ``change``, and how many sources are ``paused``; 0 without an index."""
    nothing = {"change": 0, "paused": 0}
    if not database_path(home).exists():
        return nothing
    try:
        with Reader.open(home) as reader:
            paused = sum(source.paused for source in reader.sources())
            return {"change": meta.change(reader.connection), "paused": paused}
    except (StoreError, UnavailableError):
        return nothing  # it went away in between, or the record of the state says what is the matter


def sources_record(home: Path) -> dict[str, Any]:
    """The record ``capsa.sources/1``, with the kinds and the hosts that searches can be limited to."""
    if not database_path(home).exists():
        return {"schema": "capsa.sources/1", "sources": [], "kinds": {}, "sites": {}}
    with Reader.open(home) as reader, reader.snapshot():
        figures, sites = read_overview(reader), read_sites(reader.connection)
    return {
        "schema": "capsa.sources/1",
        "sources": _sources(figures),
        "kinds": dict(figures.kinds),
        "sites": sites,
    }


def overview(reader: Reader, encoder: Encoder) -> dict[str, Any]:
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


def _bytes(storage: Mapping[str, Any]) -> dict[str, int]:
    """Bytes by part."""
    return {name: part["bytes"] for name, part in storage.items() if isinstance(part, Mapping)}


def _sources(figures: Overview) -> list[dict[str, Any]]:
    return [
        {
            "id": source.id,
            "kind": source.kind,
            "path": _text(source.path),
            "documents": documents,
            "paused": source.paused,
            "present": source.kind == "history" or os.path.lexists(source.path),
        }
        for source, documents in figures.sources
    ]


def _model(figures: Overview, encoder: Encoder) -> dict[str, Any]:
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
