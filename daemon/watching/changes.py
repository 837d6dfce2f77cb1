"""What is to be looked at, gathered from many threads: each path once, bounded, let out when it is quiet."""

import threading
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import NamedTuple

# So long nothing may happen before what was gathered is let out, and so long it may be held at most: a file
# that was copied in is found by a search within 3 s. An editor's rename, write and remove take less.
QUIET_SECONDS = 0.2
LONGEST_SECONDS = 1.0
# A path that was let out BURST times within a minute waits so long for its next turn: a log is not indexed at
# every line. A root, which costs more, waits after each time.
AGAIN_SECONDS = 10.0
BURST = 10
MINUTE = 60.0
# Paths that are kept; beyond it their roots are looked over whole.
MOST_PATHS = 50_000


@dataclass(frozen=True, slots=True)
class Batch:
    """Paths to look at, and roots to look over whole; nothing of both when only the time was up.

    ``settled`` are those of the paths whose writer is known to have finished.
    """

    paths: frozenset[bytes] = field(default_factory=frozenset)
    roots: frozenset[bytes] = field(default_factory=frozenset)
    settled: frozenset[bytes] = field(default_factory=frozenset)

    def __bool__(self) -> bool:
        return bool(self.paths or self.roots)


class Turns(NamedTuple):
    """When a path was let out first and last in the running minute, and how often."""

    first: float
    last: float = 0.0
    times: int = 0


class Changes:
    """A bounded set of paths and roots; ``clock`` gives seconds that never go back."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, most: int = MOST_PATHS) -> None:
        self._clock = clock
        self._most = most
        self._paths: dict[bytes, float] = {}
        self._roots: dict[bytes, float] = {}
        # The innermost root that a path was told of under.
        self._owners: dict[bytes, bytes] = {}
        self._settled: set[bytes] = set()
        self._turns: dict[bytes, Turns] = {}
        self._first: float | None = None
        self._last = 0.0
        self._woken = threading.Condition()
        self.overflows = 0

    def add(self, root: bytes, path: bytes, settled: bool = False) -> None:
        """Look at the path, which lies in the root; ``settled`` when its writer has just finished."""
        with self._woken:
            now = self._clock()
            if self._roots.get(root, now + 1) <= now:
                return
            if len(self._paths) >= self._most and path not in self._paths:
                self.overflows += 1
                self._give_up(root)
            else:
                # A path keeps its place in time: one that changes for ever gets its turn all the same.
                self._paths.setdefault(path, self._turn(path, BURST, now))
                self._owners[path] = max(root, self._owners.get(path, b""), key=len)
                (self._settled.add if settled else self._settled.discard)(path)
            self._touch(now)

    def postpone(self, paths: Collection[bytes], seconds: float) -> None:
        """Look at the paths again, but not before so long."""
        with self._woken:
            self._paths |= dict.fromkeys(paths, self._clock() + seconds)

    def put_back(self, batch: Batch, seconds: float) -> None:
        """Look at what was taken again, at the paths not before so long."""
        self.look_over(batch.roots)
        self.postpone(batch.paths, seconds)

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

    def take_few(self, most: int) -> Batch:
        """Return and forget what ``take`` would give at once, if no root and at most so many paths."""
        with self._woken:
            few = len(self._paths) <= most and not self._roots
            return self._let() if few and self._due() <= self._clock() else Batch()

    @property
    def waiting(self) -> int:
        """How many paths and roots wait."""
        with self._woken:
            return len(self._paths) + len(self._roots)

    def _give_up(self, root: bytes) -> None:
        """Forget the root's paths, which looking it over whole covers; those of a root within it are not."""
        self._roots.setdefault(root, self._turn(root, 1, self._clock()))
        for path in [path for path, owner in self._owners.items() if owner == root]:
            del self._paths[path], self._owners[path]
            self._settled.discard(path)

    def _turn(self, path: bytes, burst: int, now: float) -> float:
        turns = self._turns.get(path)
        return now if turns is None or turns.times < burst else max(now, turns.last + AGAIN_SECONDS)

    def _touch(self, now: float) -> None:
        if self._first is None:
            self._first = now
        self._last = now
        self._woken.notify_all()

    def _due(self) -> float:
        """When there is something to let out: soon after the last event, or when a path's turn comes."""
        if not (self._paths or self._roots):
            return float("inf")
        first = self._last if self._first is None else self._first
        quiet = min(self._last + QUIET_SECONDS, first + LONGEST_SECONDS)
        return max(quiet, min((*self._paths.values(), *self._roots.values())))

    def _let(self) -> Batch:
        now = self._clock()
        paths = {path for path, due in self._paths.items() if due <= now}
        roots = {root for root, due in self._roots.items() if due <= now}
        for path in paths:
            del self._paths[path]
            self._owners.pop(path, None)
        for root in roots:
            del self._roots[root]
        self._turns = {path: turns for path, turns in self._turns.items() if now - turns.first < MINUTE}
        for path in paths | roots:
            before = self._turns.get(path, Turns(now))
            self._turns[path] = Turns(before.first, now, before.times + 1)
        self._first = None
        settled, self._settled = paths & self._settled, self._settled - paths
        return Batch(frozenset(paths), frozenset(roots), frozenset(settled))
