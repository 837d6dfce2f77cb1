"""``capsa storage``: bytes by part."""

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..beginning import require_index
from ..printing import count, print_json, print_lines, size


def attach(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--json", action="store_true", help="print one JSON record (capsa.storage/1)")


def run(args: argparse.Namespace) -> int:
    """Measure and print."""
    require_index(args.home)
    storage = _measure(args.home)
    if args.json:
        print_json(storage)
    else:
        print_lines(_lines(storage))
    return 0


def _measure(home: Path) -> dict[str, Any]:
    from capsa.store.compared import compare
    from capsa.store.models import tokenizer_path
    from capsa.store.reader import Reader

    from ..encoder import find_encoder

    with Reader.open(home) as reader:
        storage = reader.storage()
        with reader.snapshot():
            compared = compare(reader.connection, storage, tokenizer_path(find_encoder(home).model))
    return {**storage, "compared": compared}


# What makes up the index, then the index as a whole, then what lies beside it in the home.
NAMES = {
    "text": "the documents' text, compressed",
    "keywords": "the keyword index",
    "vectors": "vectors: their codes, and which chunks they are of",
    "metadata": "documents, chunks, files, free pages",
    "history": "visited pages and saved copies: visits, searches, exports",
    "log": "changes not yet in the database file",
    "index": "the index: all of the above",
    "models": "the model's fast form, and added models",
    "evaluation": "kept by capsa eval",
    "daemon": "its log, and room held in reserve for a full disk",
    "total": "everything in the home",
}
OF_THE_INDEX = ("text", "keywords", "vectors", "metadata", "history", "index")


# The same documents kept in other ways, those of the comparison.
WAYS = {
    "float32_384": "this index with float32 vectors of 384 dimensions",
    "float32_1024": "this index with float32 vectors of 1,024 dimensions",
    "naive_384": "chunks of one size with overlap: texts and 384 float32 dimensions, no keyword index",
    "naive_1024": "the same with 1,024 float32 dimensions",
}


def _lines(storage: Mapping[str, Any]) -> Iterator[str]:
    vectors, chunks = storage["vectors"], storage["chunks"]
    numbers = (storage["documents"], "document"), (chunks, "chunk"), (vectors["count"], "vector")
    yield ", ".join(count(*number) for number in numbers)
    if (history := storage["history"])["pages"]:
        pages, visits = count(history["pages"], "visited page"), count(history["visits"], "visit")
        yield f"{pages} ({history['titles_only']:,} known by title and address only), {visits}"
    yield f"{'':<12} {'':>10} {'a chunk':>9} {'a document':>10}"
    for name, what in NAMES.items():
        yield f"{name:<12} {size(storage[name]['bytes']):>10} {_shares(storage, name)}  {what}"
    if chunks:
        yield from _ratios(storage)


def _shares(storage: Mapping[str, Any], name: str) -> str:
    if name not in OF_THE_INDEX or not storage["documents"]:
        return f"{'':>9} {'':>10}"
    taken = storage[name]["bytes"]
    return f"{taken / max(1, storage['chunks']):>7,.0f} B {size(taken / storage['documents']):>10}"


def _ratios(storage: Mapping[str, Any]) -> Iterator[str]:
    vectors, index, source = storage["vectors"], storage["index"], storage["source"]
    yield (
        f"the index is {source['index_to_source']} x the {size(source['bytes'])} of the files and "
        f"{index['bytes_per_character']} x the characters of their text"
    )
    if vectors["count"]:
        yield (
            f"a vector takes {vectors['bytes_per_vector']} bytes with all that is kept of it, "
            f"{vectors['code_bytes']} of them its code, {vectors['code']}"
        )
    compared = storage["compared"]
    for name, what in WAYS.items():
        yield f"{size(compared[name]['bytes']):>10}  {compared[name]['to_index']:>5} x  {what}"
    claim = compared["vectors_1024"]
    yield (
        f"{size(claim['bytes']):>10}  {claim['to_vectors']:>5} x  the vectors: those of 1,024 dimensions for "
        f"{count(compared['naive']['chunks'], 'chunk')} of one size (a study found 9 x)"
    )
