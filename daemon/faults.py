"""Disks that fail: what they refused is tried again a few times, then seldom, and said so."""

import errno
import sqlite3
import time
from pathlib import Path

# After so many failures in a row it is tried only so often.
TRIES = 5
SELDOM_SECONDS = 3600.0

_ERRNOS = frozenset([errno.EIO, errno.EROFS, errno.ENODEV, errno.ENXIO])
# https://sqlite.org/rescode.html: SQLITE_READONLY, SQLITE_IOERR, SQLITE_CANTOPEN, without their details.
_CODES = frozenset([8, 10, 14])


def is_of_the_disk(error: BaseException | None) -> bool:
    """Whether the error, or one that it came from, is a disk that does not take or give what it should."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in _ERRNOS:
            return True
        if isinstance(error, sqlite3.Error) and getattr(error, "sqlite_errorcode", 0) & 0xFF in _CODES:
            return True
        error = error.__cause__
    return False


class Faults:
    """Counts failures of the disk in a row, and says when to try again."""

    def __init__(self) -> None:
        self._in_a_row = 0
        self._try_at = 0.0

    @property
    def must_wait(self) -> bool:
        """Whether nothing is to be written yet."""
        return time.monotonic() < self._try_at

    @property
    def has_some(self) -> bool:
        """Whether the last try failed."""
        return self._in_a_row > 0

    def add(self, error: Exception) -> str:
        """Count an error, if it is the disk's; return what is to be told of it."""
        if not is_of_the_disk(error):
            return str(error)
        self._in_a_row += 1
        if self._in_a_row < TRIES:
            return f"{error}; the disk may be failing"
        self._try_at = time.monotonic() + SELDOM_SECONDS
        return (
            f"{error}; the disk does not keep what is written, {TRIES} tries failed; searches go on,"
            f" and it is tried again every {SELDOM_SECONDS / 3600:.0f} h, or when capsa is started anew"
        )

    def clear(self) -> None:
        """A try succeeded."""
        self._in_a_row, self._try_at = 0, 0.0


def settle(home: Path) -> None:
    """Write what is in the database's log into the database, and empty the log.

    After an error of fsync the kernel holds pages for written that are not on the disk: to wait for the log
    once more would succeed and prove nothing (https://wiki.postgresql.org/wiki/Fsync_Errors). What is written
    anew, into other blocks, and waited for, is on the disk.
    """
    from capsa.store.database import cut_log, open_writing
    from capsa.store.home import database_path, lock

    with lock(home):
        connection = open_writing(database_path(home))
        try:
            cut_log(connection)
        finally:
            connection.close()
