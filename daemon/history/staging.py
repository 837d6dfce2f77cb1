"""Making an export ready to be read: a database is copied, since its browser may be writing to it.

Nothing is written beside the original, no lock is taken on it. Other exports are read where they are.
"""

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from capsa.chunkers.errors import ParseError, StoreError
from capsa.chunkers.history.database import LOG, MAGIC, SHARED
from capsa.store.private import make_folder
from capsa.store.writer import FREE_BYTES

from ..reading import open_regular, read_head

FOLDER = "importing"
_LOG, _JOURNAL = os.fsencode(LOG), b"-journal"
# Of a rollback journal: its magic, then the number of pages in it, 0 until the database is about to change.
_JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")
_TRIES = 10
_PAUSE_SECONDS = 0.3
_PART = 1 << 20


@dataclass(frozen=True, slots=True)
class Staged:
    """A file that a worker may read, with all that it needs beside it in ``readable``.

    ``state`` tells whether the export is still the same.
    """

    path: Path
    readable: Path
    state: str


@contextmanager
def staged(path: Path, home: Path) -> Iterator[Staged]:
    """Make an export ready; ParseError when it cannot be read. The caller has the home's lock."""
    source = os.fsencode(path)
    if not _is_database(source):
        yield Staged(path, path, state_of(path))
        return
    folder = home / FOLDER
    # What a program that was killed has left.
    shutil.rmtree(folder, ignore_errors=True)
    make_folder(folder)
    try:
        yield Staged(folder / "export", folder, _copy(source, folder / "export"))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def state_of(path: Path) -> str:
    """Return sizes and times of the export's files: while it is the same, nothing was added."""
    source = os.fsencode(path)
    return " ".join(_stamp(name) for name in (source, source + _LOG))


def _stamp(path: bytes) -> str:
    try:
        stat = os.stat(path)
    except OSError:
        return "-"
    return f"{stat.st_size}/{stat.st_mtime_ns}"


def _is_database(path: bytes) -> bool:
    head = read_head(path, len(MAGIC))
    # One whose first page is still in the log is empty.
    return head == MAGIC or (not head and os.path.exists(path + _LOG))


def _copy(source: bytes, target: Path) -> str:
    """Copy a database with its log while nobody changes it, and return its state."""
    _need_space(source, target)
    for _ in range(_TRIES):
        before = state_of(Path(os.fsdecode(source)))
        if not _is_in_change(source):
            _copy_file(source, target)
            _copy_log(source, target)
            if state_of(Path(os.fsdecode(source))) == before:
                target.with_name(target.name + SHARED).touch(mode=0o600)
                return before
        time.sleep(_PAUSE_SECONDS)
    raise ParseError("busy", "its browser keeps writing to it; try again, or close the browser")


def _copy_log(source: bytes, target: Path) -> None:
    log = target.with_name(target.name + LOG)
    log.unlink(missing_ok=True)
    if os.path.exists(source + _LOG):
        _copy_file(source + _LOG, log)


def _is_in_change(source: bytes) -> bool:
    """Whether a browser without a log is in the middle of a change, or died there."""
    try:
        head = read_head(source + _JOURNAL, 12)
    except ParseError:
        return False
    return head[:8] == _JOURNAL_MAGIC and any(head[8:12])


def _copy_file(source: bytes, target: Path) -> None:
    handle = open_regular(source)
    with os.fdopen(handle, "rb") as read, target.open("wb") as write:
        target.chmod(0o600)
        shutil.copyfileobj(read, write, _PART)


def _need_space(source: bytes, target: Path) -> None:
    sizes = [os.path.getsize(name) for name in (source, source + _LOG) if os.path.exists(name)]
    if shutil.disk_usage(target.parent).free < sum(sizes) + FREE_BYTES:
        raise StoreError(f"{target.parent}: no room for a copy of {sum(sizes) >> 20} MB; nothing was read")
