"""SIGKILL at points spread over a writer's work, and a log torn at any length: nothing acknowledged is lost.

The long form: CAPSA_KILL_POINTS=2000 python -m pytest tests/store/test_killed.py
"""

import os
import shutil
import signal
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import faiss  # noqa: F401 - before the forks, so that none has to import it
import pytest
from store_kit import HashEmbedder, make_entry, put

from capsa.store import private
from capsa.store.home import DATABASE
from capsa.store.reader import Reader
from capsa.store.records import Query
from capsa.store.search import search
from capsa.store.writer import Writer

POINTS = int(os.environ.get("CAPSA_KILL_POINTS", "500"))
PARTS = 4
# SQLite tells of each step of its machine.
STEPS_OF_SQLITE = 1
# Longer than any of this takes.
PATIENCE = 120

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGKILL"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]

State = dict[str, str]
Work = Callable[[Writer], None]


def edit(name: str, text: str) -> Work:
    return lambda writer: put(writer, name, text, HashEmbedder()) and None


def remove(name: str, wiped: bool = False) -> Work:
    return lambda writer: writer.remove([os.fsencode(name)], wiped) and None


def rename(old: str, new: str, text: str) -> Work:
    return lambda writer: writer.rename(os.fsencode(old), make_entry(new, text))


def publish(writer: Writer) -> None:
    writer.publish()


FIRST: State = {
    f"/d/{number}.txt": f"paper {number} about rivers\n\nand stones {number}" for number in range(12)
}
# Each piece of work, and what it changes in the state.
WORK: tuple[tuple[Work, State, tuple[str, ...]], ...] = (
    (
        edit("/d/0.txt", "an edited paper\n\nand stones 0"),
        {"/d/0.txt": "an edited paper\n\nand stones 0"},
        (),
    ),
    (edit("/d/new.txt", "a new paper"), {"/d/new.txt": "a new paper"}, ()),
    (publish, {}, ()),
    (remove("/d/1.txt"), {}, ("/d/1.txt",)),
    (
        rename("/d/2.txt", "/d/moved.txt", FIRST["/d/2.txt"]),
        {"/d/moved.txt": FIRST["/d/2.txt"]},
        ("/d/2.txt",),
    ),
    (publish, {}, ()),
    (remove("/d/3.txt", wiped=True), {}, ("/d/3.txt",)),
    (publish, {}, ()),
)


def states() -> list[State]:
    """What is indexed after each piece of work, and before the first."""
    found = [dict(FIRST)]
    for _, added, gone in WORK:
        found.append({name: text for name, text in (found[-1] | added).items() if name not in gone})
    return found


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("template")
    embedder = HashEmbedder()
    with Writer.open(home, embedder.model) as writer:
        for name, text in FIRST.items():
            put(writer, name, text, embedder)
        writer.publish()
    return home


def work_until(home: Path, point: int, told: int) -> None:
    """Do all the work, tell of each piece that is done, and be killed at the given event."""
    events = 0

    def event() -> int:
        nonlocal events
        events += 1
        if events == point:
            os.kill(os.getpid(), signal.SIGKILL)
        return 0

    for name in ("fsync", "replace"):
        whole = getattr(os, name)

        def call(*arguments: object, whole: Callable[..., object] = whole) -> object:
            event()
            done = whole(*arguments)
            event()
            return done

        setattr(private.os, name, call)
    with Writer.open(home, HashEmbedder().model) as writer:
        writer._connection.set_progress_handler(event, STEPS_OF_SQLITE)
        for piece, _, _ in WORK:
            piece(writer)
            os.write(told, b"d")
    os.write(told, b"%d" % events)


def killed_at(home: Path, point: int) -> tuple[int, int]:
    """Work in a process of its own; return how many pieces it told were done, and its events if it ended."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(PATIENCE)
        try:
            work_until(home, point, writing)
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as told:
        said = told.read()
    _, status = os.waitpid(child, 0)
    assert not os.WIFSIGNALED(status) or os.WTERMSIG(status) == signal.SIGKILL
    done = said.count(b"d")
    return done, int(said[done:] or 0)


def indexed(home: Path) -> State:
    with Reader.open(home) as reader, reader.snapshot():
        rows = reader.connection.execute("SELECT path, id FROM documents").fetchall()
        return {os.fsdecode(path): reader.texts.whole(key) for path, key in rows}


def is_sound(home: Path) -> None:
    """Everything fits together, and both arms find what is there."""
    with Writer.open(home) as writer:
        assert [finding for finding in writer.check() if not finding.ok] == []
    with Reader.open(home) as reader:
        found = search(reader, Query("stones", limit=50), HashEmbedder())
    assert found.notes == ()
    assert {os.fsdecode(hit.path or b"") for hit in found.hits} <= indexed(home).keys()
    assert found.hits


@pytest.fixture(scope="module")
def events(template: Path, tmp_path_factory: pytest.TempPathFactory) -> int:
    home = tmp_path_factory.mktemp("whole") / "home"
    shutil.copytree(template, home)
    done, events = killed_at(home, 0)
    assert done == len(WORK)
    assert indexed(home) == states()[-1]
    return events


@pytest.mark.parametrize("part", range(PARTS))
def test_a_kill_at_any_point_loses_nothing_acknowledged(
    part: int, events: int, template: Path, tmp_path: Path, record_property: Callable[[str, int], None]
) -> None:
    expected = states()
    points = range(1 + part, events + 1, max(1, events // POINTS) * PARTS)
    assert events >= POINTS
    assert len(points) >= POINTS // PARTS
    for point in points:
        home = tmp_path / "home"
        shutil.copytree(template, home)
        done, _ = killed_at(home, point)
        # What was being done when it was killed may be done, or not, and nothing between.
        assert indexed(home) in expected[done : done + 2], point
        is_sound(home)
        shutil.rmtree(home)
    record_property(f"kills survived, of {events:,} points", len(points))


def test_a_log_torn_at_any_length_is_one_of_the_states_before(template: Path, tmp_path: Path) -> None:
    """What a power cut leaves of the log: its beginning."""
    home = tmp_path / "home"
    shutil.copytree(template, home)
    expected = [dict(FIRST)]
    log = f"{DATABASE}-wal"
    with Writer.open(home, HashEmbedder().model) as writer:
        for number in range(5):
            put(writer, "/d/0.txt", f"edited {number} times", HashEmbedder())
            expected.append(expected[-1] | {"/d/0.txt": f"edited {number} times"})
        # As it is while the writer has it open: closing would empty the log.
        whole = tmp_path / "whole"
        shutil.copytree(home, whole)
    size = (whole / log).stat().st_size
    seen = []
    for length in range(0, size, max(512, size // 100)):
        torn = tmp_path / "torn"
        shutil.copytree(whole, torn, ignore=shutil.ignore_patterns("*-shm"))
        os.truncate(torn / log, length)
        seen.append(expected.index(indexed_after_recovery(torn)))
        shutil.rmtree(torn)
    assert seen == sorted(seen)
    assert set(seen) >= {0, 3}


def indexed_after_recovery(home: Path) -> State:
    with closing(Writer.open(home)) as writer:
        assert [finding for finding in writer.check() if not finding.ok] == []
    return indexed(home)
