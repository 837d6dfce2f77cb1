"""Finding the exports in a folder by their first bytes; nothing is opened by a parser here."""

import os
from collections.abc import Iterator
from pathlib import Path

from capsa.chunkers.errors import ParseError, UsageError
from capsa.chunkers.history import is_export
from capsa.chunkers.history.archive import SUFFIXES
from capsa.chunkers.history.database import LOG, MAGIC

from ..reading import HEAD_BYTES, read_head
from .offer import EXPORT

# A database's schema is on its first pages as a rule, not always on the first.
DATABASE_HEAD = 8 << 20
_TEXT_HEAD = 1 << 20
MOST_FILES = 100_000
_BESIDE_DATABASES = (b"-wal", b"-shm", b"-journal")


def what_export(path: bytes, head: bytes) -> str:
    """Return the name of the export that a regular file is, "" for any other; its first bytes are known."""
    found = is_export(head)
    if found or not head.startswith(MAGIC):
        return found
    found = is_export(read_head(path, DATABASE_HEAD)) if len(head) == HEAD_BYTES else ""
    # All that a new database has may still be in its log.
    log = path + os.fsencode(LOG)
    return found or (is_export(MAGIC + read_head(log, DATABASE_HEAD)) if os.path.exists(log) else "")


def refuse_export(path: bytes, head: bytes) -> None:
    """Raise ParseError when a file is an export, which says how it is taken in."""
    if name := what_export(path, head):
        raise ParseError(EXPORT, f"what a browser exported ({name}); `capsa history import` takes it in")


def find_exports(folder: Path) -> Iterator[Path]:
    """Yield the exports in a folder and below it, in order; no links. UsageError for MOST_FILES and more."""
    seen = 0
    for place, folders, names in os.walk(os.fsencode(folder)):
        folders.sort()
        for name in sorted(names):
            seen += 1
            if seen > MOST_FILES:
                raise UsageError(f"{folder}: more than {MOST_FILES:,} files; name the folder of the exports")
            path = os.path.join(place, name)
            if not name.endswith(_BESIDE_DATABASES) and _is_one(path):
                yield Path(os.fsdecode(path))


def _is_one(path: bytes) -> bool:
    try:
        head = read_head(path, HEAD_BYTES)
        if not head.startswith(MAGIC) and path.lower().endswith(tuple(map(str.encode, SUFFIXES))):
            head = read_head(path, _TEXT_HEAD)
        return bool(what_export(path, head))
    except ParseError:
        return False
