"""Reading a page's folder of ArchiveBox as one file: what it is, and the best copy in it."""

import os
from dataclasses import replace

from capsa.chunkers.captures.archivebox import pack
from capsa.chunkers.captures.beside import SNAPSHOT_COPIES, SNAPSHOT_INDEX, is_snapshot
from capsa.chunkers.errors import ParseError

from .reading import Content, read_file


def with_best_copy(path: bytes, content: Content, limit: int) -> Content:
    """Return the content of a file; of the index of a snapshot, itself and the best copy beside it."""
    folder, name = os.path.split(path)
    if name != SNAPSHOT_INDEX.encode():
        return content
    try:
        names = {each.lower() for each in os.listdir(folder)}
    except OSError:
        return content
    if not is_snapshot(os.fsdecode(os.path.basename(folder)), names):
        return content
    for copy in SNAPSHOT_COPIES:
        try:
            best = read_file(os.path.join(folder, *map(os.fsencode, copy.split("/"))), limit, root=folder)
        except ParseError:
            continue
        return replace(content, data=pack(content.data, copy, best.data))
    return content
