"""What there is to tell about an index at a glance: figures that only SQLite is asked for."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .pages import Pages, read_pages
from .records import ModelMark, Source

if TYPE_CHECKING:
    from .reader import Reader

FAILURES_SHOWN = 50
SITES_SHOWN = 100


@dataclass(frozen=True, slots=True)
class Failed:
    """A file that could not be read, and why."""

    path: bytes
    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class CacheState:
    """The FAISS file: "none", "missing", "behind" or "current", and how many changes it is behind."""

    state: str
    behind: int


@dataclass(frozen=True, slots=True)
class Overview:
    """The figures; ``sources`` with their documents, ``layout`` by kind and state.

    Of the failures the first are told, by path.
    """

    sources: tuple[tuple[Source, int], ...]
    kinds: Mapping[str, int]
    layout: Mapping[str, Mapping[str, int]]
    without_text: Mapping[str, int]
    failures: tuple[Failed, ...]
    pages: Pages
    model: ModelMark | None
    cache: CacheState


def read_overview(reader: "Reader") -> Overview:
    """Read the figures in the reader's snapshot."""
    connection = reader.connection
    documents = dict(
        connection.execute("SELECT source_id, count(*) FROM documents GROUP BY source_id").fetchall()
    )
    kinds = connection.execute("SELECT kind, count(*) FROM documents GROUP BY kind")
    outcomes = connection.execute(
        "SELECT outcome, count(*) FROM documents WHERE outcome != 'ok' GROUP BY outcome"
    )
    return Overview(
        sources=tuple((source, documents.get(source.id, 0)) for source in reader.sources()),
        kinds=dict(kinds.fetchall()),
        layout=_layout(connection),
        without_text=dict(outcomes.fetchall()),
        failures=_failures(connection),
        pages=read_pages(connection),
        model=reader.model,
        cache=_cache(connection, reader.home),
    )


def read_sites(connection: sqlite3.Connection) -> dict[str, int]:
    """Return the hosts that the most documents are from, with their number."""
    rows = connection.execute(
        "SELECT site, count(*) FROM documents WHERE site IS NOT NULL GROUP BY site"
        " ORDER BY 2 DESC, 1 LIMIT ?",
        (SITES_SHOWN,),
    )
    return dict(rows.fetchall())


def _layout(connection: sqlite3.Connection) -> dict[str, dict[str, int]]:
    """How far the layout pass got, by kind: full, partial or none."""
    states: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for kind, state, count in connection.execute(
        "SELECT kind, layout_state, count(*) FROM documents WHERE outcome = 'ok' GROUP BY kind, layout_state"
    ):
        states[kind][state] = count
    return dict(states)


def _failures(connection: sqlite3.Connection) -> tuple[Failed, ...]:
    rows = connection.execute(
        "SELECT path, reason, detail FROM files WHERE status = 'failed' ORDER BY path LIMIT ?",
        (FAILURES_SHOWN,),
    )
    return tuple(Failed(*row) for row in rows)


def _cache(connection: sqlite3.Connection, home: Path) -> CacheState:
    values = dict(
        connection.execute("SELECT name, value FROM meta WHERE name IN ('cache', 'change')").fetchall()
    )
    change = values.get("change", 0)
    if "cache" not in values:
        return CacheState("none", change)
    record = json.loads(values["cache"])
    behind = change - record["generation"]
    if not (home / record["file"]).is_file():
        return CacheState("missing", behind)
    return CacheState("current" if behind == 0 else "behind", behind)
