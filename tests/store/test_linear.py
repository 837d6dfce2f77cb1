import numpy as np
import pytest

from capsa.store.linear import BLOCK, inner_products, nearest
from capsa.store.quantiser import Bits, decode


@pytest.mark.parametrize("bits", [1, 2])
@pytest.mark.parametrize("rows", [0, 1, BLOCK + 5])
def test_the_products_are_those_of_the_decoded_vectors(bits: Bits, rows: int) -> None:
    random = np.random.default_rng(rows)
    codes = random.integers(0, 256, (rows, 384 * bits // 8), dtype=np.uint8)
    query = random.standard_normal(384).astype(np.float32)
    found = inner_products(query, codes, bits)
    assert found.dtype == np.float32
    assert np.allclose(found, decode(codes, bits) @ query, atol=1e-4)


@pytest.mark.parametrize("count", [0, 1, 20, 500, 600])
def test_the_nearest_are_the_highest(count: int) -> None:
    random = np.random.default_rng(5)
    codes = random.integers(0, 256, (500, 96), dtype=np.uint8)
    query = random.standard_normal(384).astype(np.float32)
    best = np.argsort(-(decode(codes, 2) @ query))[:count]
    assert sorted(nearest(query, codes, 2, count)) == sorted(best)
