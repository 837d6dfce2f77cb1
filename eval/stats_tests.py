"""Paired tests that assume no distribution, and the correction for asking many of them."""

from collections.abc import Sequence
from math import gcd

import numpy as np

from .stats_runs import Floats

# Differences of recall are counted in sixtieths: exact for questions of up to six pieces of evidence.
UNIT = 60


def paired_p(differences: Floats) -> float:
    """Return the two-sided p that paired differences, float64 [n], are as likely of either sign.

    The exact randomisation test (Fisher 1935, section 21): all 2^n ways to turn the signs are counted. For
    differences of -1, 0 and 1 it is McNemar's exact test.
    """
    steps = np.rint(differences * UNIT).astype(np.int64)
    sizes = np.abs(steps[steps != 0])
    if not len(sizes):
        return 1.0
    unit = gcd(*sizes.tolist())
    spread = _distribution([int(size) // unit for size in sizes])
    reached = abs(int(steps.sum())) // unit
    middle = len(spread) // 2
    tail = float(spread[middle + reached :].sum())
    return min(1.0, 2 * tail if reached else 1.0)


def holm(values: Sequence[float]) -> list[float]:
    """Return the p-values corrected for their number by Holm (1979): they hold for the whole family."""
    order = sorted(range(len(values)), key=lambda place: values[place])
    corrected = [1.0] * len(values)
    highest = 0.0
    for done, place in enumerate(order):
        highest = max(highest, min(1.0, (len(values) - done) * values[place]))
        corrected[place] = highest
    return corrected


def _distribution(sizes: Sequence[int]) -> Floats:
    """Return the probability of each sum of the sizes with random signs, from -sum(sizes) to sum(sizes)."""
    total = sum(sizes)
    spread = np.zeros(2 * total + 1)
    spread[total] = 1.0
    reach = 0
    for size in sizes:
        low, high = total - reach, total + reach + 1
        inner = spread[low:high] / 2
        spread[low:high] = 0.0
        spread[low - size : high - size] += inner
        spread[low + size : high + size] += inner
        reach += size
    return spread
