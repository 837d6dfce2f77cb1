"""``capsa status``: sources, counts, failures, model, index."""

import argparse
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from capsa.chunkers.errors import UsageError

from ..daemon_status import daemon_lines
from ..history.offer import EXPORT, offer
from ..layout_status import layout_lines
from ..overview import status_record
from ..printing import count, print_json, print_lines, size
from ..terminal import safe

# How often --watch looks.
WATCH_SECONDS = 1.0
# The file is made anew from the database, which holds everything; searches read the database meanwhile.
CACHE_STATES = {
    "none": "none yet, the first `capsa index` that ends makes it",
    "missing": "missing, the next `capsa index` that finds changes makes it anew",
    "behind": "behind the database, searches add what is newer",
    "current": "current",
}


def attach(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--json", action="store_true", help="print one JSON record (capsa.status/1)")
    parser.add_argument("--watch", action="store_true", help="keep showing it until Ctrl-C")


def run(args: argparse.Namespace) -> int:
    """Read and print; changes nothing."""
    if args.watch and args.json:
        raise UsageError("--watch is for people; programs ask for --json again and again")
    if args.watch:
        return _watch(args.home)
    record = status_record(args.home)
    if args.json:
        print_json(record)
    else:
        print_lines(safe(line) for line in _lines(record))
    return 0


def _watch(home: Path) -> int:
    from rich.live import Live
    from rich.text import Text

    def look() -> Text:
        return Text("\n".join(safe(line) for line in _lines(status_record(home))))

    with Live(look(), refresh_per_second=2, screen=sys.stdout.isatty()) as live:
        while True:
            time.sleep(WATCH_SECONDS)
            live.update(look())


def _lines(record: Mapping[str, Any]) -> Iterator[str]:
    paused = any(source["paused"] for source in record["sources"])
    yield from daemon_lines(record["daemon"], paused)
    yield f"{count(record['documents'], 'document')}, {count(record['chunks'], 'chunk')} in {record['home']}"
    for source in record["sources"]:
        state = _paused(record, source) if source["paused"] else ""
        gone = "" if source["present"] else ", not there now"
        yield f"source {source['path']}: {count(source['documents'], 'document')}{state}{gone}"
    yield from _tallies("kinds", record["kinds"])
    yield from layout_lines(record)
    yield from _tallies("without text", record["without_text"])
    yield from _tallies("skipped", record["skipped"])
    if exports := record["skipped"].get(EXPORT):
        yield offer(exports)
    yield from _tallies("failed", record["failed"])
    if broken := sum(record["quarantine"].values()):
        yield (
            f"{count(broken, 'file')} broke their parser: tried once more,"
            " then again when the file, capsa or a limit changes"
        )
    for failure in record["failures"]:
        yield f"  {failure['path']}: {failure['reason']}: {failure['detail']}"
    yield _model_line(record)
    yield f"vector file: {CACHE_STATES[record['cache']['state']]}"
    yield f"storage: {size(record['storage']['total'])} (`capsa storage` tells of what)"


def _paused(record: Mapping[str, Any], source: Mapping[str, Any]) -> str:
    """That the source is paused, and what waits in it."""
    unread = record["unread"].get(source["path"], 0)
    if unread is None:
        return ", paused; too many files to tell how many wait"
    return f", paused; {count(unread, 'file')} not read" if unread else ", paused"


def _tallies(name: str, counts: Mapping[str, int]) -> Iterator[str]:
    if counts:
        yield f"{name}: {', '.join(f'{key} {number:,}' for key, number in sorted(counts.items()))}"


def _model_line(record: Mapping[str, Any]) -> str:
    model, waiting = record["model"], record["waiting_for_vectors"]
    line = f"model {model['name']}"
    if model["problem"]:
        line += f": {model['problem']}"
    elif not model["current"]:
        line += f"; the index was made with {model['of_the_index']}, `capsa index` embeds it anew"
    return line + (f"; {count(waiting, 'document')} without vectors" if waiting else "")
