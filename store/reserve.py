"""A file of no use that is given up on a full disk, so that there is room to remove what was indexed."""

import os
import shutil
from pathlib import Path

RESERVE = "reserve"
RESERVE_BYTES = 32 << 20
# It is not made on a disk that has not several times its size.
PLENTY = 8


def keep_reserve(home: Path) -> None:
    """Make the file, unless it is there or the disk has little room."""
    path = home / RESERVE
    if path.exists() or shutil.disk_usage(home).free < PLENTY * RESERVE_BYTES:
        return
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        _fill(handle)
    except OSError:
        path.unlink()
    finally:
        os.close(handle)


def give_up_reserve(home: Path) -> None:
    """Give its room back to the disk."""
    (home / RESERVE).unlink(missing_ok=True)


def _fill(handle: int) -> None:
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(handle, 0, RESERVE_BYTES)
        return
    part = bytes(1 << 20)
    for _ in range(RESERVE_BYTES // len(part)):
        os.write(handle, part)
