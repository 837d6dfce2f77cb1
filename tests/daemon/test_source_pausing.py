"""Sources that are paused: what is indexed of them stays and is searched, and nobody looks at them."""

import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from capsa.daemon import unread
from capsa.daemon.cli import main
from capsa.daemon.looking import read_shelf
from capsa.daemon.overview import glance, status_record
from capsa.daemon.running import Daemon
from capsa.daemon.serving.channel import ask
from capsa.daemon.targets import resolve_all, resolve_changed
from capsa.store.reader import Reader

Found = Callable[[str], list[str]]


@pytest.fixture
def folders(home: Path, tmp_path: Path) -> list[Path]:
    """Two folders that are indexed."""
    made = [tmp_path / "one", tmp_path / "two"]
    for folder in made:
        folder.mkdir()
        (folder / "first.md").write_text(f"The quokka of {folder.name}.\n")
    assert main(["index", "-q", *map(str, made)]) == 0
    return made


@pytest.fixture
def found(home: Path, capsys: pytest.CaptureFixture[str]) -> Found:
    """Search by words, and name the files."""

    def search(word: str) -> list[str]:
        capsys.readouterr()
        assert main(["search", "--json", "--retriever", "bm25", word]) == 0
        hits = json.loads(capsys.readouterr().out)["hits"]
        return sorted(Path(hit["document"]["path"]).parent.name for hit in hits)

    return search


def test_a_run_passes_over_a_paused_source(folders: list[Path], found: Found) -> None:
    assert main(["sources", "pause", str(folders[0])]) == 0
    for folder in folders:
        (folder / "second.md").write_text(f"The wombat digs, says {folder.name}.\n")
    assert main(["index", "-q"]) == 0
    assert found("wombat") == ["two"]
    assert found("quokka") == ["one", "two"]
    assert main(["index", "-q", str(folders[0])]) == 0
    assert found("wombat") == ["one", "two"]


def test_a_resumed_source_is_looked_at_again(folders: list[Path], found: Found) -> None:
    for folder in folders:
        assert main(["sources", "pause", str(folder)]) == 0
    (folders[0] / "first.md").write_text("The numbat eats termites.\n")
    assert main(["index", "-q"]) == 0
    assert found("numbat") == []
    assert main(["sources", "resume", str(folders[0])]) == 0
    assert main(["index", "-q"]) == 0
    assert found("numbat") == ["one"]


def test_it_is_told(folders: list[Path], home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sources", "pause", str(folders[0])]) == 0
    capsys.readouterr()
    assert main(["sources"]) == 0
    assert main(["status"]) == 0
    told = capsys.readouterr().out
    assert f"{folders[0]}  (paused)" in told
    assert f"source {folders[0]}: 1 document, paused" in told
    assert main(["sources", "list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["sources"]
    assert {each["path"]: each["paused"] for each in listed} == {
        str(folders[0]): True,
        str(folders[1]): False,
    }
    assert main(["sources", "pause", "/nowhere"]) == 2
    assert main(["sources", "remove", str(folders[0])]) == 0
    with Reader.open(home) as reader:
        assert [source.paused for source in reader.sources()] == [False]


def test_what_waits_in_it_is_told(
    folders: list[Path], home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["sources", "pause", str(folders[0])]) == 0
    (folders[0] / "first.md").write_text("The quokka has moved on.\n")
    (folders[0] / ".env").write_text("left out\n")
    for folder in folders:
        (folder / "second.md").write_text("The wombat digs.\n")
    capsys.readouterr()
    assert main(["status"]) == 0
    assert f"source {folders[0]}: 1 document, paused; 2 files not read\n" in capsys.readouterr().out
    assert status_record(home)["unread"] == {str(folders[0]): 2}
    assert glance(home)["paused"] == 1
    with monkeypatch.context() as fewer:
        fewer.setattr(unread, "MAX_ENTRIES", 1)
        assert status_record(home)["unread"] == {str(folders[0]): None}
        assert main(["status"]) == 0
        assert "too many files to tell how many wait" in capsys.readouterr().out
    assert main(["index", "-q", str(folders[0])]) == 0
    assert status_record(home)["unread"] == {str(folders[0]): 0}


def test_what_was_read_as_it_was_written_does_not_wait(
    folders: list[Path], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("capsa.daemon.ingest.racy", lambda *seen: True)
    (folders[0] / "second.md").write_text("The wombat digs.\n")
    assert main(["index", "-q"]) == 0
    assert main(["sources", "pause", str(folders[0])]) == 0
    assert status_record(home)["unread"] == {str(folders[0]): 0}


def test_changes_in_a_paused_source_are_none(folders: list[Path], home: Path) -> None:
    assert main(["sources", "pause", str(folders[0])]) == 0
    sources = read_shelf(home).sources
    changed = [str(folder / "first.md") for folder in folders]

    class NoRules:
        def reason(self, root: bytes, path: bytes) -> None:
            """Leave nothing out."""

    targets = resolve_changed([*changed, str(folders[0])], sources, NoRules())  # type: ignore[arg-type]
    assert [target.within for target in targets] == [bytes(folders[1] / "first.md")]
    everything = resolve_all([], sources, NoRules())  # type: ignore[arg-type]
    assert [target.root for target in everything] == [bytes(folder) for folder in folders]


def test_the_background_watches_no_paused_source(folders: list[Path], home: Path) -> None:
    daemon, ready = Daemon(home), threading.Event()
    thread = threading.Thread(target=daemon.run, args=(ready.set,))
    thread.start()
    try:
        assert ready.wait(240)

        def watched() -> list[str]:
            told = ask(home, {"do": "status"})
            assert told is not None
            return [Path(watch["path"]).name for watch in told["watches"]]

        def becomes(names: list[str]) -> bool:
            return any(watched() == names or threading.Event().wait(0.1) for _ in range(2400))

        assert becomes(["one", "two"])
        assert main(["sources", "pause", str(folders[0])]) == 0
        assert becomes(["two"])
        assert main(["sources", "resume", str(folders[0])]) == 0
        assert becomes(["one", "two"])
    finally:
        daemon.stop()
        thread.join(240)
