"""watchdog, with what it does not tell added: lost events, folders it does not watch, threads that died."""

import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver, ObservedWatch

from .heartbeat import PATIENCE_SECONDS, Heartbeat, within
from .mounts import is_remote

logger = logging.getLogger(__name__)

# Is told the root, the path in it that something happened to, and whether that is settled.
Add = Callable[[bytes, bytes, bool], None]

# Reading a file is no change.
UNCHANGED = frozenset(["opened", "closed_no_write"])
# After these a folder may be there that needs a watch.
ADDED = frozenset(["created", "moved"])
# After these a file is whole: it was closed, or put in its place under another name before.
SETTLED = frozenset(["closed", "moved"])
# Folders are counted at most so often: a walk of all of them.
COUNT_SECONDS = 60.0
SETTLE_SECONDS = 2.0
# A watcher that hung is replaced; after so many of them all is polled until the next start.
MOST_HANGS = 3
# To add a folder's watches may take long: 100,000 of them some seconds.
ADDING_SECONDS = 600.0

# Elsewhere watchdog drops events without a word, so what is watched is polled as well.
TELLS_OF_LOSSES = sys.platform == "linux"


@dataclass(frozen=True, slots=True)
class Watch:
    """How a root is kept in view: ``state`` is watched, polled or offline, and why when not watched."""

    state: str
    reason: str = ""


class _Handler(FileSystemEventHandler):
    """Hands on the paths of a root's events; they are hints, whatever they say is looked at again."""

    def __init__(self, root: bytes, add: Add, grew: Callable[[], None], hear: Callable[[], None]) -> None:
        self._root = root
        self._add = add
        self._grew = grew
        self._hear = hear

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Hand on both ends of a move, and the one path of anything else."""
        self._hear()
        if event.event_type in UNCHANGED or (event.is_directory and event.event_type == "modified"):
            return
        if event.is_directory and event.event_type in ADDED:
            self._grew()
        for path in (event.src_path, event.dest_path):
            if path:
                self._add(self._root, os.fsencode(path), event.event_type in SETTLED)


class _Lost(logging.Handler):
    """Notices what watchdog only logs: that the kernel's queue ran over and events were lost."""

    def __init__(self, lost: Callable[[], None]) -> None:
        super().__init__(logging.WARNING)
        self._lost = lost

    def emit(self, record: logging.LogRecord) -> None:
        """Tell of a lost event."""
        if "overflow" in record.getMessage():
            self._lost()


