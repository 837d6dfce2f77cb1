"""Values that a coordinate may be kept as, in 1, 2, 4 or 8 bits, and how levels are packed into bytes.

Levels are those of the best quantiser of a unit normal variable, scaled by 1/sqrt(dimension), which is how
the coordinates of a unit vector with no preferred direction are spread: nothing is trained or versioned.
"""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]
Codes = npt.NDArray[np.uint8]
# Places and inner products, best first.
Found = tuple[npt.NDArray[np.int64], Vectors]

# Positive levels of the unit normal: E|x| = sqrt(2/pi) for 1 bit, Max (1960) table I for 2 and 4 bits.
_POSITIVE: dict[int, tuple[float, ...]] = {
    1: (0.7979,),
    2: (0.4528, 1.5104),
    4: (0.1284, 0.3881, 0.6568, 0.9424, 1.2562, 1.6181, 2.0690, 2.7326),
}
# Eight bits are even steps: of 12,656 real vectors the largest coordinate was at 5.2 deviations.
_REACH = 6.0
# Codes whose signs are taken out together: they stay in the processor's cache.
SIGNS_AT_ONCE = 4096


@lru_cache(maxsize=16)
def levels(bits: int, dimension: int) -> Vectors:
    """Return what a coordinate may be decoded to, lowest first, float32 [2 ** bits]."""
    scaled: Vectors = (_normal(bits) / dimension**0.5).astype(np.float32)
    return scaled


def pack(vectors: Vectors, bits: int, dimension: int) -> Codes:
    """Return the level of each coordinate, the first in the lowest bits: uint8 [n, columns * bits / 8]."""
    if bits == 1:
        return np.packbits(vectors > 0, axis=1, bitorder="little")
    normal = _normal(bits)
    level = _level(vectors, ((normal[1:] + normal[:-1]) / 2 / dimension**0.5).astype(np.float32))
    if bits == 8:
        return level
    parts = level.reshape(len(vectors), vectors.shape[1] * bits // 8, 8 // bits) << np.arange(
        0, 8, bits, dtype=np.uint8
    )
    codes: Codes = parts.sum(axis=2, dtype=np.uint8)
    return codes


def unpack(codes: Codes, bits: int, dimension: int) -> Vectors:
    """Return the coordinates that codes stand for, float32 [n, bytes * 8 / bits]."""
    values = _byte_levels(bits, dimension).take(codes, axis=0)
    return values.reshape(len(codes), codes.shape[1] * 8 // bits)


def signs(codes: Codes, bits: int) -> Codes:
    """Return the signs of the coordinates as ``pack`` has them in 1 bit, uint8 [n, bytes / bits]."""
    found = np.empty((len(codes), codes.shape[1] // bits), dtype=np.uint8)
    for start in range(0, len(codes), SIGNS_AT_ONCE):
        rows = np.ascontiguousarray(codes[start : start + SIGNS_AT_ONCE])
        if bits == 2:
            found[start : start + SIGNS_AT_ONCE] = _signs_of_two_bytes()[rows.view("<u2")]
        else:
            found[start : start + SIGNS_AT_ONCE] = pack(unpack(rows, bits, 1), 1, 1)
    return found


def byte_products(query: Vectors, bits: int, dimension: int) -> Vectors:
    """Return what each value of each byte of a code adds to the inner product, float32 [bytes, 256]."""
    parts = query.reshape(-1, 8 // bits, 1) * levels(bits, dimension)
    table: Vectors = parts[:, 0]
    for place in range(1, parts.shape[1]):
        # The later dimension has the higher bits of the byte.
        table = (parts[:, place, :, None] + table[:, None, :]).reshape(len(parts), -1)
    return table


def cosines(query: Vectors, vectors: Vectors) -> Vectors:
    """Return the inner products with the query over the vectors' norms, float32 [n]."""
    # Not by matrix product, whose last bits depend on what stands beside a vector: ties would not be ties.
    products: Vectors = np.einsum("ij,j->i", vectors, query)
    products /= np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    return products


@lru_cache(maxsize=16)
def _byte_levels(bits: int, dimension: int) -> Vectors:
    """Return what each value of a byte stands for, float32 [256, 8 / bits]."""
    places = (np.arange(256)[:, None] >> np.arange(0, 8, bits)) & (2**bits - 1)
    table: Vectors = levels(bits, dimension)[places]
    return table


@lru_cache(maxsize=1)
def _signs_of_two_bytes() -> Codes:
    """Return the signs of the eight levels of 2 bits that two bytes hold, uint8 [65536]."""
    levels_of = (np.arange(1 << 16)[:, None] >> np.arange(0, 16, 2)) & 3
    table: Codes = np.packbits(levels_of > 1, axis=1, bitorder="little")[:, 0]
    return table


def _normal(bits: int) -> npt.NDArray[np.floating]:
    """Return the levels of a unit normal variable, lowest first."""
    if bits == 8:
        return (np.arange(256) + 0.5) * (2 * _REACH / 256) - _REACH
    positive = np.array(_POSITIVE[bits])
    return np.concatenate([-positive[::-1], positive])


def _level(vectors: Vectors, between: Vectors) -> Codes:
    # Few comparisons of whole arrays are faster than a search for each coordinate.
    if len(between) <= 16:
        level = np.zeros(vectors.shape, dtype=np.uint8)
        for bound in between:
            level += vectors > bound
        return level
    return np.searchsorted(between, vectors).astype(np.uint8)
