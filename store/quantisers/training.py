"""Codes made from a home's own vectors: its principal axes, with more bits where the vectors differ more.

Transform coding: the bits are divided so that the mean squared error of Gaussian coordinates is smallest
(Gersho and Gray, Vector Quantization and Signal Compression, 1992, chapter 8), in whole bytes of 4, 2 or 1
bits a dimension. 16-bit numbers are kept of the axes.
"""

import struct

import numpy as np
import numpy.typing as npt

from ..codes import code_size
from .levels import Vectors

# Bits that a dimension may have, in the order of the variances, and what is left of a unit normal variable's
# variance by their levels (Max 1960, table I).
BITS = (4, 2, 1)
LEFT = {4: 0.009497, 2: 0.1175, 1: 0.3634}
# Dimensions that fill whole bytes whatever their bits.
STEP = 8
# How many dimensions have each of BITS stands before the axes.
HEADER = struct.Struct(f"<{len(BITS)}H")
# Vectors that are looked at, at most, and the fewest that axes are offered for: made of a tenth of 8,549 and
# of 3,665 vectors, codes of 48 bytes shared 82 and 80 % of the exact first ten, of all of them 84 and 82.
MOST, LEAST = 20_000, 2_000
# The least variance of a dimension against the mean of all: 16 bits cannot hold much less.
FLOOR = 1e-6

Sections = tuple[tuple[int, int], ...]
Variances = npt.NDArray[np.float64]


def make_codebook(name: str, vectors: Vectors) -> bytes:
    """Return axes for codes of that size, made from unit vectors, float32 [n, dimension]; takes a second."""
    dimension = vectors.shape[1]
    chosen = vectors[:: max(1, len(vectors) // MOST)].astype(np.float64)
    variances, axes = np.linalg.eigh(chosen.T @ chosen / len(chosen))
    scaled = np.maximum(variances[::-1] * dimension, FLOOR)
    counts = divide(scaled, code_size(name, dimension))
    kept = axes[:, ::-1][:, : sum(counts)] * np.sqrt(scaled[: sum(counts)])
    packed: bytes = kept.astype("<f2").tobytes()
    return HEADER.pack(*counts) + packed


def read_codebook(codebook: bytes, dimension: int) -> tuple[Sections, Vectors]:
    """Return (dimensions, bits) in order, and the axes, float32 [dimension, kept], each of the length that a
    coordinate of usual size (1/sqrt(dimension)) stands for."""
    counts = HEADER.unpack_from(codebook)
    axes = np.frombuffer(codebook, dtype="<f2", offset=HEADER.size).astype(np.float32)
    sections = tuple((count, bits) for count, bits in zip(counts, BITS, strict=True) if count)
    return sections, axes.reshape(dimension, sum(counts))


def divide(variances: Variances, size: int) -> tuple[int, int, int]:
    """Return how many dimensions, that of the largest variance first, get 4, 2 and 1 bits, in ``size`` bytes.

    ValueError for more bytes than the dimensions can hold.
    """
    sums = np.concatenate([[0.0], np.cumsum(variances)])
    dimension = len(variances)

    def error(first: int, second: int, third: int) -> float:
        ends = sums[[0, first, first + second, first + second + third, dimension]]
        left = np.array([*(LEFT[bits] for bits in BITS), 1.0])
        return float(left @ np.diff(ends))

    plans = []
    for first in range(0, min(dimension, 2 * size) + 1, STEP):
        for second in range(0, min(dimension - first, (8 * size - 4 * first) // 2) + 1, STEP):
            rest = 8 * size - 4 * first - 2 * second
            if rest % STEP == 0 and rest <= dimension - first - second:
                plans.append((first, second, rest))
    if not plans:
        raise ValueError(f"{size} bytes are more than {dimension} dimensions can hold in whole bytes")
    return min(plans, key=lambda plan: error(*plan))
