"""Disks that fail: told from other troubles, tried a few times, then seldom; searches go on."""

import errno
import os
import sqlite3
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from capsa.chunkers.errors import CapsaError, StoreError
from capsa.daemon import background, faults
from capsa.daemon.background import Background
from capsa.daemon.cli import main
from capsa.daemon.faults import SELDOM_SECONDS, TRIES, Faults, is_of_the_disk, settle
from capsa.daemon.state import State
from capsa.daemon.watching.changes import Batch, Changes


def disk_error() -> StoreError:
    """What the store raises for a disk that fails."""
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = 1034  # SQLITE_IOERR_FSYNC
    told = StoreError("capsa.sqlite: disk I/O error")
    told.__cause__ = error
    return told


def caused_by(number: int) -> CapsaError:
    told = CapsaError("parsing.json: cannot be written")
    told.__cause__ = OSError(number, os.strerror(number))
    return told


def test_errors_of_the_disk_are_told_from_others() -> None:
    full = sqlite3.OperationalError("database or disk is full")
    full.sqlite_errorcode = 13
    assert is_of_the_disk(disk_error())
    assert is_of_the_disk(caused_by(errno.EIO))
    assert not is_of_the_disk(caused_by(errno.ENOSPC))
    assert not is_of_the_disk(full)
    assert not is_of_the_disk(sqlite3.ProgrammingError("closed"))
    assert not is_of_the_disk(StoreError("another capsa is writing here"))


def test_after_some_tries_it_is_tried_seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(faults, "time", SimpleNamespace(monotonic=lambda: now[0]))
    tries = Faults()
    for _ in range(TRIES - 1):
        assert "may be failing" in tries.add(disk_error())
        assert not tries.must_wait
    assert tries.add(StoreError("no room")) == "no room"
    assert "searches go on" in tries.add(disk_error())
    assert tries.must_wait
    now[0] += SELDOM_SECONDS
    assert not tries.must_wait
    tries.add(disk_error())
    assert tries.must_wait
    tries.clear()
    assert not tries.must_wait
    assert not tries.has_some


def test_a_failing_disk_is_said_so_and_searched_and_recovered_from(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "first.md").write_text("The quokka sleeps.\n")
    assert main(["index", "-q", str(docs)]) == 0
    (docs / "second.md").write_text("The zyzzyva is late.\n")
    os.utime(docs / "second.md", (1, 1))
    batch, commits = Batch(frozenset([bytes(docs / "second.md")])), []

    def finds(word: str) -> bool:
        code = main(["search", f'"{word}"', "--retriever", "bm25", "--fail-on-empty"])
        capsys.readouterr()
        return code == 0

    def fail(*_: Any, **__: Any) -> None:
        commits.append(1)
        raise disk_error()

    work = Background(home, Changes(), State())
    try:
        with monkeypatch.context() as patch:
            patch.setattr("capsa.store.writer.Writer.commit", fail)
            for _ in range(TRIES + 3):
                work.index(batch, frozenset())
        assert len(commits) == TRIES
        assert f"{TRIES} tries failed" in work.problem
        assert work.changes.waiting == 1
        assert finds("quokka")
        assert not finds("zyzzyva")
        monkeypatch.setattr(work._faults, "_try_at", 0.0)
        settled: list[Path] = []
        monkeypatch.setattr(background, "settle", lambda home: settled.append(home) or settle(home))
        work.index(batch, frozenset())
        assert settled == [home]
        assert work.problem == ""
        assert not work._faults.has_some
        assert finds("zyzzyva")
    finally:
        work.close()


def test_settling_empties_the_log(home: Path, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("The quokka sleeps.\n")
    assert main(["sources", "add", str(tmp_path / "a.md")]) == 0
    assert main(["index", "-q"]) == 0
    settle(home)
    log = home / "capsa.sqlite-wal"
    assert not log.exists() or log.stat().st_size == 0
