"""The daemon over real folders, in this process; what it is asked comes over its socket."""

import ctypes
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from capsa.daemon import running as running_module
from capsa.daemon.cli import main
from capsa.daemon.running import AlreadyRunning, Daemon
from capsa.daemon.serving.channel import address, ask, daemon_aside
from capsa.daemon.watching.changes import Batch
from capsa.store.reader import Reader

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Unix sockets")

# Far more than anything here takes on a machine that has nothing else to do.
PATIENCE = 120.0


# Hands the listening socket over as descriptor 3, and becomes the daemon.
AS_SYSTEMD_DOES = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ |= {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "1"}
os.execv(sys.executable, [sys.executable, "-P", "-m", "capsa.daemon", "run"])
"""


# Where a shell runs the tests in the background, Ctrl-C is ignored, and programs inherit that.
WAITS_FOR_CTRL_C = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from capsa.daemon.cli import main
sys.exit(main())
"""


def eventually(look: Callable[[], bool]) -> bool:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if look():
            return True
        time.sleep(0.05)
    return False


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "first.md").write_text("# Quokka\n\nThe quokka sleeps in the heather.\n")
    return folder


@pytest.fixture
def running(home: Path, docs: Path) -> Iterator[Path]:
    """A home with the folder as its source and a daemon over it."""
    assert main(["sources", "add", str(docs)]) == 0
    daemon = Daemon(home)
    ready = threading.Event()
    thread = threading.Thread(target=daemon.run, args=(ready.set,))
    thread.start()
    assert ready.wait(PATIENCE)
    yield home
    daemon.stop()
    thread.join(PATIENCE)
    assert not thread.is_alive()


def status(home: Path) -> dict[str, Any]:
    answer = ask(home, {"do": "status"})
    assert answer is not None
    return answer


def names(home: Path, word: str) -> list[str]:
    """The files that have the word, by the daemon's own search."""
    answer = ask(home, {"do": "search", "text": f'"{word}"', "retriever": "bm25"})
    assert answer is not None
    return [os.path.basename(hit["document"]["path"]) for hit in answer["record"]["hits"]]


def test_search_follows_the_folder(running: Path, docs: Path) -> None:
    assert eventually(lambda: status(running)["last_scan"] is not None)
    assert names(running, "quokka") == ["first.md"]
    (docs / "second.md").write_text("The wombat digs.\n")
    assert eventually(lambda: names(running, "wombat") == ["second.md"])
    (docs / "second.md").rename(docs / "third.md")
    assert eventually(lambda: names(running, "wombat") == ["third.md"])
    (docs / "first.md").write_text("The numbat eats termites.\n")
    assert eventually(lambda: names(running, "numbat") == ["first.md"])
    assert names(running, "quokka") == []
    (docs / "third.md").unlink()
    assert eventually(lambda: names(running, "wombat") == [])
    assert status(running)["watches"] == [{"path": str(docs), "state": "watched", "reason": ""}]


def test_trees_are_followed_in_and_out(running: Path, docs: Path, tmp_path: Path) -> None:
    tree = tmp_path / "outside" / "tree"
    (tree / "deep").mkdir(parents=True)
    (tree / "deep" / "a.md").write_text("The bilby listens.\n")
    tree.rename(docs / "tree")
    assert eventually(lambda: names(running, "bilby") == ["a.md"])
    (docs / "tree" / "deep" / "b.md").write_text("The dunnart hops.\n")
    assert eventually(lambda: names(running, "dunnart") == ["b.md"])
    (docs / "tree").rename(tree)
    assert eventually(lambda: names(running, "bilby") == names(running, "dunnart") == [])
    (tree / "deep" / "b.md").write_text("The quoll climbs.\n")
    (docs / "after.md").write_text("The potoroo digs.\n")
    assert eventually(lambda: names(running, "potoroo") == ["after.md"])
    assert names(running, "quoll") == []


def test_ignore_rules_that_change_are_followed(running: Path, docs: Path) -> None:
    assert eventually(lambda: names(running, "quokka") == ["first.md"])
    (docs / ".capsaignore").write_text("first.md\n")
    assert eventually(lambda: names(running, "quokka") == [])
    (docs / ".capsaignore").unlink()
    assert eventually(lambda: names(running, "quokka") == ["first.md"])


