"""``capsa open``: prints an address that works, and ends at Ctrl-C."""

import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from page_client import Client

from capsa.daemon.cli import main
from capsa.daemon.commands import open as command
from capsa.daemon.web import server as server_module

# Far more than anything here takes on a machine that has nothing else to do.
PATIENCE = 300


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is no signal to one process there")
@pytest.mark.parametrize("heard", [signal.SIG_DFL, signal.SIG_IGN])
def test_it_serves_until_it_is_stopped(shared_home: Path, heard: signal.Handlers) -> None:
    """Also where a shell runs it in the background, which has Ctrl-C ignored."""
    started = subprocess.Popen(
        [sys.executable, "-P", "-m", "capsa.daemon", "--home", str(shared_home), "open", "--no-browser"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, heard),
    )
    assert started.stdout is not None
    address = started.stdout.readline().strip()
    assert address.startswith("http://127.0.0.1:")
    with urllib.request.urlopen(address.partition("#")[0], timeout=PATIENCE) as answer:
        assert answer.status == 200
    started.send_signal(signal.SIGINT)
    _, told = started.communicate(timeout=PATIENCE)
    assert started.returncode == 0
    assert "Traceback" not in told
    assert "the page is closed" in told


def test_a_port_that_is_taken_is_told(
    shared_home: Path, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    taken = client.server.port
    assert main(["--home", str(shared_home), "open", f"--port={taken}"]) == 3
    assert f"port {taken} cannot be had" in capsys.readouterr().err
    for port in (70_000, -1):
        assert main(["--home", str(shared_home), "open", f"--port={port}"]) == 2
    capsys.readouterr()


@pytest.mark.parametrize("found", [True, False])
def test_it_opens_the_browser(
    shared_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], found: bool
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(command.webbrowser, "open", lambda address: opened.append(address) or found)
    monkeypatch.setattr(server_module.PageServer, "run", lambda server: server.close())
    assert main(["--home", str(shared_home), "open"]) == 0
    told = capsys.readouterr()
    assert opened == [told.out.strip()]
    assert ("no browser was found" in told.err) is not found
