"""What other modules have done in the daemon, and what they can be asked there."""

import os
import threading
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from capsa.chunkers.errors import StoreError
from capsa.daemon import background, errands
from capsa.daemon import running as running_module
from capsa.daemon.cli import main
from capsa.daemon.errands import RETRY_SECONDS, Context, Errand, Errands
from capsa.daemon.guests import Handler, Host
from capsa.daemon.running import Daemon
from capsa.daemon.serving.channel import Channel, ask
from capsa.daemon.settings import Settings
from capsa.daemon.state import Interrupted, State

HOUR = 3600.0
# Far more than a daemon takes to begin on a machine that has nothing else to do.
PATIENCE = 240.0


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    clock = [1000.0]
    monkeypatch.setattr(errands, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    monkeypatch.setattr(errands, "why_wait", lambda home: "")
    return clock


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return Context(tmp_path, Settings(), State(), lambda: False)


def test_an_errand_is_done_at_first_and_then_as_often_as_it_says(now: list[float], context: Context) -> None:
    done: list[Context] = []
    work = Errands([Errand("reading pages", HOUR, done.append)])
    for moment in (0, HOUR / 2, HOUR * 1.1, HOUR * 1.2):
        now[0] = 1000.0 + moment
        work.run(context)
    assert done == [context, context]
    assert not work.are_due


def test_one_that_fails_is_told_tried_again_and_then_no_longer_told(
    now: list[float], context: Context, caplog: pytest.LogCaptureFixture
) -> None:
    faults: list[Exception] = [StoreError("locked"), StoreError("locked"), OSError(5, "broken")]

    def fail(_: Context) -> None:
        if faults:
            raise faults.pop(0)

    done: list[Context] = []
    work = Errands([Errand("reading pages", HOUR, fail), Errand("another", HOUR, done.append)])
    told = []
    for _ in range(4):
        work.run(context)
        told.append(work.problems.get("reading pages"))
        now[0] += RETRY_SECONDS + 1
    assert told == ["locked", "locked", "[Errno 5] broken", None]
    assert [record.message for record in caplog.records] == [
        "reading pages: locked",
        "reading pages: [Errno 5] broken",
    ]
    assert len(done) == 1


def test_one_waits_for_the_mains_and_is_not_due_meanwhile(
    now: list[float], context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[Context] = []
    work = Errands([Errand("reading pages", HOUR, done.append)])
    monkeypatch.setattr(errands, "why_wait", lambda home: "on battery (50 %)")
    work.run(context)
    assert not work.are_due
    monkeypatch.setattr(errands, "why_wait", lambda home: "")
    now[0] += RETRY_SECONDS
    work.run(context)
    assert len(done) == 1


def test_one_that_is_interrupted_goes_on_soon(now: list[float], context: Context) -> None:
    def stop(context: Context) -> None:
        raise Interrupted

    work = Errands([Errand("reading pages", HOUR, stop)])
    work.run(context)
    assert not work.are_due
    now[0] += RETRY_SECONDS
    assert work.are_due
    assert work.problems == {}


class Counting:
    """A guest that searches for whoever asks it to count."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self.closed = False

    @property
    def handlers(self) -> Mapping[str, Handler]:
        return {"count": self._count}

    def _count(self, request: Mapping[str, Any], channel: Channel) -> None:
        found = self._host.search({"text": request["text"], "retriever": "bm25"})["found"]
        channel.send({"found": found, "pid": self._host.status()["pid"]})

    def close(self) -> None:
        self.closed = True


def test_a_daemon_does_errands_and_has_guests(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("The quokka sleeps.\n")
    assert main(["index", "-q", str(tmp_path / "docs")]) == 0
    done, ready = threading.Event(), threading.Event()
    guests: list[Counting] = []

    def open_guest(host: Host) -> Counting:
        guests.append(Counting(host))
        return guests[-1]

    monkeypatch.setattr(running_module, "GUESTS", (open_guest,))
    monkeypatch.setattr(background, "ERRANDS", (Errand("reading pages", HOUR, lambda _: done.set()),))
    daemon = Daemon(home)
    thread = threading.Thread(target=daemon.run, args=(ready.set,))
    thread.start()
    try:
        assert ready.wait(PATIENCE)
        assert (ask(home, {"do": "count", "text": "quokka"}) or {}) == {"found": 1, "pid": os.getpid()}
        assert done.wait(PATIENCE)
    finally:
        daemon.stop()
        thread.join()
    assert guests[0].closed
