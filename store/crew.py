"""A few threads that work through numbered jobs together."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor


class Crew:
    """Runs jobs on a fixed number of threads; with one thread, on the caller's own."""

    def __init__(self, threads: int) -> None:
        self._threads = max(1, threads)
        self._pool = _start(self._threads) if self._threads > 1 else None

    def run(self, work: Callable[[int], None], jobs: Iterable[int]) -> None:
        """Call ``work`` once for each job, in order; the first error ends the run and is raised here."""
        waiting = list(jobs)[::-1]

        def toil() -> None:
            # list.pop is atomic; whoever finds the list empty is done.
            while waiting:
                try:
                    job = waiting.pop()
                except IndexError:
                    return
                work(job)

        if self._pool is None or len(waiting) == 1:
            toil()
            return
        running = [self._pool.submit(toil) for _ in range(self._threads)]
        try:
            for future in running:
                future.result()
        finally:
            waiting.clear()

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()


def _start(threads: int) -> "ThreadPoolExecutor":
    # One query needs one thread, and no import of this module.
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(threads, "embed")
