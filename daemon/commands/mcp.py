"""``capsa mcp``: assistants search and read, over the Model Context Protocol on stdin and stdout."""

import argparse
import sys
from importlib.metadata import version
from importlib.util import find_spec

from capsa.chunkers.errors import UnavailableError

INSTALL = "pip install 'capsa[mcp]'"


def attach(parser: argparse.ArgumentParser) -> None:
    """Add nothing: there are no arguments, and who started it asks."""
    parser.epilog = "Started by an assistant, not by hand; README.md shows how to enter it in one."


def run(args: argparse.Namespace) -> int:
    """Answer until stdin is closed."""
    if find_spec("mcp") is None:
        raise UnavailableError(f"the MCP server needs a package that is not installed: {INSTALL}")
    if sys.stdin.isatty():
        raise UnavailableError("an assistant starts `capsa mcp`, and talks to it: see README.md")
    from ..mcp.server import serve

    serve(args.home, version("capsa"))
    return 0
