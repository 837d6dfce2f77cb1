import numpy as np
import pytest

from capsa.store.quantisers import rotate, rotation


def unit_vectors(seed: int, dimension: int = 384, rows: int = 20) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(rows, dimension)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.mark.parametrize("dimension", [8, 24, 384, 768, 1024])
def test_the_rotation_keeps_lengths_and_angles(dimension: int) -> None:
    matrix = rotation(dimension)
    np.testing.assert_allclose(matrix @ matrix.T, np.eye(dimension), atol=1e-5)
    vectors = unit_vectors(5, dimension)
    np.testing.assert_allclose(rotate(vectors) @ rotate(vectors).T, vectors @ vectors.T, atol=1e-5)


def test_the_rotation_is_part_of_the_format() -> None:
    np.testing.assert_array_equal(np.sign(rotation(768)[0, :8]), [1, 1, -1, -1, 1, -1, 1, -1])


def test_the_rotation_spreads_a_vector_that_lies_on_one_axis() -> None:
    axis = np.zeros((1, 768), dtype=np.float32)
    axis[0, 3] = 1
    assert np.abs(rotate(axis)).max() < 0.25
