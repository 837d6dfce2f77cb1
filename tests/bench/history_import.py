"""How long a history takes to be taken in, without embedding: python history_import.py [ROWS PAGES].

CPU seconds of both processes, since the wall clock tells of the machine's other work too, and the most memory
that each had. Without numbers, each of SHAPES in a process of its own.
"""

import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from browser_kit import Row, make_chromium

from capsa.daemon.history import importing
from capsa.daemon.history.importing import Importing, Options
from capsa.daemon.settings import Settings
from capsa.store.writer import Writer

# Visits and pages; the last one tells whether memory grows with the history.
SHAPES = ((100_000, 40_000), (100_000, 100_000), (200_000, 200_000))
_WHO = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
START = 1_700_000_000_000_000
STEMS = ("privacy", "python", "garden", "bread", "river", "mountain", "policy", "search", "vector", "query")


def made_rows(rows: int, pages: int) -> Iterator[Row]:
    """Visits of made pages: each page once, then pages at random."""
    chance = random.Random(1)
    words = [stem + ending for stem in STEMS for ending in ("", "s", "ing", "er", "ed")]
    made = []
    for number in range(pages):
        path = f"{chance.choice(words)}/{chance.choice(words)}-{number}?utm_source=x&id={number}"
        title = " ".join(chance.choices(words, k=7)) + f" {number}"
        made.append((f"https://www.site{chance.randrange(2000)}.org/{path}", title))
    for number in range(rows):
        url, title = made[number] if number < pages else chance.choice(made)
        yield url, title, START + number * 61_234_567


def measure(what: str, home: Path, export: Path) -> None:
    """Take the export in and print what it cost."""
    before, children = time.process_time(), resource.getrusage(resource.RUSAGE_CHILDREN)
    wall = time.monotonic()
    with Writer.open(home) as writer:
        importing_ = Importing(writer, Settings(), lambda stage, share: None, Options(anew=True))
        report = importing_.run([export])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = time.process_time() - before
    cpu += after.ru_utime + after.ru_stime - children.ru_utime - children.ru_stime
    memory = [resource.getrusage(who).ru_maxrss >> 10 for who in _WHO]
    counts = f"{report.sum('read'):,} read, {report.sum('new'):,} new, {report.sum('new_pages'):,} new pages"
    size = (home / "capsa.sqlite").stat().st_size / 1e6
    sys.stdout.write(
        f"{what}: {counts}: {cpu:.1f} s of CPU, {time.monotonic() - wall:.1f} s;"
        f" at most {memory[0]} and {memory[1]} MB of memory; index {size:.1f} MB\n"
    )


def main() -> None:
    """Make a history, take it in twice."""
    numbers = [int(word) for word in sys.argv[1:]]
    if not numbers:
        for shape in SHAPES:
            subprocess.run([sys.executable, __file__, *map(str, shape)], check=True)
        return
    rows, pages = numbers
    importing.embed_stubs = lambda *_: 0
    with tempfile.TemporaryDirectory() as folder:
        export = make_chromium(Path(folder) / "History", made_rows(rows, pages))
        measure("new", Path(folder) / "home", export)
        measure("again", Path(folder) / "home", export)


if __name__ == "__main__":
    main()
