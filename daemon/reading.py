"""Open and read one file without ever blocking, following a link, or taking more than the limit."""

import hashlib
import os
import stat
import sys
import time
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from capsa.chunkers.errors import ParseError

# O_NONBLOCK: opening a FIFO would otherwise wait for its writer. Flags that a system lacks count as 0.
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NOCTTY", 0)
)

HEAD_BYTES = 1 << 16
PART_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Content:
    """What was read: the bytes, the state of the file that they were read from, and when it was opened."""

    data: bytes
    stat: os.stat_result
    opened_ns: int

    @property
    def digest(self) -> bytes:
        """The content hash that documents are recognised by."""
        return content_hash(self.data)


def content_hash(data: bytes) -> bytes:
    """The 16-byte BLAKE2b hash of a file's bytes."""
    return hashlib.blake2b(data, digest_size=16).digest()


def open_regular(path: bytes) -> int:
    """Open a regular file for reading; ParseError for a link, FIFO, device, or what cannot be opened."""
    try:
        if not hasattr(os, "O_NOFOLLOW") and stat.S_ISLNK(os.lstat(path).st_mode):
            raise ParseError("symlink", "a symbolic link is not followed")
        descriptor = os.open(path, _FLAGS)
    except OSError as error:
        raise ParseError(*_explain(path, error)) from error
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise ParseError("special", "not a regular file")


def _explain(path: bytes, error: OSError) -> tuple[str, str]:
    if isinstance(error, FileNotFoundError):
        return "vanished", "the file is gone"
    if os.path.islink(path):
        return "symlink", "a symbolic link is not followed"
    try:
        special = not stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        special = False
    return ("special", "not a regular file") if special else ("unreadable", error.strerror or str(error))


def read_file(path: bytes, limit: int, look: Callable[[bytes], object] = bool, root: bytes = b"") -> Content:
    """Read a whole regular file of at most limit bytes, once ``look`` at its first bytes raised nothing.

    Below the root, if one is given, no folder on the way may be a link, and none may have become one.
    """
    opened_ns = time.time_ns()
    descriptor = open_regular(path)
    try:
        if root and _leads_elsewhere(descriptor, path[len(root) :], root):
            raise ParseError("symlink", "a symbolic link is not followed")
        state = os.fstat(descriptor)
        if state.st_size > limit:
            raise ParseError("too-large", f"{state.st_size} bytes; the limit is {limit}")
        head = os.read(descriptor, HEAD_BYTES)
        look(head)
        data = _read_rest(descriptor, head, limit)
    except OSError as error:
        raise ParseError("unreadable", error.strerror or str(error)) from error
    finally:
        os.close(descriptor)
    return Content(data, state, opened_ns)


def _leads_elsewhere(descriptor: int, below: bytes, root: bytes) -> bool:
    """Whether what was opened is not what has this path below the root, as far as the system tells."""
    real = _real_path(descriptor)
    if not real or not below:
        return False
    above = real[: -len(below)]
    try:
        return _folded(real[len(above) :]) != _folded(below) or not os.path.samefile(above, root)
    except OSError:
        return True


def _real_path(descriptor: int) -> bytes:
    """Where an open file lies, without any link; nothing on systems that do not tell."""
    if sys.platform == "darwin":
        import fcntl

        return fcntl.fcntl(descriptor, fcntl.F_GETPATH, bytes(1024)).rstrip(b"\0")
    try:
        return os.readlink(b"/proc/self/fd/%d" % descriptor)
    except OSError:
        return b""


def _folded(path: bytes) -> str:
    """The path as disks see it on which names of another case or Unicode form are equal."""
    return unicodedata.normalize("NFC", os.fsdecode(path)).casefold()


def _read_rest(descriptor: int, head: bytes, limit: int) -> bytes:
    parts, total = [head], len(head)
    while parts[-1]:
        if total > limit:
            raise ParseError("too-large", f"grew past the limit of {limit} bytes while it was read")
        parts.append(os.read(descriptor, PART_BYTES))
        total += len(parts[-1])
    return b"".join(parts)


def read_head(path: bytes, size: int) -> bytes:
    """At most the first size bytes of a regular file."""
    descriptor = open_regular(path)
    try:
        return os.read(descriptor, size)
    except OSError as error:
        raise ParseError("unreadable", error.strerror or str(error)) from error
    finally:
        os.close(descriptor)
