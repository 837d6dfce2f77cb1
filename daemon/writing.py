"""Writing to a home that a daemon may be running over: it stands aside meanwhile."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from .serving.channel import daemon_aside

if TYPE_CHECKING:
    from capsa.store.writer import Writer


@contextmanager
def open_writer(home: Path) -> Iterator["Writer"]:
    """The home's one writer; StoreError when another command has it."""
    from capsa.store.writer import Writer

    with daemon_aside(home), Writer.open(home) as writer:
        yield writer
