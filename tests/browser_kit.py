"""Databases as browsers make them: the tables, columns and clocks of each, with rows that a test chooses."""

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path

# A page opened: address, title, microseconds since 1970.
Row = tuple[str, str | bytes | None, int]

CHROMIUM = """
CREATE TABLE meta(key LONGVARCHAR NOT NULL UNIQUE PRIMARY KEY, value LONGVARCHAR);
CREATE TABLE urls(id INTEGER PRIMARY KEY AUTOINCREMENT, url LONGVARCHAR, title LONGVARCHAR,
    visit_count INTEGER DEFAULT 0 NOT NULL, typed_count INTEGER DEFAULT 0 NOT NULL,
    last_visit_time INTEGER NOT NULL, hidden INTEGER DEFAULT 0 NOT NULL);
CREATE TABLE visits(id INTEGER PRIMARY KEY AUTOINCREMENT, url INTEGER NOT NULL, visit_time INTEGER NOT NULL,
    from_visit INTEGER, external_referrer_url TEXT, transition INTEGER DEFAULT 0 NOT NULL, segment_id INTEGER,
    visit_duration INTEGER DEFAULT 0 NOT NULL, originator_cache_guid TEXT, originator_visit_id INTEGER,
    is_known_to_sync BOOLEAN DEFAULT FALSE NOT NULL, visited_link_id INTEGER DEFAULT 0 NOT NULL, app_id TEXT);
CREATE TABLE visit_source(id INTEGER PRIMARY KEY, source INTEGER NOT NULL);
CREATE TABLE keyword_search_terms(keyword_id INTEGER NOT NULL, url_id INTEGER NOT NULL,
    term LONGVARCHAR NOT NULL, normalized_term LONGVARCHAR NOT NULL);
CREATE INDEX visits_url_index ON visits (url);
"""
FIREFOX = """
CREATE TABLE moz_places(id INTEGER PRIMARY KEY, url LONGVARCHAR, title LONGVARCHAR, rev_host LONGVARCHAR,
    visit_count INTEGER DEFAULT 0, hidden INTEGER DEFAULT 0 NOT NULL, typed INTEGER DEFAULT 0 NOT NULL,
    frecency INTEGER DEFAULT -1 NOT NULL, last_visit_date INTEGER, guid TEXT);
CREATE TABLE moz_historyvisits(id INTEGER PRIMARY KEY, from_visit INTEGER, place_id INTEGER,
    visit_date INTEGER, visit_type INTEGER, session INTEGER);
CREATE TABLE moz_bookmarks(id INTEGER PRIMARY KEY, type INTEGER, fk INTEGER DEFAULT NULL, parent INTEGER,
    position INTEGER, title LONGVARCHAR, keyword_id INTEGER, folder_type TEXT, dateAdded INTEGER,
    lastModified INTEGER, guid TEXT);
"""
FIREFOX_ANDROID = """
CREATE TABLE moz_places(id INTEGER PRIMARY KEY, url LONGVARCHAR NOT NULL, title LONGVARCHAR,
    visit_count_local INTEGER NOT NULL DEFAULT 0, visit_count_remote INTEGER NOT NULL DEFAULT 0,
    hidden INTEGER DEFAULT 0 NOT NULL, last_visit_date_local INTEGER NOT NULL DEFAULT 0,
    last_visit_date_remote INTEGER NOT NULL DEFAULT 0, guid TEXT);
CREATE TABLE moz_historyvisits(id INTEGER PRIMARY KEY, is_local INTEGER NOT NULL, from_visit INTEGER,
    place_id INTEGER NOT NULL, visit_date INTEGER NOT NULL, visit_type INTEGER NOT NULL);
"""
FIREFOX_ANDROID_OLD = """
CREATE TABLE history(_id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT, url TEXT NOT NULL,
    visits INTEGER NOT NULL DEFAULT 0, date INTEGER, guid TEXT NOT NULL, deleted INTEGER NOT NULL DEFAULT 0);
CREATE TABLE visits(_id INTEGER PRIMARY KEY AUTOINCREMENT, history_guid TEXT NOT NULL,
    visit_type TINYINT NOT NULL DEFAULT 1, date INTEGER NOT NULL, is_local TINYINT NOT NULL DEFAULT 1);
"""
SAFARI = """
CREATE TABLE history_items(id INTEGER PRIMARY KEY AUTOINCREMENT, url TEXT NOT NULL UNIQUE,
    domain_expansion TEXT NULL, visit_count INTEGER NOT NULL);
CREATE TABLE history_visits(id INTEGER PRIMARY KEY AUTOINCREMENT,
    history_item INTEGER NOT NULL REFERENCES history_items(id) ON DELETE CASCADE, visit_time REAL NOT NULL,
    title TEXT NULL, load_successful BOOLEAN NOT NULL DEFAULT 1, origin INTEGER NOT NULL DEFAULT 0);
"""
QUTEBROWSER = """
CREATE TABLE History (url NOT NULL, title NOT NULL, atime NOT NULL, redirect NOT NULL);
CREATE TABLE CompletionHistory (url PRIMARY KEY, title NOT NULL, last_atime NOT NULL);
CREATE TABLE CompletionMetaInfo (key PRIMARY KEY, value);
"""
EPIPHANY = """
CREATE TABLE hosts (id INTEGER PRIMARY KEY, url LONGVARCAR, title LONGVARCAR,
    visit_count INTEGER DEFAULT 0 NOT NULL, zoom_level REAL DEFAULT 0.0);
CREATE TABLE urls (id INTEGER PRIMARY KEY, host INTEGER NOT NULL REFERENCES hosts(id) ON DELETE CASCADE,
    url LONGVARCAR, title LONGVARCAR, sync_id LONGVARCAR, visit_count INTEGER DEFAULT 0 NOT NULL,
    typed_count INTEGER DEFAULT 0 NOT NULL, last_visit_time INTEGER, thumbnail_update_time INTEGER DEFAULT 0,
    hidden_from_overview INTEGER DEFAULT 0);
CREATE TABLE visits (id INTEGER PRIMARY KEY, url INTEGER NOT NULL REFERENCES urls(id) ON DELETE CASCADE,
    visit_time INTEGER NOT NULL, visit_type INTEGER NOT NULL, referring_visit INTEGER);
"""
ZOTERO = """
CREATE TABLE fields (fieldID INTEGER PRIMARY KEY, fieldName TEXT, fieldFormatID INT);
CREATE TABLE items (itemID INTEGER PRIMARY KEY, itemTypeID INT NOT NULL,
    dateAdded TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, dateModified TIMESTAMP, libraryID INT, key TEXT);
CREATE TABLE itemDataValues (valueID INTEGER PRIMARY KEY, value UNIQUE);
CREATE TABLE itemData (itemID INT, fieldID INT, valueID INT, PRIMARY KEY (itemID, fieldID));
CREATE TABLE itemAttachments (itemID INTEGER PRIMARY KEY, parentItemID INT, linkMode INT, contentType TEXT,
    charsetID INT, path TEXT);
CREATE TABLE tags (tagID INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE itemTags (itemID INT NOT NULL, tagID INT NOT NULL, type INT, PRIMARY KEY (itemID, tagID));
CREATE TABLE collections (collectionID INTEGER PRIMARY KEY, collectionName TEXT NOT NULL);
CREATE TABLE collectionItems (collectionID INT NOT NULL, itemID INT NOT NULL, orderIndex INT DEFAULT 0,
    PRIMARY KEY (collectionID, itemID));
CREATE TABLE deletedItems (itemID INTEGER PRIMARY KEY, dateDeleted DEFAULT CURRENT_TIMESTAMP NOT NULL);
INSERT INTO fields (fieldID, fieldName) VALUES (1, 'title'), (13, 'url');
"""


