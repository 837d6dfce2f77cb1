"""Intervals of means by a bootstrap over clusters: whole questions, or whole documents, are drawn."""

from dataclasses import dataclass

import numpy as np

from .compare import RESAMPLES, SEED
from .stats_runs import Floats, Whole

_PART = 1000  # resamples at a time, which bounds the memory


@dataclass(frozen=True, slots=True)
class Intervals:
    """The bounds of 95 % percentile intervals, float64 [rows] each."""

    low: Floats
    high: Floats


def clustered(values: Floats, clusters: Whole, resamples: int = RESAMPLES) -> Intervals | None:
    """Bootstrap the means of rows, values float64 [rows, n], whose columns lie in the numbered clusters.

    Clusters are drawn with replacement, each with all its columns; a mean is over the columns drawn, NaN left
    out. The same clusters are drawn for all rows. None when there is only one cluster.
    """
    count = int(clusters.max()) + 1
    if count < 2:
        return None
    members = np.zeros((len(clusters), count))
    members[np.arange(len(clusters)), clusters] = 1.0
    sums = np.nan_to_num(values) @ members
    sizes = (~np.isnan(values)).astype(np.float64) @ members
    draw = np.random.default_rng(SEED)
    parts = []
    for first in range(0, resamples, _PART):
        times = draw.multinomial(count, np.full(count, 1 / count), min(_PART, resamples - first))
        parts.append((times @ sums.T) / np.maximum(times @ sizes.T, 1.0))
    low, high = np.percentile(np.concatenate(parts), [2.5, 97.5], axis=0)
    return Intervals(low, high)
