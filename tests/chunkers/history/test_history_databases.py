"""The databases of browsers are read to the exact visit."""

import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from browser_kit import MAKERS, ZOTERO, Row, add_firefox_bookmark, connect, make_chromium, make_firefox

from capsa.chunkers.errors import ParseError
from capsa.chunkers.history import find_format, is_export, read_export
from capsa.chunkers.history.database import SHARED
from capsa.chunkers.history.model import Bad, Bookmark, Meter, Record, Visit

NOW = 1_790_000_000_000_000
DAY = 86_400_000_000
START = 1_700_000_000_000_000
ROWS: list[Row] = [
    ("https://a.example/one", "One — Ünï 漢字", START),
    ("https://b.example/two?q=1", "Two", START + DAY),
    ("https://a.example/one", "One — Ünï 漢字", START + 2 * DAY),
    ("https://c.example/", "", START + 3 * DAY),
]


def read(path: Path) -> list[Record]:
    return list(read_export(path, Meter(), NOW))


def visits(path: Path) -> list[Visit]:
    return [record for record in read(path) if isinstance(record, Visit)]


@pytest.mark.parametrize("name", MAKERS)
def test_a_made_database_gives_the_visits_it_was_made_of(name: str, tmp_path: Path) -> None:
    make: Callable[[Path, list[Row]], Path] = MAKERS[name]  # type: ignore[assignment]
    path = make(tmp_path / "db", ROWS)
    assert sorted(read(path)) == sorted(Visit(url, str(title), when) for url, title, when in ROWS)
    assert find_format(path).name == name
    assert is_export(path.read_bytes()) == name


@pytest.mark.parametrize("name", MAKERS)
def test_a_database_without_visits_has_none(name: str, tmp_path: Path) -> None:
    make: Callable[[Path, list[Row]], Path] = MAKERS[name]  # type: ignore[assignment]
    assert read(make(tmp_path / "db", [])) == []


def test_bookmarks_of_firefox_come_with_folder_and_tags(tmp_path: Path) -> None:
    path = make_firefox(tmp_path / "places.sqlite", ROWS[:1])
    add_firefox_bookmark(path, "https://d.example/", "Kept", "Reading", ["red", "blue"], START)
    kept = [record for record in read(path) if isinstance(record, Bookmark)]
    assert kept == [Bookmark("https://d.example/", "Kept", START, ("red", "blue"), "Reading")]


def test_a_page_whose_visits_were_dropped_counts_its_last_one(tmp_path: Path) -> None:
    path = make_chromium(tmp_path / "History", ROWS)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DELETE FROM visits WHERE url = 2")
        connection.execute("UPDATE urls SET visit_count = 7 WHERE id = 2")
        connection.commit()
    assert [visit for visit in visits(path) if visit.url == ROWS[1][0]] == [
        Visit(ROWS[1][0], "Two", START + DAY, told=7)
    ]


def test_a_visit_of_another_device_is_told(tmp_path: Path) -> None:
    path = make_chromium(tmp_path / "History", ROWS)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE visits SET originator_cache_guid = 'x' WHERE url = 2")
        connection.commit()
    assert {visit.url for visit in visits(path) if visit.device == "synced"} == {ROWS[1][0]}


def test_what_is_only_in_the_log_is_read_and_nothing_is_written(tmp_path: Path) -> None:
    live = tmp_path / "live"
    live.mkdir()
    made = make_firefox(tmp_path / "made", ROWS)
    with closing(connect(live / "db", "PRAGMA journal_mode = WAL")) as connection:
        with closing(sqlite3.connect(made)) as source:
            connection.executescript("".join(source.iterdump()))
        copy = tmp_path / "copy"
        copy.mkdir(mode=0o700)
        shutil.copy(live / "db", copy / "db")
        shutil.copy(live / "db-wal", copy / "db-wal")
    assert len(read_after_closing_to_writing(copy)) == len(ROWS)


