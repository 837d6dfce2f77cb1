"""``capsa index``: add folders and index now."""

import argparse
from typing import TYPE_CHECKING

from ..cli import INTERRUPTED
from ..indexing import Run
from ..printing import print_json, print_lines
from ..progress import open_progress, show_waiting
from ..report import Report
from ..serving.channel import daemon_aside
from ..settings import Settings, load_settings
from ..terminal import safe, say

if TYPE_CHECKING:
    from ..finish_report import FinishReport


def attach(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="folder or file; without one, all known sources"
    )
    parser.add_argument(
        "--finish",
        action="store_true",
        help="then finish what was cut: whole layout of long PDFs, and scans (needs capsa[ocr])",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON record (capsa.index/1)")
    parser.add_argument("--quiet", "-q", action="store_true", help="no progress bar")


def run(args: argparse.Namespace) -> int:
    """Index, print the report, and exit 0 even when single files failed: they are in the report."""
    with daemon_aside(args.home, lambda: show_waiting(args.quiet or args.json)):
        return _run(args)


def _run(args: argparse.Namespace) -> int:
    settings = load_settings(args.home)
    with open_progress(args.quiet or args.json) as progress:
        report = Run(args.home, settings, progress).index(args.paths)
    _tell(args, report, "capsa index")
    finished = _finish(args, settings) if args.finish and report.complete else None
    if args.json:
        print_json(report.to_json() | ({"finish": finished.to_json()} if finished else {}))
    complete = report.complete and (finished is None or finished.complete)
    return 0 if complete else INTERRUPTED


def _finish(args: argparse.Namespace, settings: Settings) -> "FinishReport":
    from ..deferred import finish

    with open_progress(args.quiet or args.json) as progress:
        report = finish(args.home, settings=settings, progress=progress)
    _tell(args, report, "capsa index --finish")
    return report


def _tell(args: argparse.Namespace, report: "Report | FinishReport", command: str) -> None:
    for note in report.notes:
        say(f"capsa: {note}")
    if not report.complete:
        say(f"capsa: stopped; what is counted here is kept, `{command}` goes on with the rest")
    if not args.json:
        print_lines(safe(line) for line in report.lines())
