import shutil
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from capsa.daemon import guard
from capsa.daemon.cli import main
from capsa.daemon.guard import EMPTY, MANY, is_believable


@pytest.mark.parametrize(
    ("gone", "known", "believed"),
    [
        (0, 0, True),
        (1, 1, True),
        (EMPTY - 1, EMPTY - 1, True),
        (EMPTY, EMPTY, False),
        (MANY - 1, MANY, True),
        (MANY, 2 * MANY + 1, True),
        (MANY, 2 * MANY, False),
        (5 * MANY, 6 * MANY, False),
    ],
)
def test_what_may_just_have_been_deleted(tmp_path: Path, gone: int, known: int, believed: bool) -> None:
    assert is_believable(bytes(tmp_path), gone, known) == believed


def test_a_folder_with_something_in_it_is_mounted(tmp_path: Path) -> None:
    (tmp_path / "left").touch()
    assert is_believable(bytes(tmp_path), EMPTY, EMPTY)


@pytest.fixture
def docs(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(guard, "EMPTY", 3)
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.md").write_text(f"The quokka {number} sleeps.\n")
    assert main(["index", "-q", str(folder)]) == 0
    return folder


Found = Callable[[], bool]


@pytest.fixture
def found(capsys: pytest.CaptureFixture[str]) -> Found:
    def is_found() -> bool:
        code = main(["search", '"quokka"', "--retriever", "bm25", "--fail-on-empty"])
        capsys.readouterr()
        return code == 0

    return is_found


def index(capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    assert main(["index", "-q"]) == 0
    return capsys.readouterr().err


def test_an_empty_mount_point_empties_no_index(
    docs: Path, found: Found, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.move(docs, tmp_path / "unmounted")
    docs.mkdir()
    assert "3 of 3 files are gone at once" in index(capsys)
    assert "3 of 3 files are gone at once" in index(capsys)
    assert found()
    docs.rmdir()
    shutil.move(tmp_path / "unmounted", docs)
    assert index(capsys) == ""
    assert found()


def test_what_stays_gone_is_removed(
    docs: Path, found: Found, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in docs.iterdir():
        path.unlink()
    index(capsys)
    assert found()
    monkeypatch.setattr(guard, "DOUBT_SECONDS", 0.0)
    assert index(capsys) == ""
    assert not found()


def test_doubt_begins_anew_after_the_files_were_back(
    docs: Path,
    found: Found,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    clock: dict[str, Any] = {"now": 1000.0}
    clocks = SimpleNamespace(time=lambda: clock["now"], monotonic=time.monotonic)
    monkeypatch.setattr("capsa.daemon.looking.time", clocks)
    for again in range(2):
        shutil.move(docs, tmp_path / "unmounted")
        docs.mkdir()
        assert "gone at once" in index(capsys), again
        clock["now"] += guard.DOUBT_SECONDS - 1
        docs.rmdir()
        shutil.move(tmp_path / "unmounted", docs)
        index(capsys)
    assert found()


def test_forgetting_needs_no_waiting(docs: Path, found: Found, capsys: pytest.CaptureFixture[str]) -> None:
    for path in docs.iterdir():
        path.unlink()
    index(capsys)
    assert main(["forget", str(docs)]) == 0
    assert not found()
