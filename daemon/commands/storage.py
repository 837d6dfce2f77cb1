"""``capsa storage``: bytes by part."""

import argparse
from collections.abc import Iterator, Mapping
from typing import Any

from capsa.chunkers.errors import UnavailableError
from capsa.store.home import database_path

from ..printing import count, print_json, print_lines, size


def attach(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--json", action="store_true", help="print one JSON record (capsa.storage/1)")


def run(args: argparse.Namespace) -> int:
    """Measure and print."""
    if not database_path(args.home).exists():
        raise UnavailableError("nothing is indexed yet; begin with `capsa index FOLDER`")
    from capsa.store.reader import Reader

    with Reader.open(args.home) as reader:
        storage = {"schema": "capsa.storage/1", **reader.storage()}
    if args.json:
        print_json(storage)
    else:
        print_lines(_lines(storage))
    return 0


# What makes up the index, then the index as a whole, then what lies beside it in the home.
NAMES = {
    "text": "the documents' text, compressed",
    "keywords": "the keyword index",
    "vectors": "vectors, in the database and in the file that is searched",
    "metadata": "documents, chunks, files, free pages",
    "log": "changes not yet in the database file",
    "index": "the index: all of the above",
    "models": "the model's fast form, and added models",
    "evaluation": "kept by capsa eval",
    "daemon": "its log, and room held in reserve for a full disk",
    "total": "everything in the home",
}


def _lines(storage: Mapping[str, Any]) -> Iterator[str]:
    vectors, index = storage["vectors"], storage["index"]
    yield ", ".join(
        [
            count(storage["documents"], "document"),
            count(storage["chunks"], "chunk"),
            count(vectors["count"], "vector"),
        ]
    )
    for name, what in NAMES.items():
        yield f"{name:<12} {size(storage[name]['bytes']):>10}  {what}"
    if not storage["chunks"]:
        return
    yield (
        f"{index['bytes_per_character']} bytes of index for a character of text, "
        f"{vectors['bytes_per_chunk']} bytes of vectors for a chunk"
    )