def connect(path: Path, schema: str) -> sqlite3.Connection:
    """Make a database; the caller closes it."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.executescript(schema)
    return connection


def make_chromium(path: Path, rows: Iterable[Row]) -> Path:
    """Chrome, Edge, Brave, Vivaldi, Opera, Arc: microseconds since 1601."""
    with closing(connect(path, CHROMIUM)) as connection:
        connection.execute("BEGIN")
        for row, (url, title, when) in _numbered(rows):
            time = when + 11_644_473_600 * 1_000_000
            if row > 0:
                connection.execute(
                    "INSERT INTO urls (id, url, title, visit_count, last_visit_time) VALUES (?, ?, ?, 1, ?)",
                    (row, url, title, time),
                )
            connection.execute("INSERT INTO visits (url, visit_time) VALUES (?, ?)", (abs(row), time))
        connection.execute("COMMIT")
    return path


def make_firefox(path: Path, rows: Iterable[Row]) -> Path:
    """Firefox on a desk: microseconds since 1970."""
    with closing(connect(path, FIREFOX)) as connection:
        for row, (url, title, when) in _numbered(rows):
            if row > 0:
                connection.execute(
                    "INSERT INTO moz_places (id, url, title) VALUES (?, ?, ?)", (row, url, title)
                )
            connection.execute(
                "INSERT INTO moz_historyvisits (place_id, visit_date, visit_type) VALUES (?, ?, 1)",
                (abs(row), when),
            )
    return path


def add_firefox_bookmark(
    path: Path, url: str, title: str, folder: str, tags: Iterable[str], when: int
) -> None:
    """Keep a page in a folder, under tags, each of which is a folder below the root of tags."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        add = "INSERT INTO moz_bookmarks (type, fk, parent, title, dateAdded, guid) VALUES (?, ?, ?, ?, ?, ?)"

        def put(*values: object) -> int | None:
            return connection.execute(add, values).lastrowid

        place = connection.execute("INSERT INTO moz_places (url) VALUES (?)", (url,)).lastrowid
        root = put(2, None, 0, "", when, "root________")
        menu = put(2, None, root, "menu", when, "menu________")
        tag_root = put(2, None, root, "tags", when, "tags________")
        put(1, place, put(2, None, menu, folder, when, "folder") if folder else menu, title, when, "b")
        for tag in tags:
            put(1, place, put(2, None, tag_root, tag, when, f"t-{tag}"), None, when, f"i-{tag}")


