"""Exports in JSON, CSV, HTML and zip archives; and what is none, or broken."""

import io
import json
import tracemalloc
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capsa.chunkers.errors import ParseError
from capsa.chunkers.history import archive, find_format, is_export, read_export, streams
from capsa.chunkers.history.model import Bad, Bookmark, Meter, Record, Visit
from capsa.chunkers.history.streams import JsonItems
from capsa.chunkers.history.times import from_1601, from_1970, from_2001, parse_time
from capsa.chunkers.history.wire import dump, load

NOW = 1_790_000_000_000_000
WHEN = 1_600_000_000_000_000
URL = "https://a.example/one"


def write(tmp_path: Path, text: str | bytes) -> Path:
    path = tmp_path / "export"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def read(path: Path) -> list[Record]:
    return list(read_export(path, Meter(), NOW))


TAKEOUT = json.dumps(
    {
        "Browser History": [
            {
                "title": 'A "Browser History": [ title',
                "url": URL,
                "time_usec": WHEN,
                "page_transition": "LINK",
            },
            {"title": "Two", "url": "https://b.example/", "time_usec": WHEN + 1},
        ],
        "Session": [],
    }
)
SAFARI = json.dumps(
    {
        "metadata": {"browser_name": "Safari", "data_type": "history", "schema_version": 1},
        "history": [{"url": URL, "title": "One", "time_usec": WHEN, "visit_count": 4}],
    }
)
ACTIVITY = """<html><head><title>My Activity History</title></head><body><div class="mdl-grid">
<div class="outer-cell mdl-cell"><div class="mdl-grid">
<div class="header-cell mdl-cell"><p>Chrome<br></p></div>
<div class="content-cell mdl-cell mdl-cell--6-col mdl-typography--body-1">Visited&nbsp;<a
href="https://a.example/one">One</a><br>Sep 13, 2020, 12:26:40\u202fPM UTC<br></div>
<div class="content-cell mdl-cell mdl-typography--body-1 mdl-typography--text-right"></div>
<div class="content-cell mdl-cell mdl-typography--caption"><b>Locations:</b><a href="https://maps.example/">here</a></div>
</div></div></div></body></html>"""
BOOKMARKS = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8"><TITLE>Bookmarks</TITLE><H1>Bookmarks</H1>
<DL><p><DT><H3 ADD_DATE="1">Reading</H3><DL><p><DT><H3>Later</H3><DL><p>
<DT><A HREF="https://a.example/one" ADD_DATE="1600000000" TAGS="red, blue">One &amp; only</A>
</DL><p></DL><p><DT><A HREF="https://b.example/">Two</A></DL>"""
POCKET = '<!DOCTYPE html><html><head><title>Pocket Export</title></head><body><h1>Unread</h1><ul><li><a href="https://a.example/one" time_added="1600000000" tags="red,blue">One</a></li></ul></body></html>'  # noqa: E501
PINBOARD = (
    '[{"href":"https://a.example/one","description":"One","extended":"","time":"2020-09-13T12:26:40Z",'
    '"toread":"no","tags":"red blue"}]'
)
EXTENSION = '[{"id":"1","url":"https://a.example/one","title":"One","lastVisitTime":1600000000000.5,"visitCount":3,"typedCount":0}]'
KEPT = [Bookmark(URL, "One", WHEN, ("red", "blue"), "")]

EXPORTS: dict[str, tuple[str, str, list[Record]]] = {
    "takeout": (
        TAKEOUT,
        "Google Takeout",
        [Visit(URL, 'A "Browser History": [ title', WHEN), Visit("https://b.example/", "Two", WHEN + 1)],
    ),
    "safari": (SAFARI, "Safari export", [Visit(URL, "One", WHEN, 4)]),
    "activity": (ACTIVITY, "Google activity", [Visit(URL, "One", WHEN)]),
    "activity json": (
        '[{"header":"Chrome","title":"Visited One","titleUrl":"https://a.example/one",'
        '"time":"2020-09-13T12:26:40.000Z","products":["Chrome"]}]',
        "Google activity",
        [Visit(URL, "One", WHEN)],
    ),
    "bookmarks": (
        BOOKMARKS,
        "Bookmarks",
        [
            Bookmark(URL, "One & only", WHEN, ("red", "blue"), "Reading / Later"),
            Bookmark("https://b.example/", "Two", None, (), ""),
        ],
    ),
    "chromium bookmarks": (
        json.dumps(
            {
                "checksum": "x",
                "roots": {
                    "bookmark_bar": {
                        "children": [
                            {
                                "children": [
                                    {
                                        "date_added": "13244473600000000",
                                        "name": "One",
                                        "type": "url",
                                        "url": URL,
                                    }
                                ],
                                "name": "Reading",
                                "type": "folder",
                            },
                            {"name": "Two", "type": "url", "url": "https://b.example/"},
                        ],
                        "name": "Bookmarks bar",
                        "type": "folder",
                    },
                    "sync_transaction_version": "1",
                },
                "version": 1,
            }
        ),
        "Chromium bookmarks",
        [Bookmark(URL, "One", WHEN, (), "Reading"), Bookmark("https://b.example/", "Two", None, (), "")],
    ),
    "pocket html": (POCKET, "Pocket", KEPT),
    "pocket csv": (
        f"title,url,time_added,tags,status\nOne,{URL},1600000000,red|blue,unread\n",
        "Pocket",
        KEPT,
    ),
    "pocket json": (
        '{"status":1,"list":{"7":{"given_url":"https://a.example/one","resolved_title":"One",'
        '"time_added":"1600000000","tags":{"red":{},"blue":{}}}}}',
        "Pocket",
        KEPT,
    ),
    "instapaper": (
        f"URL,Title,Selection,Folder,Timestamp\n{URL},One,,Archive,1600000000\n",
        "Instapaper",
        [Bookmark(URL, "One", WHEN, (), "Archive")],
    ),
    "pinboard": (PINBOARD, "Pinboard", KEPT),
    "raindrop": (
        "id,title,note,excerpt,url,folder,tags,created,cover,highlights,favorite\n"
        f'1,"One",,"two\nlines",{URL},Unsorted,"red, blue",2020-09-13T12:26:40.000Z,,,false\n',
        "Raindrop",
        [Bookmark(URL, "One", WHEN, ("red", "blue"), "Unsorted")],
    ),
    "extension json": (EXTENSION, "Chrome extension", [Visit(URL, "One", WHEN + 500, 3)]),
    "extension csv": (
        "\ufefforder,id,date,time,title,url,visitCount,typedCount,transition\r\n"
        f"0,5,9/13/2020,12:26:40,One,{URL},3,0,link\r\n",
        "Chrome extension",
        [Visit(URL, "One", WHEN)],
    ),
}


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_gives_its_records(name: str, tmp_path: Path) -> None:
    text, kind, records = EXPORTS[name]
    path = write(tmp_path, text)
    assert read(path) == records
    assert find_format(path).name == kind
    assert is_export(path.read_bytes()) == kind


def test_a_table_of_visits_is_read_when_asked_for_but_not_taken_for_an_export(tmp_path: Path) -> None:
    path = write(tmp_path, f"url\ttitle\tvisit_time\n{URL}\tOne\t1600000000\n")
    assert read(path) == [Visit(URL, "One", WHEN)]
    assert is_export(path.read_bytes()) == ""


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# Notes\n\nurl, title\n",
        "a,b\n1,2\n",
        '{"history": [1, 2]}',
        '[{"href": "x"}]',
        "<html><body><a href='https://a.example'>x</a></body></html>",
    ],
)
def test_other_files_are_no_exports(text: str, tmp_path: Path) -> None:
    path = write(tmp_path, text)
    assert is_export(path.read_bytes()) == ""
    with pytest.raises(ParseError) as raised:
        read(path)
    assert raised.value.reason == "not-a-history"


def archive_of(tmp_path: Path, members: dict[str, str], method: int = zipfile.ZIP_DEFLATED) -> Path:
    path = tmp_path / "takeout.zip"
    with zipfile.ZipFile(path, "w", method) as made:
        for name, text in members.items():
            made.writestr(name, text)
    return path


def test_an_archive_gives_the_records_of_all_its_exports(tmp_path: Path) -> None:
    path = archive_of(
        tmp_path,
        {
            "Takeout/archive_browser.html": "<html>none</html>",
            "Takeout/Chrome/History.json": TAKEOUT,
            "Takeout/Chrome/Bookmarks.html": BOOKMARKS,
            "Takeout/Photos/a.jpg": "x",
        },
    )
    assert read(path) == [*EXPORTS["takeout"][2], *EXPORTS["bookmarks"][2]]
    assert is_export(path.read_bytes()) == "Google Takeout"


def test_an_archive_without_any_is_told(tmp_path: Path) -> None:
    with pytest.raises(ParseError, match="without a browser's history"):
        read(archive_of(tmp_path, {"a.html": "<html></html>", "b.txt": "x"}))


def test_a_truncated_archive_is_told(tmp_path: Path) -> None:
    path = archive_of(tmp_path, {"Takeout/Chrome/History.json": TAKEOUT})
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(ParseError, match="damaged or cut off"):
        read(path)


def test_a_bomb_is_told_and_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "_SMALL", 1 << 20)
    bomb = TAKEOUT[:-20] + " " * (8 << 20) + "]}"
    records = read(archive_of(tmp_path, {"Takeout/Chrome/History.json": bomb, "b.html": BOOKMARKS}))
    bad = [record for record in records if isinstance(record, Bad)]
    assert [record.reason for record in bad] == ["bomb"]
    assert "History.json: unpacks to more than 1 MB" in bad[0].detail
    assert records[-2:] == EXPORTS["bookmarks"][2]


@pytest.mark.parametrize(("cut", "kept"), [(len(TAKEOUT) - 40, 1), (200, 1), (90, 0)])
def test_a_truncated_list_gives_what_is_whole_and_says_so(cut: int, kept: int, tmp_path: Path) -> None:
    head = TAKEOUT.replace('{"Browser History": [', '{"Browser History": [{"url": 1, "time_usec": 1}, ')
    records = read(write(tmp_path, head[:cut]))
    assert isinstance(records[-1], Bad)
    assert records[-1].reason == "damaged"
    assert sum(isinstance(record, Visit) for record in records) == kept


def test_entries_that_are_none_are_told_one_by_one(tmp_path: Path) -> None:
    items: list[Any] = [
        7,
        {"url": URL, "time_usec": "x"},
        {"url": None, "time_usec": WHEN},
        {"url": URL, "title": "One", "time_usec": WHEN},
        {"url": URL, "time_usec": 10**400},
        {"url": URL, "title": "2489", "time_usec": 16_389_000_000_000_000},
    ]
    records = read(write(tmp_path, json.dumps({"Browser History": items})))
    assert [record.reason for record in records if isinstance(record, Bad)] == [
        *("entry", "date", "no-address", "date", "date")
    ]
    assert [record for record in records if isinstance(record, Visit)] == [Visit(URL, "One", WHEN)]


def test_what_nests_too_deeply_ends_without_a_crash(tmp_path: Path) -> None:
    path = write(tmp_path, '{"Browser History": [{"url": 1, "time_usec": ' + "[" * 100_000)
    with pytest.raises(RecursionError):
        read(path)


def test_a_long_export_is_read_in_little_memory(tmp_path: Path) -> None:
    item = json.dumps({"url": URL + "?" + "x" * 300, "title": "One " * 50, "time_usec": WHEN})
    path = write(tmp_path, '{"Browser History": [' + ", ".join([item] * 40_000) + "]}")
    assert path.stat().st_size > 20 << 20
    tracemalloc.start()
    try:
        assert sum(1 for _ in read_export(path, Meter(), NOW)) == 40_000
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


def test_text_that_is_not_utf_8_is_read_with_marks(tmp_path: Path) -> None:
    path = write(tmp_path, f"title,url,time_added\ncaf\xe9,{URL},1600000000\n".encode("latin-1"))
    assert read(path) == [Bookmark(URL, "caf\ufffd", WHEN)]


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.dictionaries(st.text(max_size=5), st.text(max_size=30), max_size=3), max_size=20),
    st.integers(1, 40),
)
def test_items_are_the_same_in_pieces_of_any_size(items: list[dict[str, str]], piece: int) -> None:
    size, streams.PIECE = streams.PIECE, piece
    try:
        source = io.BytesIO(json.dumps({"x": 1, "list": items}, ensure_ascii=False).encode())
        assert list(JsonItems(source, Meter(), r'"list"\s{0,9}:\s{0,9}\[')) == items
    finally:
        streams.PIECE = size


def test_the_clocks_are_those_of_the_browsers() -> None:
    moment = datetime(2021, 3, 4, 5, 6, 7, 890123, tzinfo=UTC)
    unix = 1_614_834_367_890_123
    assert from_1601((moment - datetime(1601, 1, 1, tzinfo=UTC)).total_seconds() * 1e6) == pytest.approx(
        unix, abs=8
    )
    assert from_2001((moment - datetime(2001, 1, 1, tzinfo=UTC)).total_seconds()) == unix
    assert [from_1970(unix // 10**6), from_1970(unix // 1000), from_1970(unix)] == [
        unix // 10**6 * 10**6,
        unix // 1000 * 1000,
        unix,
    ]


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("Jan 31, 2018, 10:54:50 PM", "2018-01-31T22:54:50+00:00"),
        ("Jan 31, 2018, 10:54:50\u202fPM EST", "2018-02-01T03:54:50+00:00"),
        ("Aug 5, 2015, 12:00:01 AM PDT", "2015-08-05T07:00:01+00:00"),
        ("31 Jan 2018, 22:54:50 GMT+01:00", "2018-01-31T21:54:50+00:00"),
        ("31.01.2018, 22:54:50 MEZ", "2018-01-31T21:54:50+00:00"),
        ("2018-01-31T22:54:50.000Z", "2018-01-31T22:54:50+00:00"),
        ("2018-01-31 22:54", "2018-01-31T22:54:00+00:00"),
        ("31 janv. 2018 à 22:54:50 CET", "2018-01-31T21:54:50+00:00"),
        ("8 août 2018, 22:54:50 UTC+2", "2018-08-08T20:54:50+00:00"),
        ("31 ene 2018, 10:54:50 p. m. CET", "2018-01-31T21:54:50+00:00"),
        ("31 de jan. de 2018 22:54:50 BRT", "2018-02-01T01:54:50+00:00"),
        ("31 de dez. de 2018, 22:54:50 GMT\u221203:00", "2019-01-01T01:54:50+00:00"),
        ("31 gen 2018, 22:54:50 CET", "2018-01-31T21:54:50+00:00"),
        ("31 mrt. 2018 22:54:50 CEST", "2018-03-31T20:54:50+00:00"),
        ("31 paź 2018, 22:54:50 CET", "2018-10-31T21:54:50+00:00"),
        ("31 янв. 2018 г., 22:54:50 MSK", "2018-01-31T19:54:50+00:00"),
        ("31 мая 2018\xa0г., 22:54:50 MSK", "2018-05-31T19:54:50+00:00"),
        ("31. jan. 2018 22.54.50 CET", "2018-01-31T21:54:50+00:00"),
        ("31 Ağu 2018 22:54:50 TRT", "2018-08-31T19:54:50+00:00"),
        ("31.1.2018 klo 22.54.50 EET", "2018-01-31T20:54:50+00:00"),
        ("31. 1. 2018 22:54:50 SEČ", "2018-01-31T21:54:50+00:00"),
        ("2018/01/31 22:54:50 JST", "2018-01-31T13:54:50+00:00"),
        ("2018年1月31日 22:54:50 CST", "2018-01-31T14:54:50+00:00"),
        ("2018年1月31日 下午10:54:50 GMT+8", "2018-01-31T14:54:50+00:00"),
        ("2018年1月31日 上午12:54:50 CST", "2018-01-30T16:54:50+00:00"),
        ("2018. 1. 31. 오후 10:54:50 KST", "2018-01-31T13:54:50+00:00"),
    ],
)
def test_dates_are_read_as_they_are_written(text: str, iso: str) -> None:
    assert parse_time(text) == datetime.fromisoformat(iso).timestamp() * 1_000_000


@pytest.mark.parametrize(
    "text",
    [
        *("", "yesterday", "Foo 31, 2018, 10:00:00", "31.13.2018, 1:00", "1:00 XYZ" * 9),
        *("31 Foo 2018, 10:00:00", "31 févr. 2018, 10:00:00", "Jan 31, 2018, 10:00:00 XYZ"),
    ],
)
def test_other_words_are_no_dates(text: str) -> None:
    assert parse_time(text) is None


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.builds(Visit, st.text(), st.text(), st.integers(), st.integers(), st.text()),
            st.builds(
                Bookmark, st.text(), st.text(), st.none() | st.integers(), st.tuples(st.text()), st.text()
            ),
            st.builds(Bad, st.text(), st.text()),
        )
    ),
    st.floats(0, 1),
)
def test_records_come_through_the_pipe_as_they_were(records: list[Record], share: float) -> None:
    assert load(dump(share, records)) == (share, records)


@pytest.mark.parametrize("data", [b"", b"[]", b"[1.0,3]", b'[0.5,[["v",1,2,3,4,5]]]', b'[0.5,[["q"]]]'])
def test_what_no_reader_says_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r".*"):
        load(data)


@pytest.mark.data
def test_real_exports_are_read_as_they_say(data: Path) -> None:
    folder = data / "browser"
    kept = json.loads((folder / "pocket.json").read_text())["list"].values()
    assert read(folder / "pocket.json") == [
        Bookmark(each.get("resolved_url", each["given_url"]), each["resolved_title"]) for each in kept
    ]
    with zipfile.ZipFile(folder / "takeout-20150518T000000Z.zip") as takeout:
        text = takeout.read("Takeout/My Activity/Chrome/MyActivity.html").decode()
    records = read(folder / "takeout-20150518T000000Z.zip")
    assert len(records) == text.count("outer-cell")
    assert all(isinstance(record, Visit) and f'"{record.url}"' in text for record in records)
    page = folder / "takeout_myactivity/Takeout/My Activity/Chrome/MyActivity.html"
    days = [
        datetime.fromtimestamp(record.when / 1e6, UTC) for record in read(page) if isinstance(record, Visit)
    ]
    assert [f"{day:%b} {day.day}, {day.year}, {day:%I:%M:%S %p}".replace(" 0", " ") for day in days] == [
        *("Jan 31, 2018, 10:54:50 PM", "Feb 8, 2017, 12:32:39 AM", "Feb 8, 2017, 12:32:36 AM")
    ]


def test_blanks_without_end_take_no_time_and_no_memory(tmp_path: Path) -> None:
    path = write(tmp_path, TAKEOUT[: TAKEOUT.rindex("]")] + " " * (30 << 20) + "]}")
    tracemalloc.start()
    try:
        assert read(path) == read(write(tmp_path, TAKEOUT))
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()
