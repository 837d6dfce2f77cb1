"""Documents that have pages: how far their layout got and what it took, and which of the pages are scans."""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

# What Layout.cut says.
CUT = "(d.layout_state = 'partial' OR (d.layout_state = 'none' AND d.layout_reason LIKE '%budget%'))"
# Documents that had a layout pass.
LAID_OUT = f"(d.layout_pages > 0 OR {CUT})"
# Scanned pages whose text nobody has recognised.
WAITING = "d.scanned_pages > d.ocr_pages"
_SIZES = "CASE WHEN d.pages <= 10 THEN '1-10' WHEN d.pages <= 50 THEN '11-50' ELSE '51+' END"
GIVEN_UP_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Cut:
    """Documents that had a layout pass, those of them that its budget cut, and the same of their pages."""

    documents: int = 0
    cut: int = 0
    pages: int = 0
    pages_cut: int = 0


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds a document, middle and 95th percentile."""

    median: float
    p95: float


@dataclass(frozen=True, slots=True)
class Scans:
    """Documents with scanned pages, these pages, those that were recognised, and what waits for it."""

    documents: int
    pages: int
    pages_read: int
    documents_waiting: int
    pages_waiting: int


@dataclass(frozen=True, slots=True)
class Pages:
    """The figures; ``given_up`` are paths of documents that could not be finished, and why."""

    by_kind: Mapping[str, Cut]
    by_size: Mapping[str, Cut]
    cpu_ms: Times
    wall_ms: Times
    scans: Scans
    given_up: Sequence[tuple[bytes, str]]


def read_pages(connection: sqlite3.Connection) -> Pages:
    """Read the figures in the caller's transaction."""
    times = connection.execute(f"SELECT layout_ms, layout_wall_ms FROM documents AS d WHERE {LAID_OUT}")
    cpu, wall = tuple(zip(*times.fetchall(), strict=True)) or ((), ())
    return Pages(
        by_kind=_cut(connection, "d.kind"),
        by_size=_cut(connection, _SIZES),
        cpu_ms=_times(cpu),
        wall_ms=_times(wall),
        scans=read_scans(connection),
        given_up=_given_up(connection),
    )


def _cut(connection: sqlite3.Connection, what: str) -> dict[str, Cut]:
    rows = connection.execute(
        f"SELECT {what}, count(*), total({CUT}), total(d.pages), total({CUT} * (d.pages - d.layout_pages))"
        f" FROM documents AS d WHERE {LAID_OUT} GROUP BY 1 ORDER BY min(d.pages)"
    )
    return {name: Cut(*map(int, numbers)) for name, *numbers in rows}


def _times(values: Sequence[float]) -> Times:
    """The values of rank n / 2 and 0.95 n, rounded up."""
    if not values:
        return Times(0.0, 0.0)
    ordered = sorted(values)
    return Times(ordered[(len(ordered) - 1) // 2], ordered[-(-95 * len(ordered) // 100) - 1])


def read_scans(connection: sqlite3.Connection) -> Scans:
    """Read the figures of scans alone."""
    row = connection.execute(
        f"SELECT count(*), total(d.scanned_pages), total(d.ocr_pages), total({WAITING}),"
        " total(d.scanned_pages - d.ocr_pages) FROM documents AS d WHERE d.scanned_pages > 0"
    ).fetchone()
    return Scans(*map(int, row))


def _given_up(connection: sqlite3.Connection) -> list[tuple[bytes, str]]:
    return connection.execute(
        "SELECT d.path, a.detail FROM attempts AS a JOIN documents AS d ON d.id = a.document_id"
        " WHERE a.detail != '' ORDER BY d.path LIMIT ?",
        (GIVEN_UP_SHOWN,),
    ).fetchall()
