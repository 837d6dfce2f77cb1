"""The FAISS file: an empty FAISS index that takes the codes, and behind it the ids of vectors and chunks.

The codes themselves lie in SQLite, in the same order: ``index.add_sa_codes`` of them makes the index whole.
"""

import struct
from collections.abc import Callable
from typing import Any

from .columns import Ids
from .packing import pack_numbers, unpack_numbers
from .quantisers import Codes, Quantiser

# Lengths of the vectors' and of the chunks' ids, packed, at the end of the file, behind what FAISS reads.
TRAILER = struct.Struct("<QQ")


def write_contents(put: Callable[[bytes], int], quantiser: Quantiser, ids: Ids, chunks: Ids) -> None:
    """Put what the file holds, piece by piece."""
    import faiss

    library: Any = faiss
    library.write_index(quantiser.index(), library.PyCallbackIOWriter(put))
    packed = [pack_numbers(each) for each in (ids, chunks)]
    for data in (*packed, TRAILER.pack(*map(len, packed))):
        put(data)


def read_contents(data: Codes) -> tuple[Ids, Ids]:
    """Return the ids of vectors and of their chunks in a file, uint8 [size], whose checksum is right."""
    chunks_end = len(data) - TRAILER.size
    ids_length, chunks_length = TRAILER.unpack_from(data.data, chunks_end)
    ids_end = chunks_end - chunks_length
    ids = unpack_numbers(data[ids_end - ids_length : ids_end].data)
    return ids, unpack_numbers(data[ids_end:chunks_end].data)
