"""``capsa eval pareto``: bytes against recall, latency against recall."""

import argparse
from pathlib import Path

from .. import options


def attach(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    from ..stats_runs import METRICS, SCOPES

    add = parser.add_argument
    add("runs", nargs="+", type=Path, metavar="RUN", help="a folder that grid, sweep or dims has written")
    add("--scope", default=None, choices=SCOPES, help="default: corpus, as users search")
    add("--match", default="strict", choices=("strict", "paper", "pages"), help="the matcher")
    add("--metric", default="er@5", choices=METRICS, help="evidence recall at that depth (er@5)")
    add("--json", action="store_true", help="print the result as JSON (capsa.eval.pareto/1)")


def run(args: argparse.Namespace) -> int:
    """Find the frontiers and print them."""
    from ..pareto import pareto
    from ..pareto_table import pareto_lines
    from ..stats_runs import load_runs

    loaded = load_runs(args.runs)
    found = pareto(loaded, loaded.pick_scope(args.scope, "corpus"), args.match, args.metric)
    if args.json:
        options.write_json(found)
    else:
        options.write_lines(pareto_lines(found))
    return 0
