"""Power cuts and full disks, on a file system of our own: what was acknowledged as durable is there.

Needs root and loop devices, and runs on those of ext4, xfs and btrfs whose mkfs is there. The long form:
CAPSA_POWER_CUTS=300 CAPSA_FULL_DISKS=200 python -m pytest tests/store/test_power_cut.py
"""

import contextlib
import faulthandler
import fcntl
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import faiss  # noqa: F401 - before the forks, so that none has to import it
import pytest
from store_kit import HashEmbedder, make_chunks, make_document, make_entry

from capsa.chunkers.errors import CapsaError
from capsa.store import writer as writers
from capsa.store.reader import Reader
from capsa.store.records import Recipe
from capsa.store.writer import Writer

CUTS = int(os.environ.get("CAPSA_POWER_CUTS", "6"))
FULL_DISKS = int(os.environ.get("CAPSA_FULL_DISKS", "6"))
IMAGE_BYTES = 384 << 20
# The quietest way to make each.
MAKERS = {"ext4": ("-q", "-F"), "xfs": ("-q", "-f"), "btrfs": ("-q", "-f")}
KINDS = [kind for kind in MAKERS if shutil.which(f"mkfs.{kind}")]
# include/uapi/linux/fs.h, the same for ext4, xfs and btrfs: stop at once, the journal is not written out.
FS_IOC_SHUTDOWN, NO_LOG_FLUSH = 0x8004587D, 2
# Longer than any of this takes.
PATIENCE = 600
MOUNTS = 240

pytestmark = [
    pytest.mark.skipif(
        sys.platform != "linux" or os.geteuid() != 0 or not KINDS,
        reason="needs root on Linux, and mkfs",
    ),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]


class Disk:
    """A file system in a file."""

    def __init__(self, folder: Path, kind: str) -> None:
        self.image, self.root, self.kind = folder / "disk.img", folder / "disk", kind
        self.root.mkdir()
        with self.image.open("wb") as file:
            file.truncate(IMAGE_BYTES)
        subprocess.run([f"mkfs.{kind}", *MAKERS[kind], self.image], check=True, capture_output=True)
        self.mount()

    def mount(self) -> None:
        """Mount it, and again while it stays shut down, since a namespace of another program has it."""
        for _ in range(MOUNTS):
            self._mount()
            if is_alive(self.root):
                return
            self.unmount()
            time.sleep(0.5)
        raise AssertionError(f"{self.root} stays shut down")

    def _mount(self) -> None:
        done = subprocess.run(
            ["mount", "-o", "loop", self.image, self.root], check=False, capture_output=True, text=True
        )
        if done.returncode:
            pytest.skip(f"no loop mounts here: {done.stderr.strip()}")

    def cut(self) -> None:
        """What a power cut does: whatever is not on the disk is gone."""
        handle = os.open(self.root, os.O_RDONLY)
        try:
            fcntl.ioctl(handle, FS_IOC_SHUTDOWN, struct.pack("I", NO_LOG_FLUSH))
        except OSError as error:
            pytest.skip(f"this file system cannot be shut down: {error.strerror}")
        finally:
            os.close(handle)

    def unmount(self) -> None:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if not subprocess.run(["umount", self.root], check=False, capture_output=True).returncode:
                return
            time.sleep(0.1)
        raise AssertionError(f"{self.root} stays mounted")


@pytest.fixture(params=KINDS)
def disk(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Disk]:
    made = Disk(tmp_path, request.param)
    yield made
    made.unmount()
    # pytest keeps the folder, and a disk that was full takes all its bytes.
    made.image.unlink()


def text_of(number: int) -> str:
    return f"paper {number} of rivers\n\n" + f"stones and words {number} " * 40


def write_on(home: Path, first: int, told: int) -> None:
    """Index one paper after the other, and tell of each that is durable; publish now and then."""
    embedder = HashEmbedder()
    with Writer.open(home, embedder.model) as writer:
        for number in range(first, first + 10_000):
            text = text_of(number)
            document = make_document(text)
            entry = make_entry(f"/d/{number}.txt", text)
            plan = writer.plan(entry, document, make_chunks(document), Recipe(parser_version="1"))
            durable = number % 3 == 0
            writer.commit([(plan, embedder.embed(plan.texts))], durable=durable)
            if durable and is_alive(home):
                os.write(told, struct.pack("<I", number))
            if number % 10 == 9:
                writer.publish()


