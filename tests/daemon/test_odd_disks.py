"""Homes on disks that take nothing, or no more files: searched all the same, and told in one line."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from capsa.daemon.cli import main

Mount = Callable[..., None]

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0, reason="needs root on Linux, for mounts"
)


@pytest.fixture
def mount() -> Iterator[Mount]:
    """Mount something, until the test ends."""
    mounted: list[str] = []

    def run(*words: str | Path) -> None:
        done = subprocess.run(["mount", *map(str, words)], capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"no mounts here: {done.stderr.strip()}")
        if "remount" not in str(words[1]):
            mounted.append(str(words[-1]))

    yield run
    for place in reversed(mounted):
        subprocess.run(["umount", place], check=True)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "first.md").write_text("The quokka sleeps.\n")
    return folder


def test_a_home_that_cannot_be_written_is_searched(
    home: Path, docs: Path, tmp_path: Path, mount: Mount, capsys: pytest.CaptureFixture[str]
) -> None:
    # Twice: a file as new as the run that reads it is read once more by the next one.
    for _ in range(2):
        assert main(["index", "-q", str(docs)]) == 0
    place = tmp_path / "place"
    place.mkdir()
    mount("--bind", home, place)
    mount("-o", "remount,bind,ro", place)
    at = ["--home", str(place)]
    assert main([*at, "search", '"quokka"', "--fail-on-empty"]) == 0
    assert main([*at, "index", "-q"]) == 0
    assert main([*at, "status"]) == 0
    (docs / "second.md").write_text("The wombat digs.\n")
    capsys.readouterr()
    assert main([*at, "index", "-q"]) == 1
    assert "Read-only file system" in capsys.readouterr().err
    words = [sys.executable, "-P", "-m", "capsa.daemon", *at, "run"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "Read-only file system" in done.stderr


def test_a_disk_that_takes_no_more_files_is_told_and_recovered_from(
    home: Path, docs: Path, tmp_path: Path, mount: Mount, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "place"
    place.mkdir()
    mount("-t", "tmpfs", "-o", "size=200m,nr_inodes=6", "tmpfs", place)
    at = ["--home", str(place / "home")]
    assert main([*at, "index", "-q", str(docs)]) == 1
    assert "No space left on device" in capsys.readouterr().err
    mount("-o", "remount,nr_inodes=200", place)
    assert main([*at, "index", "-q", str(docs)]) == 0
    assert main([*at, "search", '"quokka"', "--fail-on-empty"]) == 0
    assert main([*at, "doctor"]) == 0
