"""Walk a source: every entry comes out once, as a file that was found or as one that is left out and why."""

import os
import stat
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote_from_bytes

from .excludes import Excludes, Folder

# macOS's SF_DATALESS, and Windows' attributes OFFLINE, RECALL_ON_OPEN and RECALL_ON_DATA_ACCESS.
DATALESS = 0x40000000
RECALLED = 0x1000 | 0x40000 | 0x400000
_EARLIEST, _LATEST = -(1 << 63), (1 << 63) - 1


class Found(NamedTuple):
    """A regular file and the state it was seen in."""

    path: bytes
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int

    @property
    def changed_ns(self) -> int:
        """When the file was changed, renamed or copied last, in nanoseconds since 1970."""
        return max(self.mtime_ns, self.ctime_ns)


class Skip(NamedTuple):
    """An entry that is left out, and the word for it; of a folder that is left out nothing below is seen."""

    path: bytes
    reason: str
    is_dir: bool


Item = Found | Skip


@dataclass(frozen=True, slots=True)
class Limits:
    """What bounds a walk: the largest file, whether to enter other file systems, folders of other sources."""

    max_file_bytes: int
    other_file_systems: bool = False
    other_sources: Collection[bytes] = ()


def found(path: bytes, state: os.stat_result) -> Found:
    """The record of a file in this state."""
    return Found(path, state.st_size, _kept(state.st_mtime_ns), _kept(state.st_ctime_ns), state.st_ino)


def _kept(nanoseconds: int) -> int:
    """The time, or the first or last one that a database can hold, which has 64 bits: 1677 or 2262."""
    return max(_EARLIEST, min(nanoseconds, _LATEST))


def walk(root: bytes, excludes: Excludes, limits: Limits, within: bytes | None = None) -> Iterator[Item]:
    """All entries of a source, or of the part within a path; links are not followed, nothing is opened."""
    top = root if within is None else within
    try:
        state = os.lstat(top)
    except (FileNotFoundError, NotADirectoryError):
        return
    if not stat.S_ISDIR(state.st_mode):
        yield _file(top, state, limits)
        return
    above = excludes.root(root) if top == root else excludes.folder(root, os.path.dirname(top))
    if not isinstance(above, str) and top != root:
        above = excludes.entry(above, os.path.basename(top), is_dir=True) or above
    if isinstance(above, str):
        yield Skip(top, above, True)
        return
    stack: list[tuple[bytes, Folder]] = [(top, above)]
    while stack:
        path, parent = stack.pop()
        entries = _listing(path)
        if entries is None:
            yield Skip(path, "unreadable", True)
            continue
        folder = excludes.enter(parent, path, [entry.name for entry in entries])
        if isinstance(folder, str):
            yield Skip(path, folder, True)
            continue
        inner: list[tuple[bytes, Folder]] = []
        while entries:
            # It keeps what was asked of it, which of a large folder is much.
            entry = entries.pop()
            item = _entry(entry, folder, excludes, limits, state.st_dev)
            if item is None:
                inner.append((entry.path, folder))
            else:
                yield item
        stack.extend(reversed(inner))


def _listing(path: bytes) -> list[os.DirEntry[bytes]] | None:
    """The entries of a folder, the last one first; None when it cannot be read."""
    try:
        with os.scandir(path) as listing:
            return sorted(listing, key=_name, reverse=True)
    except OSError:
        return None


def _name(entry: os.DirEntry[bytes]) -> bytes:
    return entry.name


def _entry(
    entry: os.DirEntry[bytes], folder: Folder, excludes: Excludes, limits: Limits, device: int
) -> Item | None:
    """What comes out for one entry; None for a folder that is to be entered."""
    if entry.is_symlink():
        return Skip(entry.path, "symlink", False)
    is_dir = entry.is_dir(follow_symlinks=False)
    if reason := excludes.entry(folder, entry.name, is_dir):
        return Skip(entry.path, reason, is_dir)
    if entry.path in limits.other_sources:
        return Skip(entry.path, "other-source", is_dir)
    try:
        state = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return Skip(entry.path, "vanished", is_dir)
    except OSError:
        return Skip(entry.path, "unreadable", is_dir)
    if not is_dir:
        return _file(entry.path, state, limits)
    # On Windows DirEntry.stat tells no device (0).
    if not limits.other_file_systems and state.st_dev not in (device, 0):
        return Skip(entry.path, "other-file-system", True)
    return None


def is_in_the_cloud(state: os.stat_result) -> bool:
    """Whether the file's content is not on this machine: opening it would fetch it."""
    flags, attributes = getattr(state, "st_flags", 0), getattr(state, "st_file_attributes", 0)
    return bool(flags & DATALESS or attributes & RECALLED)


def _file(path: bytes, state: os.stat_result, limits: Limits) -> Item:
    if not stat.S_ISREG(state.st_mode):
        return Skip(path, "symlink" if stat.S_ISLNK(state.st_mode) else "special", False)
    if is_in_the_cloud(state):
        return Skip(path, "in-the-cloud", False)
    if state.st_size == 0:
        return Skip(path, "empty", False)
    if state.st_size > limits.max_file_bytes:
        return Skip(path, "too-large", False)
    return found(path, state)


def file_uri(path: bytes) -> str:
    """The file: URI of an absolute path, which may hold any bytes."""
    if os.sep == "/":
        return "file://" + quote_from_bytes(path)
    return "file:///" + quote_from_bytes(path.replace(b"\\", b"/"), safe="/:")
