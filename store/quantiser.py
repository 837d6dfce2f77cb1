"""The fixed codes of vectors: 2 bits or 1 bit a dimension, with a codebook that is part of the format.

The codebook is the optimal scalar quantiser of a unit normal variable, scaled by 1/sqrt(dimension), which is
how the coordinates of a unit vector with no preferred direction are spread: nothing is trained, stored or
versioned. The codes are those of a FAISS product quantiser with 4-bit sub-quantisers. The 1-bit code is the
sign plane of the 2-bit code.
"""

import hashlib
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import faiss

Bits = Literal[1, 2]
Vectors = npt.NDArray[np.float32]
Codes = npt.NDArray[np.uint8]

# Lloyd-Max levels of the unit normal: E|x| = sqrt(2/pi) for 1 bit, Max (1960) table I for 2 bits.
LEVELS: dict[Bits, tuple[float, ...]] = {1: (-0.7979, 0.7979), 2: (-1.5104, -0.4528, 0.4528, 1.5104)}
# Halfway between the two positive levels of the 2-bit code.
THRESHOLD = (0.4528 + 1.5104) / 2


def encode(vectors: Vectors, bits: Bits = 2) -> Codes:
    """Return the codes of unit vectors: uint8 [n, dimension * bits / 8]."""
    dimension = check_dimension(vectors.shape[1])
    if not np.isfinite(vectors).all():
        raise ValueError("a vector with a value that is not finite has no code")
    if bits == 1:
        return np.packbits(vectors > 0, axis=1, bitorder="little")
    limit = np.float32(THRESHOLD / np.sqrt(dimension))
    level = (vectors > 0).view(np.uint8) + (vectors > limit) + (vectors > -limit)
    quads = level.reshape(len(vectors), dimension // 4, 4) << np.array([0, 2, 4, 6], dtype=np.uint8)
    codes: Codes = quads.sum(axis=2, dtype=np.uint8)
    return codes


def decode(codes: Codes, bits: Bits = 2) -> Vectors:
    """Return the vectors that the codes stand for, float32 [n, dimension]; their norm is only near 1."""
    dimension = check_dimension(codes.shape[1] * 8 // bits)
    places = np.arange(0, 8, bits)
    table: Vectors = levels(bits, dimension)[(np.arange(256)[:, None] >> places) & (2**bits - 1)]
    vectors: Vectors = table[codes].reshape(len(codes), dimension)
    return vectors


def sign_plane(codes: Codes) -> Codes:
    """Return the 1-bit codes of the vectors whose 2-bit codes are given."""
    # Bits 1, 3, 5, 7 of a byte are the signs of its four dimensions.
    signs = np.unpackbits(codes, axis=1, bitorder="little")[:, 1::2]
    return np.packbits(signs, axis=1, bitorder="little")


def pq_index(bits: Bits = 2, dimension: int = 384) -> "faiss.IndexPQ":
    """Return an empty FAISS index (inner product) that takes these codes and needs no training."""
    import faiss

    index = faiss.IndexPQ(dimension, check_dimension(dimension) * bits // 4, 4, faiss.METRIC_INNER_PRODUCT)
    faiss.copy_array_to_vector(_centroids(bits, dimension).ravel(), index.pq.centroids)
    index.is_trained = True
    return index


def check_dimension(dimension: int) -> int:
    """Return the dimension when its codes fill whole bytes, else raise ValueError."""
    if dimension < 8 or dimension % 8:
        raise ValueError(f"vectors of {dimension} dimensions have no code: it takes a multiple of 8")
    return dimension


def rotate(vectors: Vectors) -> Vectors:
    """Turn vectors by the fixed rotation, for models whose coordinates are not evenly spread."""
    return vectors @ rotation(vectors.shape[-1])


@lru_cache(maxsize=2)
def rotation(dimension: int) -> Vectors:
    """Return an orthogonal matrix, always the same: three rounds of signs, shuffle and block Hadamard."""
    block = _hadamard(dimension & -dimension)
    matrix = np.eye(dimension)
    for turn in range(3):
        signs, order = _draw(dimension, turn)
        shuffled = (matrix * signs)[:, order].reshape(dimension, -1, len(block))
        matrix = (shuffled @ block).reshape(dimension, dimension)
    return matrix.astype(np.float32)


def _hadamard(size: int) -> npt.NDArray[np.float64]:
    matrix: npt.NDArray[np.float64] = np.ones((1, 1))
    while len(matrix) < size:
        matrix = np.vstack([np.hstack([matrix, matrix]), np.hstack([matrix, -matrix])])
    scaled: npt.NDArray[np.float64] = matrix * float(size) ** -0.5
    return scaled


def _draw(dimension: int, turn: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.intp]]:
    # A hash, since the streams of numpy's generators may change between versions.
    noise = hashlib.shake_256(f"capsa rotation {dimension} {turn}".encode()).digest(9 * dimension)
    signs = (np.frombuffer(noise[:dimension], dtype=np.uint8) & 1).astype(np.float64)
    keys = np.frombuffer(noise[dimension:], dtype="<u8")
    return 1.0 - 2.0 * signs, np.argsort(keys, kind="stable")


def levels(bits: Bits, dimension: int) -> Vectors:
    """Return what a coordinate may be decoded to, lowest first, float32 [2 ** bits]."""
    values: Vectors = np.array([level / dimension**0.5 for level in LEVELS[bits]], dtype=np.float32)
    return values


def _centroids(bits: Bits, dimension: int) -> Vectors:
    """Return float32 [sub-quantisers, 16, 4 / bits]: all combinations of levels, the first lowest."""
    places = np.arange(0, 4, bits)
    corners = levels(bits, dimension)[(np.arange(16)[:, None] >> places) & (2**bits - 1)]
    return np.tile(corners, (dimension * bits // 4, 1, 1))
