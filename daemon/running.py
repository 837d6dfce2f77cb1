"""The daemon: watches, indexes what changed, and answers, until it is told to stop. One for each home."""

import logging
import os
import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from capsa.chunkers.errors import CapsaError
from capsa.store.home import database_path, is_at, lock_file, make_home
from capsa.store.records import Source

from .answering import Searcher
from .background import FAILURES, Background
from .errands import TURN_SECONDS
from .guests import GUESTS, Guest, Host
from .looking import read_shelf
from .serving.channel import LOCK, Channel
from .serving.server import Server
from .state import State
from .watching.changes import Batch, Changes
from .watching.mounts import refuse_share
from .watching.observing import Observing

logger = logging.getLogger(__name__)

# Everything is looked over so often, give or take a quarter, in case an event was missed; what cannot be
# watched more often.
RESCAN_SECONDS = 6 * 3600.0
POLL_SECONDS = 300.0
# How often the watchers themselves are looked after.
CHECK_SECONDS = 10.0
# The folder of the home that the watchers are proved in.
PULSE = "pulse"
# A clock that jumped so far, or a machine that slept so long: events may be lost.
JUMP_SECONDS = 60.0
# So long nothing must have happened before documents are finished, and so long between two rounds of it.
IDLE_SECONDS = 60.0
FINISH_SECONDS = 900.0


class AlreadyRunning(CapsaError):
    """Another daemon has the home."""

    exit_code = 0


