"""``capsa start``: the daemon in the background."""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from capsa.chunkers.errors import CapsaError
from capsa.store.home import make_home

from ..printing import print_lines
from ..serving.channel import ask

LOG = "daemon.log"
# What the log grows to before it is begun anew; the one before is kept.
LOG_BYTES = 1 << 20
# On a busy machine Python alone may take seconds to start.
START_SECONDS = 60.0


def attach(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments: none."""


def run(args: argparse.Namespace) -> int:
    """Start it unless it runs, and return when it answers."""
    answer = ask(args.home, {"do": "status"})
    if answer is not None:
        print_lines([f"capsa is running already (process {answer['pid']})"])
        return 0
    pid = start_background(args.home)["pid"]
    print_lines([f"capsa runs in the background (process {pid}); `capsa status` tells what it does"])
    return 0


def start_background(home: Path) -> dict[str, Any]:
    """Start it, and return its first answer; one that runs already answers too."""
    log = make_home(home) / LOG
    return _wait(home, _start(home, log), log)


def _start(home: Path, log: Path) -> "subprocess.Popen[bytes]":
    if log.exists() and log.stat().st_size > LOG_BYTES:
        log.replace(log.with_suffix(".log.1"))
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    # -P: a folder named capsa where the command was typed is not the program.
    command = (sys.executable, "-P", "-m", "capsa.daemon", "--home", os.fspath(home), "run")
    detached: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        detached = {"creationflags": subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP}
    try:
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=handle, stderr=handle, cwd=home, **detached
        )
    finally:
        os.close(handle)


def _wait(home: Path, started: "subprocess.Popen[bytes]", log: Path) -> dict[str, Any]:
    """Return the daemon's first answer; CapsaError with the log's name when it ends or stays silent."""
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        answer = ask(home, {"do": "status"})
        if answer is not None:
            return answer
        if started.poll() is not None:
            raise CapsaError(f"capsa did not start; {log} says why: {_last_line(log)}")
        time.sleep(0.05)
    raise CapsaError(f"capsa does not answer after {START_SECONDS:.0f} s; see {log}")


def _last_line(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1] if lines else "nothing"
