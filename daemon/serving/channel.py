"""Frames of JSON over a Unix socket (a named pipe on Windows): the end of those who ask the running daemon.

``capsa search`` imports this before anything else, so it imports almost nothing itself.
"""

import os
import socket
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Protocol, Self

from capsa.chunkers.errors import CapsaError, UnavailableError, UsageError

from ..frames import FrameError, read_record, write_record

NAME = "daemon.sock"
# Held by the daemon from its first moment to its last.
LOCK = "daemon.lock"
# The shortest that a system allows is macOS's 104 bytes with the closing NUL.
MAX_ADDRESS = 103
# A search answers in milliseconds, unless the machine is very busy.
PATIENCE_SECONDS = 60.0
# Before the daemon stands aside it finishes the files that its workers have, see Settings.parse_deadline_s.
HOLD_SECONDS = 600.0
# Answers hold the texts of up to a thousand chunks.
MAX_ANSWER = 1 << 26

_ERRORS: Mapping[int, type[CapsaError]] = {1: CapsaError, 2: UsageError, 3: UnavailableError}


class HungUp(CapsaError):
    """The daemon ended the connection without an answer: it is ending, most likely."""


class Channel(Protocol):
    """One connection: records go both ways, in order."""

    def send(self, record: Mapping[str, Any]) -> None:
        """Send a record."""

    def receive(self) -> dict[str, Any] | None:
        """Wait for the next record; None when the other side has hung up."""

    def wait(self) -> None:
        """Wait, for ever if need be, until the other side sends anything or hangs up."""

    def hang_up(self) -> None:
        """End the connection under a thread that uses it, which then closes the channel."""

    def close(self) -> None:
        """Hang up."""


class SocketChannel:
    """A channel over a connected socket."""

    def __init__(self, connection: socket.socket, limit: int = MAX_ANSWER) -> None:
        self.socket = connection
        self._limit = limit
        self._read: IO[bytes] = connection.makefile("rb")
        self._write: IO[bytes] = connection.makefile("wb")

    def send(self, record: Mapping[str, Any]) -> None:
        """Send a record."""
        write_record(self._write, dict(record))

    def receive(self) -> dict[str, Any] | None:
        """Wait for the next record; None when the other side has hung up."""
        return read_record(self._read, self._limit)

    def wait(self) -> None:
        """Wait, for ever if need be, until the other side sends anything or hangs up."""
        self.socket.settimeout(None)
        self._read.read(1)

    def hang_up(self) -> None:
        """End the connection under a thread that uses it, which then closes the channel."""
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # the other side was faster

    def close(self) -> None:
        """Hang up."""
        for stream in (self._read, self._write, self.socket):
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
    if os.name == "nt" or len(os.fsencode(inside)) <= MAX_ADDRESS:
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

    def connect(home: Path, patience: float = PATIENCE_SECONDS) -> Channel | None:
        """Return a channel to the daemon of the home, None when none listens."""
        from .pipes import connect_pipe

        return connect_pipe(home, patience, MAX_ANSWER)

else:

    def connect(home: Path, patience: float = PATIENCE_SECONDS) -> Channel | None:
        """Return a channel to the daemon of the home, None when none listens."""
        path = address(home)
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(patience)
        try:
            connection.connect(os.fsencode(path))
        except (FileNotFoundError, ConnectionRefusedError):
            connection.close()
            return None
        except OSError as error:
            connection.close()
            raise CapsaError(f"{path}: the running capsa cannot be asked: {error}") from error
        return SocketChannel(connection)


def ask(home: Path, request: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the daemon's answer to one request; raises the error it answers.

    None when no daemon runs, or when it ends meanwhile.
    """
    channel = connect(home)
    if channel is None:
        return None
    try:
        return _exchange(channel, request)
    except HungUp:
        return None
    finally:
        channel.close()


@contextmanager
def daemon_aside(
    home: Path, waiting: Callable[[], AbstractContextManager[object]] = nullcontext
) -> Iterator[None]:
    """Have the daemon of the home, if one runs, write nothing until the block ends.

    It finishes the files that its workers have first; ``waiting`` may show so meanwhile.
    """
    channel = connect(home, HOLD_SECONDS)
    if channel is None:
        yield
        return
    try:
        with waiting():
            _exchange(channel, {"do": "hold"})
        yield
    finally:
        channel.close()


def _exchange(channel: Channel, request: Mapping[str, Any]) -> dict[str, Any]:
    try:
        channel.send(request)
        answer = channel.receive()
    except ConnectionError as error:
        raise HungUp("the running capsa hung up; see `capsa status`") from error
    except (OSError, FrameError) as error:
        raise CapsaError(f"the running capsa does not answer: {error}; see `capsa status`") from error
    if answer is None:
        raise HungUp("the running capsa hung up; see `capsa status`")
    if "error" in answer:
        raise _ERRORS.get(answer.get("code", 1), CapsaError)(answer["error"])
    return answer
