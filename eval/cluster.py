"""A grid on a Dask cluster (extra ``capsa[dask]``): groups go to workers, which see the same files.

Each worker needs capsa, the documents under the same paths, and the models in the same home.
"""

from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path

from capsa.chunkers.errors import UnavailableError

from .grid import Group, Plan
from .gridrun import Done, do_one
from .workshop import Workshop

CONNECT_S = 20


def do_on_cluster(plan: Plan, home: Path, address: str, groups: Sequence[Group]) -> Iterator[Done]:
    """Do groups on the cluster of that scheduler; UnavailableError when there is none."""
    try:
        distributed = import_module("dask.distributed")
    except ImportError as error:
        raise UnavailableError("a cluster needs Dask: pip install 'capsa[dask]'") from error
    try:
        client = distributed.Client(address, timeout=CONNECT_S)
    except (OSError, ValueError) as error:
        raise UnavailableError(f"no Dask scheduler answers at {address}: {error}") from error
    with client:
        jobs = [client.submit(do_alone, plan, group, home, pure=False) for group in groups]
        for job in distributed.as_completed(jobs):
            yield job.result()


def do_alone(plan: Plan, group: Group, home: Path) -> Done:
    """Do one group in a process that has nothing open."""
    with Workshop(home) as workshop:
        return do_one(plan, group, workshop)
