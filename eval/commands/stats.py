"""``capsa eval stats``: mixed-effects models, clustered intervals and corrected paired tests over runs."""

import argparse
from pathlib import Path

from .. import options


def attach(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    from ..stats_runs import METRICS, SCOPES

    add = parser.add_argument
    add("runs", nargs="+", type=Path, metavar="RUN", help="a folder that grid, sweep or dims has written")
    add("--scope", default=None, choices=SCOPES, help="default: document, as in the paper")
    add("--match", default="strict", choices=("strict", "paper", "pages"), help="the matcher")
    add("--metric", default="er@10", choices=METRICS, help="evidence recall at that depth (er@10)")
    add("--reference", type=options.names, default=(), metavar="A,B", help="levels that effects refer to")
    add("--all", action="store_true", help="show also what is not significant")
    add("--json", action="store_true", help="print the result as JSON (capsa.eval.stats/1)")


def run(args: argparse.Namespace) -> int:
    """Compute and print."""
    from ..stats import Asked, statistics
    from ..stats_runs import load_runs
    from ..stats_table import stats_lines

    loaded = load_runs(args.runs)
    scope = loaded.pick_scope(args.scope, "document")
    found = statistics(loaded, Asked(scope, args.match, args.metric, args.reference))
    if args.json:
        options.write_json(found)
    else:
        options.write_lines(stats_lines(found, args.all))
    return 0
