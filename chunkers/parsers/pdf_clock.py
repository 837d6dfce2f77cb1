"""What the layout pass of a PDF has used of its budget."""

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self


class LayoutClock:
    """Counts the time of the layout pass, not that of loading pages and texts: the plain pass takes that too.

    It counts while it is entered in a with statement; ``budget`` is in milliseconds of CPU time, that of the
    thread: where that of a process is limited, as a parser worker's is, Linux counts it in ticks of 4 ms.
    """

    def __init__(self, budget: float) -> None:
        self.budget = budget
        self._cpu = self._wall = 0.0
        self._began = (0.0, 0.0)

    def __enter__(self) -> Self:
        self._began = time.thread_time(), time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        self._cpu += time.thread_time() - self._began[0]
        self._wall += time.perf_counter() - self._began[1]

    def end(self, kept: float = 0.0, share: float = 1.0) -> float:
        """Return the thread's CPU time in seconds at which a share of what is left of the budget ends.

        ``kept`` are the seconds of it that are kept for what comes after.
        """
        return time.thread_time() + share * (self.budget / 1000 - self._cpu - kept)

    def spent(self) -> tuple[float, float]:
        """Return milliseconds of CPU time and of a clock that the pass has taken."""
        return round(self._cpu * 1000, 1), round(self._wall * 1000, 1)


@contextmanager
def collector_paused() -> Iterator[None]:
    """Keep Python from looking for cycles meanwhile, which among lines that are all kept takes a tenth."""
    paused = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if paused:
            gc.enable()
