"""Saved pages in watched folders: one document an address, found with its visits, following its files."""

import json
import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import saved_pages as saved

from capsa.daemon.cli import main
from capsa.daemon.survey import FINE_WINDOW_NS
from capsa.store.home import database_path

Call = Callable[..., Any]
URL = "https://www.example.org/mills?utm_source=mail"
URI = "https://example.org/mills"
OLD, NEW = "Fri Nov 28 2025 10:00:00 GMT+0000", "Sat Nov 28 2026 10:00:00 GMT+0000"


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    return folder


@pytest.fixture
def call(home: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    """Run a command with --json and return its record."""

    def run(*arguments: str | Path) -> Any:
        time.sleep(2 * FINE_WINDOW_NS / 1e9)  # what is read in the moment of its change is read again later
        capsys.readouterr()
        assert main([*map(str, arguments), "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    return run


def pages(home: Path) -> dict[str, str | None]:
    """The address of every page in the index, and the name of the file that its text is from."""
    with closing(sqlite3.connect(database_path(home))) as connection:
        rows = connection.execute("SELECT uri, path FROM documents WHERE kind = 'page'").fetchall()
    return {uri: path and os.path.basename(path).decode() for uri, path in rows}


def hits(call: Call, query: str, *options: str) -> list[tuple[str, str]]:
    found = call("search", query, "--retriever", "bm25", *options)["hits"]
    return [(hit["document"]["uri"], hit["document"]["kind"]) for hit in found]


def test_every_format_becomes_a_page(docs: Path, home: Path, call: Call) -> None:
    (docs / "single.html").write_bytes(saved.single_file(URL, "Granite stones."))
    (docs / "as.htm").write_bytes(saved.saved_as("https://a.example.org/", "Oak cogs."))
    (docs / "b.mhtml").write_bytes(saved.mhtml("https://b.example.org/", "Elm paddles."))
    (docs / "c.webarchive").write_bytes(saved.web_archive("https://c.example.org/", "Iron gudgeons."))
    records = [saved.response(f"https://d.example.org/{n}", saved.page(f"Sluice {n}.")) for n in range(3)]
    (docs / "d.warc.gz").write_bytes(saved.warc(records))
    (docs / "e.wacz").write_bytes(
        saved.wacz([saved.response("https://e.example.org/", saved.page("Leats."))])
    )
    report = call("index", docs)
    assert (report["found"], report["indexed"]) == (6, 6)
    assert len(pages(home)) == 8
    assert hits(call, "granite") == [(URI, "page")]
    assert hits(call, "sluice", "--site", "d.example.org", "--kind", "page") == [
        (f"https://d.example.org/{n}", "page") for n in range(3)
    ]
    assert hits(call, "leats", "--site", "d.example.org") == []
    assert hits(call, "leats", "--in", str(docs / "e.wacz")) == [("https://e.example.org/", "page")]
    again = call("index", docs)
    assert (again["unchanged"], again["chunks"]) == (6, 0)
    assert all(finding["ok"] for finding in call("doctor")["findings"])


def test_a_second_run_writes_nothing(docs: Path, home: Path, call: Call) -> None:
    (docs / "a.html").write_bytes(saved.single_file(URL, "Granite stones."))
    call("index", docs)
    before = database_path(home).stat().st_mtime_ns
    call("index", docs)
    assert database_path(home).stat().st_mtime_ns == before


def test_a_visited_page_gets_the_text_of_its_copy_and_keeps_its_visits(
    docs: Path, home: Path, call: Call, tmp_path: Path
) -> None:
    export = tmp_path / "BrowserHistory.json"
    visit = {
        "page_transition": "LINK",
        "title": "Tide mills",
        "url": "http://m.example.org/mills/#stones",
        "client_id": "a",
        "time_usec": 1_764_000_000_000_000,
    }
    export.write_text(json.dumps({"Browser History": [visit, {**visit, "time_usec": 1_764_000_100_000_000}]}))
    call("history", "import", export)
    assert pages(home) == {URI: None}
    (docs / "a.html").write_bytes(saved.single_file(URL, "Granite stones."))
    call("index", docs)
    (hit,) = call("search", "granite", "--visited", "2")["hits"]
    assert hit["document"]["uri"] == URI
    assert hit["document"]["path"] == str(docs / "a.html")
    assert hits(call, "granite", "--visited", "3") == []
    call("history", "import", export)
    assert hits(call, "granite") == [(URI, "page")]
    (docs / "a.html").unlink()
    (docs / "other.md").write_text("# Other")
    call("index", docs)
    assert pages(home) == {URI: None}
    assert hits(call, "granite") == []
    assert hits(call, "mills", "--visited", "2") == [(URI, "page")]
    assert all(finding["ok"] for finding in call("doctor")["findings"])


@pytest.mark.parametrize("together", [True, False])
def test_of_two_copies_the_newer_one_is_the_text(docs: Path, home: Path, call: Call, together: bool) -> None:
    (docs / "new.html").write_bytes(saved.single_file(URL, "Granite stones.", NEW))
    if not together:
        call("index", docs)
    (docs / "old.html").write_bytes(saved.single_file("http://example.org/mills/", "Wooden stones.", OLD))
    call("index", docs)
    assert pages(home) == {URI: "new.html"}
    assert hits(call, "wooden") == []
    (docs / "new.html").unlink()
    call("index", docs)
    assert pages(home) == {URI: "old.html"}
    assert hits(call, "wooden") == [(URI, "page")]
    assert hits(call, "granite") == []
    assert call("index", docs)["unchanged"] == 1


def test_a_copy_that_is_saved_again_is_the_text(docs: Path, home: Path, call: Call) -> None:
    (docs / "a.html").write_bytes(saved.single_file(URL, "Wooden stones.", OLD))
    call("index", docs)
    (docs / "a.html").write_bytes(saved.single_file("https://example.org/other", "Granite stones.", NEW))
    call("index", docs)
    assert pages(home) == {"https://example.org/other": "a.html"}
    (docs / "a.html").write_text("<html><body><p>No page of the web, only sluices.</p></body></html>")
    call("index", docs)
    assert pages(home) == {}
    assert [kind for _, kind in hits(call, "sluices")] == ["html"]
    (docs / "a.html").write_bytes(saved.single_file(URL, "Granite stones."))
    call("index", docs)
    assert pages(home) == {URI: "a.html"}
    assert hits(call, "sluices") == []


def test_of_an_archive_that_grew_only_the_new_pages_are_written(docs: Path, home: Path, call: Call) -> None:
    records = [saved.response(f"https://d.example.org/{n}", saved.page(f"Sluice {n}.")) for n in range(3)]
    (docs / "d.warc").write_bytes(saved.warc(records[:2], packed=False))
    assert call("index", docs)["chunks"] == 2
    (docs / "d.warc").write_bytes(saved.warc(records, packed=False))
    assert call("index", docs)["chunks"] == 1
    (docs / "d.warc").write_bytes(saved.warc(records[1:], packed=False))
    assert call("index", docs)["chunks"] == 0
    assert sorted(pages(home)) == ["https://d.example.org/1", "https://d.example.org/2"]


def test_a_file_that_is_moved_takes_its_pages_along(docs: Path, home: Path, call: Call) -> None:
    records = [saved.response(f"https://d.example.org/{n}", saved.page(f"Sluice {n}.")) for n in range(2)]
    (docs / "d.warc.gz").write_bytes(saved.warc(records))
    call("index", docs)
    (docs / "d.warc.gz").rename(docs / "e.warc.gz")
    assert call("index", docs)["embedded"] == 0
    assert set(pages(home).values()) == {"e.warc.gz"}
    (docs / "e.warc.gz").unlink()
    (docs / "other.md").write_text("# Other")
    call("index", docs)
    assert pages(home) == {}


def test_what_is_forgotten_is_in_no_file(docs: Path, home: Path, call: Call) -> None:
    records = [saved.response(f"https://d.example.org/{n}", saved.page("Zyxcanarium.")) for n in range(2)]
    (docs / "d.warc.gz").write_bytes(saved.warc(records))
    (docs / "other.md").write_text("# Other")
    call("index", docs)
    assert main(["forget", str(docs / "d.warc.gz")]) == 0
    for path in home.rglob("*"):
        if path.is_file():
            assert b"canarium" not in path.read_bytes()
            assert b"d.example.org" not in path.read_bytes()


def test_a_nonsensical_moment_is_that_of_the_file(docs: Path, home: Path, call: Call) -> None:
    for number, date in enumerate(["Sat Nov 28 9999 10:00:00 GMT", "Sat Nov 28 0001 10:00:00 GMT", "now"]):
        data = saved.single_file(f"https://user:secret@example.org/{number}", "Granite.", date)
        (docs / f"{number}.html").write_bytes(data)
    assert call("index", docs)["indexed"] == 3
    with closing(sqlite3.connect(database_path(home))) as connection:
        rows = connection.execute("SELECT modified, metadata FROM documents").fetchall()
    assert all(abs(modified - time.time()) < 3600 and "secret" not in metadata for modified, metadata in rows)


def test_a_broken_archive_is_told_of(docs: Path, call: Call) -> None:
    (docs / "a.warc.gz").write_bytes(saved.warc([saved.response(URL, "<p>")])[:80])
    (docs / "b.webarchive").write_bytes(b"bplist00WebMainResource")
    (docs / "c.warc").write_bytes(saved.warc([], packed=False))
    report = call("index", docs)
    assert (report["indexed"], report["failed"], report["skipped"]) == (0, {"damaged": 2}, {"empty": 1})


def test_a_page_with_its_images_is_one_document(docs: Path, home: Path, call: Call) -> None:
    head = f'<link rel="canonical" href="{URL}">'
    (docs / "Mill.html").write_text(saved.page('Granite. <img src="Mill_files/a.png">', head=head))
    (docs / "Mill_files").mkdir()
    (docs / "Mill_files" / "frame.html").write_text(saved.page("Advertisement."))
    (docs / "Quay_files").mkdir()
    (docs / "Quay_files" / "notes.md").write_text("# Quay")
    report = call("index", docs)
    assert report["skipped"] == {"part-of-page": 1}
    assert pages(home) == {URI: "Mill.html"}
    assert len(hits(call, "quay")) == 1


def test_a_page_that_only_names_an_address_stays_a_file(docs: Path, home: Path, call: Call) -> None:
    for name in ("a.html", "b.html"):
        (docs / name).write_text(
            saved.page(f"Granite of {name}.", head=f'<link rel="canonical" href="{URL}">')
        )
    call("index", docs)
    assert pages(home) == {}
    assert len(hits(call, "granite", "--site", "example.org")) == 2
    assert hits(call, "granite", "--site", "example.com") == []


def test_a_snapshot_of_archivebox_is_one_page(docs: Path, home: Path, call: Call) -> None:
    folder = docs / "archive" / "1795856400.123"
    (folder / "readability").mkdir(parents=True)
    index = {"url": URL, "title": "Tide mills", "timestamp": "1795856400.123", "history": {}}
    (folder / "index.json").write_text(json.dumps(index))
    (folder / "output.html").write_text(saved.page("Oak cogs, as the browser showed them."))
    (folder / "readability" / "content.html").write_text(saved.page("Oak cogs."))
    (folder / "headers.json").write_text("{}")
    report = call("index", docs)
    assert (report["indexed"], report["skipped"]) == (1, {"part-of-page": 3})
    assert pages(home) == {URI: "index.json"}
    assert hits(call, "cogs") == [(URI, "page")]
    (folder / "singlefile.html").write_text(saved.page("Granite stones."))
    os.utime(folder / "index.json", ns=(1, 1))
    call("index", docs)
    assert hits(call, "granite") == [(URI, "page")]
