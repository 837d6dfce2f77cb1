import numpy as np
import pytest

from capsa.store.quantisers import open_quantiser
from capsa.store.quantisers.lookup import BLOCK, inner_products, nearest


@pytest.mark.parametrize("rows", [0, 1, BLOCK, BLOCK + 5])
def test_sums_are_those_of_the_table(rows: int) -> None:
    random = np.random.default_rng(rows)
    codes = random.integers(0, 256, (rows, 24), dtype=np.uint8)
    table = random.standard_normal((24, 256)).astype(np.float32)
    found = inner_products(table, codes)
    assert found.dtype == np.float32
    assert np.allclose(found, table[np.arange(24), codes].sum(axis=1), atol=1e-4)


@pytest.mark.parametrize("count", [0, 1, 20, 500, 600])
def test_the_nearest_are_the_highest(count: int) -> None:
    random = np.random.default_rng(5)
    quantiser = open_quantiser("pq96", 384)
    codes = random.integers(0, 256, (500, 96), dtype=np.uint8)
    query = random.standard_normal(384).astype(np.float32)
    best = np.argsort(-(quantiser.decode(codes) @ query))[:count]
    assert sorted(nearest(query, codes, quantiser, count)) == sorted(best)
