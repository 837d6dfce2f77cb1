"""Proof that a watcher works: a file of capsa's own is written now and then, and its event has to come."""

import logging
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

from watchdog.events import FileSystemEvent, FileSystemEventHandler

from capsa.store.private import make_folder

logger = logging.getLogger(__name__)

# A beat is sent so often, and missed when for so long after it no event at all came through.
EVERY_SECONDS = 60.0
LATE_SECONDS = 60.0
# A watcher that does not stop, or does not take or leave a folder, within so long is left behind.
PATIENCE_SECONDS = 20.0
FILE = "beat"


class Heartbeat(FileSystemEventHandler):
    """Beats in a folder that nothing else is in; ``clock`` gives seconds that never go back."""

    def __init__(self, folder: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self.folder = make_folder(folder)
        self._clock = clock
        self._sent = float("-inf")
        self._is_awaited = False

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Take the event of a beat."""
        self.hear()

    def hear(self) -> None:
        """Take any event of the watcher's: those of other files prove as much."""
        self._is_awaited = False

    def beat(self) -> None:
        """Send a beat when it is time for one and the one before was heard."""
        now = self._clock()
        if self._is_awaited or now - self._sent < EVERY_SECONDS:
            return
        self._sent, self._is_awaited = now, True
        try:
            os.close(os.open(self.folder / FILE, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
        except OSError as error:
            # A full disk is no fault of the watcher's.
            logger.info("the watcher was not proved: %s", error)
            self.hear()

    def is_missed(self) -> bool:
        """Whether a beat was sent and nothing came through since then."""
        return self._is_awaited and self._clock() - self._sent > LATE_SECONDS


def within(seconds: float, call: Callable[[], object]) -> None:
    """Run the call and raise what it raises, TimeoutError when it takes longer: then it is left behind."""
    raised: list[Exception | None] = []

    def run() -> None:
        try:
            call()
        except (OSError, LookupError) as error:
            raised.append(error)
        else:
            raised.append(None)

    thread = threading.Thread(target=run, name="capsa-watcher-call", daemon=True)
    thread.start()
    thread.join(seconds)
    if not raised:
        raise TimeoutError("the system's watcher does not answer")
    if raised[0] is not None:
        raise raised[0]
