"""Exports that are lists of records in JSON or CSV: of services that keep pages, and of browsers."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from ..errors import ParseError
from .model import Bad, Bookmark, Meter, Record, Records, Visit, begin
from .streams import JsonItems, read_rows
from .times import from_1601, from_1970, parse_time

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class JsonList:
    """A JSON file; ``opening`` is what stands before its items, ``has`` are names that they have."""

    name: str
    browser: str
    opening: str
    has: tuple[bytes, ...]
    record: Callable[[Row], Record]

    def fits(self, head: bytes) -> bool:
        """Whether a file that begins so is one of them."""
        named = begin(head)[:1] in (b"[", b"{") and all(b'"%s"' % name in head for name in self.has)
        return named and re.search(self.opening.encode(), head) is not None

    def read(self, source: BinaryIO, meter: Meter) -> Records:
        """Yield its records."""
        for item in JsonItems(source, meter, self.opening):
            yield (
                self.record(item) if isinstance(item, dict) else Bad("entry", f"no record: {str(item)[:80]}")
            )


@dataclass(frozen=True, slots=True)
class Table:
    """A CSV or TSV file with a first row that has these names, in lower case."""

    name: str
    browser: str
    columns: frozenset[str]
    record: Callable[[Row], Record]

    def fits(self, head: bytes) -> bool:
        """Whether a file that begins so is one of them."""
        first = head[:4096].decode("utf-8-sig", "replace").splitlines()[:1]
        names = {name.strip(' "').lower() for name in re.split(r"[,;\t]", first[0])} if first else set()
        return self.columns <= names

    def read(self, source: BinaryIO, meter: Meter) -> Records:
        """Yield its records."""
        for row in read_rows(source, meter):
            if any(row.values()):
                yield self.record(row)


def _first(row: Row, *names: str) -> Any:
    return next((row[name] for name in names if row.get(name) not in (None, "")), None)


def _text(row: Row, *names: str) -> str:
    value = _first(row, *names)
    return "" if value is None else str(value)


def _when(row: Row, *names: str) -> int | None:
    value = _first(row, *names)
    if isinstance(value, str) and not re.fullmatch(r"\d{1,20}(\.\d{1,20})?", value, re.ASCII):
        return parse_time(value)
    try:
        return from_1970(float(value)) if value else None
    except (TypeError, ValueError, OverflowError):
        return None


def _count(row: Row, *names: str) -> int:
    value = str(_first(row, *names) or "")
    return max(int(value), 1) if value.isascii() and value.isdigit() and len(value) < 10 else 1


def _tags(value: object, separator: str) -> tuple[str, ...]:
    names = value if isinstance(value, list) else str(value or "").split(separator)
    return tuple(name.strip() for name in map(str, names) if name.strip())


def _visit(row: Row, when: int | None, count: int = 1) -> Record:
    url = _text(row, "url", "titleUrl")
    if when is None:
        return Bad("date", f"a visit without a date that can be read: {url[:200]}")
    return Visit(url, _text(row, "title"), when, count)


def _takeout(row: Row) -> Record:
    return _visit(row, _when(row, "time_usec"))


def _safari(row: Row) -> Record:
    return _visit(row, _when(row, "time_usec"), _count(row, "visit_count", "visits_count"))


def _extension(row: Row) -> Record:
    when = _when(row, "visitTime", "lastVisitTime")
    return _visit(row, when, 1 if "visitTime" in row else _count(row, "visitCount"))


def _activity(row: Row) -> Record:
    title = re.sub(r"^(Visited|Searched for|Viewed|Watched) ", "", _text(row, "title"))
    return _visit({"url": row.get("titleUrl"), "title": title}, _when(row, "time"))


def _pocket(row: Row) -> Record:
    tags = row.get("tags")
    return Bookmark(
        _text(row, "resolved_url", "given_url"),
        _text(row, "resolved_title", "given_title"),
        _when(row, "time_added"),
        tuple(map(str, tags)) if isinstance(tags, dict) else (),
    )


def _pinboard(row: Row) -> Record:
    tags = _tags(row.get("tags"), " ")
    return Bookmark(_text(row, "href"), _text(row, "description"), _when(row, "time"), tags)


def _kept(row: Row) -> Record:
    """Pocket, Instapaper and Raindrop name their columns much alike; | or a comma parts their tags."""
    tags = _text(row, "tags")
    return Bookmark(
        _text(row, "url"),
        _text(row, "title"),
        _when(row, "time_added", "timestamp", "created"),
        _tags(re.sub(r'[\[\]"]', "", tags), "|" if "|" in tags else ","),
        _text(row, "folder"),
    )


def _table_visit(row: Row) -> Record:
    if "date" in row and "time" in row:
        when = parse_time(f"{row['date']} {row['time']}")
    else:
        when = _when(row, *_TIME_COLUMNS)
    return _visit(row, when)


_TIME_COLUMNS = (
    "visit_time",
    "visittime",
    "last_visit_time",
    "lastvisittime",
    "visited_at",
    "datetime",
    "time",
)

_TAKEOUT = r'(?<!\\)"Browser History"\s{0,9}:\s{0,9}\['
_SAFARI = r'(?<!\\)"history"\s{0,9}:\s{0,9}\['
_POCKET = r'(?<!\\)"list"\s{0,9}:\s{0,9}\{'
_TOP = r"^\W{0,20}\["
_EXTENSION = frozenset({"url", "title", "date", "time", "visitcount", "typedcount"})

_LONGEST_TREE = 64 << 20


class BookmarkTree:
    """The file Bookmarks of the Chromium family: folders in folders, in one JSON object."""

    name = "Chromium bookmarks"
    browser = "chromium"

    def fits(self, head: bytes) -> bool:
        """Whether a file that begins so is one."""
        return head[:1] == b"{" and all(f'"{name}"'.encode() in head for name in ("roots", "bookmark_bar"))

    def read(self, source: BinaryIO, meter: Meter) -> Records:
        """Yield its records; ParseError when it is no JSON, or too long for a file of bookmarks."""
        data = source.read(_LONGEST_TREE + 1)
        meter.done += len(data)
        if len(data) > _LONGEST_TREE:
            raise ParseError("too-large", f"bookmarks of more than {_LONGEST_TREE >> 20} MB")
        try:
            roots = json.loads(data)["roots"].values()
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ParseError("damaged", f"no bookmarks, or cut off: {error}") from error
        yield from _leaves([(root, "") for root in roots])


def _leaves(waiting: list[tuple[object, str]]) -> Records:
    while waiting:
        node, folder = waiting.pop()
        if not isinstance(node, dict):
            continue
        children = node.get("children")
        if isinstance(children, list):
            waiting += [(child, _below(folder, child)) for child in reversed(children)]
        elif "url" in node:
            yield Bookmark(_text(node, "url"), _text(node, "name"), _added(node), (), folder)


def _below(folder: str, child: object) -> str:
    """The path of a child: its own name is part of it when it is a folder."""
    name = _text(child, "name") if isinstance(child, dict) and "children" in child else ""
    return " / ".join(filter(None, (folder, name)))


def _added(node: Row) -> int | None:
    value = _text(node, "date_added")
    return from_1601(int(value)) if value.isascii() and value.isdigit() and 0 < len(value) < 19 else None


LISTS: tuple[JsonList | Table | BookmarkTree, ...] = (
    JsonList("Google Takeout", "chrome", _TAKEOUT, (b"time_usec", b"url"), _takeout),
    JsonList("Safari export", "safari", _SAFARI, (b"time_usec", b"url"), _safari),
    JsonList("Google activity", "google", _TOP, (b"titleUrl", b"header", b"time"), _activity),
    JsonList("Pocket", "pocket", _POCKET, (b"given_url",), _pocket),
    JsonList("Pinboard", "pinboard", _TOP, (b"href", b"description", b"toread"), _pinboard),
    JsonList("Chrome extension", "chrome", _TOP, (b"url", b"visitTime"), _extension),
    JsonList("Chrome extension", "chrome", _TOP, (b"url", b"lastVisitTime"), _extension),
    Table("Instapaper", "instapaper", frozenset({"url", "title", "selection", "folder"}), _kept),
    Table("Raindrop", "raindrop", frozenset({"url", "title", "excerpt", "folder", "created"}), _kept),
    Table("Pocket", "pocket", frozenset({"url", "title", "time_added"}), _kept),
    Table("Chrome extension", "chrome", _EXTENSION, _table_visit),
    BookmarkTree(),
)
# Read when asked to, but any table of addresses may look so.
VAGUE: tuple[Table, ...] = tuple(
    Table("Table of visits", "browser", frozenset({"url", "title", column}), _table_visit)
    for column in _TIME_COLUMNS
)


def read_list(kind: JsonList | Table | BookmarkTree, source: BinaryIO, meter: Meter) -> Iterator[Record]:
    """Yield the records of a list; one that ends in the middle ends with Bad."""
    try:
        yield from kind.read(source, meter)
    except ParseError as error:
        yield Bad(error.reason, str(error))
