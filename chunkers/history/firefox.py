"""The Firefox family: Firefox, Waterfox, Pale Moon and LibreWolf (places.sqlite), Firefox for Android."""

from .database import JOINT, Columns, Schema
from .model import SYNCED
from .times import from_microseconds, from_milliseconds

_TAGS = "(SELECT id FROM moz_bookmarks WHERE guid = 'tags________')"
_ROOTS = "'root________', 'menu________', 'toolbar_____', 'unfiled_____', 'mobile______'"


def _visits(columns: Columns) -> tuple[str, ...]:
    device = "''"
    if "is_local" in columns["moz_historyvisits"]:
        device = f"CASE v.is_local WHEN 0 THEN '{SYNCED}' ELSE '' END"
    return (
        f"SELECT p.url, p.title, v.visit_date, 1, {device} FROM moz_historyvisits AS v"
        " LEFT JOIN moz_places AS p ON p.id = v.place_id ORDER BY v.place_id, v.visit_date",
    )


def _bookmarks(columns: Columns) -> str:
    if not {"id", "type", "fk", "parent", "title", "dateAdded", "guid"} <= columns.get(
        "moz_bookmarks", set()
    ):
        return ""
    tags = (
        f"SELECT group_concat(t.title, '{JOINT}') FROM moz_bookmarks AS i"
        f" JOIN moz_bookmarks AS t ON t.id = i.parent WHERE i.fk = b.fk AND t.parent = {_TAGS}"
    )
    return (
        "SELECT p.url, coalesce(nullif(b.title, ''), p.title), b.dateAdded,"
        f" CASE WHEN f.guid IN ({_ROOTS}) THEN '' ELSE f.title END, ({tags})"
        " FROM moz_bookmarks AS b JOIN moz_places AS p ON p.id = b.fk"
        " LEFT JOIN moz_bookmarks AS f ON f.id = b.parent"
        # A tag is a folder too, below a root of its own.
        f" WHERE b.type = 1 AND f.parent IS NOT {_TAGS} AND p.url NOT LIKE 'place:%' ORDER BY b.fk"
    )


FIREFOX = Schema(
    name="Firefox",
    browser="firefox",
    needs={
        "moz_places": frozenset({"id", "url", "title"}),
        "moz_historyvisits": frozenset({"place_id", "visit_date"}),
    },
    mark=b"moz_historyvisits",
    clock=from_microseconds,
    counted="moz_historyvisits",
    visits=_visits,
    bookmarks=_bookmarks,
)

FIREFOX_ANDROID = Schema(
    name="Firefox for Android",
    browser="firefox-android",
    needs={
        "moz_places": frozenset({"id", "url", "title", "last_visit_date_local"}),
        "moz_historyvisits": frozenset({"place_id", "visit_date", "is_local"}),
    },
    mark=b"last_visit_date_local",
    clock=from_milliseconds,
    counted="moz_historyvisits",
    visits=_visits,
    bookmarks=_bookmarks,
)


def _old_visits(_: Columns) -> tuple[str, ...]:
    return (
        f"SELECT h.url, h.title, v.date, 1, CASE v.is_local WHEN 0 THEN '{SYNCED}' ELSE '' END"
        " FROM visits AS v LEFT JOIN history AS h ON h.guid = v.history_guid ORDER BY v.history_guid, v.date",
        # Visits count in microseconds, the page itself in milliseconds.
        "SELECT url, title, date * 1000, visits, '' FROM history"
        " WHERE date > 0 AND deleted = 0 AND guid NOT IN (SELECT history_guid FROM visits)",
    )


def _old_bookmarks(columns: Columns) -> str:
    if not {"_id", "url", "title", "parent", "created", "type", "deleted"} <= columns.get("bookmarks", set()):
        return ""
    return (
        "SELECT b.url, b.title, b.created * 1000, CASE WHEN f.parent = 0 THEN '' ELSE f.title END, ''"
        " FROM bookmarks AS b LEFT JOIN bookmarks AS f ON f._id = b.parent"
        " WHERE b.type = 1 AND b.deleted = 0 AND b.url LIKE 'http%'"
    )


FIREFOX_ANDROID_OLD = Schema(
    name="Firefox for Android (until 68)",
    browser="firefox-android",
    needs={
        "history": frozenset({"guid", "url", "title", "date", "visits", "deleted"}),
        "visits": frozenset({"history_guid", "date", "is_local"}),
    },
    mark=b"history_guid",
    clock=from_microseconds,
    counted="visits",
    visits=_old_visits,
    bookmarks=_old_bookmarks,
)
