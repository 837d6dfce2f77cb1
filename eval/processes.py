"""A grid on several processes of this machine: what is not embedding uses one core each."""

import os
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from itertools import zip_longest
from multiprocessing import get_context
from pathlib import Path
from types import FrameType

from capsa.chunkers.errors import CapsaError

from .grid import Group, Plan
from .gridrun import Done, do_one
from .workshop import Workshop

# Below so many groups, starting processes costs more than they save.
FEW_GROUPS = 8

_workshops: list[Workshop] = []


def default_workers(groups: int) -> int:
    """Return how many processes suit so many groups."""
    return (os.cpu_count() or 1) if groups >= FEW_GROUPS else 1


def do_in_processes(plan: Plan, home: Path, workers: int, groups: Sequence[Group]) -> Iterator[Done]:
    """Do groups on that many processes; CapsaError when one of them dies."""
    threads = max(1, (os.cpu_count() or 1) // workers)
    pool = ProcessPoolExecutor(
        workers, mp_context=get_context("spawn"), initializer=_open, initargs=(home, threads)
    )
    try:
        jobs = [pool.submit(_do, plan, group) for group in apart(groups)]
        for job in as_completed(jobs):
            yield job.result()
    except BrokenProcessPool as error:
        raise CapsaError("a process of the grid died; the groups done are kept: run it again") from error
    finally:
        pool.shutdown(cancel_futures=True)


def apart(groups: Sequence[Group]) -> list[Group]:
    """Order the groups so that neighbours are of different sets: they share no texts to embed at once."""
    by_set: dict[str, list[Group]] = {}
    for group in groups:
        by_set.setdefault(group.questions.name, []).append(group)
    rounds = zip_longest(*by_set.values())
    return [group for each in rounds for group in each if group is not None]


def _open(home: Path, threads: int) -> None:
    # Ctrl-C reaches every process: each leaves its group, deletes its files, and ends without a word.
    signal.signal(signal.SIGINT, _leave)
    _workshops.append(Workshop(home, threads))


def _leave(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def _do(plan: Plan, group: Group) -> Done:
    return do_one(plan, group, _workshops[0])
