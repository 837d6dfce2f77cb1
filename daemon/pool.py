"""A pool of parser workers: one file each at a time, a deadline for each, a new process after a crash."""

import queue
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from .child import Child, Failure, Outcome, load_parsed
from .worker import Job, Request

# Files handed out per worker: enough that none waits while the parent writes a batch.
AHEAD = 4
AHEAD_BYTES = 64 << 20

T = TypeVar("T")
Answer = bytes | Failure


@dataclass(frozen=True, slots=True)
class Task(Generic[T]):
    """A file to work on: what the caller knows it by, its name, its bytes; see Request for the others."""

    key: T
    name: str
    data: bytes
    page: int = 0
    recognised: bytes = b""
    deadlines: int = 1

    @property
    def request(self) -> Request:
        """What the worker is told."""
        return Request(self.name, self.data, self.page, self.recognised, self.deadlines)


class Pool:
    """Workers, one thread for each to talk to it, and a clock thread; use it in a with statement."""

    def __init__(self, job: Job, workers: int, *, command: Sequence[str] | None = None) -> None:
        command = command or (sys.executable, "-P", "-m", "capsa.daemon.worker")
        self._workers = [Child(job, command) for _ in range(workers)]
        self._tasks: queue.SimpleQueue[Task[object] | None] = queue.SimpleQueue()
        self._results: queue.SimpleQueue[tuple[Task[object], Answer | Exception]] = queue.SimpleQueue()
        self._closing = threading.Event()
        # Set while tasks are out, or the pool closes.
        self._working = threading.Event()
        self._out = self._out_bytes = 0
        # Called now and then while an answer is waited for; may raise, and then the pool is to be closed.
        self.while_waiting: Callable[[], None] = lambda: None
        self._threads = [threading.Thread(target=self._serve, args=(worker,)) for worker in self._workers]
        self._clock = threading.Thread(target=self._watch)

    def __enter__(self) -> "Pool":
        for thread in [*self._threads, self._clock]:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._working.set()
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
        for key, answer in self.ask(tasks):
            yield key, answer if isinstance(answer, Failure) else load_parsed(answer)

    def ask(self, tasks: Iterable[Task[T]]) -> Iterator[tuple[T, Answer]]:
        """Have all tasks worked on, as ``run`` does, and give the workers' answers as they are."""
        source = iter(tasks)
        while True:
            while self._wants_more() and (task := next(source, None)) is not None:
                self._hand_out(task)
            if not self._out:
                self._working.clear()
                return
            done, answer = self._next_result()
            self._out, self._out_bytes = self._out - 1, self._out_bytes - len(done.data)
            if isinstance(answer, Exception):
                raise answer
            yield done.key, answer  # type: ignore[misc]

    @property
    def is_clean(self) -> bool:
        """Whether all that was asked was answered and taken, so that the pool can serve somebody else."""
        return not self._out

    @property
    def peak_bytes(self) -> int:
        """The most memory that one of the workers has had, as far as the system tells."""
        return max(worker.peak_bytes for worker in self._workers)

    def _wants_more(self) -> bool:
        return self._out < AHEAD * len(self._workers) and self._out_bytes < AHEAD_BYTES

    def _hand_out(self, task: Task[T]) -> None:
        self._out, self._out_bytes = self._out + 1, self._out_bytes + len(task.data)
        self._working.set()
        self._tasks.put(task)  # type: ignore[arg-type]

    def _next_result(self) -> tuple[Task[object], Answer | Exception]:
        while True:
            try:
                return self._results.get(timeout=0.5)  # Windows delivers Ctrl-C only between waits
            except queue.Empty:
                self.while_waiting()

    def _serve(self, worker: Child) -> None:
        while (task := self._tasks.get()) is not None and not self._closing.is_set():
            answer: Answer | Exception
            try:
                answer = worker.ask(task.request)
            except Exception as error:  # raised again in the thread that waits, which would wait for ever
                answer = error
            self._results.put((task, answer))

    def _watch(self) -> None:
        while self._working.wait() and not self._closing.wait(0.1):
            now = time.monotonic()
            for worker in self._workers:
                worker.check_deadline(now)