class Observing:
    """Watches roots. ``add`` is called for each change, ``lost`` when some were not seen.

    ``pulse`` is a folder of capsa's own to prove the watcher in.
    """

    def __init__(self, add: Add, lost: Callable[[], None], pulse: Path) -> None:
        self._add = add
        self._lost = lost
        self._loss = _Lost(lost)
        self._observer: BaseObserver | None = None
        self._scheduled: dict[bytes, ObservedWatch] = {}
        self.watches: dict[bytes, Watch] = {}
        self._has_grown = threading.Event()
        self._look_at = float("-inf")
        self._watched: int | None = None
        self._pulse = pulse
        self._heartbeat: Heartbeat | None = None
        self._hangs = 0
        for name in ("watchdog.observers.inotify_c", "watchdog.observers.inotify"):
            logging.getLogger(name).addHandler(self._loss)

    def close(self) -> None:
        """Stop watching."""
        for name in ("watchdog.observers.inotify_c", "watchdog.observers.inotify"):
            logging.getLogger(name).removeHandler(self._loss)
        self._stop()

    def watch(self, roots: Collection[bytes]) -> None:
        """Watch these roots and no others; ``watches`` tells what became of each."""
        if self._observer is None or self._hangs_now() or not self._is_alive():
            self._stop()
            self._start()
        for root in self._scheduled.keys() - set(roots):
            self._leave(root)
        for root in roots:
            if root not in self._scheduled or not os.path.lexists(root):
                self._leave(root)
                self.watches[root] = self._begin(root)
        self.watches = {root: self.watches[root] for root in roots}
        self._judge(self._count_watches(), self._count_folders())

    def polled(self) -> list[bytes]:
        """Return the roots that must be looked over from time to time."""
        wanted = {"polled"} if TELLS_OF_LOSSES else {"polled", "watched"}
        return [root for root, watch in self.watches.items() if watch.state in wanted]

    def is_well(self) -> bool:
        """Whether all that was watched still is: threads alive, roots there, offline ones still away."""
        offline = [root for root, watch in self.watches.items() if watch.state == "offline"]
        there = all(os.path.lexists(root) for root in self._scheduled)
        well = self._is_alive() and not self._hangs_now()
        return well and there and not any(os.path.lexists(root) for root in offline)

    def beat(self) -> None:
        """Send something through the watcher now and then, which ``is_well`` expects to arrive."""
        if self._heartbeat is not None:
            self._heartbeat.beat()

    def _hangs_now(self) -> bool:
        return self._heartbeat is not None and self._heartbeat.is_missed()

    def check_limit(self) -> None:
        """Look, when folders were added, whether all are watched; when they are no more, begin anew and tell.

        watchdog may take a new folder for one that was renamed just before, which it need not watch again.
        """
        now = time.monotonic()
        if not self._has_grown.is_set() or now < self._look_at:
            return
        watched, folders = self._count_watches(), self._count_folders()
        if watched is not None and watched < folders and watched != self._watched:
            # They may still be being added.
            self._watched, self._look_at = watched, now + SETTLE_SECONDS
            return
        self._has_grown.clear()
        self._look_at = now + COUNT_SECONDS
        if self._judge(watched, folders):
            self._stop()
            self.watch(list(self.watches))
            self._lost()

    def _judge(self, watched: int | None, folders: int) -> bool:
        """Poll all when some are above the system's limit, which watchdog passes over in silence.

        Return whether that is new.
        """
        state = Watch("watched")
        if watched is not None and watched < folders:
            reason = f"{watched:,} of {folders:,} folders are watched; raise fs.inotify.max_user_watches"
            state = Watch("polled", reason)
        was_watched = any(self.watches[root].state == "watched" for root in self._scheduled)
        self.watches = self.watches | dict.fromkeys(self._scheduled, state)
        return was_watched and state.state == "polled"

    def _count_folders(self) -> int:
        return sum(count_folders(root) for root in self._scheduled)

    def _count_watches(self) -> int | None:
        """Return how many watches there are, without that of the folder which the watcher is proved in."""
        watched = count_watches()
        return None if watched is None else max(0, watched - (self._heartbeat is not None))

    def _begin(self, root: bytes) -> Watch:
        if not os.path.lexists(root):
            return Watch("offline", "not there now")
        if kind := is_remote(root):
            return Watch("polled", f"on {kind}, which does not tell of changes made elsewhere")
        if self._hangs >= MOST_HANGS:
            often = "once" if self._hangs == 1 else f"{self._hangs} times"
            return Watch("polled", f"the system's watcher hung {often}; start capsa again to watch")
        folder = root if os.path.isdir(root) else os.path.dirname(root)
        heartbeat = self._heartbeat
        hear = heartbeat.hear if heartbeat is not None else lambda: None
        handler = _Handler(root, self._add, self._has_grown.set, hear)
        try:
            self._scheduled[root] = self._schedule(handler, folder, recursive=folder == root)
        except OSError as error:
            return Watch("polled", f"cannot be watched: {error.strerror or error}")
        return Watch("watched")

    def _schedule(self, handler: FileSystemEventHandler, folder: bytes, recursive: bool) -> ObservedWatch:
        """Watch a folder; OSError when that cannot be done, or not in a long time."""
        observer, made = self._observer, []
        assert observer is not None
        within(
            ADDING_SECONDS,
            lambda: made.append(observer.schedule(handler, os.fsdecode(folder), recursive=recursive)),
        )
        return made[0]

    def _leave(self, root: bytes) -> None:
        watch = self._scheduled.pop(root, None)
        observer = self._observer
        if watch is None or observer is None:
            return
        try:
            within(PATIENCE_SECONDS, lambda: observer.unschedule(watch))
        except (KeyError, OSError) as error:
            logger.info("a folder that is gone was no longer watched: %s", error)

    def _is_alive(self) -> bool:
        observer = self._observer
        if observer is None:
            return False
        # On Linux one more thread reads for all of them, of which watchdog does not tell.
        reader = getattr(observer, "_inotify_fd", observer)
        return all(thread.is_alive() for thread in (observer, reader, *observer.emitters))

    def _start(self) -> None:
        self._observer = Observer()
        self._observer.start()
        if self._hangs >= MOST_HANGS:
            return
        heartbeat = Heartbeat(self._pulse)
        try:
            self._schedule(heartbeat, os.fsencode(heartbeat.folder), recursive=False)
        except OSError as error:
            logger.warning(
                "%s: cannot be watched, so a hanging watcher is not noticed: %s", self._pulse, error
            )
        else:
            self._heartbeat = heartbeat

    def _stop(self) -> None:
        """Stop the watcher; one that hangs is left behind with its threads."""
        observer = self._observer
        if self._hangs_now():
            self._hangs += 1
            logger.error("the system's watcher hangs: nothing it was asked to tell came through")
        if observer is not None:
            try:
                within(PATIENCE_SECONDS, lambda: _end(observer))
            except TimeoutError:
                logger.error("the system's watcher does not stop; it is left behind")
        self._observer = self._heartbeat = None
        self._scheduled.clear()


def _end(observer: BaseObserver) -> None:
    observer.stop()
    observer.join()


def count_folders(root: bytes) -> int:
    """Return how many folders the root is and has, links not followed."""
    return sum(1 for _ in os.walk(root))


def count_watches() -> int | None:
    """Return how many inotify watches this process has; None where the system has no inotify."""
    if sys.platform != "linux":
        return None
    watches = 0
    for info in Path("/proc/self/fdinfo").iterdir():
        try:
            watches += sum(line.startswith("inotify wd:") for line in info.read_text().splitlines())
        except FileNotFoundError:
            continue  # a file that another thread closed meanwhile
    return watches
