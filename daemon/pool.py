"""A pool of parser workers: one file each at a time, a deadline for each, a new process after a crash."""

import queue
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from .child import Child, Outcome
from .worker import Job

# Files handed out per worker: enough that none waits while the parent writes a batch.
AHEAD = 4
AHEAD_BYTES = 64 << 20

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Task(Generic[T]):
    """A file to parse: what the caller knows it by, its name, its bytes."""

    key: T
    name: str
    data: bytes


class Pool:
    """Workers, one thread for each to talk to it, and a clock thread; use it in a with statement."""

    def __init__(self, job: Job, workers: int, *, _command: Sequence[str] | None = None) -> None:
        command = _command or (sys.executable, "-P", "-m", "capsa.daemon.worker")
        self._workers = [Child(job, command) for _ in range(workers)]
        self._tasks: queue.SimpleQueue[Task[object] | None] = queue.SimpleQueue()
        self._results: queue.SimpleQueue[tuple[Task[object], Outcome | Exception]] = queue.SimpleQueue()
        self._closing = threading.Event()
        self._threads = [threading.Thread(target=self._serve, args=(worker,)) for worker in self._workers]
        self._clock = threading.Thread(target=self._watch)

    def __enter__(self) -> "Pool":
        for thread in [*self._threads, self._clock]:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        for worker in self._workers:
            worker.close()
        for _thread in self._threads:
            self._tasks.put(None)
        for thread in [*self._threads, self._clock]:
            thread.join()
        for worker in self._workers:
            worker.stop()

    def run(self, tasks: Iterable[Task[T]]) -> Iterator[tuple[T, Outcome]]:
        """Parse all tasks, taken only as workers need them; outcomes come in the order of completion."""
        waiting, waiting_bytes = 0, 0
        ahead = AHEAD * len(self._workers)
        source = iter(tasks)
        while True:
            while (
                waiting < ahead and waiting_bytes < AHEAD_BYTES and (task := next(source, None)) is not None
            ):
                waiting, waiting_bytes = waiting + 1, waiting_bytes + len(task.data)
                self._tasks.put(task)  # type: ignore[arg-type]
            if not waiting:
                return
            done, outcome = self._next_result()
            waiting, waiting_bytes = waiting - 1, waiting_bytes - len(done.data)
            if isinstance(outcome, Exception):
                raise outcome
            yield done.key, outcome  # type: ignore[misc]

    def _next_result(self) -> tuple[Task[object], Outcome | Exception]:
        while True:
            try:
                return self._results.get(timeout=0.5)  # Windows delivers Ctrl-C only between waits
            except queue.Empty:
                continue

    def _serve(self, worker: Child) -> None:
        while (task := self._tasks.get()) is not None and not self._closing.is_set():
            outcome: Outcome | Exception
            try:
                outcome = worker.parse(task.name, task.data)
            except Exception as error:  # raised again in the thread that waits, which would wait for ever
                outcome = error
            self._results.put((task, outcome))

    def _watch(self) -> None:
        while not self._closing.wait(0.1):
            now = time.monotonic()
            for worker in self._workers:
                worker.check_deadline(now)
