"""The listening end: a thread for each connection, limits on each, and one table of what can be asked."""

import logging
import os
import selectors
import socket
import stat
import struct
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from capsa.chunkers.errors import CapsaError
from capsa.store.private import make_folder

from ..frames import MAX_RECORD, FrameError
from .channel import Channel, SocketChannel, address, connect

logger = logging.getLogger(__name__)

# Connections at a time; more are told to come back.
MAX_CONNECTIONS = 64
# How long a connection may be silent, and how long it may take to read an answer.
IDLE_SECONDS = 30.0
# The first file descriptor that systemd hands over.
FIRST_PASSED = 3

# Answers one request on its channel.
Handler = Callable[[Mapping[str, Any], Channel], None]


class Server:
    """Answers requests from the same user until it is closed; a request names its handler in ``do``."""

    def __init__(self, home: Path, handlers: Mapping[str, Handler]) -> None:
        self._handlers = handlers
        self._address = address(home)
        self._passed = passed_socket()
        self._listener = self._passed or listen(home)
        self._woken, self._wake = os.pipe()
        self._open: set[SocketChannel] = set()
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._accept, name="listening")

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def close(self) -> None:
        """Stop listening, hang up on everyone, and wait for the threads."""
        self._closing.set()
        os.close(self._wake)
        self._thread.join()
        os.close(self._woken)
        self._listener.close()
        # A socket that the system made goes on listening for it.
        if self._passed is None:
            self._address.unlink(missing_ok=True)
        with self._lock:
            channels = list(self._open)
        for channel in channels:
            channel.hang_up()
        for thread in threading.enumerate():
            if thread.name == "answering":
                thread.join()

    def _accept(self) -> None:
        while True:
            # On two descriptors: nothing else would wake a thread that waits in accept().
            with selectors.DefaultSelector() as waiting:
                waiting.register(self._listener, selectors.EVENT_READ)
                waiting.register(self._woken, selectors.EVENT_READ)
                waiting.select()
            if self._closing.is_set():
                return
            try:
                connection, _ = self._listener.accept()
            except OSError as error:
                logger.error("the socket does not listen any more: %s", error)
                return
            if len(self._open) > 2 * MAX_CONNECTIONS:
                connection.close()
                continue
            connection.settimeout(IDLE_SECONDS)
            threading.Thread(target=self._serve, args=(connection,), name="answering").start()

    def _serve(self, connection: socket.socket) -> None:
        channel = SocketChannel(connection, MAX_RECORD)
        with self._lock:
            self._open.add(channel)
            crowded = len(self._open) > MAX_CONNECTIONS
        try:
            if not is_same_user(connection):
                logger.warning("refused a connection of another user")
            elif crowded:
                # An answer to what was not read yet would be lost when the connection is closed.
                channel.receive()
                channel.send({"error": "too many are asking at once; try again", "code": 1})
            else:
                self._answer_all(channel)
        except (OSError, FrameError, ValueError) as error:
            # ValueError: the channel was closed while it was used.
            logger.info("a connection ended: %s", error)
        finally:
            with self._lock:
                self._open.discard(channel)
            channel.close()

    def _answer_all(self, channel: Channel) -> None:
        while not self._closing.is_set() and (request := channel.receive()) is not None:
            handler = self._handlers.get(str(request.get("do")))
            if handler is None:
                channel.send({"error": f"nothing known is asked for; known: {', '.join(self._handlers)}"})
                continue
            try:
                handler(request, channel)
            except CapsaError as error:
                channel.send({"error": str(error), "code": error.exit_code})


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
        raise CapsaError(f"{path}: no socket can be made here: {error.strerror}") from error
    finally:
        os.umask(before)
    listener.listen(MAX_CONNECTIONS)
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
