"""The worker that reads an export: a process like the parser worker, which may read that one file only.

It is asked for the format first (page 0) and then for one batch of records after the other (page 1, 2, …).
One that takes the place of another goes through what that one has given.
"""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from capsa.chunkers.history import find_format, read_export
from capsa.chunkers.history.model import Meter, Record
from capsa.chunkers.history.wire import dump

from ..worker import Handle, Job, Request, serve, streams

BATCH = 5000
"""Records of a batch: each is a few hundred bytes."""


class Reading:
    """Reads one export batch by batch."""

    def __init__(self) -> None:
        self._meter = Meter()
        self._records: Iterator[Record] = iter(())
        self._next = 1

    def __call__(self, request: Request) -> bytes:
        """Return the format as JSON, or a batch in the form of chunkers.history.wire, last an empty one."""
        path = Path(request.name)
        if request.page == 0:
            found = find_format(path)
            return json.dumps([found.name, found.browser]).encode()
        if request.page == 1 or request.page != self._next:
            self._meter = Meter()
            self._records = islice(read_export(path, self._meter), (request.page - 1) * BATCH, None)
        self._next = request.page + 1
        records = list(islice(self._records, BATCH))
        return dump(self._meter.share, records)


def start(job: Job) -> Handle:
    """Make ready."""
    return Reading()


def main() -> None:
    """Run as ``python -m capsa.daemon.history.worker``; the pool starts it."""
    source, sink = streams()
    serve(source, sink, start)


if __name__ == "__main__":
    main()
