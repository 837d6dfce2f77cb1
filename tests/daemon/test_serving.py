import os
import socket
import stat
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from capsa.chunkers.errors import CapsaError, UnavailableError, UsageError
from capsa.daemon.serving import channel, server
from capsa.daemon.serving.channel import Channel, SocketChannel, ask, daemon_aside
from capsa.daemon.serving.server import Server

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Unix sockets")

# Far more than anything here takes on a machine that has nothing else to do.
PATIENCE = 120.0


def echo(request: Mapping[str, Any], sink: Channel) -> None:
    sink.send({"said": request["text"]})


def refuse(request: Mapping[str, Any], sink: Channel) -> None:
    raise UsageError("that is no date")


def miss(request: Mapping[str, Any], sink: Channel) -> None:
    raise UnavailableError("no model")


class Holder:
    def __init__(self) -> None:
        self.held = threading.Event()
        self.let_go = threading.Event()

    def hold(self, request: Mapping[str, Any], sink: Channel) -> None:
        self.held.set()
        sink.send({"held": True})
        sink.wait()
        self.let_go.set()


@pytest.fixture
def holder() -> Holder:
    return Holder()


@pytest.fixture
def served(tmp_path: Path, holder: Holder) -> Iterator[Path]:
    handlers = {"echo": echo, "refuse": refuse, "miss": miss, "hold": holder.hold}
    running = Server(tmp_path, handlers)
    running.start()
    yield tmp_path
    running.close()
    assert not [thread for thread in threading.enumerate() if thread.name in ("listening", "answering")]


def raw(home: Path) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(PATIENCE)
    connection.connect(os.fsencode(channel.address(home)))
    return connection


def test_a_request_is_answered(served: Path) -> None:
    assert ask(served, {"do": "echo", "text": "ä\udc80"}) == {"said": "ä\udc80"}


def test_nobody_listens_where_no_daemon_runs(tmp_path: Path) -> None:
    assert ask(tmp_path, {"do": "echo"}) is None
    with daemon_aside(tmp_path):
        pass


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("refuse", UsageError, "that is no date"),
        ("miss", UnavailableError, "no model"),
        ("unheard", CapsaError, "known: echo"),
    ],
)
def test_an_error_is_raised_where_it_was_asked(
    served: Path, name: str, kind: type[CapsaError], words: str
) -> None:
    with pytest.raises(kind, match=words):
        ask(served, {"do": name})


def test_one_connection_asks_again_and_again(served: Path) -> None:
    with SocketChannel(raw(served)) as talk:
        for number in range(3):
            talk.send({"do": "echo", "text": number})
            assert talk.receive() == {"said": number}


def test_fifty_ask_at_once(served: Path) -> None:
    with ThreadPoolExecutor(50) as pool:
        answers = pool.map(lambda number: ask(served, {"do": "echo", "text": number}), range(50))
    assert sorted(answer["said"] for answer in answers if answer) == list(range(50))


def test_more_than_fit_are_told_so(served: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MAX_CONNECTIONS", 1)
    with SocketChannel(raw(served)) as first:
        first.send({"do": "echo", "text": 1})
        assert first.receive() == {"said": 1}
        with pytest.raises(CapsaError, match="too many"):
            ask(served, {"do": "echo", "text": 2})
    assert first.receive is not None


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00",
        b"\xff" * 8,
        b"\x05" + bytes(7) + b"hello",
        b"\x02" + bytes(7) + b"[]",
        b"GET / HTTP/1.1\r\n\r\n",
    ],
)
def test_rubbish_ends_its_connection_and_nothing_else(served: Path, data: bytes) -> None:
    with raw(served) as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(100) == b""
    assert ask(served, {"do": "echo", "text": "well"}) == {"said": "well"}


def test_a_silent_connection_is_hung_up_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "IDLE_SECONDS", 0.05)
    running = Server(tmp_path, {"echo": echo})
    running.start()
    try:
        with raw(tmp_path) as connection:
            assert connection.recv(1) == b""
    finally:
        running.close()


def test_closing_ends_connections_that_wait(tmp_path: Path, holder: Holder) -> None:
    running = Server(tmp_path, {"hold": holder.hold})
    running.start()
    with raw(tmp_path) as connection, SocketChannel(connection) as talk:
        talk.send({"do": "hold"})
        assert talk.receive() == {"held": True}
        running.close()
        assert talk.receive() is None
    assert holder.let_go.is_set()
    assert not channel.address(tmp_path).exists()


def test_the_daemon_stands_aside_until_the_block_ends(served: Path, holder: Holder) -> None:
    with daemon_aside(served):
        assert holder.held.is_set()
        assert not holder.let_go.is_set()
    assert holder.let_go.wait(PATIENCE)


def test_it_goes_on_when_who_made_it_stand_aside_is_killed(served: Path, holder: Holder) -> None:
    connection = raw(served)
    talk = SocketChannel(connection)
    talk.send({"do": "hold"})
    assert talk.receive() == {"held": True}
    talk.hang_up()
    talk.close()
    assert holder.let_go.wait(PATIENCE)


def test_only_the_user_can_reach_the_socket(served: Path) -> None:
    assert stat.S_IMODE(channel.address(served).stat().st_mode) == 0o600


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="needs another user")
def test_another_user_is_refused(served: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    with raw(served) as connection:
        assert connection.recv(100) == b""


def test_what_a_killed_daemon_left_is_replaced(tmp_path: Path) -> None:
    left = socket.socket(socket.AF_UNIX)
    left.bind(os.fsencode(channel.address(tmp_path)))
    left.close()
    assert ask(tmp_path, {"do": "echo"}) is None
    running = Server(tmp_path, {"echo": echo})
    running.start()
    try:
        assert ask(tmp_path, {"do": "echo", "text": 1}) == {"said": 1}
    finally:
        running.close()


def test_another_kind_of_file_is_not_replaced(tmp_path: Path) -> None:
    channel.address(tmp_path).write_text("mine")
    with pytest.raises(CapsaError, match="in the way"):
        Server(tmp_path, {})
    assert channel.address(tmp_path).read_text() == "mine"


def test_a_socket_that_answers_is_not_taken_over(served: Path) -> None:
    with pytest.raises(CapsaError, match="another process answers"):
        Server(served, {})
    assert ask(served, {"do": "echo", "text": "still"}) == {"said": "still"}


@pytest.fixture
def short() -> Iterator[Path]:
    """A folder with a short path, which those of tests may not be."""
    with tempfile.TemporaryDirectory(prefix="capsa") as folder:
        yield Path(folder)


def test_a_long_home_has_its_socket_elsewhere(
    tmp_path: Path, short: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(short))
    home = tmp_path / ("long" * 40)
    home.mkdir(mode=0o700)
    path = channel.address(home)
    assert path.parent.parent == short
    running = Server(home, {"echo": echo})
    running.start()
    try:
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        assert ask(home, {"do": "echo", "text": 1}) == {"said": 1}
    finally:
        running.close()
    path.parent.chmod(0o755)
    with pytest.raises(CapsaError, match="only you can open"):
        ask(home, {"do": "echo"})
