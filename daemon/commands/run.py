"""``capsa run``: the daemon in the foreground."""

import argparse
import logging
import os
import signal
import sys
import threading
from types import FrameType
from typing import TYPE_CHECKING

from ..limits import leave_no_core
from ..terminal import say

if TYPE_CHECKING:
    from ..running import Daemon


def attach(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--verbose", "-v", action="store_true", help="tell also what is of little interest")


def run(args: argparse.Namespace) -> int:
    """Run until SIGTERM, Ctrl-C or `capsa stop`; a second daemon says so and is no error."""
    # NumPy's OpenBLAS would start a thread for each core, which one query has no work for.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from ..running import AlreadyRunning, Daemon

    logging.basicConfig(
        level=logging.INFO,
        format="%(asctime)s %(levelname)s %(message)s",
        stream=sys.stderr,
    )
    # Of what FAISS tries on the way to what the processor has nobody needs to know.
    logging.getLogger("faiss").setLevel(logging.WARNING)
    if args.verbose:
        logging.getLogger("capsa").setLevel(logging.DEBUG)
    leave_no_core()
    daemon = Daemon(args.home)
    try:
        _run(daemon)
    except AlreadyRunning as error:
        say(f"capsa: {error}")
    return 0


def _run(daemon: "Daemon") -> None:
    """Run the daemon on a thread of its own: a signal comes to this one, which holds none of its locks."""
    problems: list[BaseException] = []

    def work() -> None:
        try:
            daemon.run()
        except BaseException as error:  # raised again in the main thread
            problems.append(error)

    def stop(_signal: int, _frame: FrameType | None) -> None:
        daemon.stop()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    thread = threading.Thread(target=work, name="daemon")
    thread.start()
    while thread.is_alive():
        thread.join(0.5)
    if problems:
        raise problems[0]