def make_firefox_android(path: Path, rows: Iterable[Row]) -> Path:
    """Firefox for Android: milliseconds since 1970."""
    with closing(connect(path, FIREFOX_ANDROID)) as connection:
        for row, (url, title, when) in _numbered(rows):
            if row > 0:
                add = "INSERT INTO moz_places (id, url, title) VALUES (?, ?, ?)"
                connection.execute(add, (row, url, title))
            visit = "INSERT INTO moz_historyvisits (is_local, place_id, visit_date, visit_type)"
            connection.execute(f"{visit} VALUES (1, ?, ?, 1)", (abs(row), when // 1000))
    return path


def make_firefox_android_old(path: Path, rows: Iterable[Row]) -> Path:
    """Firefox for Android until 68: visits in microseconds, pages in milliseconds since 1970."""
    with closing(connect(path, FIREFOX_ANDROID_OLD)) as connection:
        for row, (url, title, when) in _numbered(rows):
            guid = f"guid{abs(row)}"
            if row > 0:
                add = "INSERT INTO history (url, title, date, visits, guid) VALUES (?, ?, ?, 1, ?)"
                connection.execute(add, (url, title, when // 1000, guid))
            connection.execute("INSERT INTO visits (history_guid, date) VALUES (?, ?)", (guid, when))
    return path


def make_safari(path: Path, rows: Iterable[Row]) -> Path:
    """Safari: seconds since 2001, and a title with each visit."""
    with closing(connect(path, SAFARI)) as connection:
        for row, (url, title, when) in _numbered(rows):
            if row > 0:
                connection.execute(
                    "INSERT INTO history_items (id, url, visit_count) VALUES (?, ?, 1)", (row, url)
                )
            connection.execute(
                "INSERT INTO history_visits (history_item, visit_time, title) VALUES (?, ?, ?)",
                (abs(row), when / 1e6 - 978_307_200, title),
            )
    return path


def make_qutebrowser(path: Path, rows: Iterable[Row]) -> Path:
    """Qutebrowser: seconds since 1970."""
    with closing(connect(path, QUTEBROWSER)) as connection:
        values = [(url, title, when // 1_000_000) for url, title, when in rows]
        connection.executemany("INSERT INTO History VALUES (?, ?, ?, 0)", values)
    return path


def make_epiphany(path: Path, rows: Iterable[Row]) -> Path:
    """GNOME Web: microseconds since 1970."""
    with closing(connect(path, EPIPHANY)) as connection:
        connection.execute("INSERT INTO hosts (id, url) VALUES (1, 'https://a.example/')")
        for row, (url, title, when) in _numbered(rows):
            if row > 0:
                connection.execute(
                    "INSERT INTO urls (id, host, url, title) VALUES (?, 1, ?, ?)", (row, url, title)
                )
            connection.execute(
                "INSERT INTO visits (url, visit_time, visit_type) VALUES (?, ?, 2)", (abs(row), when)
            )
    return path


MAKERS: Mapping[str, object] = {
    "Chromium": make_chromium,
    "Firefox": make_firefox,
    "Firefox for Android": make_firefox_android,
    "Firefox for Android (until 68)": make_firefox_android_old,
    "Safari": make_safari,
    "qutebrowser": make_qutebrowser,
    "Epiphany": make_epiphany,
}


def _numbered(rows: Iterable[Row]) -> Iterable[tuple[int, Row]]:
    """Each row with the number of its page, negative when the page has come before."""
    known: dict[str, int] = {}
    for row in rows:
        if row[0] in known:
            yield -known[row[0]], row
        else:
            known[row[0]] = len(known) + 1
            yield known[row[0]], row
