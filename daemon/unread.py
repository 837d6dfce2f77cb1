"""What waits in paused sources: files that a run would read if it did not pass over them."""

import os
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from .excludes import Excludes
from .settings import load_settings
from .survey import is_read
from .walk import Found, Limits, walk

if TYPE_CHECKING:
    from capsa.store.reader import Reader
    from capsa.store.records import Source

# Entries that are looked at to count; of 100,000 that would take a second.
MAX_ENTRIES = 50_000


def count_unread(home: Path, reader: "Reader", source: "Source") -> int | None:
    """Return how many files of a folder are new or changed since they were read; None of too many entries."""
    settings = load_settings(home)
    others = {other.path for other in reader.sources()} - {source.path}
    limits = Limits(settings.max_file_bytes, settings.other_file_systems, others)
    entries = walk(source.path, Excludes(settings, os.fsencode(home)), limits)
    seen = list(islice(entries, MAX_ENTRIES + 1))
    if len(seen) > MAX_ENTRIES:
        return None
    known = reader.known(source.id)
    files = [entry for entry in seen if isinstance(entry, Found)]
    return sum(not ((before := known.get(file.path)) and is_read(file, before)) for file in files)