def test_a_paused_daemon_answers_and_does_not_index(running: Path, docs: Path) -> None:
    assert eventually(lambda: names(running, "quokka") == ["first.md"])
    assert main(["pause"]) == 0
    (docs / "second.md").write_text("The wombat digs.\n")
    time.sleep(2)
    assert status(running)["paused"]
    assert names(running, "wombat") == []
    assert names(running, "quokka") == ["first.md"]
    assert main(["resume"]) == 0
    assert eventually(lambda: names(running, "wombat") == ["second.md"])


def test_what_was_taken_before_a_pause_waits_for_its_end(home: Path, docs: Path) -> None:
    assert main(["sources", "add", str(docs)]) == 0
    daemon = Daemon(home)
    daemon._observing.close()
    daemon._paused.set()
    daemon._work(Batch(frozenset([bytes(docs / "first.md")]), frozenset([bytes(docs)])))
    assert daemon._changes.waiting == 2
    with Reader.open(home) as reader:
        assert reader.counts().documents == 0


def test_commands_that_write_have_the_home_to_themselves(
    running: Path, docs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert eventually(lambda: names(running, "quokka") == ["first.md"])
    other = tmp_path / "other"
    other.mkdir()
    (other / "b.md").write_text("The bandicoot sniffs.\n")
    assert main(["index", str(other)]) == 0
    assert names(running, "bandicoot") == ["b.md"]
    assert eventually(lambda: len(status(running)["watches"]) == 2)
    (other / "c.md").write_text("The cuscus climbs.\n")
    assert eventually(lambda: names(running, "cuscus") == ["c.md"])
    assert main(["sources", "remove", str(other)]) == 0
    assert eventually(lambda: len(status(running)["watches"]) == 1)
    assert names(running, "bandicoot") == []


def test_it_writes_nothing_while_it_stands_aside(running: Path, docs: Path) -> None:
    assert eventually(lambda: status(running)["last_scan"] is not None)
    with daemon_aside(running):
        (docs / "second.md").write_text("The wombat digs.\n")
        time.sleep(2)
        assert names(running, "wombat") == []
    assert eventually(lambda: names(running, "wombat") == ["second.md"])


def test_a_daemon_whose_home_is_removed_stops(home: Path, docs: Path, tmp_path: Path) -> None:
    assert main(["index", "-q", str(docs)]) == 0
    shutil.copytree(home, tmp_path / "copy")
    daemon, ready = Daemon(home), threading.Event()
    thread = threading.Thread(target=daemon.run, args=(ready.set,))
    thread.start()
    assert ready.wait(PATIENCE)
    home.rename(tmp_path / "away")
    (tmp_path / "copy").rename(home)
    thread.join(PATIENCE)
    assert not thread.is_alive()
    assert main(["index", "-q"]) == 0


def test_who_waits_for_the_home_can_give_up(running: Path, tmp_path: Path) -> None:
    assert eventually(lambda: status(running)["last_scan"] is not None)
    with daemon_aside(running):
        # That of the last question may just be ending.
        assert eventually(lambda: connections() == 1)
        (tmp_path / "other").mkdir()
        words = [sys.executable, "-P", "-c", WAITS_FOR_CTRL_C, "sources", "add", str(tmp_path / "other")]
        with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as waiting:
            assert eventually(lambda: connections() == 2)
            waiting.send_signal(signal.SIGINT)
            assert waiting.communicate(timeout=PATIENCE)[1] == "capsa: stopped\n"
        assert waiting.returncode == 130
    (tmp_path / "docs" / "second.md").write_text("The wombat digs.\n")
    assert eventually(lambda: names(running, "wombat") == ["second.md"])


def connections() -> int:
    """How many the daemon in this process has."""
    return sum(thread.name == "answering" for thread in threading.enumerate())


def test_who_adds_a_source_is_told_who_reads_it(
    running: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    assert main(["sources", "add", str(tmp_path / "one")]) == 0
    assert main(["pause"]) == 0
    assert main(["sources", "add", str(tmp_path / "two")]) == 0
    assert main(["resume"]) == 0
    told = capsys.readouterr().out
    assert f"{tmp_path}/one; capsa reads it now, in the background\n" in told
    assert f"{tmp_path}/two; `capsa resume` has it read\n" in told


@pytest.mark.skipif(sys.platform != "linux", reason="inotify's queue")
def test_what_ran_over_the_systems_queue_is_found_all_the_same(running: Path, docs: Path) -> None:
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    if most > 100_000:
        pytest.skip("a queue too long to fill")
    (docs / ".capsaignore").write_text("*.junk\n")
    assert eventually(lambda: status(running)["last_scan"] is not None)
    time.sleep(2)
    fill_queue(docs, most)
    assert eventually(lambda: names(running, "wombat") == ["late.md"])
    assert status(running)["losses"] >= 1


def fill_queue(docs: Path, events: int) -> None:
    """Make so many events, and then a file, without giving any other thread a chance to read them."""
    libc = ctypes.PyDLL(None)  # keeps Python's lock while it calls
    before = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    try:
        for number in range(events // 2 + 100):
            # Made and closed: at least two events.
            libc.close(libc.creat(os.fsencode(docs / f"{number}.junk"), 0o600))
        handle = libc.creat(os.fsencode(docs / "late.md"), 0o600)
        libc.write(handle, b"The wombat digs.\n", 17)
        libc.close(handle)
    finally:
        sys.setswitchinterval(before)


def test_the_command_line_asks_the_daemon(running: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert eventually(lambda: names(running, "quokka") == ["first.md"])
    capsys.readouterr()
    assert main(["search", "quokka", "-n", "1"]) == 0
    asked = capsys.readouterr().out
    assert "first.md" in asked
    assert main(["search", "quokka", "--since", "never"]) == 2


def test_a_second_daemon_says_so_and_is_no_error(running: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(AlreadyRunning, match="already running"):
        Daemon(running).run()
    assert main(["start"]) == 0
    assert "running already" in capsys.readouterr().out


def test_it_runs_in_the_background_until_it_is_stopped(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = (sys.executable, "-P", "-m", "capsa.daemon")
    subprocess.run([*command, "start"], check=True, timeout=PATIENCE)
    pid = status(home)["pid"]
    assert pid != os.getpid()
    if sys.platform == "linux":
        limits = Path(f"/proc/{pid}/limits").read_text()
        assert re.search(r"Max core file size +0 +0 ", limits)
    assert main(["stop"]) == 0
    assert ask(home, {"do": "status"}) is None
    assert main(["stop"]) == 0
    assert "not running" in capsys.readouterr().out
    assert main(["pause"]) == 3
    assert (home / "daemon.log").stat().st_mode & 0o777 == 0o600


def test_a_source_that_goes_away_is_kept_and_followed_when_it_is_back(running: Path, docs: Path) -> None:
    assert eventually(lambda: names(running, "quokka") == ["first.md"])
    docs.rename(docs.with_name("away"))
    assert eventually(lambda: status(running)["watches"][0]["state"] == "offline")
    assert names(running, "quokka") == ["first.md"]
    docs.with_name("away").rename(docs)
    assert eventually(lambda: status(running)["watches"][0]["state"] == "watched")
    (docs / "second.md").write_text("The wombat digs.\n")
    assert eventually(lambda: names(running, "wombat") == ["second.md"])


@pytest.mark.parametrize(
    ("steady", "wall", "waited", "jumped"),
    [
        (10.0, 10.2, 10.0, False),
        # Asleep, as Linux and macOS tell of it, and as Windows does.
        (10.0, 3610.0, 10.0, True),
        (3610.0, 3610.0, 3610.0, True),
        # Long work is no sleep.
        (3610.0, 3610.0, 10.0, False),
        # The clock was set.
        (10.0, -3590.0, 10.0, True),
    ],
)
def test_a_sleep_is_noticed_by_the_clocks(
    steady: float, wall: float, waited: float, jumped: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running_module, "_clocks", lambda: (100.0 + steady, 2000.0 + wall))
    assert running_module._jumped((100.0, 2000.0), waited)[0] == jumped


def test_after_a_sleep_all_is_looked_over(running: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert eventually(lambda: status(running)["last_scan"] is not None)
    before = status(running)["last_scan"]
    asleep = time.time() - time.monotonic() + 7200
    monkeypatch.setattr(running_module, "_clocks", lambda: (time.monotonic(), time.monotonic() + asleep))
    assert eventually(lambda: status(running)["last_scan"] > before)


def test_it_answers_on_a_socket_that_systemd_made(home: Path) -> None:
    path = address(home)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.fsencode(path))
        listener.listen()
        passed = listener.fileno()
        command = [sys.executable, "-c", AS_SYSTEMD_DOES, str(passed)]
        with subprocess.Popen(command, pass_fds=[passed]) as process:
            try:
                assert status(home)["pid"] == process.pid
            finally:
                process.terminate()
            assert process.wait(PATIENCE) == 0
        assert path.exists()
