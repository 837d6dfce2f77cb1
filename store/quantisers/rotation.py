"""A fixed turn of vectors: it spreads what they say evenly over their dimensions."""

import hashlib
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from .levels import Vectors


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
