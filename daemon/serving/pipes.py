"""Records over a named pipe, for Windows; not tested there, only over what Linux has in its place.

Whoever may read the home has the key that both sides prove to know.
"""

import hashlib
import json
import os
import secrets
from collections.abc import Mapping
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Listener, answer_challenge, deliver_challenge
from pathlib import Path
from typing import Any

from capsa.chunkers.errors import CapsaError
from capsa.store.private import write_file

from ..frames import MAX_RECORD, FrameError

KEY = "daemon.key"
KEY_BYTES = 32
# How soon a wait notices that the connection was closed in another thread.
LOOK_SECONDS = 0.5


class PipeChannel:
    """A channel over a connection of multiprocessing, of which only the bytes are used, never a pickle."""

    def __init__(self, connection: Any, patience: float | None, limit: int) -> None:
        self._connection = connection
        self._patience = patience
        self._limit = limit

    def send(self, record: Mapping[str, Any]) -> None:
        """Send a record."""
        self.send_bytes(json.dumps(record).encode("ascii"))

    def receive(self) -> dict[str, Any] | None:
        """Wait for the next record; None when the other side has hung up."""
        try:
            record = json.loads(self.recv_bytes(self._limit))
        except EOFError:
            return None
        except ValueError as error:
            raise FrameError("a record that is not JSON") from error
        if not isinstance(record, dict):
            raise FrameError("a record that is not a JSON object")
        return record

    def wait(self) -> None:
        """Wait, for ever if need be, until the other side sends anything or hangs up."""
        # Again and again: closing the connection in another thread ends no wait that is under way.
        while not self._connection.poll(LOOK_SECONDS):
            continue

    def hang_up(self) -> None:
        """End the connection under a thread that uses it, which then closes the channel."""
        self.close()

    def close(self) -> None:
        """Hang up."""
        self._connection.close()

    def send_bytes(self, data: bytes) -> None:
        """Send bytes, as ``Connection.send_bytes`` does."""
        self._connection.send_bytes(data)

    def recv_bytes(self, limit: int) -> bytes:
        """Receive bytes, as ``Connection.recv_bytes`` does, within the patience."""
        if not self._connection.poll(self._patience):
            raise TimeoutError("the other side is silent")
        data: bytes = self._connection.recv_bytes(limit)
        return data


class PipeEars:
    """A listening pipe: ``accept`` gives channels until ``stop``. The caller holds the daemon's lock."""

    def __init__(self, home: Path) -> None:
        self._name = pipe_name(home)
        self._key = secrets.token_bytes(KEY_BYTES)
        self._key_path = home / KEY
        write_file(self._key_path, self._key)
        try:
            # The first of its name, or an error: nobody else can have put a pipe of that name there.
            self._listener = Listener(self._name)
        except OSError as error:
            raise CapsaError(f"{self._name}: no pipe can be made: {error}") from error
        self._stopping = False

    def accept(self, patience: float) -> PipeChannel | None:
        """Wait for the next connection, which may be silent for so long; None after ``stop``."""
        connection = self._listener.accept()
        if self._stopping:
            connection.close()
            return None
        return PipeChannel(connection, patience, MAX_RECORD)

    def admits(self, channel: PipeChannel) -> bool:
        """Whether who connected may ask: both sides prove that they know the key."""
        try:
            deliver_challenge(channel, self._key)  # type: ignore[arg-type]
            answer_challenge(channel, self._key)  # type: ignore[arg-type]
        except AuthenticationError:
            return False
        return True

    def stop(self) -> None:
        """Have ``accept`` return: only a connection does that."""
        self._stopping = True
        Client(self._name).close()

    def close(self) -> None:
        """Let go of the pipe."""
        self._listener.close()
        self._key_path.unlink(missing_ok=True)


def pipe_name(home: Path) -> str:
    """Return the name of the home's pipe."""
    folder = os.path.normcase(os.path.abspath(home))
    return rf"\\.\pipe\capsa-{hashlib.sha256(os.fsencode(folder)).hexdigest()[:32]}"


def connect_pipe(home: Path, patience: float, limit: int) -> PipeChannel | None:
    """Return a channel to the daemon of the home, None when none listens."""
    try:
        key = (home / KEY).read_bytes()
        connection = Client(pipe_name(home))
    except (FileNotFoundError, ConnectionRefusedError):
        return None
    except OSError as error:
        raise CapsaError(f"{home}: the running capsa cannot be asked: {error}") from error
    channel = PipeChannel(connection, patience, limit)
    try:
        answer_challenge(channel, key)  # type: ignore[arg-type]
        deliver_challenge(channel, key)  # type: ignore[arg-type]
    except (AuthenticationError, EOFError, OSError) as error:
        channel.close()
        raise CapsaError(f"{home}: what answers on its pipe is not its capsa: {error}") from error
    return channel
