"""Ascending or nearly ascending numbers in few bytes: the steps from one to the next, compressed."""

import numpy as np
import zstandard

from .columns import Ids


def pack_numbers(numbers: Ids) -> bytes:
    """Return the numbers, int64 [n], packed."""
    return zstandard.ZstdCompressor().compress(np.diff(numbers, prepend=0).astype("<i8").tobytes())


def unpack_numbers(data: "bytes | memoryview") -> Ids:
    """Return the numbers that were packed; zstandard.ZstdError for what is none of these."""
    steps = zstandard.ZstdDecompressor().decompress(data)
    return np.cumsum(np.frombuffer(steps, "<i8"), dtype=np.int64)
