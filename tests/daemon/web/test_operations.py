"""What the page can do, asked over HTTP as its script asks."""

import os
import sqlite3
import sys
from pathlib import Path
from typing import Any

import pytest
from page_client import BOOKMARKS, Client

from capsa.daemon.cli import main
from capsa.daemon.web import evaluation, opening
from capsa.store.run_list import known_runs, remember_run


@pytest.fixture
def mine(indexed: Path, serve: Any) -> Client:
    """A client of a page over a home that the test may change."""
    client = Client(serve(indexed))
    client.enter()
    return client


@pytest.fixture
def launched(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, bool]]:
    """What the system would have been asked to open."""
    asked: list[tuple[str, bool]] = []
    monkeypatch.setattr(opening, "launch", lambda path, in_folder: asked.append((path, in_folder)))
    return asked


def document_id(client: Client, text: str = "mill") -> int:
    return int(client.do("search", text=text)["hits"][0]["document"]["id"])


def test_a_hit_leads_to_its_surroundings(client: Client) -> None:
    hit = client.do("search", text="wheel water")["hits"][0]
    piece = client.do("read", chunk=hit["chunk"]["id"])
    assert piece["schema"] == "capsa.read/1"
    assert hit["text"] in piece["text"]
    assert piece["text"].startswith("# The mill")
    assert (piece["previous"], piece["next"]) == (None, None)
    parts = [piece["text"][part["start"] : part["end"]] for part in piece["parts"]]
    assert "".join(parts).split() == piece["text"].split()
    outline = client.do("outline", document=hit["document"]["id"])
    assert [each["heading"] for each in outline["headings"]] == ["The mill", "The wheel"]
    assert [each["level"] for each in outline["headings"]] == [1, 2]


def test_pieces_cover_the_text(client: Client) -> None:
    document = document_id(client)
    text, start = "", 0
    while start is not None:
        piece = client.do("read", document=document, start=start, length=20)
        text += piece["text"]
        start = piece["next"]
    assert text == client.do("read", document=document)["text"]


@pytest.mark.parametrize(
    ("operation", "request_", "status"),
    [
        ("read", {"chunk": 999_999}, 404),
        ("read", {"document": 999_999}, 404),
        ("read", {"document": "1"}, 400),
        ("read", {"document": -1}, 400),
        ("read", {"document": 1, "length": 10**9}, 400),
        ("read", {"document": True}, 400),
        ("read", {}, 400),
        ("outline", {"document": None}, 400),
        ("search", {"text": "x", "limit": 10**6}, 400),
        ("search", {"like": "1"}, 400),
        ("search", {"text": "x", "language": ["en"]}, 400),
        ("search", {"text": "x", "kinds": "pdf"}, 400),
        ("search", {"text": {"x": 1}}, 400),
        ("search", {"text": "x", "since": "soon"}, 400),
        ("folders", {"path": "relative"}, 400),
        ("folders", {"path": "/nowhere/at/all"}, 400),
        ("add", {"path": "relative"}, 400),
        ("add", {"path": 7}, 400),
        ("remove", {"source": 77}, 400),
        ("forget", {"document": 999_999}, 404),
        ("forget", {"path": "relative"}, 400),
        ("retry", {"paths": "all"}, 400),
        ("open", {"document": 999_999}, 404),
        ("open", {"document": "../../etc/passwd"}, 400),
        ("pause", {}, 404),
    ],
)
def test_wrong_requests_are_told(
    client: Client, operation: str, request_: dict[str, Any], status: int
) -> None:
    told = client.do(operation, **request_)
    assert told["status"] == status
    assert told["error"]


def test_more_like_a_passage(client: Client) -> None:
    hit = client.do("search", text="wheel water")["hits"][0]
    found = client.do("search", like=hit["chunk"]["id"])
    assert found["hits"][0]["chunk"]["id"] == hit["chunk"]["id"]


def test_a_word_that_is_typed_finds_what_begins_so(client: Client) -> None:
    found = client.do("search", text="the whee", retriever="bm25", begun=True)
    assert [hit["chunk"]["headings"][-1] for hit in found["hits"]] == ["The wheel"]
    assert client.do("search", text="the whee", retriever="bm25")["hits"] == []


def test_unknown_words_are_corrected(client: Client) -> None:
    told = client.do("spell", text="rivre whel* watre stands zzzzzz mil")
    assert told["corrections"] == [
        {"word": "rivre", "instead": "river"},
        {"word": "watre", "instead": "water"},
    ]


def test_state_and_sources(client: Client) -> None:
    status = client.do("status")
    assert (status["schema"], status["documents"]) == ("capsa.status/1", 1)
    assert status["storage"]["index"] > 0
    sources = client.do("sources")
    assert [source["documents"] for source in sources["sources"]] == [1]
    assert sources["kinds"] == {"markdown": 1}
    assert client.do("pulse")["daemon"] is None


