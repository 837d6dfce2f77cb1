"""``capsa search``: search what is indexed, by the running daemon or here."""

import argparse
import os
import shutil
import sys
from typing import Any

from ..printing import print_json, print_lines
from ..serving.channel import ask
from ..terminal import say, wants_colour

DEFAULT_LIMIT = 10
# What the arguments are called in the request too.
_ASKED = (
    *("limit", "kinds", "site", "since", "until", "language", "visited", "boost"),
    *("bookmarked", "retriever", "explain"),
)


def attach(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "words",
        nargs="+",
        metavar="QUERY",
        help="words or a question; in single quotes also '\"a phrase\"' and 'prefix*'; "
        "after --, -word leaves out what has the word",
    )
    parser.add_argument(
        "-n", "--limit", type=_number, default=DEFAULT_LIMIT, metavar="N", help="hits (default: 10)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON record (capsa.search/1)")
    filters = parser.add_argument_group("filters, applied before ranking")
    filters.add_argument(
        "--kind",
        dest="kinds",
        action="append",
        default=[],
        help="pdf, html, markdown, page, ...; may be repeated",
    )
    filters.add_argument("--in", dest="folder", metavar="FOLDER", help="only below this folder")
    filters.add_argument("--site", metavar="HOST", help="only pages of this host and its subdomains")
    filters.add_argument(
        "--since",
        metavar="DATE",
        help="modified or last visited on this day or later: YYYY-MM-DD or 30d, 6w, 3m, 1y",
    )
    filters.add_argument("--until", metavar="DATE", help="modified or last visited on this day or earlier")
    filters.add_argument(
        "--visited", type=_number, metavar="N", help="only pages visited so many times or more"
    )
    filters.add_argument("--bookmarked", action="store_true", help="only pages that are bookmarks")
    filters.add_argument("--language", metavar="CODE", help="only documents in this language: en, de, ...")
    parser.add_argument(
        "--retriever", choices=("bm25", "dense", "hybrid"), default="hybrid", help="default: hybrid"
    )
    parser.add_argument(
        "--no-boost",
        dest="boost",
        action="store_false",
        help="visits have no part in the score of visited pages (they have a tenth at most)",
    )
    parser.add_argument("--explain", action="store_true", help="show the rank and score in each retriever")
    parser.add_argument("--fail-on-empty", action="store_true", help="exit with 1 when nothing is found")


def run(args: argparse.Namespace) -> int:
    """Search and print; no hits are no error."""
    request = _request(args)
    answer = ask(args.home, {"do": "search", **request}) or _search_here(args, request)
    if args.json:
        print_json(answer["record"])
    else:
        print_lines(answer["lines"])
        for note in answer["notes"]:
            say(f"capsa: {note}")
    return 1 if args.fail_on_empty and not answer["found"] else 0


def _search_here(args: argparse.Namespace, request: dict[str, Any]) -> dict[str, Any]:
    # NumPy's OpenBLAS would start a thread for each core, which one query has no work for.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from ..searching import Searching

    with Searching(args.home) as searching:
        return searching.answer(request)


def _request(args: argparse.Namespace) -> dict[str, Any]:
    request = {name: getattr(args, name) for name in _ASKED}
    request["text"] = " ".join(args.words)
    if args.folder is not None:
        request["folder"] = os.path.realpath(os.path.expanduser(args.folder))
    if not args.json:
        request["width"] = shutil.get_terminal_size((80, 24)).columns
        request["colour"] = wants_colour(sys.stdout)
    return request


def _number(text: str) -> int | str:
    """Return the number; what is none is left to who answers, as one that is out of bounds."""
    return int(text[:9]) if text.isascii() and text.isdigit() else text
