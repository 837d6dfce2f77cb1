"""What ``capsa history list`` tells."""

import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from capsa.chunkers.history.model import SYNCED
from capsa.store.visited import Query, Summary

from ..printing import count
from ..terminal import show_path

SCHEMA = "capsa.history/1"


class Instant:
    """Microseconds since 1970, for people and for programs."""

    @staticmethod
    def now() -> int:
        """The present."""
        return time.time_ns() // 1000

    @staticmethod
    def day(when: int | None) -> str:
        """The day in local time."""
        return "?" if when is None else f"{datetime.fromtimestamp(when / 1e6):%Y-%m-%d}"

    @staticmethod
    def iso(when: int | None) -> str | None:
        """The time in UTC, to the second."""
        if when is None:
            return None
        return datetime.fromtimestamp(when // 1_000_000, UTC).isoformat().replace("+00:00", "Z")


def lines(summary: Summary, queries: Sequence[Query]) -> Iterator[str]:
    """The listing for people."""
    if not summary.exports and not summary.pages:
        yield "nothing was imported yet; begin with `capsa history import FILE` or `--browser firefox`"
        return
    kept = f" · {count(summary.kept, 'page')} only bookmarked" if summary.kept else ""
    typed = count(summary.queries, "search query", "search queries")
    yield (
        f"{count(summary.pages, 'page')}, {count(summary.visits, 'visit')}, {_span(summary)}{kept} · {typed}"
    )
    yield from _parts(summary)
    for export in summary.exports:
        followed = ", followed" if export.followed else ""
        read = f"read {datetime.fromtimestamp(export.read_at):%Y-%m-%d %H:%M}"
        yield f"export {show_path(export.path)}: {export.format}, {read}{followed}"
    if summary.waiting:
        yield f"{count(summary.waiting, 'page')} without a vector yet: found by words only"
    for query in queries:
        yield f"searched {Instant.day(query.time)} {query.site}: {query.text}"


def to_json(summary: Summary, queries: Sequence[Query]) -> dict[str, Any]:
    """The record ``capsa.history/1``."""
    return {
        "schema": SCHEMA,
        "pages": summary.pages,
        "titles_only": summary.stubs,
        "waiting_for_vectors": summary.waiting,
        "visits": summary.visits,
        "only_bookmarked": summary.kept,
        "queries": summary.queries,
        "first": Instant.iso(summary.first),
        "last": Instant.iso(summary.last),
        "browsers": [
            {
                "browser": part.browser,
                "device": part.device,
                "pages": part.pages,
                "visits": part.visits,
                "first": Instant.iso(part.first),
                "last": Instant.iso(part.last),
            }
            for part in summary.browsers
        ],
        "exports": [
            {
                "path": export.path.decode("utf-8", "replace"),
                "format": export.format,
                "browser": export.browser,
                "device": export.device,
                "read_at": Instant.iso(round(export.read_at * 1e6)),
                "followed": export.followed,
                **{name: value for name, value in export.counts.items() if name != "rules"},
            }
            for export in summary.exports
        ],
        "newest_queries": [
            {"site": query.site, "text": query.text, "time": Instant.iso(query.time)} for query in queries
        ],
    }


def _parts(summary: Summary) -> Iterator[str]:
    names = [part.browser + _on(part.device) for part in summary.browsers]
    width = max(map(len, names), default=0)
    for name, part in zip(names, summary.browsers, strict=True):
        pages, visits = count(part.pages, "page"), count(part.visits, "visit")
        yield f"  {name:<{width}}  {pages}, {visits}, {_span(part)}"


def _on(device: str) -> str:
    if device == SYNCED:
        return " (synced)"
    return f" on {device}" if device else ""


def _span(part: Any) -> str:
    first, last = Instant.day(part.first), Instant.day(part.last)
    return first if first == last else f"{first} to {last}"