def test_the_newest_documents_are_told(mine: Client, docs: Path) -> None:
    for name, moment in (("old.txt", 10**9), ("new.md", 2 * 10**9)):
        (docs / name).write_text(f"The {name} is a boat.\n")
        os.utime(docs / name, (moment, moment))
    (docs / "empty.html").write_text("<html><body></body></html>")
    assert main(["index", "-q"]) == 0

    def titles(**request: Any) -> list[str]:
        return [each["document"]["title"] for each in mine.do("recent", **request)["documents"]]

    assert titles() == ["new", "The mill", "old"]
    assert titles(limit=1) == ["new"]
    assert titles(kinds=["text"], folder=str(docs)) == ["old"]
    assert titles(until="2002-01-01") == ["old"]
    assert titles(bookmarked=True) == []
    first = mine.do("recent")["documents"][1]
    assert mine.do("read", chunk=first["chunk"])["text"].startswith("# The mill")
    assert mine.do("recent", since="soon")["status"] == 400


def test_nothing_indexed_is_told(home: Path, serve: Any) -> None:
    client = Client(serve(home))
    client.enter()
    assert client.do("search", text="x")["status"] == 404
    assert client.do("status")["code"] == 3
    assert client.do("sources")["sources"] == []
    assert client.do("recent")["status"] == 404


def test_folders_to_choose_from(client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("b", "A", ".hidden", ".ssh"):
        (tmp_path / name).mkdir()
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "b")
    monkeypatch.setenv("HOME", str(tmp_path))
    told = client.do("folders")
    assert (told["path"], told["folders"]) == (os.path.realpath(tmp_path), ["A", "b"])
    assert told["parent"] == os.path.dirname(os.path.realpath(tmp_path))
    assert client.do("folders", path=str(tmp_path / ".ssh"))["refused"] == "secret"
    assert client.do("add", path=str(tmp_path / ".ssh"))["status"] == 400


@pytest.mark.skipif(sys.platform != "linux", reason="names of any bytes")
def test_folders_of_any_name_come_through(client: Client, tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"na\xefve")).mkdir()
    told = client.do("folders", path=str(tmp_path))
    inside = client.do("folders", path=os.path.join(told["path"], told["folders"][0]))
    assert os.fsencode(inside["path"]).endswith(b"na\xefve")


