import numpy as np
import pytest

from capsa.store.codes import code_size
from capsa.store.quantisers import open_quantiser
from capsa.store.quantisers.training import LEFT, divide, make_codebook, read_codebook

DIMENSION = 96


def vectors_in_a_plane(rows: int, seed: int) -> np.ndarray:
    """Unit vectors that differ along ten directions much more than along the others."""
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(DIMENSION, DIMENSION)))[0]
    spread = np.where(np.arange(DIMENSION) < 10, 1.0, 0.1)
    made = (np.random.default_rng(seed).normal(size=(rows, DIMENSION)) * spread) @ turn.T
    return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)


def test_made_axes_keep_what_vectors_differ_in() -> None:
    vectors, others = vectors_in_a_plane(800, 2), vectors_in_a_plane(200, 3)
    codebook = make_codebook("pq24", vectors)
    sections, axes = read_codebook(codebook, DIMENSION)
    assert sum(dims * bits for dims, bits in sections) == 8 * code_size("pq24", DIMENSION)
    # Bits go where the vectors differ: none of four bits is spent on the quiet directions.
    assert sections[0][1] == 4
    assert sections[0][0] <= 16
    assert (np.diff(np.linalg.norm(axes, axis=0)) <= 1e-3).all()
    assert make_codebook("pq24", vectors) == codebook
    similar = {}
    for name, book in (("fixed", b""), ("made", codebook)):
        quantiser = open_quantiser("pq24", DIMENSION, book)
        codes = quantiser.encode(others)
        decoded = quantiser.decode(codes)
        similar[name] = float(((others * decoded).sum(axis=1) / np.linalg.norm(decoded, axis=1)).mean())
    assert similar["made"] > similar["fixed"] + 0.1


def test_scores_with_made_axes_are_those_of_the_decoded_vectors() -> None:
    vectors = vectors_in_a_plane(800, 4)
    quantiser = open_quantiser("pq32", DIMENSION, make_codebook("pq32", vectors))
    codes = quantiser.encode(vectors[:50])
    query = vectors[60]
    decoded = quantiser.decode(codes)
    np.testing.assert_allclose(quantiser.products(query, codes), decoded @ query, atol=1e-3)
    cosines = decoded @ query / np.linalg.norm(decoded, axis=1)
    np.testing.assert_allclose(quantiser.cosines(query, codes), cosines, atol=1e-3)
    assert quantiser.signs(codes) is None
    assert quantiser.size == 8
    best = quantiser.scan(codes).search(query, 10)[0].tolist()
    assert int(np.argmax(quantiser.products(query, codes))) in best


def test_codes_of_few_vectors_are_finite() -> None:
    vectors = vectors_in_a_plane(5, 6)
    quantiser = open_quantiser("pq96", DIMENSION, make_codebook("pq96", vectors))
    decoded = quantiser.decode(quantiser.encode(vectors))
    assert np.isfinite(decoded).all()
    assert ((vectors * decoded).sum(axis=1) > 0.9).all()


@pytest.mark.parametrize("size", [4, 6, 9, 16, 24])
def test_bits_are_divided_so_that_the_least_is_lost(size: int) -> None:
    variances = np.sort(np.random.default_rng(size).exponential(size=48))[::-1]
    counts = divide(variances, size)
    bits = np.repeat([4, 2, 1, 0], [*counts, 48 - sum(counts)])
    assert bits.sum() == 8 * size
    lost = {**LEFT, 0: 1.0}

    def error(given: np.ndarray) -> float:
        return float(
            sum(lost[each] * variance for each, variance in zip(given.tolist(), variances, strict=True))
        )

    # Eight dimensions of two bits against four bits for the better of two halves, and so on.
    for first in range(0, 48, 8):
        for second in range(first + 8, 48, 8):
            other = bits.copy()
            a, b = bits[first], bits[second]
            if (a, b) == (2, 2):
                other[first : first + 8], other[second : second + 8] = 4, 0
            elif (a, b) == (1, 1):
                other[first : first + 8], other[second : second + 8] = 2, 0
            elif (a, b) == (4, 0):
                other[first : first + 8], other[second : second + 8] = 2, 2
            elif (a, b) == (2, 0):
                other[first : first + 8], other[second : second + 8] = 1, 1
            assert error(other) >= error(bits) - 1e-9


def test_more_bytes_than_the_dimensions_can_hold_are_refused() -> None:
    with pytest.raises(ValueError, match="more than"):
        divide(np.ones(16), 9)
