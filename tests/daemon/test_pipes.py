"""The named pipe's ends, over a Unix socket in its place: what is of Windows alone is not tested."""

import os
import stat
import threading
from collections.abc import Iterator, Mapping
from multiprocessing.connection import Client
from pathlib import Path
from typing import Any

import pytest

from capsa.chunkers.errors import CapsaError, UsageError
from capsa.daemon.serving import pipes, server
from capsa.daemon.serving.channel import Channel
from capsa.daemon.serving.pipes import KEY, PipeChannel, PipeEars, connect_pipe, pipe_name
from capsa.daemon.serving.server import Server

LIMIT = 1 << 20
# Far more than anything here takes on a machine that has nothing else to do.
PATIENCE = 120.0


def echo(request: Mapping[str, Any], sink: Channel) -> None:
    sink.send({"said": request["text"]})


def refuse(request: Mapping[str, Any], sink: Channel) -> None:
    raise UsageError("that is no date")


def hold(request: Mapping[str, Any], sink: Channel) -> None:
    sink.send({"held": True})
    sink.wait()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(pipes, "pipe_name", lambda home: os.fspath(home / "pipe"))
    return tmp_path


@pytest.fixture
def served(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(server, "Ears", PipeEars)
    monkeypatch.setattr(server, "IDLE_SECONDS", PATIENCE)
    running = Server(home, {"echo": echo, "refuse": refuse, "hold": hold})
    running.start()
    yield home
    running.close()
    assert not [thread for thread in threading.enumerate() if thread.name in ("listening", "answering")]
    assert not (home / KEY).exists()


def connected(home: Path) -> PipeChannel:
    channel = connect_pipe(home, PATIENCE, LIMIT)
    assert channel is not None
    return channel


def test_requests_are_answered(served: Path) -> None:
    channel = connected(served)
    for text in ("ä", "second"):
        channel.send({"do": "echo", "text": text})
        assert channel.receive() == {"said": text}
    channel.send({"do": "refuse"})
    assert channel.receive() == {"error": "that is no date", "code": 2}
    channel.close()


def test_only_the_user_can_read_the_key(served: Path) -> None:
    if os.name != "nt":
        assert stat.S_IMODE((served / KEY).stat().st_mode) == 0o600


def test_who_has_not_the_key_is_not_answered(served: Path) -> None:
    (served / KEY).write_bytes(b"x" * 32)
    with pytest.raises(CapsaError, match="not its capsa"):
        connect_pipe(served, PATIENCE, LIMIT)


def test_rubbish_ends_its_connection_and_nothing_else(served: Path) -> None:
    with Client(os.fspath(served / "pipe")) as connection:
        connection.send_bytes(b"\xff" * 100)
        with pytest.raises((EOFError, OSError)):
            [connection.recv_bytes() for _ in range(3)]
    channel = connected(served)
    channel.send({"do": "echo", "text": 1})
    assert channel.receive() == {"said": 1}
    channel.close()


def test_closing_ends_a_connection_that_waits(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "Ears", PipeEars)
    running = Server(home, {"hold": hold})
    running.start()
    channel = connected(home)
    channel.send({"do": "hold"})
    assert channel.receive() == {"held": True}
    running.close()
    assert channel.receive() is None
    channel.close()


def test_nobody_listens_where_no_daemon_runs(home: Path) -> None:
    assert connect_pipe(home, 1.0, LIMIT) is None
    (home / KEY).write_bytes(b"left by one that was killed")
    assert connect_pipe(home, 1.0, LIMIT) is None


def test_each_home_has_a_pipe_of_its_own(tmp_path: Path) -> None:
    assert pipe_name(tmp_path) == pipe_name(tmp_path)
    assert pipe_name(tmp_path) != pipe_name(tmp_path / "other")
    assert pipe_name(tmp_path).startswith("\\\\.\\pipe\\capsa-")
