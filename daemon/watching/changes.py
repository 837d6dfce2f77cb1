"""What is to be looked at, gathered from many threads: each path once, bounded, and let out when it is quiet."""

import threading
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

# So long nothing may happen before what was gathered is let out, and so long it may be held at most: a file
# that was copied in is found by a search within 3 s.
QUIET_SECONDS = 0.4
LONGEST_SECONDS = 1.5
# A path that was just let out waits so long for its next turn: a log is not indexed at every line.
AGAIN_SECONDS = 10.0
# Paths that are kept; beyond it their roots are looked over whole.
MOST_PATHS = 50_000


@dataclass(frozen=True, slots=True)
class Batch:
    """Paths to look at, and roots to look over whole; nothing of both when only the time was up."""

    paths: frozenset[bytes] = field(default_factory=frozenset)
    roots: frozenset[bytes] = field(default_factory=frozenset)

    def __bool__(self) -> bool:
        return bool(self.paths or self.roots)


class Changes:
    """A bounded set of paths and roots; ``clock`` gives seconds that never go back."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, most: int = MOST_PATHS) -> None:
        self._clock = clock
        self._most = most
        self._paths: dict[bytes, float] = {}
        self._roots: set[bytes] = set()
        self._let_out: dict[bytes, float] = {}
        self._first = self._last = 0.0
        self._woken = threading.Condition()
        self.overflows = 0

    def add(self, root: bytes, path: bytes) -> None:
        """Look at the path, which lies in the root."""
        with self._woken:
            if root in self._roots:
                return
            now = self._clock()
            if len(self._paths) >= self._most and path not in self._paths:
                self.overflows += 1
                self._give_up(root)
            else:
                # A path keeps its place in time: one that changes for ever gets its turn all the same.
                self._paths.setdefault(
                    path, max(now, self._let_out.get(path, -AGAIN_SECONDS) + AGAIN_SECONDS)
                )
            self._touch(now)

    def look_over(self, roots: Collection[bytes]) -> None:
        """Look over the roots whole: events were lost, or could not be had."""
        with self._woken:
            for root in roots:
                self._give_up(root)
            self._touch(self._clock())

    def wake(self) -> None:
        """Let whoever waits in ``take`` go on at once."""
        with self._woken:
            self._woken.notify_all()

    def take(self, seconds: float) -> Batch:
        """Wait until there is something that has become quiet, at most so long, and return and forget it."""
        with self._woken:
            wait = min(seconds, self._due() - self._clock())
            if wait > 0:
                self._woken.wait(wait)
            return self._let() if self._due() <= self._clock() else Batch()

    @property
    def waiting(self) -> int:
        """How many paths and roots wait."""
        with self._woken:
            return len(self._paths) + len(self._roots)

    def _give_up(self, root: bytes) -> None:
        """Forget the root's paths, which looking it over whole covers."""
        self._roots.add(root)
        below = root.rstrip(b"/\\") + root[-1:] if root.endswith((b"/", b"\\")) else root
        for path in [path for path in self._paths if path.startswith(below)]:
            del self._paths[path]

    def _touch(self, now: float) -> None:
        if not self._first:
            self._first = now
        self._last = now
        self._woken.notify_all()

    def _due(self) -> float:
        """When there is something to let out: soon after the last event, or when a path's turn comes."""
        if not (self._paths or self._roots):
            return float("inf")
        quiet = min(self._last + QUIET_SECONDS, self._first + LONGEST_SECONDS)
        earliest = 0.0 if self._roots else min(self._paths.values())
        return max(quiet, earliest)

    def _let(self) -> Batch:
        now = self._clock()
        paths = {path for path, due in self._paths.items() if due <= now}
        for path in paths:
            del self._paths[path]
        self._let_out = {path: when for path, when in self._let_out.items() if now - when < AGAIN_SECONDS}
        self._let_out |= dict.fromkeys(paths, now)
        batch = Batch(frozenset(paths), frozenset(self._roots))
        self._roots.clear()
        self._first = 0.0
        return batch
