"""``capsa eval report``: runs as one HTML page with tables and figures."""

import argparse
from pathlib import Path

from capsa.chunkers.errors import CapsaError

from .. import options


def attach(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    from ..stats_runs import SCOPES

    add = parser.add_argument
    add("runs", nargs="+", type=Path, metavar="RUN", help="a folder that grid, sweep or dims has written")
    add(
        "--out",
        type=Path,
        default=None,
        metavar="FILE",
        help="default: report.html in the first RUN",
    )
    add("--scope", default=None, choices=SCOPES, help="default: document, as in the paper")
    add("--match", default="strict", choices=("strict", "paper", "pages"), help="the matcher")


def run(args: argparse.Namespace) -> int:
    """Write the page."""
    from ..report_html import report
    from ..stats_runs import load_runs

    loaded = load_runs(args.runs)
    page = report(loaded, loaded.pick_scope(args.scope, "document"), args.match)
    out = args.out or args.runs[0] / "report.html"
    try:
        out.write_text(page, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise CapsaError(f"{out}: cannot be written: {error.strerror}") from error
    options.write_lines([f"{out}: {len(page.encode('utf-8', 'backslashreplace')) // 1000} kB"])
    return 0
