"""``capsa eval run``: one configuration over one question file."""

import argparse
import math
import sys
from pathlib import Path
from typing import Any

from capsa.chunkers.errors import UsageError

from .. import options


def attach(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add = parser.add_argument
    add("corpus", type=Path, metavar="CORPUS", help="a folder of documents")
    add("questions", type=Path, metavar="QUESTIONS", help="JSON Lines: id, question, required_evidence, doc")
    add("--parser", default="native", help="native, normal, context_aware or docling")
    add("--chunker", default=None, help="a chunking strategy (default: the one that indexing uses)")
    add("--size", type=int, default=None, metavar="TOKENS", help="chunk size in tokens")
    add("--overlap", type=float, default=None, help="overlap: a share below 1, or tokens")
    add(
        "--layout-budget",
        type=_milliseconds,
        default=None,
        metavar="MS",
        help="CPU time for the layout of a PDF, 400 in a first index (default: all that it needs)",
    )
    add("--retriever", default="hybrid", choices=("bm25", "dense", "hybrid"))
    add("--model", default=None, help="an installed model (default: the one in use)")
    add("--vectors", default="pq96", choices=("pq96", "pq48", "flat"), help="how vectors are kept")
    add("--scope", default="corpus", choices=("corpus", "document"), help="search all documents, or its own")
    add("--match", default="strict", choices=("strict", "paper", "pages"), help="the matcher of the table")
    add("--k", type=_depths, default=(1, 3, 5, 10), metavar="1,3,5,10", help="depths to report")
    add("--limit", type=int, default=None, metavar="N", help="ask only the first N questions")
    add(
        "--compare",
        default=None,
        choices=("arms", "vectors"),
        help="bm25, dense and hybrid; or flat and codes",
    )
    add("--json", action="store_true", help="print the result as JSON")


def run(args: argparse.Namespace) -> int:
    """Evaluate and print."""
    from capsa.store.embedder import open_embedder
    from capsa.store.models import load_model

    from ..cache import CachedEmbedder
    from ..compare import comparison, variants
    from ..corpus import MemoTokenizer, read_corpus, restrict
    from ..questions import load_questions, without_heldout
    from ..run import Steps, evaluate, summary
    from ..table import comparison_table, run_table

    configuration = _configuration(args)
    chosen = variants(args.compare, configuration) if args.compare else {"": configuration}
    questions = without_heldout(load_questions(args.questions), args.questions)[: _limit(args.limit)]
    model = load_model(args.home, args.model)
    corpus = read_corpus(
        args.corpus,
        configuration.chunking,
        MemoTokenizer.of(model),
        {args.questions},
        configuration.layout_budget_ms,
    )
    questions = restrict(questions, corpus)
    embedder = open_embedder(model, args.home / "cache", options.threads())
    steps = ("indexing", len(chosen) * len(corpus.items)), ("asking", len(chosen) * len(questions))
    try:
        with (
            CachedEmbedder(embedder, args.home / "eval" / "embeddings.sqlite") as cached,
            options.progress(*steps) as advance,
        ):
            results = {
                name: evaluate(corpus, questions, variant, cached, Steps(*advance))
                for name, variant in chosen.items()
            }
    finally:
        embedder.close()
    report = comparison(args.compare, results) if args.compare else summary(results[""])
    if args.json:
        options.write_json(report)
    else:
        sys.stdout.write(comparison_table(report) if args.compare else run_table(report, args.match))
    return 0


def _depths(text: str) -> tuple[int, ...]:
    try:
        depths = tuple(sorted({int(part) for part in text.split(",")}))
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of numbers such as 1,5,10") from error
    if not 1 <= depths[0] <= depths[-1] <= 1000:
        raise argparse.ArgumentTypeError(f"{text!r}: each depth must be from 1 to 1000")
    return depths


def _milliseconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of milliseconds") from error
    if not 0 <= number < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} must be 0 or more milliseconds")
    return number


def _limit(number: int | None) -> int | None:
    if number is not None and number < 1:
        raise UsageError(f"--limit {number}: must be at least 1")
    return number


def _configuration(args: argparse.Namespace) -> Any:
    from capsa.chunkers.strategies import DEFAULT

    from ..corpus import Chunking
    from ..run import Configuration

    overlap = args.overlap if args.overlap is None or args.overlap < 1 else int(args.overlap)
    chunker = args.chunker or DEFAULT
    options.check_names([args.parser], [chunker])
    return Configuration(
        chunking=Chunking(args.parser, chunker, args.size, overlap),
        retriever=args.retriever,
        vectors=args.vectors,
        scope=args.scope,
        layout_budget_ms=args.layout_budget,
        ks=args.k,
    )
