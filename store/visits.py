"""Adding to the visited pages what an export tells, in the caller's transaction: each visit once.

A page with a saved copy keeps that text; only its visits, its tags and its address are added to.
"""

import json
import sqlite3
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from .committing import Committer
from .stubs import (
    PAGE_COLUMNS,
    Page,
    history_source,
    insert_stubs,
    next_id,
    put_page,
    read_page,
    stub_plan,
)

_MILLISECOND, _SECOND = 1000, 1_000_000


@dataclass(frozen=True, slots=True)
class Told:
    """What an export tells of one page; times are microseconds since 1970.

    ``uri`` is the normalised address, ``url`` the newest one as it was. ``visits`` are times with their
    devices, ``told`` the number of visits where the export does not tell each of them. ``kept_at``, ``tags``
    and ``folders`` are those of its ``bookmarks``.
    """

    uri: str
    url: str
    title: str = ""
    titled_at: int = 0
    visits: tuple[tuple[int, str], ...] = ()
    told: int = 0
    kept_at: int | None = None
    tags: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    bookmarks: int = 0


@dataclass(frozen=True, slots=True)
class Typed:
    """A query typed into a search engine."""

    site: str
    text: str
    time: int
    device: str


@dataclass(slots=True)
class Added:
    """What a batch changed.

    Visits and bookmarks are new or known; pages are new or changed; of queries the new ones count.
    """

    new: int = 0
    known: int = 0
    queries: int = 0
    new_pages: int = 0
    changed_pages: int = 0


class PageWriter:
    """Adds what one browser tells."""

    def __init__(self, connection: sqlite3.Connection, browser: str) -> None:
        self._connection = connection
        self._browser = browser
        self._source_id = 0
        self._origins: dict[str, int] = {}

    def put(self, committer: Committer, told: Sequence[Told], typed: Sequence[Typed] = ()) -> Added:
        """Add a batch; each page is in it once."""
        # Anew in each transaction: what an earlier one added may have been rolled back.
        self._origins.clear()
        self._source_id = history_source(self._connection)
        known = self._known_pages([page.uri for page in told])
        added = Added()
        # In the order of the addresses, which two indexes are in: the same pages of them are written at once.
        new = sorted((page for page in told if page.uri not in known), key=lambda page: page.uri)
        self._put_new(new, added)
        for page in told:
            if page.uri in known:
                self._put_old(committer, page, known[page.uri], added)
        self._put_typed(typed, added)
        return added

    def _put_new(self, told: Sequence[Told], added: Added) -> None:
        pages = []
        for document_id, each in enumerate(told, next_id(self._connection, "documents")):
            times = self._put_visits(document_id, each, set(), added)
            pages.append(merged(Page(document_id, each.uri), each, times, len(times)))
            count_bookmarks(each, True, added)
        insert_stubs(self._connection, pages, self._source_id, time.time())
        put_page(self._connection, pages)
        added.new_pages += len(pages)

    def _put_old(self, committer: Committer, told: Told, page: Page, added: Added) -> None:
        times = self._put_visits(page.document_id, told, self._known_times(told, page), added)
        rows = self._count("visits", page) if times or not page.url else 0
        after = merged(page, told, times, rows)
        count_bookmarks(told, bookmark_of(page) != bookmark_of(after), added)
        if after == page:
            return
        if self._count("captures", page):
            after = replace(after, title=page.title)
            self._date(after)
        elif after.text != page.text or after.title != page.title:
            committer.put(stub_plan(after, self._source_id), {})
        else:
            self._date(after)
        put_page(self._connection, [after])
        added.changed_pages += 1

    def _put_visits(self, document_id: int, told: Told, known: set[int], added: Added) -> list[int]:
        devices = dict(told.visits)
        times = new_times([time for time, _ in told.visits], known)
        self._connection.executemany(
            "INSERT INTO visits (document_id, time, origin_id) VALUES (?, ?, ?)",
            [(document_id, time, self._origin(devices[time])) for time in times],
        )
        added.new += len(times)
        added.known += len(told.visits) - len(times)
        return times

    def _put_typed(self, typed: Iterable[Typed], added: Added) -> None:
        for query in typed:
            added.queries += self._connection.execute(
                "INSERT OR IGNORE INTO queries (site, text, time, origin_id) VALUES (?, ?, ?, ?)",
                (query.site, query.text, query.time, self._origin(query.device)),
            ).rowcount

    def _date(self, page: Page) -> None:
        """A visit later than the saved copy is what the page is found by."""
        self._connection.execute(
            "UPDATE documents SET modified = max(modified, ?) WHERE id = ?",
            (page.dated / 1e6, page.document_id),
        )

    def _origin(self, device: str) -> int:
        if device not in self._origins:
            names = (self._browser, device)
            found = "SELECT id FROM origins WHERE browser = ? AND device = ?"
            row = self._connection.execute(found, names).fetchone()
            if row is None:
                self._connection.execute("INSERT INTO origins (browser, device) VALUES (?, ?)", names)
                row = self._connection.execute(found, names).fetchone()
            self._origins[device] = row[0]
        return self._origins[device]

    def _known_pages(self, uris: Sequence[str]) -> dict[str, Page]:
        rows = self._connection.execute(
            f"SELECT {PAGE_COLUMNS} FROM json_each(?) AS j JOIN documents AS d ON d.uri = j.value"
            " LEFT JOIN pages AS p ON p.document_id = d.id",
            (json.dumps(uris),),
        )
        return {page.uri: page for page in map(read_page, rows)}

    def _known_times(self, told: Told, page: Page) -> set[int]:
        """Return the visits known of the page, as far as they could be those that are told."""
        if not told.visits:
            return set()
        times = [time for time, _ in told.visits]
        rows = self._connection.execute(
            "SELECT time FROM visits WHERE document_id = ? AND time BETWEEN ? AND ?",
            (page.document_id, min(times) - _SECOND, max(times) + _SECOND),
        )
        return {time for (time,) in rows}

    def _count(self, table: str, page: Page) -> int:
        where, value = ("uri = ?", page.uri) if table == "captures" else ("document_id = ?", page.document_id)
        row = self._connection.execute(f"SELECT count(*) FROM {table} WHERE {where}", (value,)).fetchone()
        count: int = row[0]
        return count


