"""A grid on several processes of this machine: what is not embedding uses one core each."""

import os
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import zip_longest
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from pathlib import Path
from types import FrameType

from capsa.chunkers.errors import CapsaError

from .grid import Group, Plan
from .gridrun import Done, do_one
from .workshop import Workshop

# Below so many groups, starting processes costs more than they save.
FEW_GROUPS = 8

# Of a worker: what it works with, and whether the grid has been stopped.
_opened: list[tuple[Workshop, Event]] = []


def default_workers(groups: int) -> int:
    """Return how many processes suit so many groups."""
    return (os.cpu_count() or 1) if groups >= FEW_GROUPS else 1


def do_in_processes(plan: Plan, home: Path, workers: int, groups: Sequence[Group]) -> Iterator[Done]:
    """Do groups on that many processes; CapsaError when one of them dies."""
    threads = max(1, (os.cpu_count() or 1) // workers)
    context = get_context("spawn")
    stop = context.Event()
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_open, initargs=(home, threads, stop))
    try:
        with _deaf():
            jobs = [pool.submit(_do, plan, group) for group in apart(groups)]
        for job in as_completed(jobs):
            yield job.result()
    except BrokenProcessPool as error:
        raise CapsaError("a process of the grid died; the groups done are kept: run it again") from error
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)


@contextmanager
def _deaf() -> Iterator[None]:
    """Start processes that do not hear Ctrl-C until they can end without a word."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def apart(groups: Sequence[Group]) -> list[Group]:
    """Order the groups so that neighbours are of different sets: they share no texts to embed at once."""
    by_set: dict[str, list[Group]] = {}
    for group in groups:
        by_set.setdefault(group.questions.name, []).append(group)
    rounds = zip_longest(*by_set.values())
    return [group for each in rounds for group in each if group is not None]


def _open(home: Path, threads: int, stop: Event) -> None:
    # Ctrl-C reaches every process: each leaves its group, deletes its files, and ends without a word.
    signal.signal(signal.SIGINT, _leave)
    _opened.append((Workshop(home, threads), stop))


def _leave(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def _do(plan: Plan, group: Group) -> Done:
    workshop, stop = _opened[0]
    # Some groups are handed out before their turn, and nobody waits for them any more.
    return Done(group) if stop.is_set() else do_one(plan, group, workshop)
