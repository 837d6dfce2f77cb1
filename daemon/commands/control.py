"""``capsa stop``, ``capsa pause`` and ``capsa resume``: what the running daemon is told."""

import argparse
import time
from pathlib import Path

from capsa.chunkers.errors import CapsaError, UnavailableError
from capsa.store.home import lock_file

from ..printing import print_lines
from ..serving.channel import LOCK, ask

DONE = {
    "stop": "capsa has stopped",
    "pause": "capsa indexes no more until `capsa resume`; searches go on",
    "resume": "capsa goes on indexing",
}
# It ends after the files that its parser workers have.
STOP_SECONDS = 120.0


def attach(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments: none."""


def run(args: argparse.Namespace) -> int:
    """Tell it, and return when it has done so."""
    if ask(args.home, {"do": args.command}) is None:
        if args.command == "stop":
            print_lines(["capsa is not running"])
            return 0
        raise UnavailableError("capsa is not running; `capsa start` starts it")
    if args.command == "stop":
        _wait_for_end(args.home)
    print_lines([DONE[args.command]])
    return 0


def _wait_for_end(home: Path) -> None:
    end = time.monotonic() + STOP_SECONDS
    while time.monotonic() < end:
        # Not by asking: where the system made the socket, that would start it again.
        try:
            lock_file(home / LOCK).close()
        except BlockingIOError:
            time.sleep(0.05)
        else:
            return
    raise CapsaError(f"capsa has not stopped after {STOP_SECONDS:.0f} s; see `capsa status`")
