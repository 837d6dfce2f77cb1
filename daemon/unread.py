"""What waits in paused sources: files that a run would read if it did not pass over them."""

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from .excludes import Excludes
from .known_files import KnownFiles
from .settings import load_settings
from .survey import is_read
from .walk import Found, Item, Limits, walk

if TYPE_CHECKING:
    from capsa.store.reader import Reader
    from capsa.store.records import Source

# Entries that are looked at to count; of 100,000 that would take a second.
MAX_ENTRIES = 50_000


def count_unread(home: Path, reader: "Reader") -> dict[bytes, int | None]:
    """Return how many files of each paused folder that is there are new or changed since they were read.

    None stands for too many entries to count.
    """
    sources = reader.sources()
    paused = [source for source in sources if source.paused and os.path.lexists(source.path)]
    if not paused:
        return {}
    settings, roots = load_settings(home), {source.path for source in sources}
    excludes = Excludes(settings, os.fsencode(home))
    counts: dict[bytes, int | None] = {}
    for source in paused:
        limits = Limits(settings.max_file_bytes, settings.other_file_systems, roots - {source.path})
        counts[source.path] = _count(walk(source.path, excludes, limits), _known(reader, source))
    return counts


def _known(reader: "Reader", source: "Source") -> KnownFiles:
    return KnownFiles(reader.known_rows(source.id, source.path))


def _count(entries: Iterator[Item], known: KnownFiles) -> int | None:
    seen = list(islice(entries, MAX_ENTRIES + 1))
    if len(seen) > MAX_ENTRIES:
        return None
    files = [entry for entry in seen if isinstance(entry, Found)]
    return sum(not ((before := known.take(file.path)) and is_read(file, before)) for file in files)
