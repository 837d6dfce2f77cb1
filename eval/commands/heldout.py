"""``capsa eval heldout``: held-out questions, shipped or your own, beside the development ones."""

import argparse
from pathlib import Path
from typing import Any

from capsa.chunkers.errors import UsageError

from .. import options
from ..runs import Row


def attach(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "sets",
        nargs="*",
        type=Path,
        metavar="CORPUS QUESTIONS",
        help='documents and questions of your own, some with "slice": "heldout" (default: the shipped set)',
    )
    parser.add_argument("--model", default=None, help="an installed model (default: the one in use)")
    parser.add_argument("--json", action="store_true", help="print the result as JSON (capsa.eval.heldout/1)")


def run(args: argparse.Namespace) -> int:
    """Search as users do, print both slices side by side; nothing is chosen by the result."""
    from capsa.store.models import current_name

    from ..heldout import both_slices, own_slices
    from ..heldout_table import heldout_lines, report

    if len(args.sets) not in (0, 2):
        raise UsageError("name a folder of documents and a question file, or neither")
    questions = own_slices(*args.sets) if args.sets else both_slices()
    rows, cells = _measure(questions, args.home, args.model or current_name(args.home))
    result = report(rows, cells)
    if args.json:
        options.write_json(result)
    else:
        options.write_lines(heldout_lines(result))
    return 0


def _measure(
    questions: options.QuestionSet, home: Path, model: str
) -> tuple[list[Row], list[dict[str, Any]]]:
    from capsa.chunkers.strategies import DEFAULT

    from ..corpus import Chunking
    from ..grid import Group, Plan, do_group
    from ..stations import CODED
    from ..workshop import Workshop

    chunking = Chunking("native", DEFAULT)
    plan = Plan((questions,), (chunking,), ("bm25", CODED, "hybrid"), (model,), ("corpus",))
    with options.progress(("both slices", 1)) as (step,), Workshop(home) as workshop:
        found = do_group(plan, Group(questions, chunking), workshop)
        step(1)
    return found
