"""Records as bytes for the pipe from the process that reads an export: plain JSON, checked coming in."""

import json
from collections.abc import Sequence

from .model import Bad, Bookmark, Record, Visit

_LETTERS: dict[type[Record], str] = {Visit: "v", Bookmark: "b", Bad: "x"}


def dump(share: float, records: Sequence[Record]) -> bytes:
    """Return how much of the export is read, 0 to 1, and some of its records as bytes."""
    rows = [[_LETTERS[type(record)], *record] for record in records]
    return json.dumps([share, rows], separators=(",", ":")).encode("ascii")


def load(data: bytes) -> tuple[float, list[Record]]:
    """Return what ``dump`` was given; ValueError for bytes that it never makes."""
    share, rows = json.loads(data)
    if not isinstance(share, float) or not isinstance(rows, list):
        raise ValueError("no share or no rows")
    return share, [_record(row) for row in rows]


def _record(row: object) -> Record:
    match row:
        case ["v", str(url), str(title), int(when), int(told), str(device)]:
            return Visit(url, title, when, told, device)
        case ["b", str(url), str(title), int() | None as when, [*tags], str(folder)]:
            return Bookmark(url, title, when, tuple(map(str, tags)), folder)
        case ["x", str(reason), str(detail)]:
            return Bad(reason, detail)
    raise ValueError(f"no record: {str(row)[:80]}")
