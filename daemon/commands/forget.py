"""``capsa forget``: remove a path, or a page, from everything capsa keeps."""

import argparse
import os

from ..changing import forget, forget_page
from ..printing import count, print_lines
from ..terminal import safe, say, show_path


def attach(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "path",
        metavar="PATH",
        help="a file or folder, which need not exist any more, or a page's address",
    )


def run(args: argparse.Namespace) -> int:
    """Remove what is indexed at or below the path, or the visited page of an address."""
    if args.path.startswith(("http://", "https://")):
        pages = forget_page(args.home, args.path)
        what = "forgot the page" if pages else "no visited page is indexed at"
        print_lines([f"{what} {safe(args.path)}"])
        return 0
    removed = forget(args.home, args.path)
    path = os.path.abspath(os.path.expanduser(os.fsencode(args.path)))
    what = f"forgot {count(removed, 'file')} at" if removed else "nothing is indexed at"
    print_lines([f"{what} {show_path(path)}"])
    if removed and os.path.lexists(path):
        say("capsa: it is still on the disk: add it to a .capsaignore, or the next index run finds it again")
    return 0
