"""``capsa eval codes``: what keeping vectors smaller loses, for every code and its rivals."""

import argparse
from collections.abc import Iterator, Mapping
from typing import Any

from .. import options


def attach(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    options.add_sets(parser)
    parser.add_argument("--model", default=None, help="an installed model (default: the one in use)")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(args: argparse.Namespace) -> int:
    """Compare on each set and print a table of each."""
    from capsa.store.models import load_model

    from ..codes import CANDIDATES, SCHEMA, measure
    from ..workshop import Workshop

    sets = options.read_sets(args.sets)
    model = load_model(args.home, args.model).name
    with (
        options.progress(("codes", len(sets) * CANDIDATES)) as (step,),
        Workshop(args.home) as workshop,
    ):
        found = [measure(questions, workshop, model, step) for questions in sets]
    if args.json:
        options.write_json({"schema": SCHEMA, "model": model, "sets": found})
    else:
        options.write_lines(line for each in found for line in _lines(each))
    return 0


def _lines(found: Mapping[str, Any]) -> Iterator[str]:
    from ..grid_table import columns, points

    yield f"{found['set']}: {found['questions']} questions, {found['vectors']:,} vectors, hybrid search"
    rows = [["code", "bytes", "first ten", "ER@5", "ER@10", "MRR", "ER@5 against exact", "ER@10", "made s"]]
    for each in sorted(found["rows"], key=lambda each: (each["bytes"], each["same_first_ten"])):
        means = (f"{value:.3f}" for value in each["means"].values())
        lost = (points(each["differences"][name]) for name in ("evidence_recall@5", "evidence_recall@10"))
        name = ("* " if each["frontier"] else "  ") + each["name"]
        figures = [str(each["bytes"]), f"{each['same_first_ten']:.3f}", *means, *lost]
        rows.append([name, *figures, f"{each['made_cpu_s']:.1f}"])
    yield from columns(rows)
    yield "* on the frontier: nothing as small shares more of its first ten with exact vectors"
    yield "against exact: points with their 95 % bootstrap interval"
    yield ""
