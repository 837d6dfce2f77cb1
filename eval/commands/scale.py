"""``capsa eval scale``: what an index costs as it grows."""

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from capsa.chunkers.errors import CapsaError, UsageError

from .. import options

# Rows of the table: what they are called, and where in a row of the result they stand.
SHOWN = {
    "build, CPU µs a chunk": ("build", "cpu_us_per_chunk"),
    "bytes a chunk": ("bytes_per_chunk",),
    "open and first answer, s": ("open", "wall_s"),
    "whole command (keywords), s": ("command", "wall_s"),
    "warm search, p50 ms": ("warm_ms", "p50"),
    "… p95 ms": ("warm_ms", "p95"),
    "… CPU p50 ms": ("warm_cpu_ms", "p50"),
    "… CPU p95 ms": ("warm_cpu_ms", "p95"),
    "memory of the process, MB": ("peak_bytes",),
    "chunks deleted at once": ("delete", "chunks"),
    "… CPU ms": ("delete", "cpu_ms"),
    "… next search, CPU ms": ("delete", "next_search_cpu_ms"),
    "one document deleted, CPU ms": ("delete", "one_document_cpu_ms"),
}


def attach(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add = parser.add_argument
    add("--sizes", type=_sizes, default=None, metavar="1000,10000", help="chunks (1000,10000,100000)")
    add("--folder", type=Path, default=None, metavar="PATH", help="use the documents of this folder")
    add("--plot", type=Path, default=None, metavar="FILE", help="draw searches by size into FILE, .html")
    add("--json", action="store_true", help="print the result as JSON")


def run(args: argparse.Namespace) -> int:
    """Measure and print."""
    from ..scale import SIZES, measure
    from ..speed import show_step

    if args.folder is not None and not args.folder.is_dir():
        raise UsageError(f"{args.folder}: no such folder")
    with show_step() as step:
        found = measure(args.home, args.sizes or SIZES, args.folder and args.folder.resolve(), step)
    if args.plot:
        _plot(args.plot, found)
    if args.json:
        options.write_json(found)
    else:
        options.write_lines(_lines(found))
    return 0


def _sizes(text: str) -> tuple[int, ...]:
    try:
        sizes = tuple(sorted({int(part) for part in text.split(",")}))
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of numbers such as 1000,10000") from error
    if sizes[0] < 100:
        raise argparse.ArgumentTypeError(f"{text!r}: the least is 100")
    return sizes


def _lines(found: Mapping[str, Any]) -> Iterator[str]:
    from ..grid_table import columns

    rows = found["rows"]
    table = [["", *(f"{row['chunks']:,}" for row in rows)]]
    for name, path in SHOWN.items():
        table.append([name, *(_figure(name, _value(row, path)) for row in rows)])
    yield from columns(table)
    yield "the query's vector is given: the model's time and memory are not in these figures"


def _value(row: Mapping[str, Any], path: tuple[str, ...]) -> float:
    value: Any = row
    for name in path:
        value = value[name]
    return float(value)


def _figure(name: str, value: float) -> str:
    if "MB" in name:
        return f"{value / 1e6:,.0f}"
    return f"{value:,.0f}" if value >= 100 else f"{value:,.2f}"


def _plot(path: Path, found: Mapping[str, Any]) -> None:
    from ..report_page import Section, page
    from ..report_svg import lines

    rows = found["rows"]
    names = [f"{row['chunks']:,}" for row in rows]
    sections = [
        Section("search", "Warm search", lines("ms", names, _series(rows, ("p50", "p95")), "chunks")),
        Section("build", "Building", lines("CPU µs a chunk", names, {"build": _costs(rows)}, "chunks")),
    ]
    try:
        path.write_text(page("capsa eval scale", "", sections), encoding="utf-8")
    except OSError as error:
        raise CapsaError(f"{path}: cannot be written: {error.strerror}") from error


def _series(rows: list[dict[str, Any]], names: tuple[str, ...]) -> dict[str, list[float]]:
    return {f"{name} ms": [row["warm_ms"][name] for row in rows] for name in names}


def _costs(rows: list[dict[str, Any]]) -> list[float]:
    return [row["build"]["cpu_us_per_chunk"] for row in rows]
