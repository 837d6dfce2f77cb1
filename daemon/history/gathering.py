"""From the records of an export to what is kept of them: pages, queries, and counts of what stays out."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from capsa.chunkers.history.model import Bad, Bookmark, Record, Visit
from capsa.chunkers.url_searches import ENGINES, search_query
from capsa.chunkers.urls import UrlKind, is_local, kind_of, normalise, site
from capsa.store.history import Forgotten
from capsa.store.visits import Told, Typed

from .hosts import PrivateHosts

# Reasons for which an address is no page, by its kind.
_NO_PAGES: dict[UrlKind, str] = {
    "inline": "inline",
    "browser": "browser",
    "file": "file",
    "other": "no-web-page",
}
_WEB = "https://"
_LOGIN = re.compile(r"^(https?://)[^/?#]*@", re.IGNORECASE)
DETAILS = 20
"""Entries that could not be read of which a report tells."""


class Judged(NamedTuple):
    """What an address is: the page it stands for, its host, why it stays out, the query it asks."""

    uri: str
    host: str
    reason: str
    query: str | None


class Policy:
    """What stays out: private hosts, local ones unless ``local`` wants them, and what was forgotten."""

    def __init__(self, hosts: PrivateHosts, local: bool, forgotten: Forgotten) -> None:
        self._hosts = hosts
        self._local = local
        self.mark = f"{hosts.mark}/{'local' if local else 'web'}"
        """Tells whether the rules are still the same."""
        self.forgotten = forgotten
        # There are many addresses to a host, and visits to an address, one after the other.
        self.judge = lru_cache(4096)(self._judge)
        self._judge_host = lru_cache(4096)(self._judge_one_host)

    def _judge(self, url: str) -> Judged:
        uri = normalise(url)
        if not uri.startswith(_WEB):
            return Judged("", "", _NO_PAGES.get(kind_of(url), "no-web-page"), None)
        # What is normalised has neither a name nor www before its host.
        host = uri[len(_WEB) :].partition("/")[0].partition(":")[0] if "[" not in uri[:9] else site(uri)
        reason, may_search = self._judge_host(host)
        return Judged(uri, host, reason, search_query(uri) if may_search and not reason else None)

    def _judge_one_host(self, host: str) -> tuple[str, bool]:
        """Return why a host's pages stay out, and whether it may be a search engine's."""
        if is_local(host) and not self._local and not self._hosts.takes(host):
            return "local", False
        if self._hosts.has(host):
            return "private", False
        return "", any(engine.host.fullmatch(host) for engine in ENGINES)


@dataclass(slots=True)
class Tally:
    """What became of the entries of an export: read = new + known + excluded + failed.

    ``odd_titles`` have bytes that are no text, which are shown as U+FFFD.
    """

    read: int = 0
    excluded: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    details: list[str] = field(default_factory=list)
    odd_titles: int = 0


@dataclass(slots=True)
class _Draft:
    """A page of a batch as it is put together."""

    url: str = ""
    title: str = ""
    titled_at: int = -1
    told: int = 0
    kept_at: int | None = None
    bookmarks: int = 0
    visits: list[tuple[int, str]] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)

    def add(self, record: Visit | Bookmark, device: str) -> None:
        when = record.when or 0
        if when >= self.titled_at:
            self.url, self.title, self.titled_at = openable(record.url), record.title or self.title, when
        self.title = self.title or record.title
        if isinstance(record, Visit):
            self.visits.append((record.when, record.device or device))
            self.told = max(self.told, record.told if record.told > 1 else 0)
            return
        self.bookmarks += 1
        self.kept_at = min(filter(None, (self.kept_at, record.when)), default=None)
        self.tags += record.tags
        self.folders.append(record.folder)

    def told_of(self, uri: str) -> Told:
        return Told(
            uri=uri,
            url=self.url,
            title=self.title,
            titled_at=max(self.titled_at, 0),
            visits=tuple(self.visits),
            told=self.told,
            kept_at=self.kept_at,
            tags=tuple(dict.fromkeys(self.tags)),
            folders=tuple(dict.fromkeys(self.folders)),
            bookmarks=self.bookmarks,
        )


def openable(url: str) -> str:
    """Return the address as it was, without a name and password in it."""
    return _LOGIN.sub(r"\1", url, count=1) if "@" in url else url


class Gathering:
    """Sorts the records of one export; ``device`` is the name of the one that it is from."""

    def __init__(self, policy: Policy, device: str) -> None:
        self._policy = policy
        self._device = device
        self.tally = Tally()

    def gather(self, records: Iterable[Record]) -> tuple[list[Told], list[Typed]]:
        """Return the pages of some records, each once, and the queries."""
        drafts: dict[str, _Draft] = {}
        typed: list[Typed] = []
        for record in records:
            self.tally.read += 1
            if isinstance(record, Bad):
                self._fail(record)
                continue
            judged = self._policy.judge(record.url)
            reason = judged.reason or self._why_forgotten(judged, record)
            if not reason and judged.query is not None:
                reason = "search"
                if isinstance(record, Visit):
                    device = record.device or self._device
                    typed.append(Typed(judged.host, judged.query, record.when, device))
            if reason:
                self.tally.excluded[reason] += 1
            else:
                self.tally.odd_titles += "\ufffd" in record.title
                drafts.setdefault(judged.uri, _Draft()).add(record, self._device)
        return [draft.told_of(uri) for uri, draft in drafts.items()], typed

    def _why_forgotten(self, judged: Judged, record: Visit | Bookmark) -> str:
        return "forgotten" if self._policy.forgotten.covers(judged.host, record.when or 0, judged.uri) else ""

    def _fail(self, record: Bad) -> None:
        self.tally.failed[record.reason] += 1
        if len(self.tally.details) < DETAILS:
            self.tally.details.append(f"{record.reason}: {record.detail}")
