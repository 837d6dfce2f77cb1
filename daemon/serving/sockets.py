"""Listening on a Unix socket: ours or systemd's, for this user alone."""

import logging
import os
import selectors
import socket
import stat
import struct
import sys
from pathlib import Path

from capsa.chunkers.errors import CapsaError
from capsa.store.private import make_folder

from ..frames import MAX_RECORD
from .channel import SocketChannel, address, connect

logger = logging.getLogger(__name__)

# Connections that may wait to be accepted.
BACKLOG = 64
# The first file descriptor that systemd hands over.
FIRST_PASSED = 3


class SocketEars:
    """A listening socket: ``accept`` gives channels until ``stop``."""

    def __init__(self, home: Path) -> None:
        self._address = address(home)
        self._passed = passed_socket()
        self._listener = self._passed or listen(home)
        self._woken, self._wake = os.pipe()

    def accept(self, patience: float) -> SocketChannel | None:
        """Wait for the next connection, which may be silent for so long; None after ``stop``."""
        # On two descriptors: nothing else would wake a thread that waits in accept().
        with selectors.DefaultSelector() as waiting:
            waiting.register(self._listener, selectors.EVENT_READ)
            waiting.register(self._woken, selectors.EVENT_READ)
            ready = waiting.select()
        if any(key.fd == self._woken for key, _ in ready):
            return None
        connection, _ = self._listener.accept()
        connection.settimeout(patience)
        return SocketChannel(connection, MAX_RECORD)

    def admits(self, channel: SocketChannel) -> bool:
        """Whether who connected may ask."""
        return is_same_user(channel.socket)

    def stop(self) -> None:
        """Have ``accept`` return."""
        os.close(self._wake)

    def close(self) -> None:
        """Let go of the socket; one that the system made goes on listening for it."""
        os.close(self._woken)
        self._listener.close()
        if self._passed is None:
            self._address.unlink(missing_ok=True)


def passed_socket() -> socket.socket | None:
    """Return the listening socket that systemd made and handed to this process, None when it did not.

    The protocol: https://www.freedesktop.org/software/systemd/man/latest/sd_listen_fds.html
    """
    if os.environ.get("LISTEN_PID") != str(os.getpid()) or os.environ.get("LISTEN_FDS") != "1":
        return None
    # Nothing that this process starts is meant.
    for name in ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"):
        os.environ.pop(name, None)
    listener = socket.socket(fileno=FIRST_PASSED)
    listener.set_inheritable(False)
    if listener.family != socket.AF_UNIX:
        raise CapsaError("the socket that systemd handed over is not a Unix socket; see capsa.socket")
    return listener


def listen(home: Path) -> socket.socket:
    """Return a listening socket that only the user can reach; the caller holds the daemon's lock.

    What is left of a daemon that was killed is replaced; a socket that answers, or another kind of file, is
    an error.
    """
    path = address(home)
    make_folder(path.parent)
    _make_way(home, path)
    listener = socket.socket(socket.AF_UNIX)
    before = os.umask(0o177)
    try:
        listener.bind(os.fsencode(path))
    except OSError as error:
        listener.close()
        raise CapsaError(f"{path}: no socket can be made here: {error.strerror or error}") from error
    finally:
        os.umask(before)
    listener.listen(BACKLOG)
    return listener


def _make_way(home: Path, path: Path) -> None:
    if not os.path.lexists(path):
        return
    if not stat.S_ISSOCK(path.lstat().st_mode):
        raise CapsaError(f"{path}: is in the way of the daemon's socket; move it elsewhere")
    channel = connect(home)
    if channel is not None:
        channel.close()
        raise CapsaError(f"{path}: another process answers there")
    path.unlink()


if sys.platform == "linux":

    def is_same_user(connection: socket.socket) -> bool:
        """Whether the other side runs as this user."""
        credentials = struct.Struct("3i")
        told = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, credentials.size)
        return bool(credentials.unpack(told)[1] == os.getuid())

elif sys.platform == "darwin":

    def is_same_user(connection: socket.socket) -> bool:
        """Whether the other side runs as this user."""
        import ctypes

        uid, gid = ctypes.c_uint(), ctypes.c_uint()
        libc = ctypes.CDLL(None, use_errno=True)
        failed = libc.getpeereid(connection.fileno(), ctypes.byref(uid), ctypes.byref(gid))
        return not failed and uid.value == os.getuid()

else:

    def is_same_user(connection: socket.socket) -> bool:
        """The system does not tell: the modes of the socket and its folder must do."""
        return True
