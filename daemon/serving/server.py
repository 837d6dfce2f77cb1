"""The listening end: a thread for each connection, limits on each, and one table of what can be asked."""

import logging
import sqlite3
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from capsa.chunkers.errors import CapsaError

from ..frames import FrameError
from .channel import Channel

if sys.platform == "win32":
    from .pipes import PipeEars as Ears
else:
    from .sockets import SocketEars as Ears

logger = logging.getLogger(__name__)

# Connections at a time; more are told to come back.
MAX_CONNECTIONS = 64
# How long a connection may be silent, and how long it may take to read an answer.
IDLE_SECONDS = 30.0

# Answers one request on its channel.
Handler = Callable[[Mapping[str, Any], Channel], None]


class Server:
    """Answers requests from the same user until it is closed; a request names its handler in ``do``."""

    def __init__(self, home: Path, handlers: Mapping[str, Handler]) -> None:
        self._handlers = handlers
        self._ears = Ears(home)
        self._open: set[Channel] = set()
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._accept, name="listening")

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def close(self) -> None:
        """Stop listening, hang up on everyone, and wait for the threads."""
        self._closing.set()
        self._ears.stop()
        self._thread.join()
        self._ears.close()
        with self._lock:
            channels = list(self._open)
        for channel in channels:
            channel.hang_up()
        for thread in threading.enumerate():
            if thread.name == "answering":
                thread.join()

    def _accept(self) -> None:
        while True:
            try:
                channel = self._ears.accept(IDLE_SECONDS)
            except OSError as error:
                logger.error("nobody can ask any more: %s", error)
                return
            if channel is None:
                return
            if len(self._open) > 2 * MAX_CONNECTIONS:
                channel.close()
                continue
            threading.Thread(target=self._serve, args=(channel,), name="answering").start()

    def _serve(self, channel: Any) -> None:
        with self._lock:
            self._open.add(channel)
            crowded = len(self._open) > MAX_CONNECTIONS
        try:
            if not self._ears.admits(channel):
                logger.warning("refused a connection of another user")
            elif crowded:
                # An answer to what was not read yet would be lost when the connection is closed.
                channel.receive()
                channel.send({"error": "too many are asking at once; try again", "code": 1})
            else:
                self._answer_all(channel)
        except (EOFError, OSError, FrameError, ValueError) as error:
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
                known = ", ".join(self._handlers)
                channel.send({"error": f"nothing known is asked for; known: {known}", "code": 2})
                continue
            try:
                handler(request, channel)
            except CapsaError as error:
                channel.send({"error": str(error), "code": error.exit_code})
            except sqlite3.Error as error:
                channel.send({"error": f"the index cannot be read: {error}; see `capsa doctor`", "code": 1})