class Daemon:
    """Runs over one home in the foreground; ``run`` returns when ``stop`` was called or asked for."""

    def __init__(self, home: Path) -> None:
        self._home = make_home(home)
        self._changes = Changes()
        self._state = State()
        self._background = Background(self._home, self._changes, self._state)
        self._guests: list[Guest] = []
        self._sources: dict[bytes, Source] = {}
        self._observing = Observing(self._changes.add, self._lost, self._home / PULSE)
        self._searcher = Searcher(home)
        self._stopping = threading.Event()
        self._paused = threading.Event()
        # Set when another program may have changed the sources.
        self._stale = threading.Event()
        # Held while a run writes; a command that writes itself holds it meanwhile.
        self._writing = threading.Lock()
        self._losses = 0
        self._busy_at = time.monotonic()
        self._finish_at = 0.0

    def run(self, ready: Callable[[], None] = lambda: None) -> None:
        """Work until stopped; raises AlreadyRunning when another daemon has the home."""
        with ExitStack() as stack:
            refuse_share(self._home)
            held = stack.enter_context(self._only_one())
            stack.callback(self._searcher.close)
            stack.callback(self._background.close)
            self._invite(stack)
            server = Server(self._home, self._handlers())
            stack.callback(server.close)
            stack.callback(self._observing.close)
            self._searcher.start()
            server.start()
            self._stale.set()
            ready()
            self._loop(held)

    def _invite(self, stack: ExitStack) -> None:
        host = Host(self._home, self._searcher.search, self._status)
        for open_guest in GUESTS:
            guest = open_guest(host)
            stack.callback(guest.close)
            self._guests.append(guest)

    def stop(self) -> None:
        """End the run at the next safe point."""
        self._stopping.set()
        self._state.end()
        self._changes.wake()

    @contextmanager
    def _only_one(self) -> Iterator[BinaryIO]:
        try:
            held = lock_file(self._home / LOCK)
        except BlockingIOError as error:
            raise AlreadyRunning(f"{self._home}: capsa is already running here") from error
        with held:
            yield held

    # The loop.

    def _loop(self, held: BinaryIO) -> None:
        lock = self._home / LOCK
        try:
            self._follow(lambda: not self._stopping.is_set() and is_at(held, lock))
        except FAILURES:
            # What goes wrong while the home goes away is no news beside that.
            if is_at(held, lock):
                raise
        if not is_at(held, lock):
            logger.error("%s: was removed or replaced; capsa stops", self._home)

    def _follow(self, goes_on: Callable[[], bool]) -> None:
        rescan, poll, clocks = _after(RESCAN_SECONDS), _after(POLL_SECONDS), _clocks()
        while goes_on():
            if self._stale.is_set() or not self._observing.is_well():
                self._stale.clear()
                self._follow_sources()
                self._look_over_all()
            self._observing.check_limit()
            self._observing.beat()
            if not self._paused.is_set():
                self._background.get_ready()
            began = time.monotonic()
            batch = self._next_batch()
            jumped, clocks = _jumped(clocks, time.monotonic() - began)
            self._work(batch)
            self._run_errands()
            if jumped or time.monotonic() >= rescan:
                self._look_over_all()
                rescan = _after(RESCAN_SECONDS)
            if time.monotonic() >= poll:
                self._changes.look_over(self._observing.polled())
                poll = _after(POLL_SECONDS)

    def _next_batch(self) -> Batch:
        if not self._paused.is_set():
            return self._changes.take(CHECK_SECONDS)
        self._stopping.wait(1.0)
        return Batch()

    def _work(self, batch: Batch) -> None:
        if batch:
            with self._writing:
                # It may have been told to pause since the batch was taken.
                if self._paused.is_set():
                    self._changes.put_back(batch, 0.0)
                else:
                    self._background.index(batch, frozenset(self._sources))
            self._busy_at = time.monotonic()
        elif self._background.owes_publishing and not self._paused.is_set():
            with self._writing:
                self._background.publish()
        elif self._is_idle():
            with self._writing:
                more = self._background.finish(self._has_other_work)
            self._finish_at = time.monotonic() + (0.0 if more else FINISH_SECONDS)
            self._busy_at = time.monotonic()

    def _run_errands(self) -> None:
        if self._background.errands.are_due and not self._paused.is_set():
            until = time.monotonic() + TURN_SECONDS
            with self._writing:
                self._background.run_errands(
                    lambda: self._is_stopping() or (time.monotonic() > until and self._has_other_work())
                )

    def _is_idle(self) -> bool:
        now = time.monotonic()
        quiet = now - self._busy_at >= IDLE_SECONDS and now >= self._finish_at
        return quiet and not self._paused.is_set() and not self._has_other_work()

    def _has_other_work(self) -> bool:
        return bool(self._changes.waiting) or self._is_stopping()

    def _is_stopping(self) -> bool:
        return self._stopping.is_set() or self._state.is_wanted_to_stop

    # Sources and watchers.

    def _follow_sources(self) -> None:
        """Watch what are sources now."""
        sources = read_shelf(self._home).sources if database_path(self._home).exists() else ()
        self._sources = {
            source.path: source for source in sources if source.kind == "folder" and not source.paused
        }
        self._observing.watch(sorted(self._sources))

    def _look_over_all(self) -> None:
        self._changes.look_over(self._sources.keys())

    def _lost(self) -> None:
        self._losses += 1
        self._look_over_all()

    # What can be asked.

    def _handlers(self) -> Mapping[str, Callable[[Mapping[str, Any], Channel], None]]:
        guests = {word: handler for guest in self._guests for word, handler in guest.handlers.items()}
        return guests | {
            "search": self._searcher.answer,
            "status": self._answer_status,
            "hold": self._answer_hold,
            "pause": self._answer_pause,
            "resume": self._answer_resume,
            "stop": self._answer_stop,
        }

    def _answer_status(self, _: Mapping[str, Any], channel: Channel) -> None:
        """Tell what the daemon does and how its watchers are."""
        channel.send(self._status())

    def _status(self) -> dict[str, Any]:
        problems = (self._background.problem, *self._background.errands.problems.values())
        return {
            "pid": os.getpid(),
            "paused": self._paused.is_set(),
            "waiting": self._changes.waiting,
            "watches": [
                {"path": os.fsdecode(root), "state": watch.state, "reason": watch.reason}
                for root, watch in sorted(self._observing.watches.items())
            ],
            "losses": self._losses + self._changes.overflows,
            "last_scan": self._background.last_scan,
            "problem": "; ".join(filter(None, problems)),
            "waits_for": self._background.waits_for,
            **self._state.to_json(),
        }

    def _answer_hold(self, _: Mapping[str, Any], channel: Channel) -> None:
        """Stand aside while the one who asks writes: until it says that it is done, or hangs up."""
        self._state.interrupt()
        with self._writing:
            self._state.go_on()
            self._state.stage("standing aside")
            try:
                # Who asked may have given up meanwhile.
                channel.send({"held": True})
                channel.wait()
            finally:
                self._state.stage("idle")
                self._stale.set()
                self._changes.wake()

    def _answer_pause(self, _: Mapping[str, Any], channel: Channel) -> None:
        """Index no more until told to resume; searches go on."""
        self._paused.set()
        self._state.interrupt()
        with self._writing:
            self._state.go_on()
        channel.send({"paused": True})

    def _answer_resume(self, _: Mapping[str, Any], channel: Channel) -> None:
        """Go on indexing."""
        self._paused.clear()
        self._changes.wake()
        channel.send({"paused": False})

    def _answer_stop(self, _: Mapping[str, Any], channel: Channel) -> None:
        """End the daemon; the answer comes when it stops, and it has ended when the lock is free."""
        channel.send({"stopping": True, "pid": os.getpid()})
        self.stop()


def _after(seconds: float) -> float:
    """A moment about so far away, not the same for all machines of a house."""
    return time.monotonic() + seconds * random.uniform(0.75, 1.25)


def _clocks() -> tuple[float, float]:
    return time.monotonic(), time.time()


def _jumped(before: tuple[float, float], waited: float) -> tuple[bool, tuple[float, float]]:
    """Whether the machine slept, or its clock was set, since the clocks were as ``before``.

    The steady clock stands still in a sleep, but for Windows: there the wait for changes seems to last long.
    """
    now = _clocks()
    apart = abs((now[1] - before[1]) - (now[0] - before[0]))
    return apart > JUMP_SECONDS or waited > CHECK_SECONDS + JUMP_SECONDS, now
