"""What the daemon is doing, told by the thread that works and read by those that answer."""

import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from .progress import seconds_left


class Interrupted(KeyboardInterrupt):
    """Work is to stop at the next safe point; a run saves what it has, as at Ctrl-C."""


class State:
    """The progress of a run, which a run tells as it would tell a progress bar, and whether it may go on."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stage = "starting"
        self._files = self._done = self._chunks = 0
        self._since = time.monotonic()
        self._guess: float | None = None
        self._stop = threading.Event()
        self._ended = False
        self.attend()

    # What a run tells.

    def start(self, files: int, seconds: float | None = None) -> None:
        """A run has so many files to read, and may take so long."""
        with self._lock:
            self._stage, self._files, self._done, self._chunks = "indexing", files, 0, 0
            self._since, self._guess = time.monotonic(), seconds

    def advance(self, chunks: int) -> None:
        """One more file is done; raises Interrupted when the run is wanted to stop."""
        with self._lock:
            self._done += 1
            self._chunks += chunks
        self._after_file()
        self.check()

    def check(self) -> None:
        """Raise Interrupted when the run is wanted to stop; for a run that waits."""
        if self._stop.is_set() or self._should_stop():
            raise Interrupted

    def stage(self, name: str) -> None:
        """Say what is being done now."""
        with self._lock:
            self._stage = name
            if name == "looking":
                self._files = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing is shown, nothing is to be cleared."""

    # What others ask and want.

    def attend(
        self,
        should_stop: Callable[[], bool] = lambda: False,
        after_file: Callable[[], None] = lambda: None,
    ) -> None:
        """Have the next run ask after each file, and while it waits, whether to stop."""
        self._should_stop, self._after_file = should_stop, after_file

    def rest(self, seconds: float) -> None:
        """Do nothing for so long, unless the run is wanted to stop."""
        self._stop.wait(seconds)

    def interrupt(self) -> None:
        """Have the run stop at the next file."""
        self._stop.set()

    @property
    def is_wanted_to_stop(self) -> bool:
        """Whether the run is to stop."""
        return self._stop.is_set()

    def go_on(self) -> None:
        """Let runs run again, unless it is all over."""
        if not self._ended:
            self._stop.clear()

    def end(self) -> None:
        """Have this run stop, and every later one."""
        self._ended = True
        self._stop.set()

    def to_json(self) -> dict[str, Any]:
        """The stage, and the files and chunks of the run with its rate and what it has left, in seconds."""
        with self._lock:
            told: dict[str, Any] = {"stage": self._stage}
            if self._files and self._stage != "idle":
                seconds = time.monotonic() - self._since
                told |= {"files": self._files, "done": self._done, "chunks": self._chunks}
                told |= {
                    "chunks_per_second": self._chunks / seconds if seconds else 0.0,
                    "seconds_left": seconds_left(self._done, self._files, seconds, self._guess),
                }
        return told