def read_after_closing_to_writing(copy: Path) -> list[Visit]:
    (copy / f"db{SHARED}").touch(mode=0o400)
    before = {path.name: path.read_bytes() for path in copy.iterdir() if not path.name.endswith(SHARED)}
    copy.chmod(0o500)
    try:
        return visits(copy / "db")
    finally:
        copy.chmod(0o700)
        assert {
            path.name: path.read_bytes() for path in copy.iterdir() if not path.name.endswith(SHARED)
        } == before


def test_bad_rows_are_told_and_the_others_read(tmp_path: Path) -> None:
    path = make_firefox(
        tmp_path / "places.sqlite",
        [
            *ROWS,
            ("https://d.example/", b"caf\xe9", START),
            ("https://e.example/", "nul\0and \ud800".encode("utf-8", "surrogatepass"), START),
            ("https://2489.example/", "far", 16_389_000_000_000_000),
            ("", "no address", START),
            ("https://long.example/" + "x" * 9000, "long", START),
        ],
    )
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO moz_historyvisits (place_id, visit_date) VALUES (1, NULL)")
        connection.execute("INSERT INTO moz_historyvisits (place_id, visit_date) VALUES (999, 1)")
        connection.commit()
    records = read(path)
    titles = {record.url: record.title for record in records if isinstance(record, Visit)}
    assert titles["https://d.example/"] == "caf\ufffd"
    assert "\0" not in titles["https://e.example/"]
    assert len(titles) == 5
    bad = [record for record in records if isinstance(record, Bad)]
    assert sorted(record.reason for record in bad) == ["date", "date", "no-address", "no-address", "too-long"]
    assert any("2489-" in record.detail for record in bad)


def test_a_database_of_another_version_or_program_is_refused_by_name(tmp_path: Path) -> None:
    new = "CREATE TABLE urls(id, url, title); CREATE TABLE visits(page_id, at)"
    connect(tmp_path / "new", new).close()
    with pytest.raises(ParseError, match=r"Chromium .* version .* lacks visits.url, visits.visit_time"):
        read(tmp_path / "new")
    old = "CREATE TABLE moz_places(id, url, title); CREATE TABLE moz_historyvisits(place_id, at)"
    connect(tmp_path / "old", old).close()
    with pytest.raises(ParseError, match=r"a Firefox database .* lacks moz_historyvisits.visit_date$"):
        read(tmp_path / "old")
    connect(tmp_path / "foreign", "CREATE TABLE songs(name); CREATE VIEW urls AS SELECT 1").close()
    with pytest.raises(ParseError, match=r"no browser that is known \(its tables: songs\)"):
        read(tmp_path / "foreign")


def test_what_is_kept_in_zotero_has_the_title_and_the_tags_of_its_item(tmp_path: Path) -> None:
    rows = """
    INSERT INTO items (itemID, itemTypeID, dateAdded) VALUES
        (1, 40, '2023-11-14 22:13:20'), (2, 3, '2023-11-14 22:13:21'), (3, 40, '2023-11-14 22:13:22');
    INSERT INTO itemAttachments (itemID, parentItemID, linkMode) VALUES (2, 1, 1);
    INSERT INTO itemDataValues VALUES (1, 'Tide mills'), (2, 'https://a.org/mills'), (3, 'Snapshot'),
        (4, 'Gone'), (5, 'https://a.org/gone'), (6, 'https://a.org/mills.pdf');
    INSERT INTO itemData VALUES (1, 1, 1), (1, 13, 2), (2, 1, 3), (2, 13, 6), (3, 1, 4), (3, 13, 5);
    INSERT INTO tags VALUES (1, 'water'), (2, 'old, wood');
    INSERT INTO itemTags VALUES (1, 1, 0), (1, 2, 1);
    INSERT INTO collections VALUES (7, 'Rivers');
    INSERT INTO collectionItems VALUES (7, 1, 0);
    INSERT INTO deletedItems (itemID) VALUES (3);
    """
    connect(tmp_path / "zotero.sqlite", ZOTERO + rows).close()
    when, rest = 1_700_000_000_000_000, (("water", "old, wood"), "Rivers")
    assert read(tmp_path / "zotero.sqlite") == [
        Bookmark("https://a.org/mills", "Tide mills", when, *rest),
        Bookmark("https://a.org/mills.pdf", "Tide mills", when + 1_000_000, *rest),
    ]
    assert is_export((tmp_path / "zotero.sqlite").read_bytes()[: 1 << 16]) == "Zotero"


