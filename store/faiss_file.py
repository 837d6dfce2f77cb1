"""The layout of the FAISS file: a FAISS index of the codes, and behind it the ids of vectors and of chunks.

A search by itself needs only the codes of the index, and importing FAISS takes longer than such a search: an
IndexPQ is read here. Its layout is that of faiss/impl/index_write.cpp, little-endian, each vector after its
length in 8 bytes.
"""

import struct
from typing import Any, NamedTuple

import numpy as np
import zstandard

from .quantisers import Codes
from .vectors import Ids

PRODUCT_QUANTISER = b"IxPq"
# Name, dimension, count, two numbers without meaning, trained, metric.
HEADER = struct.Struct("<4siqqq?i")
# Dimension, sub-quantisers and bits of a product quantiser, and the length of its centroids.
QUANTISER = struct.Struct("<QQQQ")
LENGTH = struct.Struct("<Q")
# Search type, encoding of signs and threshold, which follow the codes.
SEARCH = struct.Struct("<i?i")
# Lengths of the vectors' and of the chunks' ids, packed, at the end of the file, behind what FAISS reads.
TRAILER = struct.Struct("<QQ")


class Contents(NamedTuple):
    """What a file holds: ids, the chunks' ids, how many bytes of codes, and these with what follows them."""

    ids: Ids
    chunks: Ids
    length: int
    codes: Codes


def pack_ids(ids: Ids, chunks: Ids) -> bytes:
    """Return the ids as they follow the FAISS index: steps from one to the next, compressed."""
    packed = [_packed(each) for each in (ids, chunks)]
    return b"".join(packed) + TRAILER.pack(*map(len, packed))


def read_contents(buffer: Codes, end: int) -> Contents:
    """Return what the file, whose checksum is right, holds: the first ``end`` bytes of the buffer."""
    chunks_end = end - TRAILER.size
    ids_length, chunks_length = TRAILER.unpack_from(buffer.data, chunks_end)
    ids_end = chunks_end - chunks_length
    ids_start = ids_end - ids_length
    start, length = _find_codes(buffer[:ids_start])
    codes = buffer[start:] if start else _read_by_faiss(buffer[:ids_start])
    return Contents(
        _unpacked(buffer[ids_start:ids_end]),
        _unpacked(buffer[ids_end:chunks_end]),
        length if start else len(codes),
        codes,
    )


def _packed(ids: Ids) -> bytes:
    return zstandard.ZstdCompressor().compress(np.diff(ids, prepend=0).astype("<i8").tobytes())


def _unpacked(data: Codes) -> Ids:
    steps = zstandard.ZstdDecompressor().decompress(data.data)
    return np.cumsum(np.frombuffer(steps, "<i8"), dtype=np.int64)


def _find_codes(data: Codes) -> tuple[int, int]:
    """Return where the codes of an IndexPQ begin and their bytes; zeros for another kind, or other layout."""
    if data[: len(PRODUCT_QUANTISER)].tobytes() != PRODUCT_QUANTISER:
        return 0, 0
    try:
        _, _, count, *_ = HEADER.unpack_from(data.data)
        _, parts, bits, centroids = QUANTISER.unpack_from(data.data, HEADER.size)
        place = HEADER.size + QUANTISER.size + 4 * centroids
        (length,) = LENGTH.unpack_from(data.data, place)
    except struct.error:
        return 0, 0
    start = place + LENGTH.size
    whole = length == count * parts * bits // 8 and len(data) == start + length + SEARCH.size
    return (start, length) if whole else (0, 0)


def _read_by_faiss(data: Codes) -> Codes:
    import faiss

    plain: Any = faiss.deserialize_index(data)
    codes: Codes = faiss.vector_to_array(plain.codes)
    return codes
