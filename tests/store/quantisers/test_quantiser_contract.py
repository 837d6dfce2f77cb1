"""What every code must do: one suite for all of the table, on vectors that are spread evenly."""

import faiss
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capsa.store.codes import CODES
from capsa.store.quantisers import open_quantiser
from capsa.store.quantisers.levels import levels

ALL = [*CODES]
SEEDS = st.integers(0, 2**32 - 1)


def unit_vectors(seed: int, dimension: int = 384, rows: int = 20) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(rows, dimension)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("dimension", [8, 24, 384, 768, 1024])
def test_sizes_are_what_they_say(name: str, dimension: int) -> None:
    quantiser = open_quantiser(name, dimension)
    codes = quantiser.encode(unit_vectors(1, dimension))
    assert codes.dtype == np.uint8
    assert codes.shape == (20, quantiser.size) == (20, CODES[name].size(dimension))
    assert quantiser.decode(codes).shape == (20, dimension)
    assert quantiser.encode(np.zeros((0, dimension), dtype=np.float32)).shape == (0, quantiser.size)


def test_a_name_says_the_bytes_of_384_dimensions() -> None:
    sizes = {name: CODES[name].size(384) for name in ALL}
    assert sizes == {
        "pq24": 24,
        "pq32": 32,
        "pq48": 48,
        "pq54": 54,
        "pq64": 64,
        "pq96": 96,
        "pq192": 192,
        "sq8": 384,
        "float32": 1536,
    }
    assert sorted(sizes.values()) == list(sizes.values())


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("rows", [1, 40, 1500])
def test_products_and_cosines_are_those_of_the_decoded_vectors(name: str, rows: int) -> None:
    quantiser = open_quantiser(name, 384)
    codes = quantiser.encode(unit_vectors(2, rows=rows))
    query, decoded = unit_vectors(3, rows=1)[0], quantiser.decode(codes)
    assert quantiser.products(query, codes).dtype == np.float32
    np.testing.assert_allclose(quantiser.products(query, codes), decoded @ query, atol=1e-4)
    cosines = quantiser.cosines(query, codes)
    assert cosines.dtype == np.float32
    np.testing.assert_allclose(cosines, decoded @ query / np.linalg.norm(decoded, axis=1), atol=1e-5)


@pytest.mark.parametrize("name", ALL)
def test_a_cosine_does_not_depend_on_what_stands_beside(name: str) -> None:
    quantiser = open_quantiser(name, 384)
    codes = quantiser.encode(unit_vectors(2, rows=101))
    query = unit_vectors(3, rows=1)[0]
    alone = np.concatenate([quantiser.cosines(query, codes[place : place + 1]) for place in range(101)])
    np.testing.assert_array_equal(quantiser.cosines(query, codes), alone)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("dimension", [384, 1024])
def test_a_faiss_index_takes_the_codes_and_scans_them(name: str, dimension: int) -> None:
    vectors = unit_vectors(4, dimension, rows=500)
    quantiser = open_quantiser(name, dimension)
    codes = quantiser.encode(vectors)
    index = quantiser.index()
    index.add_sa_codes(codes)
    assert (index.ntotal, index.sa_code_size()) == (500, quantiser.size)
    np.testing.assert_array_equal(faiss.vector_to_array(index.codes).reshape(codes.shape), codes)
    found = [int(quantiser.scan(codes).search(vector, 5)[0][0]) for vector in vectors[:50]]
    assert found == list(range(50))


@pytest.mark.parametrize("name", ALL)
def test_the_scan_finds_what_products_rank_first(name: str) -> None:
    quantiser = open_quantiser(name, 384)
    codes = quantiser.encode(unit_vectors(5, rows=3000))
    scan = quantiser.scan(codes)
    for query in unit_vectors(6, rows=5):
        products = quantiser.products(query, codes)
        places, scores = scan.search(query, 40)
        assert set(np.argsort(-products)[:10]) <= set(places.tolist())
        assert (np.diff(scores) <= 0).all()
        # Tables are rounded to 8 bits.
        np.testing.assert_allclose(scores, products[places], atol=0.05)


