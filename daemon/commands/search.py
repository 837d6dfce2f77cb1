"""``capsa search``: search what is indexed."""

import argparse
import os
import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from capsa.chunkers.errors import UnavailableError, UsageError
from capsa.store.home import database_path
from capsa.store.records import Query, Results

from ..advice import advice
from ..dates import parse_date
from ..output import results_to_json, results_to_text
from ..printing import print_json, print_lines
from ..terminal import say, wants_colour

if TYPE_CHECKING:
    from capsa.store.opening import OpeningEmbedder
    from capsa.store.reader import Reader

MAX_LIMIT = 1000


def attach(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "words",
        nargs="+",
        metavar="QUERY",
        help="words or a question; in single quotes also '\"a phrase\"' and 'prefix*'; "
        "after --, -word leaves out what has the word",
    )
    parser.add_argument("-n", "--limit", type=_limit, default=10, metavar="N", help="hits (default: 10)")
    parser.add_argument("--json", action="store_true", help="print one JSON record (capsa.search/1)")
    filters = parser.add_argument_group("filters, applied before ranking")
    filters.add_argument(
        "--kind", action="append", default=[], help="pdf, html, markdown, ...; may be repeated"
    )
    filters.add_argument("--in", dest="folder", metavar="FOLDER", help="only below this folder")
    filters.add_argument("--site", metavar="HOST", help="only pages of this host and its subdomains")
    filters.add_argument(
        "--since", metavar="DATE", help="modified on this day or later: YYYY-MM-DD or 30d, 6w, 3m, 1y"
    )
    filters.add_argument("--until", metavar="DATE", help="modified on this day or earlier")
    filters.add_argument("--language", metavar="CODE", help="only documents in this language: en, de, ...")
    parser.add_argument(
        "--retriever", choices=("bm25", "dense", "hybrid"), default="hybrid", help="default: hybrid"
    )
    parser.add_argument("--explain", action="store_true", help="show the rank and score in each retriever")
    parser.add_argument("--fail-on-empty", action="store_true", help="exit with 1 when nothing is found")


def run(args: argparse.Namespace) -> int:
    """Search and print; no hits are no error."""
    # NumPy's OpenBLAS would start a thread for each core, which one query has no work for.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    query = _query(args)
    results = _search(args, query)
    if args.json:
        print_json(results_to_json(query.text, results))
    else:
        print_lines(results_to_text(results, wants_colour(sys.stdout), args.explain))
        for note in (*results.notes, *advice(query, results, lambda: known_folders(args.home))):
            say(f"capsa: {note}")
    return 1 if args.fail_on_empty and not results.hits else 0


def known_folders(home: Path) -> list[bytes]:
    """The folders that are indexed."""
    from capsa.store.reader import Reader

    with Reader.open(home) as reader:
        return [source.path for source in reader.sources() if source.kind == "folder"]


def _search(args: argparse.Namespace, query: Query) -> Results:
    if not database_path(args.home).exists():
        raise UnavailableError("nothing is indexed yet; begin with `capsa index FOLDER`")
    from capsa.store.reader import Reader

    with Reader.open(args.home) as reader:
        embedder, notes = (None, ()) if query.retriever == "bm25" else _embedder(args, reader)
        if embedder is None:
            results = _ask(reader, query, None)
        else:
            try:
                results = _ask(reader, query, embedder)
            except UnavailableError as error:
                if query.retriever == "dense":
                    raise
                results, notes = _ask(reader, query, None), (f"keyword search only: {error}",)
            finally:
                embedder.close()
    # Where no embedder was given, our note says more than the store's.
    return Results(results.hits, notes or results.notes, results.took_ms)


def _ask(reader: "Reader", query: Query, embedder: "OpeningEmbedder | None") -> Results:
    from capsa.store.search import search

    return search(reader, query, embedder)


def _embedder(args: argparse.Namespace, reader: "Reader") -> "tuple[OpeningEmbedder | None, tuple[str, ...]]":
    """The model that the index was made with; without it keywords are searched and a note says so."""
    from ..encoder import find_encoder

    mark = reader.model
    if mark is None:
        return None, ("the index has no vectors yet, keyword search only",)
    encoder = find_encoder(args.home)
    if encoder.usable and encoder.model.fingerprint != mark.fingerprint:
        return None, (
            f"the index was made with {mark.name}; `capsa index` embeds it anew. Keyword search only",
        )
    if not encoder.problem:
        from capsa.store.opening import OpeningEmbedder

        return OpeningEmbedder(encoder.model, args.home / "cache"), ()
    if args.retriever == "dense":
        raise UnavailableError(encoder.problem)
    return None, (f"keyword search only: {encoder.problem}",)


def _query(args: argparse.Namespace) -> Query:
    today = date.today()
    return Query(
        text=_clean(" ".join(args.words)),
        limit=args.limit,
        kinds=tuple(args.kind),
        folder=None if args.folder is None else _folder(args.folder),
        site=args.site,
        since=None if args.since is None else parse_date(args.since, today),
        until=None if args.until is None else parse_date(args.until, today, end_of_day=True),
        language=args.language,
        retriever=args.retriever,
        explain=args.explain,
    )


def _clean(text: str) -> str:
    """Arguments that are not valid text come in as lone surrogates, which no document has."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _folder(path: str) -> bytes:
    return os.path.realpath(os.path.expanduser(os.fsencode(path)))


def _limit(text: str) -> int:
    if text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= MAX_LIMIT:
        return int(text)
    raise UsageError(f"-n {text}: must be a number from 1 to {MAX_LIMIT}")
