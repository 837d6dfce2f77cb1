"""Another code for vectors that are there: made of the stored ones, or taken over from another home."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from capsa.chunkers.errors import StoreError

from . import cache, meta
from .blocks import change_codes
from .database import open_writing
from .home import database_path
from .private import write_file
from .records import ModelMark

# Codes that are the same when they are made of a code as when they are made of the vectors themselves: the
# signs and, in pq54 and pq64, the levels that the larger one has.
NESTED: Mapping[str, tuple[str, ...]] = {
    "pq54": ("pq48",),
    "pq64": ("pq54", "pq48"),
    "pq96": ("pq64", "pq54", "pq48"),
    "pq192": ("pq48",),
    "sq8": ("pq48",),
}


def is_nested(old: ModelMark, code: str) -> bool:
    """Whether the code can be made of the stored ones, so that nothing need be embedded."""
    return old.code == code or (
        not old.codebook and (old.code == "float32" or code in NESTED.get(old.code, ()))
    )


def recode(connection: sqlite3.Connection, old: ModelMark, new: ModelMark) -> None:
    """Put the new codes in the place of the old ones, inside the caller's transaction."""
    change_codes(connection, old.code_size, lambda codes: new.quantiser.encode(old.quantiser.decode(codes)))
    meta.drop(connection, "cache")
    meta.put_mark(connection, new)


def take_over(connection: sqlite3.Connection, home: Path, other: Path) -> None:
    """Make the home's database that of another home, in one step that leaves the old one when it fails."""
    with closing(open_writing(database_path(other))) as source:
        record = cache.read_record(source)
        if record is None:
            raise StoreError(f"{other}: has no vector file")
        meta.begin_life(source, connection)
        write_file(home / record.file, (other / record.file).read_bytes())
        source.backup(connection)
    cache.delete_other_files(home, record)
