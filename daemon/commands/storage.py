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


def _lines(storage: Mapping[str, Any]) -> Iterator[str]:
    yield f"{count(storage['documents'], 'document')}, {count(storage['chunks'], 'chunk')}"
    parts = {name: part["bytes"] for name, part in storage.items() if isinstance(part, Mapping)}
    for name, value in parts.items():
        yield f"{name:<12} {size(value):>10}"
    yield f"{storage['vectors']['bytes_per_chunk']} bytes of vectors a chunk"
