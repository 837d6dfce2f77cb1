"""``capsa forget``: remove a path from everything capsa keeps."""

import argparse
import os

from ..changing import forget
from ..printing import count, print_lines
from ..terminal import say, show_path


def attach(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("path", metavar="PATH", help="a file or a folder; it need not exist any more")


def run(args: argparse.Namespace) -> int:
    """Remove what is indexed at or below the path."""
    removed = forget(args.home, args.path)
    path = os.path.abspath(os.path.expanduser(os.fsencode(args.path)))
    what = f"forgot {count(removed, 'file')} at" if removed else "nothing is indexed at"
    print_lines([f"{what} {show_path(path)}"])
    if removed and os.path.lexists(path):
        say("capsa: it is still on the disk: add it to a .capsaignore, or the next index run finds it again")
    return 0
