"""``capsa eval structure``: what the parsers find in documents, against labels and the files' own word."""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from capsa.chunkers.errors import ParseError, UsageError

if TYPE_CHECKING:
    from .structure_library import Library, Work

SCHEMA = "capsa.structure/1"
PARTS = ("time", "headings", "tables", "captions", "order", "html", "same", "coverage")
CHOICES = ("dev", "test", "all")


def attach(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add = parser.add_argument
    add(
        "folder",
        type=Path,
        nargs="?",
        metavar="DATA_FOLDER",
        help="the folder that the labels name documents in, with question sets beside them",
    )
    add("--part", action="append", choices=PARTS, help="measure only this; can be given again (default: all)")
    add(
        "--slice",
        default="all",
        choices=CHOICES,
        help="the half for development, the one for testing, or both",
    )
    add(
        "--details",
        action="store_true",
        help="list what is wrong, document by document; never of the test half",
    )
    add("--json", action="store_true", help=f"print one JSON record ({SCHEMA})")


def run(args: argparse.Namespace) -> int:
    """Measure and print; takes some minutes."""
    if args.folder is None or not args.folder.is_dir():
        given = "no folder was given" if args.folder is None else f"{args.folder}: no such folder"
        raise UsageError(f"{given}; DATA_FOLDER is the folder with the labelled documents")
    from capsa.chunkers.tokens import Tokenizer
    from capsa.store.embedder import open_embedder
    from capsa.store.models import load_model, tokenizer_path

    from .structure_library import SLICES, Library

    model = load_model(args.home, None)
    wanted = [name for name in SLICES if args.slice in (name, "all")]
    with _progress() as progress, closing(open_embedder(model, args.home / "cache")) as embedder:
        tokenizer = Tokenizer.from_file(tokenizer_path(model))
        library = Library(args.folder.resolve(), tokenizer, wanted, embedder.embed)
        result = measure(library, args.part or PARTS, args.slice, progress)
    if args.json:
        sys.stdout.write(json.dumps(result, indent=2) + "\n")
    else:
        from .structure_table import lines

        sys.stdout.writelines(f"{line}\n" for line in lines(result, args.details))
    return 0


Progress = Callable[[str, int], Callable[[], None]]
"""Begins a bar of so many steps and returns what ends a step."""


def measure(library: "Library", parts: Sequence[str], chosen: str, progress: Progress) -> dict[str, Any]:
    """Return the measures of the parts by slice, what could not be measured, and what is wrong."""
    began = time.process_time()
    return {
        "schema": SCHEMA,
        "folder": str(library.folder),
        "slice": chosen,
        "parts": {name: _measure_part(library, name, progress) for name in PARTS if name in parts},
        "cpu_seconds": round(time.process_time() - began, 1),
    }


def _measure_part(library: "Library", name: str, progress: Progress) -> dict[str, Any]:
    from .structure_library import slice_of

    work = _prepare(name)(library)
    gaps, scores = list(work.gaps), list[Any]()
    advance = progress(name, len(work.steps))
    for document, measure_step in work.steps:
        try:
            scores += measure_step()
        except ParseError as error:
            gaps.append(f"{document}: {error.reason}")
        advance()
    by_slice = {
        each: [score for score in scores if slice_of(score.document) == each] for each in library.wanted
    }
    return {
        "measures": {
            **{each: dict(work.summarise(some)) for each, some in by_slice.items()},
            "all": dict(work.summarise(scores)),
        },
        "gaps": gaps,
        # What is wrong in the test half stays unsaid, so that nobody tunes on it.
        "misses": [
            f"{score.document}: {miss}" for score in by_slice.get("dev", ()) for miss in work.misses(score)
        ],
    }


def _prepare(name: str) -> "Callable[[Library], Work]":
    """Import a part only when it is measured."""
    from . import (
        structure_coverage,
        structure_headings,
        structure_main,
        structure_order,
        structure_pdf_captions,
        structure_tables,
        structure_time,
        structure_versions,
    )

    table: Mapping[str, Callable[[Library], Work]] = {
        "time": structure_time.prepare,
        "headings": structure_headings.prepare,
        "tables": structure_tables.prepare,
        "captions": structure_pdf_captions.prepare,
        "order": structure_order.prepare,
        "html": structure_main.prepare,
        "same": structure_versions.prepare,
        "coverage": structure_coverage.prepare,
    }
    return table[name]


@contextmanager
def _progress() -> Iterator[Progress]:
    """One bar a part on stderr, on a terminal only."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description:9}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as bars:

        def begin(name: str, total: int) -> Callable[[], None]:
            task = bars.add_task(name, total=total)
            return lambda: bars.advance(task)

        yield begin
