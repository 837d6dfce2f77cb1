"""``capsa eval``: measure retrieval against questions with evidence."""

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from capsa.chunkers.errors import UsageError

from . import speed


def attach(parser: argparse.ArgumentParser) -> None:
    """Add the evaluation's commands and their options."""
    commands = parser.add_subparsers(dest="eval_command", required=True, metavar="COMMAND")
    run_parser = commands.add_parser("run", help="one configuration over one question file")
    _attach_run(run_parser)
    speed.attach(commands.add_parser("speed", help="how fast and how small capsa is on this machine"))


def run(args: argparse.Namespace) -> int:
    """Run the chosen evaluation and return the exit code."""
    return speed.run(args) if args.eval_command == "speed" else _run_one(args)


def _attach_run(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("corpus", type=Path, metavar="CORPUS", help="a folder of documents")
    add("questions", type=Path, metavar="QUESTIONS", help="JSON Lines: id, question, required_evidence, doc")
    add("--parser", default="native", help="native, normal, context_aware or docling")
    add("--chunker", default=None, help="a chunking strategy (default: the one that indexing uses)")
    add("--size", type=int, default=None, metavar="TOKENS", help="chunk size in tokens")
    add("--overlap", type=float, default=None, help="overlap: a share below 1, or tokens")
    add("--retriever", default="hybrid", choices=("bm25", "dense", "hybrid"))
    add("--model", default=None, help="an installed model (default: the one in use)")
    add("--vectors", default="pq96", choices=("pq96", "pq48", "flat"), help="how vectors are kept")
    add("--scope", default="corpus", choices=("corpus", "document"), help="search all documents, or its own")
    add("--match", default="strict", choices=("strict", "paper"), help="the matcher of the table")
    add("--k", type=_depths, default=(1, 3, 5, 10), metavar="1,3,5,10", help="depths to report")
    add("--limit", type=int, default=None, metavar="N", help="ask only the first N questions")
    add(
        "--compare",
        default=None,
        choices=("arms", "vectors"),
        help="bm25, dense and hybrid; or flat and codes",
    )
    add("--json", action="store_true", help="print the result as JSON")


def _depths(text: str) -> tuple[int, ...]:
    try:
        depths = tuple(sorted({int(part) for part in text.split(",")}))
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of numbers such as 1,5,10") from error
    if not 1 <= depths[0] <= depths[-1] <= 1000:
        raise argparse.ArgumentTypeError(f"{text!r}: each depth must be from 1 to 1000")
    return depths


def _run_one(args: argparse.Namespace) -> int:
    from capsa.chunkers.tokens import Tokenizer
    from capsa.store.embedder import open_embedder
    from capsa.store.models import load_model, tokenizer_path

    from .cache import CachedEmbedder
    from .compare import comparison, variants
    from .corpus import read_corpus, restrict
    from .questions import load_questions
    from .run import Steps, evaluate, summary
    from .table import comparison_table, run_table

    configuration = _configuration(args)
    chosen = variants(args.compare, configuration) if args.compare else {"": configuration}
    questions = load_questions(args.questions)[: args.limit]
    model = load_model(args.home, args.model)
    tokenizer = Tokenizer.from_file(tokenizer_path(model))
    corpus = read_corpus(args.corpus, configuration.chunking, tokenizer)
    questions = restrict(questions, corpus)
    embedder = open_embedder(model, args.home / "cache", _threads())
    try:
        with (
            CachedEmbedder(embedder, args.home / "eval" / "embeddings.sqlite") as cached,
            _progress(len(chosen) * len(corpus.items), len(chosen) * len(questions)) as steps,
        ):
            results = {
                name: evaluate(corpus, questions, variant, cached, Steps(*steps))
                for name, variant in chosen.items()
            }
    finally:
        embedder.close()
    report = comparison(args.compare, results) if args.compare else summary(results[""])
    text = comparison_table(report) if args.compare else run_table(report, args.match)
    sys.stdout.write(json.dumps(report) + "\n" if args.json else text)
    return 0


def _configuration(args: argparse.Namespace) -> Any:
    from capsa.chunkers.parsers import PARSERS
    from capsa.chunkers.strategies import CHUNKERS, DEFAULT

    from .corpus import Chunking
    from .run import Configuration

    chunker = args.chunker or DEFAULT
    for what, name, table in (("parser", args.parser, PARSERS), ("chunker", chunker, CHUNKERS)):
        if name not in table:
            raise UsageError(f"there is no {what} {name!r}; choose from {', '.join(table)}")
    overlap = args.overlap if args.overlap is None or args.overlap < 1 else int(args.overlap)
    return Configuration(
        chunking=Chunking(args.parser, chunker, args.size, overlap),
        retriever=args.retriever,
        vectors=args.vectors,
        scope=args.scope,
        ks=args.k,
    )


def _threads() -> int:
    return os.cpu_count() or 1


@contextmanager
def _progress(
    documents: int, questions: int
) -> Iterator[tuple[Callable[[int], None], Callable[[int], None]]]:
    """Two bars on stderr, on a terminal only."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        index = progress.add_task("indexing", total=documents)
        ask = progress.add_task("asking", total=questions)
        yield lambda n: progress.advance(index, n), lambda n: progress.advance(ask, n)
