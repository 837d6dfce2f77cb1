"""The server of the page: one socket on 127.0.0.1, limits on what and how slowly may be asked."""

import asyncio
import logging
import socket
from pathlib import Path
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from capsa.chunkers.errors import UnavailableError, UsageError

from .gate import HOST
from .page import Page
from .peers import is_own_peer
from .session import Session

# Bytes of the line and the headers of a request.
MAX_HEAD = 16 << 10
# How long a request may take to come in, and how long a connection may wait for its next one.
REQUEST_SECONDS = 10.0
IDLE_SECONDS = 60
# A browser opens six.
MAX_CONNECTIONS = 64
# How long answers may take to be sent when the page is closed.
LAST_SECONDS = 2

logging.getLogger("uvicorn.error").setLevel(logging.ERROR)


class Protocol(H11Protocol):
    """HTTP with a deadline for each request, for this user's own programs."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the connection, or end it at once when another user has made it."""
        super().connection_made(transport)
        peer, ours = transport.get_extra_info("peername"), transport.get_extra_info("sockname")
        if peer is None or not is_own_peer(peer, ours):
            transport.abort()
        else:
            self._expect()

    def data_received(self, data: bytes) -> None:
        """Take what came in; the first of a request starts its time."""
        if self._deadline is None:
            self._expect()
        super().data_received(data)
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._rest()

    def connection_lost(self, exc: Exception | None) -> None:
        """Let go of it."""
        self._rest()
        super().connection_lost(exc)

    def _expect(self) -> None:
        self._deadline = self.loop.call_later(REQUEST_SECONDS, self._give_up)

    def _rest(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._deadline = None
        self.transport.abort()


class PageServer:
    """The page of one home; ``address`` works once. ``run`` returns after ``stop``, or at Ctrl-C."""

    def __init__(self, home: Path, port: int = 0) -> None:
        self.home = home
        # Who connects before the server runs waits in the queue of the socket.
        self._listener = _listen(port)
        self.port: int = self._listener.getsockname()[1]
        self.session = Session()
        self._page = Page(home, self.session, self.port)
        self._server = uvicorn.Server(_config(self._page))

    @property
    def address(self) -> str:
        """The address to open; its key is in the fragment, which is sent to nobody and kept in no log."""
        return f"http://{HOST}:{self.port}/enter#{self.session.key}"

    def run(self) -> None:
        """Answer."""
        try:
            self._server.run(sockets=[self._listener])
        finally:
            self.close()

    def close(self) -> None:
        """Let go of the socket and of the index; ``run`` does so at its end."""
        self._listener.close()
        self._page.close()

    def stop(self) -> None:
        """Have ``run`` return."""
        self._server.should_exit = True


def _listen(port: int) -> socket.socket:
    """A socket on the port, on a free one for 0; UnavailableError when it is taken."""
    if not 0 <= port < 1 << 16:
        raise UsageError(f"--port {port}: must be a number from 0 to 65535")
    try:
        return socket.create_server((HOST, port), backlog=MAX_CONNECTIONS)
    except OSError as error:
        raise UnavailableError(f"port {port} cannot be had: {error}") from error


def _config(page: Any) -> uvicorn.Config:
    return uvicorn.Config(
        page,
        http=Protocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        limit_concurrency=MAX_CONNECTIONS,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=LAST_SECONDS,
        h11_max_incomplete_event_size=MAX_HEAD,
    )
