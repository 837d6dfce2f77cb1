import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capsa.store import growing
from capsa.store.growing import Growing, with_spare


@given(st.lists(st.integers(0, 40), max_size=8), st.integers(0, 2**32))
@settings(max_examples=50, deadline=None)
def test_rows_are_those_that_were_put_in_and_kept(sizes: list[int], seed: int) -> None:
    random = np.random.default_rng(seed)
    expected = random.integers(256, size=(5, 3), dtype=np.uint8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(growing, "LEAST_SPARE", 8)
        patch.setattr(growing, "MOVED", 7)
        grown = Growing(expected.copy(), 5)
        for size in sizes:
            more = random.integers(256, size=(size, 3), dtype=np.uint8)
            grown.append(more)
            expected = np.concatenate([expected, more])
            wanted = random.random(len(expected)) < 0.8
            grown.keep(wanted)
            expected = expected[wanted]
            np.testing.assert_array_equal(grown.rows, expected)


def test_room_is_used_without_a_copy_of_what_is_there() -> None:
    buffer = np.zeros((with_spare(100), 4), dtype=np.uint8)
    grown = Growing(buffer, 100)
    grown.append(np.ones((growing.LEAST_SPARE, 4), dtype=np.uint8))
    assert np.shares_memory(grown.rows, buffer)
    assert len(grown.rows) == 100 + growing.LEAST_SPARE