def is_alive(folder: Path) -> bool:
    """Whether the disk still takes changes, so that what was waited for before really reached it.

    A flush that is under way when the file system is shut down may be told to have succeeded, which no
    program survives a real power cut to hear.
    """
    try:
        os.close(os.open(folder / "alive", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    except OSError:
        return False
    return True


def cut_while_writing(disk: Disk, home: Path, first: int, seconds: float, wait: bool) -> int:
    """Cut the power after so long; return the last paper that was told to be durable, 0 for none.

    With ``wait`` the time begins with the first paper that was.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(PATIENCE)
        with contextlib.suppress(BaseException):
            write_on(home, first, writing)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as told:
        said = told.read(4 if wait else 0)
        time.sleep(seconds)
        try:
            disk.cut()
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        said += told.read()
    disk.unmount()
    disk.mount()
    return int(struct.unpack("<I", said[-4:])[0]) if said else 0


def papers(home: Path) -> dict[int, str]:
    with Reader.open(home) as reader, reader.snapshot():
        rows = reader.connection.execute("SELECT path, id FROM documents").fetchall()
        return {int(os.fsdecode(path)[3:-4]): reader.texts.whole(key) for path, key in rows}


def test_what_was_durable_survives_every_power_cut(
    disk: Disk, record_property: Callable[[str, int], None]
) -> None:
    home = disk.root / "home"
    with Writer.open(home, HashEmbedder().model):
        pass
    chance, first, acknowledged = random.Random(7), 1, 0
    for number in range(CUTS):
        # A machine may be too busy for any paper in all this time.
        wait = not acknowledged and number == CUTS - 1
        last = cut_while_writing(disk, home, first, chance.uniform(0.05, 1.5), wait)
        acknowledged = max(acknowledged, last)
        with Writer.open(home) as writer:
            assert [finding for finding in writer.check() if not finding.ok] == []
        kept = papers(home)
        # A beginning of what was written, whole, and all of it up to the last that was told of.
        assert sorted(kept) == list(range(1, len(kept) + 1))
        assert len(kept) >= acknowledged
        assert all(text == text_of(number) for number, text in kept.items())
        first = len(kept) + 1
    assert acknowledged > 0
    record_property(f"power cuts survived on {disk.kind}", CUTS)


# From none to 4 MB, each a little more than the one before.
LEFT = [round(4096 * (number / FULL_DISKS) ** 3) for number in range(FULL_DISKS)]


@pytest.mark.parametrize("left", LEFT)
def test_a_full_disk_loses_nothing_and_is_recovered_from(
    disk: Disk,
    left: int,
    monkeypatch: pytest.MonkeyPatch,
    record_property: Callable[[str, int], None],
) -> None:
    """``left`` kilobytes are free; another program filled the disk after capsa saw that there was room."""
    home = disk.root / "home"
    embedder = HashEmbedder()
    with Writer.open(home, embedder.model) as writer:
        for number in range(1, 6):
            put(writer, number)
        writer.publish()
    ballast = disk.root / "ballast"
    fill(ballast, left << 10)
    monkeypatch.setattr(writers, "FREE_BYTES", 0)
    done, status = write_until_full(home)
    # SQLite keeps an index of its log in shared memory, a mapped file; where blocks are written anew at each
    # change, as on btrfs, a full disk has no room for its pages, and the kernel ends who writes to them.
    assert status == 0 or (disk.kind == "btrfs" and os.WTERMSIG(status) == signal.SIGBUS)
    ballast.unlink()
    assert {number for number in papers(home) if number <= done} == set(range(1, done + 1))
    with Writer.open(home, embedder.model) as writer:
        assert [finding for finding in writer.check() if not finding.ok] == []
        put(writer, 1000)
        assert writer.publish()
    assert 1000 in papers(home)
    record_property(f"full disks survived on {disk.kind}", 1)


def put(writer: Writer, number: int) -> None:
    text = text_of(number)
    document = make_document(text)
    entry = make_entry(f"/d/{number}.txt", text)
    plan = writer.plan(entry, document, make_chunks(document), Recipe(parser_version="1"))
    writer.commit([(plan, HashEmbedder().embed(plan.texts))])


def write_until_full(home: Path) -> tuple[int, int]:
    """Index papers in another process until the disk is full; return the last and how the process ended."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(PATIENCE)
        faulthandler.disable()
        with contextlib.suppress(CapsaError, OSError), Writer.open(home, HashEmbedder().model) as writer:
            for number in range(6, 400):
                put(writer, number)
                os.write(writing, struct.pack("<I", number))
            writer.publish()
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as told:
        said = told.read()
    return struct.unpack("<I", said[-4:])[0] if said else 5, os.waitpid(child, 0)[1]


def fill(path: Path, left: int) -> None:
    """Fill the disk until so many bytes are free, without writing them: the test needs little room itself."""
    free = shutil.disk_usage(path.parent).free
    with path.open("wb") as file:
        size = 0
        for piece in (1 << 20, 4096):
            with contextlib.suppress(OSError):
                while size + piece <= free - left:
                    os.posix_fallocate(file.fileno(), size, piece)
                    size += piece
