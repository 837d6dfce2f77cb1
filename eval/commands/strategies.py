"""``capsa eval strategies``: the six strategies in one table."""

import argparse

from .. import options


def attach(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    options.add_sets(parser)
    parser.add_argument("--parser", default="native", help="native, normal, context_aware or docling")
    parser.add_argument("--model", default=None, help="an installed model (default: the one in use)")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(args: argparse.Namespace) -> int:
    """Measure and print; on the shipped set, development and held-out questions side by side."""
    from capsa.store.models import current_name

    from ..grid import SIX
    from ..heldout import both_slices
    from ..strategies import measure, report
    from ..strategies_table import strategy_lines

    options.check_names([args.parser], [])
    model = args.model or current_name(args.home)
    sets = options.read_sets(args.sets) if args.sets else [both_slices()]
    results = []
    with options.progress(("strategies", len(SIX) * len(sets))) as (step,):
        for questions in sets:
            measured = []
            for strategy in measure(questions, args.home, model, args.parser):
                measured.append(strategy)
                step(1)
            results.append((questions, report(questions, measured)))
    if args.json:
        options.write_json({"schema": "capsa.eval.strategies/1", "sets": [found for _, found in results]})
        return 0
    for questions, found in results:
        asked = {question.id: question for question in questions.questions}
        options.write_lines(strategy_lines(found, asked))
    return 0
