"""``capsa index``: add folders and index now."""

import argparse

from ..cli import INTERRUPTED
from ..indexing import Run
from ..printing import print_json, print_lines
from ..progress import open_progress
from ..settings import load_settings
from ..terminal import safe, say


def attach(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="folder or file; without one, all known sources"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON record (capsa.index/1)")
    parser.add_argument("--quiet", "-q", action="store_true", help="no progress bar")


def run(args: argparse.Namespace) -> int:
    """Index, print the report, and exit 0 even when single files failed: they are in the report."""
    settings = load_settings(args.home)
    with open_progress(args.quiet or args.json) as progress:
        report = Run(args.home, settings, progress).index(args.paths)
    for note in report.notes:
        say(f"capsa: {note}")
    if not report.complete:
        say("capsa: stopped; what is counted here is kept, `capsa index` goes on with the rest")
    if args.json:
        print_json(report.to_json())
    else:
        print_lines(safe(line) for line in report.lines())
    return 0 if report.complete else INTERRUPTED
