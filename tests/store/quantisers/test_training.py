import numpy as np

from capsa.store.quantisers import open_quantiser
from capsa.store.quantisers.training import make_codebook

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
    assert len(codebook) == DIMENSION * 48 * 2
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
    np.testing.assert_allclose(quantiser.products(query, codes), quantiser.decode(codes) @ query, atol=1e-3)
    assert quantiser.size == 8
    best = quantiser.scan(codes).search(query, 10)[0].tolist()
    assert int(np.argmax(quantiser.products(query, codes))) in best
