"""On what kind of file system a path lies: some do not tell of changes that are made elsewhere."""

import os
from collections.abc import Iterable
from pathlib import Path

from capsa.chunkers.errors import UnavailableError

# Shares and clouds; fuse.* is added by prefix, except for what is a disk in this machine.
REMOTE = frozenset(
    ["nfs", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "afpfs", "9p", "ceph", "afs", "davfs", "webdav"]
)
LOCAL_FUSE = frozenset(["fuseblk", "fuse.ntfs-3g", "fuse.ntfs", "fuse.exfat", "fuse.ext2"])


def is_remote(path: bytes) -> str:
    """Return the kind of file system when changes on it may not be told of, else nothing."""
    kind = file_system(path, _mounts())
    if kind in REMOTE or (kind.startswith("fuse") and kind not in LOCAL_FUSE):
        return kind
    return ""


def refuse_share(home: Path) -> None:
    """Raise UnavailableError for a home on a share: SQLite's log needs memory that processes have in common.

    See https://sqlite.org/wal.html. File systems of programs (FUSE), as those that encrypt a folder, have it.
    """
    kind = file_system(os.fsencode(home), _mounts())
    if kind in REMOTE:
        raise UnavailableError(
            f"{home}: is on {kind}, where the index would be damaged sooner or later;"
            " let CAPSA_HOME be a folder on a disk of this machine"
        )


def file_system(path: bytes, mounts: Iterable[tuple[bytes, str]]) -> str:
    """Return the kind of the innermost mount that the path lies in."""
    best: tuple[bytes, str] = (b"", "")
    for point, kind in mounts:
        prefix = os.path.join(point, b"")
        if (path == point or path.startswith(prefix)) and len(point) >= len(best[0]):
            best = (point, kind)
    return best[1]


def _mounts() -> list[tuple[bytes, str]]:
    import psutil

    return [(os.fsencode(part.mountpoint), part.fstype.lower()) for part in psutil.disk_partitions(all=True)]
