"""``capsa eval speed``: how fast and how small capsa is on this machine, measured in one run.

Wall times say little on a busy machine; ratios of things that are measured in turn say more.
"""

import argparse
import json
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from capsa.chunkers.errors import UsageError

SCHEMA = "capsa.speed/1"
CHUNKS, QUICK_CHUNKS = 100_000, 300


def attach(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add = parser.add_argument
    add("--json", action="store_true", help=f"print one JSON record ({SCHEMA})")
    add("--chunks", type=int, default=None, metavar="N", help=f"chunks to search (default: {CHUNKS:,})")
    add("--folder", type=Path, default=None, metavar="PATH", help="use the documents of this folder")
    add("--compare", action="store_true", help="other stacks instead, on the texts of --folder, in turn")
    add("--peers", type=Path, default=Path(sys.executable), metavar="PYTHON", help="a Python that has them")
    add("--quick", action="store_true", help="tiny sizes: shows that it works, its figures mean nothing")


def run(args: argparse.Namespace) -> int:
    """Measure and print; takes some minutes the first time."""
    default = QUICK_CHUNKS if args.quick else CHUNKS
    chunks = default if args.chunks is None else args.chunks
    if chunks < 1:
        raise UsageError(f"--chunks {chunks}: must be at least 1")
    if args.folder is not None and not args.folder.is_dir():
        raise UsageError(f"{args.folder}: no such folder")
    folder = None if args.folder is None else args.folder.resolve()
    if args.compare:
        return _compare(args, folder)
    with show_step() as step:
        result = measure(args.home, chunks, folder, args.quick, step)
    if args.json:
        sys.stdout.write(json.dumps(result, indent=2) + "\n")
    else:
        from .speed_table import lines

        sys.stdout.writelines(f"{line}\n" for line in lines(result))
    return 0


def _compare(args: argparse.Namespace, folder: Path | None) -> int:
    from .speed_compare import compare, lines

    if folder is None:
        raise UsageError("--compare needs documents: --folder PATH")
    with show_step() as step:
        found = compare(args.home, folder, args.peers, step)
    output = json.dumps(found, indent=2) if args.json else "\n".join(lines(found))
    sys.stdout.write(f"{output}\n")
    return 0


def measure(
    home: Path, chunks: int, folder: Path | None, quick: bool, step: Callable[[str], None]
) -> dict[str, Any]:
    """Return all measures; the searched index is kept below ``home``, all else is deleted."""
    from capsa.store.models import DEFAULT, load_model
    from capsa.store.private import make_folder

    from .speed_embedding import measure_embedding
    from .speed_home import open_home
    from .speed_indexing import measure_indexing
    from .speed_search import measure_search

    model, cache = load_model(home, DEFAULT), home / "cache"
    step("embedding")
    embedding = measure_embedding(model, cache, folder, quick)
    # On the disk that the index is on.
    with tempfile.TemporaryDirectory(prefix="indexing-", dir=make_folder(home / "eval")) as work:
        step("indexing")
        indexing = measure_indexing(model, cache, Path(work), folder, quick)
    made = open_home(home, chunks, folder, step)
    step("searching")
    searching = measure_search(made, model, cache, quick)
    return {
        "schema": SCHEMA,
        "machine": _machine(),
        "documents": "generated" if folder is None else str(folder),
        "quick": quick,
        "embedding": embedding,
        "search": searching,
        "indexing": indexing,
    }


def _machine() -> dict[str, Any]:
    return {
        "system": platform.system(),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
    }


@contextmanager
def show_step() -> Iterator[Callable[[str], None]]:
    """A line on stderr that says what is measured, on a terminal only."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda text: None
        return
    with console.status("") as status:
        yield status.update
