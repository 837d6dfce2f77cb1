"""``capsa forget``: remove a path from everything capsa keeps."""

import argparse
import os

from capsa.chunkers.errors import UnavailableError
from capsa.store.home import database_path

from ..printing import count, print_lines
from ..targets import is_within
from ..terminal import say, show_path
from ..writing import open_writer


def attach(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("path", metavar="PATH", help="a file or a folder; it need not exist any more")


def run(args: argparse.Namespace) -> int:
    """Remove what is indexed at or below the path."""
    if not database_path(args.home).exists():
        raise UnavailableError("nothing is indexed yet, so there is nothing to forget")
    from capsa.store.reader import Reader

    path = os.path.abspath(os.path.expanduser(os.fsencode(args.path)))
    places = {path, os.path.realpath(path)}
    with open_writer(args.home) as writer:
        with Reader.open(args.home) as reader:
            known = [name for source in reader.sources() for name in reader.known(source.id)]
        inside = [name for name in known if any(is_within(name, place) for place in places)]
        removed = writer.remove(inside, wiped=True)
        writer.publish()
    what = f"forgot {count(removed, 'file')} at" if removed else "nothing is indexed at"
    print_lines([f"{what} {show_path(path)}"])
    if removed and os.path.lexists(path):
        say("capsa: it is still on the disk: add it to a .capsaignore, or the next index run finds it again")
    return 0