@pytest.mark.parametrize("share", [0.02, 0.3, 0.9])
def test_a_truncated_database_is_told(share: float, tmp_path: Path) -> None:
    rows = [(f"https://a.example/{n}", f"Page {n}", START + n) for n in range(3000)]
    data = make_chromium(tmp_path / "History", rows).read_bytes()
    cut = tmp_path / "cut"
    cut.write_bytes(data[: int(len(data) * share)])
    assert reason_of(cut) == "damaged"


def reason_of(path: Path) -> str:
    """Why nothing, or nothing more, could be read."""
    try:
        last = read(path)[-1]
    except ParseError as error:
        return error.reason
    return last.reason if isinstance(last, Bad) else ""


def test_noise_behind_the_magic_is_told(tmp_path: Path) -> None:
    (tmp_path / "noise").write_bytes(b"SQLite format 3\0" + bytes(range(256)) * 64)
    with pytest.raises(ParseError, match="damaged") as raised:
        read(tmp_path / "noise")
    assert raised.value.reason == "damaged"


# Asked of the databases themselves: address, last title, visits, first, last (in seconds).
SQL = {
    "Chromium": "SELECT u.url, u.title, count(*), min(visit_time) / 1e6 - 11644473600,"
    " max(visit_time) / 1e6 - 11644473600 FROM visits v, urls u WHERE v.url = u.id GROUP BY u.id",
    "Firefox": "SELECT p.url, p.title, count(*), min(visit_date) / 1e6, max(visit_date) / 1e6"
    " FROM moz_historyvisits v, moz_places p WHERE v.place_id = p.id GROUP BY p.id",
    "Firefox for Android": "SELECT p.url, p.title, count(*), min(visit_date) / 1e3, max(visit_date) / 1e3"
    " FROM moz_historyvisits v, moz_places p WHERE v.place_id = p.id GROUP BY p.id",
    "Firefox for Android (until 68)": "SELECT h.url, h.title, count(v.date), coalesce(min(v.date) / 1e6,"
    " h.date / 1e3), coalesce(max(v.date) / 1e6, h.date / 1e3) FROM history h"
    " LEFT JOIN visits v ON v.history_guid = h.guid GROUP BY h.guid",
    "Safari": "SELECT i.url, max(v.title), count(*), min(visit_time) + 978307200, max(visit_time) + 978307200"
    " FROM history_visits v, history_items i WHERE v.history_item = i.id GROUP BY i.id",
    "qutebrowser": "SELECT url, title, count(*), min(atime), max(atime) FROM History GROUP BY url",
}


@pytest.mark.data
@pytest.mark.parametrize(
    "name",
    [
        *("brave", "chrome", "chromium", "vivaldi", "firefox", "palemoon", "waterfox", "firefox_mobile"),
        *("firefox_mobile_legacy", "safari", "qutebrowser"),
    ],
)
def test_real_databases_are_read_as_sql_reads_them(name: str, data: Path, tmp_path: Path) -> None:
    source = data / "browser" / f"{name}.sqlite"
    copy = Path(shutil.copy(source, tmp_path / "db"))
    (tmp_path / f"db{SHARED}").touch()
    pages = defaultdict(list)
    for visit in visits(copy):
        pages[visit.url].append(visit)
    found = {
        url: (rows[-1].title, len(rows), min(r.when for r in rows) / 1e6, max(r.when for r in rows) / 1e6)
        for url, rows in pages.items()
    }
    with closing(sqlite3.connect(f"file:{source}?mode=ro&immutable=1", uri=True)) as connection:
        expected = {
            # A page without visits is known by its last one.
            url: (" ".join((title or "").split()), count or 1, pytest.approx(first), pytest.approx(last))
            for url, title, count, first, last in connection.execute(SQL[find_format(copy).name])
        }
    assert found == expected
    assert found
