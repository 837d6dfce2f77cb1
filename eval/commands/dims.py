"""``capsa eval dims``: vectors of fewer dimensions, cut off as they are or after PCA."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from .. import options


def attach(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    options.add_sets(parser)
    add = parser.add_argument
    add("--model", default=None, help="default: nomic-embed-text-v1.5 as in the paper, else the one in use")
    add(
        "--run", type=Path, default=None, metavar="FOLDER", help="a grid: the rule selects parser and chunker"
    )
    add("--out", type=Path, default=None, metavar="FOLDER", help="keep the run for other commands")
    add("--json", action="store_true", help="print the run's record as JSON")


def run(args: argparse.Namespace) -> int:
    """Select parser and chunker by the pre-declared rule, ask in each number of dimensions, print."""
    from capsa.store.run_list import remember_run
    from capsa.store.stems import Stemmer

    from ..ablations import DIMS_MODEL, do_dims
    from ..corpus import Chunking
    from ..grid import Plan
    from ..gridrun import describe
    from ..runs import RunFolder, read_rows, to_csv
    from ..selection import PAPERS_CHOICE, select
    from ..workshop import Workshop

    chunking = Chunking(*(select(read_rows(args.run)) if args.run else PAPERS_CHOICE))
    model, gaps = options.pick_model(args.home, args.model, DIMS_MODEL)
    sets = tuple(options.read_sets(args.sets))
    plan = Plan(sets, (chunking,), ("dense",), (model,), ("document",))
    record: dict[str, Any] = {**describe(plan, args.home, "dims", gaps), "cells": []}
    run_folder = RunFolder.open(args.out, record, fresh=True) if args.out else None
    with (
        options.progress(("sets", len(sets))) as (step,),
        Workshop(args.home) as workshop,
        closing(Stemmer()) as stemmer,
    ):
        for questions in sets:
            rows, cells = do_dims(questions, chunking, model, workshop, stemmer)
            record["cells"] += cells
            if run_folder:
                run_folder.add(questions.name, to_csv(rows), cells)
            step(1)
    if run_folder:
        record = run_folder.finish()
        remember_run(args.home, args.out)
    if args.json:
        options.write_json(record)
    else:
        options.write_lines(_lines(record, model, by_rule=args.run is not None))
    return 0


def _lines(record: Mapping[str, Any], model: str, by_rule: bool) -> Iterator[str]:
    from ..dims import TRUNCATABLE
    from ..grid_table import gap_lines

    cells = record["cells"]
    chosen = "by the rule from the run" if by_rule else "the paper's choice"
    yield f"{cells[0]['parser']} / {cells[0]['chunker']} ({chosen}), {model}, inside documents, strict match"
    if model not in TRUNCATABLE:
        yield f"{model} was not trained for truncation: its first dimensions are no better than any others"
    for name in dict.fromkeys(cell["set"] for cell in cells):
        yield from _table([cell for cell in cells if cell["set"] == name])
        yield ""
    yield from gap_lines(record["gaps"])


def _table(cells: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    from ..grid_table import columns

    count = cells[0]["vector_count"]
    yield f"{cells[0]['set']}: {cells[0]['questions']} questions, {count} vectors"
    if count <= max(cell["dimension"] for cell in cells):
        yield f"{count} vectors have no more than {count} axes: with so many after PCA, nothing is lost"
    rows = [["dimensions", "vectors", "ER@5", "ER@10", "MRR", "kB", "p50 ms"]]
    for cell in sorted(cells, key=lambda cell: (cell["vectors"], cell["dimension"])):
        figures = (f"{cell[name]:.3f}" for name in ("er@5", "er@10", "rr"))
        how = "after PCA" if cell["vectors"] == "pca" else "cut off"
        size = f"{cell['index_bytes'] / 1000:.0f}"
        rows.append([str(cell["dimension"]), how, *figures, size, f"{cell['latency_p50_ms']:.1f}"])
    yield from columns(rows, left=2)
