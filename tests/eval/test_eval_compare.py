import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from capsa.eval.compare import paired_interval

SCORES = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=40)


@given(SCORES)
def test_the_interval_holds_the_mean_and_turns_with_its_sides(pairs: list[tuple[float, float]]) -> None:
    ours, reference = (np.array(side) for side in zip(*pairs, strict=True))
    found = paired_interval(ours, reference, resamples=400)
    assert found.low - 1e-9 <= found.mean <= found.high + 1e-9
    turned = paired_interval(reference, ours, resamples=400)
    assert np.allclose([turned.mean, turned.low, turned.high], [-found.mean, -found.high, -found.low])


def test_equal_scores_differ_by_nothing() -> None:
    same = np.linspace(0, 1, 50)
    found = paired_interval(same, same)
    assert (found.mean, found.low, found.high) == (0, 0, 0)


def test_the_interval_is_as_wide_as_theory_says() -> None:
    differences = np.random.default_rng(7).normal(0.1, 1.0, 400)
    found = paired_interval(differences, np.zeros(400))
    half = 1.96 * differences.std() / 20
    assert np.isclose(found.high - found.low, 2 * half, rtol=0.06)
