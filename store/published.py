"""What writing the FAISS file anew may cost."""

import json
from contextlib import closing
from pathlib import Path

from . import meta
from .database import open_reading
from .home import database_path

# Bytes of a vector in a block beside its code, at most.
BESIDE = 16


def published_bytes(home: Path) -> int:
    """Return the most that a publishing writes, the file and all blocks of codes; 0 before the first."""
    with closing(open_reading(database_path(home))) as connection:
        record, mark = meta.get(connection, "cache"), meta.get_mark(connection)
    if record is None or mark is None:
        return 0
    written = json.loads(str(record))
    return int(written["size"] + written["count"] * (mark.code_size + BESIDE))
