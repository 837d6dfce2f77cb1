"""``capsa eval grid``: parser x chunker x retriever x model, into a folder that other commands read."""

import argparse
from functools import partial
from pathlib import Path
from typing import Any

from capsa.chunkers.errors import UsageError

from .. import options


def attach(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    from ..stations import RETRIEVERS

    add = parser.add_argument
    options.add_sets(parser)
    add(
        "--out",
        type=Path,
        required=True,
        metavar="FOLDER",
        help="where the run is kept; goes on after Ctrl-C",
    )
    add("--fresh", action="store_true", help="measure anew, whatever was done before")
    add("--parsers", type=options.names, default=None, metavar="A,B", help="default: all four")
    add("--chunkers", type=options.names, default=None, metavar="A,B", help="default: three and six")
    add("--retrievers", type=options.names, default=RETRIEVERS, metavar="A,B", help=", ".join(RETRIEVERS))
    add("--models", type=options.names, default=(), metavar="A,B", help="default: all that are installed")
    add("--scope", default="both", choices=("document", "corpus", "both"), help="search its document, or all")
    add("--workers", type=int, default=None, metavar="N", help="processes (default: one a core)")
    add("--scheduler", default=None, metavar="ADDRESS", help="of a Dask cluster that shares the files")
    add("--match", default="strict", choices=("strict", "paper"), help="the matcher of the table")
    add("--all", action="store_true", help="list all cells, not only the best")
    add("--json", action="store_true", help="print the run's record as JSON")


def run(args: argparse.Namespace) -> int:
    """Run the grid, print what it found, best first."""
    from capsa.store.run_list import remember_run

    from ..grid_table import grid_lines
    from ..gridrun import describe, run_grid
    from ..kept import KeptGroups
    from ..runs import RunFolder

    plan, gaps = make_plan(args)
    description = describe(plan, args.home, "grid", gaps)
    folder = RunFolder.open(args.out, description, args.fresh)
    with (
        options.progress(("groups", len(list(plan.groups())))) as (step,),
        KeptGroups(args.home, description, args.fresh) as kept,
    ):
        record = run_grid(plan, folder, _executor(args, plan), step, kept)
    remember_run(args.home, args.out)
    if args.json:
        options.write_json(record)
    else:
        options.write_lines(grid_lines(record, args.out, args.match, args.all))
    return 0


def _executor(args: argparse.Namespace, plan: Any) -> Any:
    """Return what does groups: a cluster, some processes, or this one."""
    from ..gridrun import do_here
    from ..processes import default_workers, do_in_processes

    if args.scheduler:
        from ..cluster import do_on_cluster

        return partial(do_on_cluster, plan, args.home, args.scheduler)
    workers = default_workers(len(list(plan.groups()))) if args.workers is None else args.workers
    if workers < 1:
        raise UsageError(f"--workers {workers}: must be at least 1")
    if workers == 1:
        return partial(do_here, plan, args.home)
    return partial(do_in_processes, plan, args.home, workers)


def make_plan(args: argparse.Namespace) -> tuple[Any, list[Any]]:
    """Return the plan of what is here, and the gaps."""
    from capsa.chunkers.parsers import PARSERS

    from ..corpus import Chunking
    from ..gaps import split_models, split_parsers
    from ..grid import CHUNKERS, Plan
    from ..stations import RETRIEVERS

    wanted = args.parsers or tuple(PARSERS)
    chunkers = args.chunkers or CHUNKERS
    options.check_names(wanted, chunkers)
    options.check_choices("retriever", args.retrievers, RETRIEVERS)
    parsers, gaps = split_parsers(wanted)
    models, missing = split_models(args.home, args.models)
    plan = Plan(
        sets=tuple(options.read_sets(args.sets)),
        chunkings=tuple(Chunking(parser, chunker) for parser in parsers for chunker in chunkers),
        retrievers=tuple(args.retrievers),
        models=tuple(models),
        scopes=("document", "corpus") if args.scope == "both" else (args.scope,),
    )
    return plan, [*gaps, *missing]
