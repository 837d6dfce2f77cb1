"""``capsa open``: the page to search in, served on this machine while the command runs."""

import argparse
import contextlib
import os
import webbrowser

from ..printing import print_lines
from ..terminal import say


def attach(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--port", type=int, default=0, metavar="N", help="of the page (default: a free one)")
    parser.add_argument("--no-browser", action="store_true", help="print the address and open no browser")


def run(args: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C, which is its regular end."""
    # NumPy's OpenBLAS would start a thread for each core, which one query has no work for.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from ..web.server import PageServer

    server = PageServer(args.home, args.port)
    print_lines([server.address])
    say("capsa: this address opens the page once, in one browser, within ten minutes; Ctrl-C closes the page")
    if not args.no_browser and not webbrowser.open(server.address):
        say("capsa: no browser was found; open the address in yours")
    # Where a shell runs it in the background, Ctrl-C ends the server and is no exception.
    with contextlib.suppress(KeyboardInterrupt):
        server.run()
    say("capsa: the page is closed")
    return 0
