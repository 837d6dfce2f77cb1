"""Whatever happens to a folder: at rest the index is what a fresh one would be.

The long form: CAPSA_ROUNDS=200 CAPSA_BURST=20000 python -m pytest tests/daemon/test_following.py
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from capsa.daemon.cli import main
from capsa.daemon.running import Daemon
from capsa.daemon.serving.channel import ask
from capsa.store.reader import Reader

ROUNDS = int(os.environ.get("CAPSA_ROUNDS", "6"))
BURST = int(os.environ.get("CAPSA_BURST", "300"))
WORDS = ("quokka", "wombat", "numbat", "bilby", "quoll", "dunnart", "potoroo", "bettong")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Unix sockets and signals")

Index = dict[str, tuple[str, int]]
Tell = Callable[[str, int], None]


def indexed(home: Path, root: Path) -> Index:
    """Each document's text and number of chunks, by path below the root."""
    with Reader.open(home) as reader, reader.snapshot():
        rows = reader.connection.execute(
            "SELECT path, id, (SELECT count(*) FROM chunks WHERE document_id = documents.id) FROM documents"
        ).fetchall()
        return {
            os.path.relpath(os.fsdecode(path), root): (reader.texts.whole(key), chunks)
            for path, key, chunks in rows
        }


def known_names(home: Path) -> set[str]:
    """What is indexed, by the names alone."""
    with Reader.open(home) as reader:
        rows = reader.connection.execute("SELECT path FROM documents").fetchall()
    return {os.path.basename(os.fsdecode(path)) for (path,) in rows}


def not_indexed(home: Path, docs: Path) -> list[tuple[str, str, str]]:
    """What is known of the files that are there and are no documents: name, reason and detail."""
    with Reader.open(home) as reader:
        rows = reader.connection.execute(
            "SELECT path, reason, detail FROM files WHERE status != 'indexed'"
        ).fetchall()
    known = [(os.path.basename(os.fsdecode(path)), reason, detail) for path, reason, detail in rows]
    return [(name, reason, detail) for name, reason, detail in known if (docs / name).exists()]