@pytest.mark.parametrize("name", ALL)
def test_a_scan_gives_all_it_has_when_more_is_asked_for(name: str) -> None:
    quantiser = open_quantiser(name, 384)
    scan = quantiser.scan(quantiser.encode(unit_vectors(8, rows=33)))
    places, _ = scan.search(unit_vectors(9, rows=1)[0], 500)
    assert sorted(places.tolist()) == list(range(33))


@given(SEEDS, st.sampled_from(ALL))
@settings(max_examples=40, deadline=None)
def test_decoding_encodes_to_itself(seed: int, name: str) -> None:
    quantiser = open_quantiser(name, 384)
    codes = quantiser.encode(unit_vectors(seed))
    np.testing.assert_array_equal(quantiser.encode(quantiser.decode(codes)), codes)


def test_a_larger_code_is_nearer() -> None:
    vectors = unit_vectors(7, rows=200)
    cosines = []
    for name in ALL:
        quantiser = open_quantiser(name, 384)
        codes = quantiser.encode(vectors)
        found = [quantiser.cosines(*pair) for pair in zip(vectors, codes[:, None], strict=True)]
        cosines.append(float(np.mean(found)))
    assert cosines == sorted(cosines)
    # sqrt(2/pi), sqrt(1 - 0.1175) and sqrt(1 - 0.009497), the correlations with a normal variable (Max 1960).
    named = dict(zip(ALL, cosines, strict=True))
    assert named["pq48"] == pytest.approx(0.798, abs=0.01)
    assert named["pq96"] == pytest.approx(0.939, abs=0.01)
    assert named["pq192"] == pytest.approx(0.9952, abs=0.002)
    assert named["sq8"] == pytest.approx(1, abs=2e-4)
    assert named["float32"] == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_value_that_is_not_finite_is_refused(name: str, value: float) -> None:
    vectors = unit_vectors(8)
    vectors[3, 5] = value
    with pytest.raises(ValueError, match="not finite"):
        open_quantiser(name, 384).encode(vectors)


@pytest.mark.parametrize("dimension", [0, 4, 12, 385])
def test_a_dimension_that_fills_no_byte_is_refused(dimension: int) -> None:
    with pytest.raises(ValueError, match="multiple of 8"):
        open_quantiser("pq96", dimension)


@given(SEEDS)
@settings(max_examples=20, deadline=None)
def test_levels_are_the_nearest(seed: int) -> None:
    vectors = unit_vectors(seed)
    for name, bits in (("pq48", 1), ("pq96", 2), ("pq192", 4), ("sq8", 8)):
        quantiser = open_quantiser(name, 384)
        decoded = quantiser.decode(quantiser.encode(vectors))
        nearest = np.abs(vectors[..., None] - levels(bits, 384)).min(axis=-1)
        np.testing.assert_allclose(np.abs(vectors - decoded), nearest, atol=1e-6)


@pytest.mark.parametrize(("name", "parts"), [("pq48", 96), ("pq96", 192)])
def test_codes_are_those_of_a_faiss_product_quantiser(name: str, parts: int) -> None:
    vectors = unit_vectors(9, rows=300)
    quantiser = open_quantiser(name, 384)
    index = quantiser.index()
    assert (index.pq.M, index.pq.nbits, index.d) == (parts, 4, 384)
    codes = quantiser.encode(vectors)
    np.testing.assert_array_equal(codes, index.sa_encode(vectors))
    np.testing.assert_array_equal(quantiser.decode(codes), index.sa_decode(codes))


def test_the_scalar_code_is_that_of_faiss() -> None:
    vectors = unit_vectors(10, rows=50)
    quantiser = open_quantiser("sq8", 384)
    codes, index = quantiser.encode(vectors), quantiser.index()
    np.testing.assert_allclose(quantiser.decode(codes), index.sa_decode(codes), atol=1e-6)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("dimension", [64, 384, 1024])
def test_the_signs_are_the_code_of_one_bit(name: str, dimension: int) -> None:
    quantiser, vectors = open_quantiser(name, dimension), unit_vectors(6, dimension)
    signs = quantiser.signs(quantiser.encode(vectors))
    if CODES[name].turns:
        assert signs is None
    else:
        np.testing.assert_array_equal(signs, open_quantiser("pq48", dimension).encode(vectors))
