"""Ids and codes out of a serialised FAISS IndexIDMap2 over an IndexPQ, and the chunks that follow it.

A search by itself needs no more of the file, and importing FAISS takes longer than such a search. The layout
is that of faiss/impl/index_write.cpp: little-endian, each vector after its length in 8 bytes.
"""

import struct
from typing import Any

import numpy as np
import zstandard

from .quantisers import Codes
from .vectors import Ids

# Name, dimension, count, two numbers without meaning, trained, metric: the same for both indexes.
HEADER = struct.Struct("<4siqqq?i")
# Dimension, sub-quantisers and bits of a product quantiser, and the length of its centroids.
QUANTISER = struct.Struct("<QQQQ")
LENGTH = struct.Struct("<Q")
# Search type, encoding of signs and threshold, which follow the codes.
SEARCH = struct.Struct("<i?i")


# Length of the chunks' ids, packed, at the end of the file, behind what FAISS reads.
TRAILER = struct.Struct("<Q")


def pack_chunks(chunks: Ids) -> bytes:
    """Return the chunk ids as they follow the FAISS index: steps from one to the next, compressed."""
    steps = zstandard.ZstdCompressor().compress(np.diff(chunks, prepend=0).astype("<i8").tobytes())
    return steps + TRAILER.pack(len(steps))


def read_index(data: bytes) -> tuple[Ids, Codes, Ids]:
    """Return the ids, in one row the codes, and the chunks' ids of a file whose checksum is right."""
    end = len(data) - TRAILER.size
    start = end - TRAILER.unpack_from(data, end)[0]
    steps = zstandard.ZstdDecompressor().decompress(data[start:end])
    ids, codes = _read(data[:start]) or _read_by_faiss(data[:start])
    return ids, codes, np.cumsum(np.frombuffer(steps, "<i8"), dtype=np.int64)


def _read(data: bytes) -> tuple[Ids, Codes] | None:
    """Read the file by its layout; None for another kind of index, or one laid out in another way."""
    try:
        outer, inner = HEADER.unpack_from(data), HEADER.unpack_from(data, HEADER.size)
        if (outer[0], inner[0]) != (b"IxM2", b"IxPq"):
            return None
        place = 2 * HEADER.size
        _, parts, bits, centroids = QUANTISER.unpack_from(data, place)
        place += QUANTISER.size + 4 * centroids
        (size,) = LENGTH.unpack_from(data, place)
        codes = place + LENGTH.size
        place = codes + size + SEARCH.size
        (count,) = LENGTH.unpack_from(data, place)
    except struct.error:
        return None
    ids = place + LENGTH.size
    if size != count * parts * bits // 8 or len(data) != ids + 8 * count:
        return None
    # The ids are copied to where they are aligned.
    return np.frombuffer(data, "<i8", count, ids).astype(np.int64), np.frombuffer(data, np.uint8, size, codes)


def _read_by_faiss(data: bytes) -> tuple[Ids, Codes]:
    import faiss

    mapped: Any = faiss.deserialize_index(np.frombuffer(data, dtype=np.uint8))
    plain: Any = faiss.downcast_index(mapped.index)
    return faiss.vector_to_array(mapped.id_map), faiss.vector_to_array(plain.codes)
