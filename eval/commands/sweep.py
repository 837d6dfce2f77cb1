"""``capsa eval sweep``: chunk size x overlap on the recursive chunker."""

import argparse
import tempfile
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from .. import options


def attach(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    options.add_sets(parser)
    add = parser.add_argument
    add("--parser", default=None, help="default: context_aware, fixed before the sweep as in the paper")
    add("--model", default=None, help="default: bge-base-en-v1.5 as in the paper, else the one in use")
    add("--out", type=Path, default=None, metavar="FOLDER", help="keep the run for other commands")
    add("--fresh", action="store_true", help="measure anew, whatever was done before")
    add("--json", action="store_true", help="print the run's record as JSON")


def run(args: argparse.Namespace) -> int:
    """Run the sweep and print a table of each set, sizes down and overlaps across."""
    from capsa.store.run_list import remember_run

    from ..ablations import SWEEP_MODEL, SWEEP_PARSER, sweep_chunkings
    from ..grid import Plan
    from ..gridrun import describe, do_here, run_grid
    from ..kept import KeptGroups
    from ..runs import RunFolder

    parser = args.parser or SWEEP_PARSER
    options.check_names([parser], [])
    model, gaps = options.pick_model(args.home, args.model, SWEEP_MODEL)
    sets = tuple(options.read_sets(args.sets))
    plan = Plan(sets, tuple(sweep_chunkings(parser)), ("dense",), (model,), ("document",))
    description = describe(plan, args.home, "sweep", gaps)
    with (
        options.progress(("combinations", len(list(plan.groups())))) as (step,),
        tempfile.TemporaryDirectory(prefix="capsa-sweep-") as temporary,
        KeptGroups(args.home, description, args.fresh) as kept,
    ):
        folder = RunFolder.open(args.out or Path(temporary), description, args.fresh)
        record = run_grid(plan, folder, partial(do_here, plan, args.home), step, kept)
        if args.out:
            remember_run(args.home, args.out)
    if args.json:
        options.write_json(record)
    else:
        options.write_lines(_lines(record))
    return 0


def _lines(record: Mapping[str, Any]) -> Iterator[str]:
    from ..ablations import OVERLAPS
    from ..grid_table import LEGEND, columns, gap_lines

    cells = record["cells"]
    for name in dict.fromkeys(cell["set"] for cell in cells):
        group = [cell for cell in cells if cell["set"] == name]
        first = group[0]
        yield (
            f"{name}: {first['questions']} questions inside their documents, {first['parser']}, recursive, "
            f"{first['model']}, strict match"
        )
        sizes = list(dict.fromkeys(cell["size"] for cell in group))
        for metric, label in (("er@5", "ER@5"), ("er@10", "ER@10"), ("rr", "MRR"), ("coverage", "coverage")):
            rows = [[label, *(f"overlap {overlap}" for overlap in OVERLAPS), "chunks"]]
            for size in sizes:
                line = [cell for cell in group if cell["size"] == size]
                counts = "/".join(str(cell["chunks"]) for cell in line)
                rows.append([f"{size} tokens", *(f"{cell[metric]:.3f}" for cell in line), counts])
            yield from columns(rows)
            yield ""
    yield from LEGEND
    yield from gap_lines(record["gaps"])
