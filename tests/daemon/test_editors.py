"""However a file is written, and wherever it lies, the search follows it."""

import mmap
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from test_following import indexed
from test_running import PATIENCE, eventually, names, status

from capsa.daemon import running
from capsa.daemon.cli import main
from capsa.daemon.running import Daemon
from capsa.daemon.watching import changes, mounts

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Unix sockets")


@pytest.fixture
def path(home: Path, tmp_path: Path) -> Path:
    """A document in a source of its own."""
    path = tmp_path / "docs" / "first.md"
    path.parent.mkdir()
    path.write_text("The quokka sleeps.\n")
    assert main(["sources", "add", str(path.parent)]) == 0
    return path


@contextmanager
def following(home: Path) -> Iterator[None]:
    """Run a daemon over the home."""
    daemon, ready = Daemon(home), threading.Event()
    thread = threading.Thread(target=daemon.run, args=(ready.set,))
    thread.start()
    try:
        assert ready.wait(PATIENCE)
        yield
    finally:
        daemon.stop()
        thread.join(PATIENCE)


def in_place(path: Path, text: str) -> None:
    path.write_text(text)


def by_rename(path: Path, text: str) -> None:
    """As most programs save."""
    temporary = path.with_name(f".{path.name}.tmp")
    temporary.write_text(text)
    temporary.replace(path)


def by_a_visible_rename(path: Path, text: str) -> None:
    """A temporary file that has a name of a document."""
    temporary = path.with_name(f"new-{path.name}")
    temporary.write_text(text)
    temporary.replace(path)


def as_vim_does(path: Path, text: str) -> None:
    """Probe, swap file, backup, the new file under the old name, the backup goes."""
    probe, swap = path.with_name("4913"), path.with_name(f".{path.name}.swp")
    backup = path.with_name(f"{path.name}~")
    swap.write_bytes(b"b0VIM 8.2" + bytes(1000))
    probe.touch()
    probe.unlink()
    path.rename(backup)
    path.write_text(text)
    backup.unlink()
    swap.unlink()


def by_sed(path: Path, text: str) -> None:
    subprocess.run(["sed", "-i", f"s/.*/{text.strip()}/", path], check=True)


def by_a_mapping(path: Path, text: str) -> None:
    """Written through memory; the kernel tells of nothing but the end."""
    data = text.encode()
    with path.open("r+b") as file:
        file.truncate(len(data))
        with mmap.mmap(file.fileno(), len(data)) as mapped:
            mapped[:] = data


def over_another(path: Path, text: str) -> None:
    """A document is put in the place of another."""
    other = path.with_name("other.md")
    shutil.copy(path, other)
    other.write_text(text)
    os.replace(other, path)


def through_a_second_name(path: Path, text: str) -> None:
    """A hard link outside of the folder; the folder's own name sees no write."""
    other = path.parents[1] / "second-name.md"
    os.link(path, other)
    other.write_text(text)
    other.unlink()
    os.utime(path)


WAYS: tuple[Callable[[Path, str], None], ...] = (
    *(in_place, by_rename, by_a_visible_rename, as_vim_does, by_a_mapping),
    *(over_another, through_a_second_name),
    *([by_sed] if shutil.which("sed") else []),
)


def test_search_follows_every_way_of_writing(home: Path, path: Path) -> None:
    with following(home):
        assert eventually(lambda: names(home, "quokka") == ["first.md"])
        for number, way in enumerate(WAYS):
            word = f"zyx{number}word"
            way(path, f"The {word} digs.\n")
            assert eventually(partial(is_all, home, path, word)), way


def test_what_tells_of_no_change_is_followed_by_looking(
    home: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mounts, "_mounts", lambda: [(b"/", "ext4"), (bytes(path.parent), "fuse.sshfs")])
    monkeypatch.setattr(running, "POLL_SECONDS", 0.5)
    monkeypatch.setattr(running, "CHECK_SECONDS", 0.5)
    monkeypatch.setattr(changes, "AGAIN_SECONDS", 0.5)
    with following(home):
        assert eventually(lambda: names(home, "quokka") == ["first.md"])
        assert [watch["state"] for watch in status(home)["watches"]] == ["polled"]
        for word in ("zyxword", "zyxother"):
            in_place(path, f"The {word} digs.\n")
            assert eventually(partial(is_all, home, path, word))


def is_all(home: Path, path: Path, word: str) -> bool:
    """Whether the word is found, and there is no other document."""
    return names(home, word) == [path.name] == list(indexed(home, path.parent))
