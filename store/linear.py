"""Inner products of a query with codes by table look-up: no index to build, and FAISS need not be imported.

On 100,000 codes of 96 bytes it takes 28 ms, FAISS's fast scan 2 ms after 110 ms to import FAISS and build the
index: right for codes that are searched once.
"""

from functools import lru_cache

import numpy as np

from .quantiser import Bits, Codes, Vectors, decode, levels

# Codes looked up at a time: a column of so many bytes, and their sums, stay in the processor's cache.
BLOCK = 16_384


def inner_products(query: Vectors, codes: Codes, bits: Bits) -> Vectors:
    """Return the inner product of the query with each code's vector, float32 [n]."""
    table = byte_products(query, bits)
    sums = np.zeros(len(codes), dtype=np.float32)
    for start in range(0, len(codes), BLOCK):
        columns = np.ascontiguousarray(codes[start : start + BLOCK].T)
        block = sums[start : start + BLOCK]
        for row, column in zip(table, columns, strict=True):
            block += row.take(column)
    return sums


def norms(codes: Codes, bits: Bits) -> Vectors:
    """Return the Euclidean norm of each code's vector, float32 [n]."""
    squares: Vectors = byte_squares(bits, codes.shape[1] * 8 // bits)[codes].sum(axis=1)
    return np.sqrt(squares)


@lru_cache(maxsize=4)
def byte_squares(bits: Bits, dimension: int) -> Vectors:
    """Return what each value of a byte of a code adds to the squared norm, float32 [256]."""
    every = np.zeros((256, dimension * bits // 8), dtype=np.uint8)
    every[:, 0] = np.arange(256)
    squares: Vectors = (decode(every, bits)[:, : 8 // bits] ** 2).sum(axis=1)
    return squares


def byte_products(query: Vectors, bits: Bits) -> Vectors:
    """Return what each value of each byte of a code adds to the inner product, float32 [bytes, 256]."""
    parts = query.reshape(-1, 8 // bits, 1) * levels(bits, len(query))
    table: Vectors = parts[:, 0]
    for place in range(1, parts.shape[1]):
        # The later dimension has the higher bits of the byte.
        table = (parts[:, place, :, None] + table[:, None, :]).reshape(len(parts), -1)
    return table


def nearest(
    query: Vectors, codes: Codes, bits: Bits, count: int
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the places of the ``count`` codes with the highest inner products, in no order."""
    if count >= len(codes):
        return np.arange(len(codes))
    best = np.argpartition(-inner_products(query, codes, bits), count)
    return best[:count]