class Folder:
    """A folder to which anything may happen."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.random = random.Random(seed)
        self.deeds = (
            *(self.create, self.create, self.edit, self.move, self.delete, self.make_folder),
            *(self.rename_folder, self.link, self.hide, self.touch, self.save_atomically),
        )

    def happen(self, times: int) -> None:
        for _ in range(times):
            self.random.choice(self.deeds)()

    def text(self) -> str:
        return "# " + " ".join(self.random.choices(WORDS, k=3)) + f"\n\n{self.random.random()} sleeps.\n"

    def folders(self) -> list[Path]:
        return [self.root, *sorted(path for path in self.root.rglob("*") if path.is_dir())]

    def files(self) -> list[Path]:
        return sorted(path for path in self.root.rglob("*.md") if path.is_file() and not path.is_symlink())

    def new_name(self) -> Path:
        return self.random.choice(self.folders()) / f"{self.random.randrange(10**6)}.md"

    def create(self) -> None:
        self.new_name().write_text(self.text())

    def edit(self) -> None:
        for path in self.random.sample(self.files(), min(1, len(self.files()))):
            path.write_text(self.text())

    def save_atomically(self) -> None:
        for path in self.random.sample(self.files(), min(1, len(self.files()))):
            temporary = path.with_suffix(".tmp")
            temporary.write_text(self.text())
            temporary.replace(path)

    def move(self) -> None:
        for path in self.random.sample(self.files(), min(1, len(self.files()))):
            path.rename(self.new_name())

    def delete(self) -> None:
        for path in self.random.sample(self.files(), min(1, len(self.files()))):
            path.unlink()

    def make_folder(self) -> None:
        (self.random.choice(self.folders()) / f"folder{self.random.randrange(10**6)}").mkdir()

    def rename_folder(self) -> None:
        inner = [path for path in self.folders() if path.parent == self.root]
        for path in self.random.sample(inner, min(1, len(inner))):
            path.rename(self.root / f"renamed{self.random.randrange(10**6)}")

    def link(self) -> None:
        for path in self.random.sample(self.files(), min(1, len(self.files()))):
            (self.root / f"link{self.random.randrange(10**6)}.md").symlink_to(path)

    def hide(self) -> None:
        for path in self.random.sample(self.files(), min(1, len(self.files()))):
            path.rename(path.with_name(f".{path.name}"))

    def touch(self) -> None:
        for path in self.random.sample(self.files(), min(1, len(self.files()))):
            os.utime(path, (1, 1))
            path.chmod(0o600)


@pytest.fixture
def tell(record_property: Tell) -> Tell:
    """Adds a figure to those that the run of tests prints."""
    return record_property


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    return folder


@pytest.fixture
def fresh(docs: Path, tmp_path: Path, warm_cache: Path) -> Iterator[Path]:
    """Where a fresh index of the folder may be made."""
    folder = tmp_path / "fresh"
    folder.mkdir(mode=0o700)
    shutil.copytree(warm_cache, folder / "cache", copy_function=os.link)
    yield folder
    shutil.rmtree(folder)


def fresh_index(fresh: Path, docs: Path) -> Index:
    if (fresh / "capsa.sqlite").exists():
        (fresh / "capsa.sqlite").unlink()
    assert main(["index", "-q", str(docs), "--home", str(fresh)]) == 0
    return indexed(fresh, docs)


def test_indexing_again_is_indexing_anew(home: Path, docs: Path, fresh: Path, tell: Tell) -> None:
    folder = Folder(docs, 1)
    folder.happen(10)
    assert main(["index", "-q", str(docs)]) == 0
    for _ in range(ROUNDS):
        folder.happen(12)
        assert main(["index", "-q"]) == 0
    assert indexed(home, docs) == fresh_index(fresh, docs)
    assert main(["doctor"]) == 0
    tell("rounds of changes followed", ROUNDS)


def test_a_daemon_that_is_killed_again_and_again_gets_there(
    home: Path, docs: Path, fresh: Path, tell: Tell
) -> None:
    assert main(["sources", "add", str(docs)]) == 0
    folder = Folder(docs, 2)
    for round_ in range(ROUNDS // 2):
        command = [sys.executable, "-P", "-m", "capsa.daemon", "run"]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
            folder.happen(15)
            time.sleep(0.7 * (round_ + 1))
            process.send_signal(signal.SIGKILL)
    assert main(["doctor"]) == 0
    assert main(["index", "-q"]) == 0
    assert indexed(home, docs) == fresh_index(fresh, docs)
    tell("kills of a daemon that changes are followed by", ROUNDS // 2)


def test_a_burst_of_changes_is_followed_to_its_end(home: Path, docs: Path, fresh: Path, tell: Tell) -> None:
    assert main(["sources", "add", str(docs)]) == 0
    daemon = Daemon(home)
    ready = threading.Event()
    thread = threading.Thread(target=daemon.run, args=(ready.set,))
    thread.start()
    try:
        assert ready.wait(240)
        folder = Folder(docs, 3)
        for number in range(BURST):
            (docs / f"{number}.md").write_text(folder.text())
        for number in range(0, BURST, 2):
            (docs / f"{number}.md").rename(docs / f"moved{number}.md")
        for number in range(1, BURST, 4):
            (docs / f"{number}.md").unlink()
        on_disk = {path.name for path in docs.iterdir()}
        end = time.monotonic() + 600 + BURST / 10
        while time.monotonic() < end and known_names(home) != on_disk:
            time.sleep(0.5)
        answer = ask(home, {"do": "status"})
        assert answer is not None
        assert answer["problem"] == ""
    finally:
        daemon.stop()
        thread.join(120)
    assert not_indexed(home, docs) == []
    assert indexed(home, docs) == fresh_index(fresh, docs)
    tell("files of a burst that was followed", BURST)