def bookmark_of(page: Page) -> tuple[object, ...]:
    """What is known of a page as a bookmark."""
    return page.kept_at, page.tags, page.folders


def count_bookmarks(told: Told, changed: bool, added: Added) -> None:
    """Count the bookmarks of a page: one of them is new when they say anything new."""
    new = min(told.bookmarks, int(changed))
    added.new += new
    added.known += told.bookmarks - new


def new_times(times: Sequence[int], known: set[int]) -> list[int]:
    """Return the visits that are not known, each once.

    One visit may be told in microseconds, in milliseconds and in seconds: a whole second or millisecond is
    any visit within it.
    """
    if len(times) == 1 and not known:
        return list(times)
    exact = set(known)
    within = {time - time % unit for time in known for unit in (_MILLISECOND, _SECOND)}
    found = []
    # The finer ones first: they say more.
    for when in sorted(set(times), key=lambda each: (not each % _SECOND, not each % _MILLISECOND, each)):
        wholes = {when - when % _MILLISECOND, when - when % _SECOND}
        if when not in within and not exact & (wholes | {when}):
            found.append(when)
            exact.add(when)
            within |= wholes
    return found


def merged(page: Page, told: Told, times: Sequence[int], rows: int) -> Page:
    """Return the page with what is told of it: ``times`` are its new visits, ``rows`` the number of all."""
    newer = told.titled_at >= page.titled_at
    dates = [time for time in (page.first, page.last, *times) if time is not None]
    kept = [time for time in (page.kept_at, told.kept_at) if time is not None]
    most = max(page.told, told.told)
    return Page(
        page.document_id,
        page.uri,
        title=told.title if told.title and (newer or not page.title) else page.title,
        url=told.url if newer or not page.url else page.url,
        titled_at=max(page.titled_at, told.titled_at),
        first=min(dates, default=None),
        last=max(dates, default=None),
        visits=max(page.visits, rows, most),
        told=most,
        kept_at=min(kept, default=None),
        tags=_united(page.tags, told.tags),
        folders=_united(page.folders, told.folders),
    )


def _united(known: tuple[str, ...], told: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*known, *filter(None, told)))) if told else known
