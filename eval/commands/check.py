"""``capsa eval check``: is a question file sound, and is its evidence in the documents?"""

import argparse
from pathlib import Path

from .. import options


def attach(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("questions", type=Path, metavar="QUESTIONS", help="JSON Lines of questions")
    parser.add_argument("corpus", type=Path, metavar="CORPUS", help="a folder of documents")
    parser.add_argument("--parser", default="native", help="native, normal, context_aware or docling")
    parser.add_argument("--json", action="store_true", help="print the result as JSON (capsa.eval.check/1)")


def run(args: argparse.Namespace) -> int:
    """Print a line for each fault; return 1 when there are any."""
    from ..check import check_questions
    from ..corpus import parse_corpus

    options.check_names([args.parser], [])
    # Other commands take them the other way round.
    swapped = args.questions.is_dir() and args.corpus.is_file()
    path, root = (args.corpus, args.questions) if swapped else (args.questions, args.corpus)
    sources = parse_corpus(root, args.parser, without={path})
    count, faults = check_questions(path, sources)
    if args.json:
        record = {"questions": count, "documents": len(sources.by_path), "faults": faults}
        options.write_json({"schema": "capsa.eval.check/1", **record})
    else:
        summary = f"{count} questions, {len(sources.by_path)} documents, {len(faults)} faults"
        options.write_lines([*faults, summary])
    return 1 if faults else 0