def test_sources_are_added_and_removed(mine: Client, tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    added = mine.do("add", path=str(tmp_path / "more"))
    assert added["known"] is False
    assert mine.do("add", path=str(tmp_path / "more"))["known"] is True
    listed = mine.do("sources")["sources"]
    assert [source["path"] for source in listed] == [str(tmp_path / "docs"), added["path"]]
    assert mine.do("remove", source=listed[0]["id"])["removed"] == 1
    assert mine.do("search", text="mill")["hits"] == []


def test_a_document_is_forgotten(mine: Client, docs: Path) -> None:
    told = mine.do("forget", document=document_id(mine))
    assert (told["forgotten"], told["still_there"]) == (1, True)
    assert mine.do("search", text="mill")["hits"] == []
    assert main(["index", "-q"]) == 0
    assert mine.do("forget", path=str(docs))["forgotten"] == 1


def test_visited_pages_are_filtered_and_forgotten(mine: Client, tmp_path: Path) -> None:
    (tmp_path / "bookmarks.html").write_text(BOOKMARKS)
    assert main(["history", "import", "-q", str(tmp_path / "bookmarks.html")]) == 0

    def titles(**filters: Any) -> set[str]:
        return {
            hit["document"]["title"] for hit in mine.do("search", text="how float wheel", **filters)["hits"]
        }

    assert titles(bookmarked=True) == {"How punts float", "How barges float", "How wheels turn"}
    assert titles(visited=1) == set()
    assert "The mill" in titles()
    assert mine.do("search", text="float", visited=0)["status"] == 400
    [punts] = [
        hit for hit in mine.do("search", text="punts", bookmarked=True)["hits"] if "punts" in hit["text"]
    ]
    told = mine.do("forget", document=punts["document"]["id"])
    assert (told["forgotten"], told["still_there"]) == (1, False)
    assert titles(bookmarked=True) == {"How barges float", "How wheels turn"}
    assert mine.do("forget", site="boats.example.org")["forgotten"] == 1
    assert titles(bookmarked=True) == {"How wheels turn"}
    assert mine.do("forget", site="no host")["status"] == 400
    assert mine.do("forget")["status"] == 400


def test_a_source_is_paused(mine: Client) -> None:
    [source] = mine.do("sources")["sources"]
    assert source["paused"] is False
    assert mine.do("pause_source", source=source["id"])["paused"] is True
    assert mine.do("status")["sources"][0]["paused"] is True
    assert mine.do("pulse")["paused"] == 1
    assert mine.do("pause_source", source=source["id"], paused=False)["paused"] is False
    assert mine.do("sources")["sources"][0]["paused"] is False
    assert mine.do("pause_source", source=77)["status"] == 400


def test_what_failed_is_tried_again(mine: Client, docs: Path) -> None:
    (docs / "broken.pdf").write_bytes(b"%PDF-1.7 broken")
    assert main(["index", "-q"]) == 0
    [failed] = mine.do("status")["failures"]
    assert mine.do("retry", paths=[failed["path"], "/etc/passwd", str(docs / "mill.md")])["retried"] == 1
    assert mine.do("status")["failures"] == []
    assert len(mine.do("search", text="mill")["hits"]) > 0


def test_a_document_is_opened(client: Client, launched: list[tuple[str, bool]]) -> None:
    document = document_id(client)
    assert client.do("open", document=document)["opened"] is True
    assert client.do("reveal", document=document)["opened"] is True
    assert [(os.path.basename(path), in_folder) for path, in_folder in launched] == [
        ("mill.md", False),
        ("mill.md", True),
    ]


def test_code_is_shown_and_not_run(mine: Client, docs: Path, launched: list[tuple[str, bool]]) -> None:
    (docs / "steer.py").write_text("def steer(boat):\n    return boat.helm\n")
    assert main(["index", "-q"]) == 0
    document = document_id(mine, "steer helm")
    assert mine.do("open", document=document)["status"] == 400
    assert mine.do("reveal", document=document)["status"] == 200
    assert [in_folder for _, in_folder in launched] == [True]


@pytest.mark.parametrize("change", ["gone", "link", "folder", "excluded", "pipe", "link above"])
def test_what_is_no_document_any_more_is_not_opened(
    mine: Client, docs: Path, launched: list[tuple[str, bool]], change: str
) -> None:
    document, path, moved = document_id(mine), docs / "mill.md", docs.with_name("moved")
    changes: dict[str, Any] = {
        "gone": lambda: path.unlink(),
        "link": lambda: (path.unlink(), path.symlink_to("/etc/passwd")),
        "folder": lambda: (path.unlink(), path.mkdir()),
        "excluded": lambda: (docs / ".capsaignore").write_text("mill.md\n"),
        "pipe": lambda: (path.unlink(), os.mkfifo(path)),
        "link above": lambda: (docs.rename(moved), docs.symlink_to(moved)),
    }
    changes[change]()
    assert mine.do("open", document=document)["status"] in (400, 404)
    assert launched == []


def test_a_document_outside_of_all_sources_is_not_opened(
    mine: Client, launched: list[tuple[str, bool]], indexed: Path
) -> None:
    document = document_id(mine)
    connection = sqlite3.connect(indexed / "capsa.sqlite")
    connection.execute("UPDATE documents SET path = ?", (b"/etc/passwd",))
    connection.commit()
    connection.close()
    assert mine.do("open", document=document)["status"] == 400
    assert launched == []


def test_runs_are_listed_and_reported(mine: Client, indexed: Path, tmp_path: Path, monkeypatch: Any) -> None:
    run = tmp_path / "run"
    run.mkdir()
    remember_run(indexed, tmp_path / "gone")
    remember_run(indexed, run)
    assert mine.do("runs")["runs"] == []
    (run / "run.json").write_text(
        '{"schema": "capsa.run/1", "command": "grid", "complete": true, "cells": [1]}'
    )
    [told] = mine.do("runs")["runs"]
    assert (told["folder"], told["command"], told["complete"], told["cells"]) == (str(run), "grid", True, 1)
    monkeypatch.setattr(evaluation, "_write", lambda home, folder, page: page.write_text("<h1>report</h1>"))
    usual = mine.headers(origin=None, content_type=None)
    assert mine.ask("GET", f"/report?{told['id']}", headers=usual)[0] == 404
    assert mine.do("report", run=told["id"])["made"] is True
    status, headers, body = mine.ask("GET", f"/report?{told['id']}", headers=usual)
    assert (status, body) == (200, b"<h1>report</h1>")
    assert "sandbox" in headers["content-security-policy"]
    for other in ("", "..", "../../etc/passwd", "0" * 16):
        assert mine.ask("GET", f"/report?{other}", headers=usual)[0] == 404
        assert mine.do("report", run=other)["status"] == 404


def test_a_report_that_cannot_be_made_says_why(mine: Client, indexed: Path, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.json").write_text("{}")
    remember_run(indexed, tmp_path / "run")
    [run] = mine.do("runs")["runs"]
    told = mine.do("report", run=run["id"])
    assert told["status"] == 500
    assert "run" in told["error"]


def test_a_damaged_list_of_runs_is_an_empty_one(tmp_path: Path) -> None:
    (tmp_path / "eval").mkdir()
    for text in ("", "{", "{}", "[1, null]"):
        (tmp_path / "eval" / "runs.json").write_text(text)
        assert known_runs(tmp_path) == []


def test_headings_without_text_of_their_own_begin_with_the_next(home: Path, docs: Path, serve: Any) -> None:
    (docs / "deep.md").write_text(
        "# Top\n\n## Middle\n\n### Low\n\nThe ibex climbs.\n\n## Last\n\nThe chamois too.\n"
    )
    assert main(["index", str(docs), "-q"]) == 0
    client = Client(serve(home))
    client.enter()
    outline = client.do("outline", document=document_id(client, "ibex"))
    assert [(each["heading"], each["level"]) for each in outline["headings"]] == [
        ("Top", 1),
        ("Middle", 2),
        ("Low", 3),
        ("Last", 2),
    ]
    starts = [each["start"] for each in outline["headings"]]
    assert starts == sorted(starts)
