import faiss
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capsa.store.quantiser import (
    LEVELS,
    check_dimension,
    decode,
    encode,
    pq_index,
    rotate,
    rotation,
    sign_plane,
)

SEEDS = st.integers(0, 2**32 - 1)
DIMENSIONS = st.sampled_from([8, 24, 384, 768])


def unit_vectors(seed: int, dimension: int = 384, rows: int = 20) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(rows, dimension)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("bits", "dimension", "size"), [(1, 384, 48), (2, 384, 96), (1, 768, 96), (2, 1024, 256)]
)
def test_codes_are_those_of_faiss(bits: int, dimension: int, size: int) -> None:
    vectors = unit_vectors(1, dimension, 300)
    index = pq_index(bits, dimension)
    codes = encode(vectors, bits)
    assert index.is_trained
    assert index.sa_code_size() == size == codes.shape[1]
    np.testing.assert_array_equal(codes, index.sa_encode(vectors))
    np.testing.assert_array_equal(decode(codes, bits), index.sa_decode(codes))


@pytest.mark.parametrize("bits", [1, 2])
def test_a_fast_scan_index_made_of_the_codes_finds_each_vector_itself(bits: int) -> None:
    vectors = unit_vectors(2, rows=500)
    index = pq_index(bits)
    index.add_sa_codes(encode(vectors, bits))
    _, found = faiss.IndexPQFastScan(index, 32).search(vectors[:50], 1)
    assert (found[:, 0] == np.arange(50)).all()


@given(SEEDS, DIMENSIONS)
@settings(max_examples=30, deadline=None)
def test_the_1_bit_code_is_the_sign_plane_of_the_2_bit_code(seed: int, dimension: int) -> None:
    vectors = unit_vectors(seed, dimension)
    np.testing.assert_array_equal(sign_plane(encode(vectors, 2)), encode(vectors, 1))
    np.testing.assert_array_equal(decode(encode(vectors, 2)) > 0, vectors > 0)


@given(SEEDS, DIMENSIONS, st.sampled_from([1, 2]))
@settings(max_examples=30, deadline=None)
def test_decoding_gives_the_nearest_levels_and_encodes_to_itself(
    seed: int, dimension: int, bits: int
) -> None:
    vectors = unit_vectors(seed, dimension)
    codes = encode(vectors, bits)
    decoded = decode(codes, bits)
    levels = np.array(LEVELS[bits], dtype=np.float32) / np.float32(np.sqrt(dimension))
    nearest = np.abs(vectors[..., None] - levels).min(axis=-1)
    np.testing.assert_allclose(np.abs(vectors - decoded), nearest, atol=1e-6)
    np.testing.assert_array_equal(encode(decoded, bits), codes)


def test_two_bits_say_more_than_one() -> None:
    vectors = unit_vectors(3, rows=200)
    cosines = {}
    for bits in (1, 2):
        decoded = decode(encode(vectors, bits), bits)
        cosines[bits] = (vectors * decoded).sum(axis=1) / np.linalg.norm(decoded, axis=1)
    # sqrt(2/pi) and sqrt(1 - 0.1175), the correlations of the two quantisers with a normal variable.
    assert cosines[1].mean() == pytest.approx(0.798, abs=0.01)
    assert cosines[2].mean() == pytest.approx(0.939, abs=0.01)


def test_no_vector_no_code() -> None:
    assert encode(np.zeros((0, 384), dtype=np.float32)).shape == (0, 96)
    assert decode(np.zeros((0, 48), dtype=np.uint8), 1).shape == (0, 384)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_value_that_is_not_finite_is_refused(value: float) -> None:
    vectors = unit_vectors(4)
    vectors[3, 5] = value
    with pytest.raises(ValueError, match="not finite"):
        encode(vectors)


@pytest.mark.parametrize("dimension", [0, 4, 12, 385])
def test_a_dimension_that_fills_no_byte_is_refused(dimension: int) -> None:
    with pytest.raises(ValueError, match="multiple of 8"):
        check_dimension(dimension)


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
