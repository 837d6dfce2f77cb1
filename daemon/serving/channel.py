"""Frames of JSON over a Unix socket (a named pipe on Windows): the end of those who ask the running daemon.

``capsa search`` imports this before anything else, so it imports almost nothing itself.
"""

import os
import socket
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Protocol, Self

from capsa.chunkers.errors import CapsaError, UnavailableError, UsageError

from ..frames import FrameError, read_record, write_record

NAME = "daemon.sock"
# The shortest that a system allows is macOS's 104 bytes with the closing NUL.
MAX_ADDRESS = 103
# A search answers in milliseconds; what takes longer sends a sign of life more often than this.
PATIENCE_SECONDS = 60.0
# Answers hold the texts of up to a thousand chunks.
MAX_ANSWER = 1 << 26

_ERRORS: Mapping[int, type[CapsaError]] = {1: CapsaError, 2: UsageError, 3: UnavailableError}


class Channel(Protocol):
    """One connection: records go both ways, in order."""

    def send(self, record: Mapping[str, Any]) -> None:
        """Send a record."""

    def receive(self) -> dict[str, Any] | None:
        """Wait for the next record; None when the other side has hung up."""

    def close(self) -> None:
        """Hang up."""


class SocketChannel:
    """A channel over a connected socket."""

    def __init__(self, connection: socket.socket, limit: int = MAX_ANSWER) -> None:
        self._socket = connection
        self._limit = limit
        self._read: IO[bytes] = connection.makefile("rb")
        self._write: IO[bytes] = connection.makefile("wb")

    def send(self, record: Mapping[str, Any]) -> None:
        """Send a record."""
        write_record(self._write, dict(record))

    def receive(self) -> dict[str, Any] | None:
        """Wait for the next record; None when the other side has hung up."""
        return read_record(self._read, self._limit)

    def hang_up(self) -> None:
        """End the connection under a thread that uses it, which then closes the channel."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # the other side was faster

    def close(self) -> None:
        """Hang up."""
        for stream in (self._read, self._write, self._socket):
            try:
                stream.close()
            except OSError:
                continue  # the other side was gone already, with what was still to be flushed

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def address(home: Path) -> Path:
    """Return where the daemon of a home listens: in the home.

    A home whose path is too long for a socket has a folder of its own, which must be the user's alone.
    """
    inside = home / NAME
    if len(os.fsencode(inside)) <= MAX_ADDRESS:
        return inside
    import hashlib
    import tempfile

    digest = hashlib.sha256(os.fsencode(home)).hexdigest()[:16]
    base = os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
    folder = Path(base) / f"capsa-{os.getuid()}-{digest}"
    if folder.exists():
        state = folder.lstat()
        if state.st_uid != os.getuid() or state.st_mode & 0o077:
            raise CapsaError(f"{folder}: must be a folder that only you can open; remove it")
    return folder / NAME


if sys.platform == "win32":

    def connect(home: Path) -> Channel | None:
        """Return a channel to the daemon of the home, None when none listens."""
        from .pipes import connect_pipe

        return connect_pipe(home)

else:

    def connect(home: Path) -> Channel | None:
        """Return a channel to the daemon of the home, None when none listens."""
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(PATIENCE_SECONDS)
        try:
            connection.connect(os.fsencode(address(home)))
        except (FileNotFoundError, ConnectionRefusedError):
            connection.close()
            return None
        except OSError as error:
            connection.close()
            raise CapsaError(f"{address(home)}: the running capsa cannot be asked: {error}") from error
        return SocketChannel(connection)


@contextmanager
def conversation(home: Path) -> Iterator[Channel | None]:
    """A channel that is closed at the end; what breaks it off is a CapsaError."""
    channel = connect(home)
    try:
        yield channel
    except (OSError, FrameError) as error:
        raise CapsaError(f"the running capsa does not answer: {error}; see `capsa status`") from error
    finally:
        if channel is not None:
            channel.close()


def ask(home: Path, request: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the daemon's answer to one request, None when no daemon runs; raises the error it answers."""
    with conversation(home) as channel:
        if channel is None:
            return None
        channel.send(request)
        return checked(channel.receive())


def checked(answer: dict[str, Any] | None) -> dict[str, Any]:
    """Return the answer; raises the CapsaError that it tells of."""
    if answer is None:
        raise CapsaError("the running capsa hung up; see `capsa status`")
    if "error" in answer:
        raise _ERRORS.get(answer.get("code", 1), CapsaError)(answer["error"])
    return answer
