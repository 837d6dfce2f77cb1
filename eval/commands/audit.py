"""``capsa eval audit``: the share of evidence that some chunk holds, by parser and chunker."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .. import options


def attach(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    options.add_sets(parser)
    parser.add_argument(
        "--parsers", type=options.names, default=None, metavar="A,B", help="default: all four"
    )
    parser.add_argument(
        "--chunkers", type=options.names, default=None, metavar="A,B", help="default: three and six"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON (capsa.eval.audit/1)")


def run(args: argparse.Namespace) -> int:
    """Audit and print."""
    from dataclasses import asdict

    from capsa.chunkers.parsers import PARSERS

    from ..audit import audit, ceilings
    from ..corpus import Chunking
    from ..gaps import split_parsers
    from ..grid import CHUNKERS
    from ..grid_table import gap_lines
    from ..workshop import Workshop

    wanted, chunkers = args.parsers or tuple(PARSERS), args.chunkers or CHUNKERS
    options.check_names(wanted, chunkers)
    parsers, gaps = split_parsers(wanted)
    chunkings = [Chunking(parser, chunker) for parser in parsers for chunker in chunkers]
    sets = options.read_sets(args.sets)
    findings: list[dict[str, Any]] = []
    with options.progress(("cells", len(sets) * len(chunkings))) as (step,), Workshop(args.home) as workshop:
        for questions in sets:
            for chunking in chunkings:
                findings += audit(questions, [chunking], workshop)
                step(1)
    named = [asdict(gap) for gap in gaps]
    if args.json:
        record = {"documents": findings, "ceilings": ceilings(findings), "gaps": named}
        options.write_json({"schema": "capsa.eval.audit/1", **record})
    else:
        options.write_lines([*_lines(ceilings(findings)), *gap_lines(named)])
    return 0


def _lines(found: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    from ..grid_table import columns

    for key in dict.fromkeys((row["set"], row["matcher"]) for row in found):
        group = [row for row in found if (row["set"], row["matcher"]) == key]
        yield (
            f"{key[0]}, {key[1]} match: {group[0]['questions']} questions, "
            f"mean over {group[0]['documents']} documents"
        )
        rows = [["parser", "chunker", "coverage", "questions with all", "chunks"]]
        for row in sorted(group, key=lambda row: -row["coverage"]):
            figures = f"{row['coverage']:.4f}", f"{row['full_coverage']:.4f}", str(row["chunks"])
            rows.append([row["parser"], row["chunker"], *figures])
        yield from columns(rows, left=2)
        yield ""
    yield "coverage: the evidence that some chunk holds, found or not; no ranking can do better"
