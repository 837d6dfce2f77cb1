"""The home folder: where everything capsa keeps lies, who may read it, and the lock of its one writer."""

import os
import sys
from pathlib import Path
from typing import BinaryIO

from capsa.chunkers.errors import StoreError

from .private import make_folder

DATABASE = "capsa.sqlite"
LOCK = "writer.lock"
# The FAISS files: vectors.<generation>.faiss.
CACHES = "vectors.*.faiss"


def home_folder() -> Path:
    """Return CAPSA_HOME, else the platform's data folder for capsa; it need not exist yet."""
    named = os.environ.get("CAPSA_HOME")
    if named:
        return Path(named).expanduser().absolute()
    import platformdirs

    return Path(platformdirs.user_data_dir("capsa", appauthor=False))


def make_home(home: Path) -> Path:
    """Create the home for the user alone (0700)."""
    try:
        make_folder(home)
        if os.name != "nt" and home.stat().st_mode & 0o077:
            home.chmod(0o700)
    except OSError as error:
        raise StoreError(f"{home}: the home folder cannot be made: {error.strerror}") from error
    return home


def database_path(home: Path) -> Path:
    """Return the path of the SQLite file, the only truth of a home."""
    return home / DATABASE


def lock(home: Path) -> BinaryIO:
    """Take the writer's lock; it lasts until the returned file is closed."""
    path = home / LOCK
    try:
        return lock_file(path)
    except BlockingIOError as error:
        raise StoreError(f"{home}: another capsa is writing here; stop it or wait for it") from error
    except OSError as error:
        raise StoreError(f"{path}: the writer's lock cannot be opened: {error.strerror}") from error


def lock_file(path: Path) -> BinaryIO:
    """Lock a file, made when it is missing, until it is closed; BlockingIOError when another process has it.

    The file is never deleted: a lock on a deleted file would not be seen by who creates it anew. Python
    opens it close-on-exec, so a child process never keeps the lock of a dead parent.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    file = os.fdopen(handle, "r+b", buffering=0)
    try:
        _lock_file(file)
    except OSError as error:
        file.close()
        raise BlockingIOError(error.errno, "locked by another process", os.fspath(path)) from error
    return file


def is_at(file: BinaryIO, path: Path) -> bool:
    """Whether the open file is the one at the path: else somebody else may hold another lock there."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except OSError:
        return False


if sys.platform == "win32":
    import msvcrt

    def _lock_file(file: BinaryIO) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock_file(file: BinaryIO) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
