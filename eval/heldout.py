"""The held-out questions, of the shipped set or of a user's own file, beside the development ones.

Nothing may be tuned on them. This is the only module that reads them (a test checks who imports it): for
``capsa eval heldout`` and ``capsa eval strategies``, which print both slices and choose nothing.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from capsa.chunkers.errors import UsageError

from . import shipped
from .compare import RESAMPLES, SEED, Interval
from .options import QuestionSet, make_set, make_shipped_set
from .questions import load_questions
from .runs import Row

SLICES = ("development", "heldout")


def both_slices() -> QuestionSet:
    """Return the shipped documents with all questions; their slice tells the rows apart."""
    return make_shipped_set("shipped", [*shipped.questions("development"), *shipped.questions("heldout")])


def own_slices(root: Path, file: Path) -> QuestionSet:
    """Return a user's documents with all questions; UsageError unless both slices have some."""
    questions = load_questions(file)
    for part in SLICES:
        if not any((question.slice or SLICES[0]) == part for question in questions):
            raise UsageError(f'{file}: no question has "slice": "{part}", so there is nothing to compare')
    return make_set(file.stem, root, file, questions)


def in_slice(rows: Sequence[Row], part: str) -> list[Row]:
    """Return the rows of one slice; a question that names none is a development question."""
    return [row for row in rows if (row["slice"] or "development") == part]


def gap_interval(development: Sequence[float], heldout: Sequence[float]) -> Interval:
    """Bootstrap the difference of the means, held out - development, over the questions of each slice."""
    draw = np.random.default_rng(SEED)
    sides = [np.asarray(values, dtype=np.float64) for values in (heldout, development)]
    means = [values[draw.integers(0, len(values), (RESAMPLES, len(values)))].mean(axis=1) for values in sides]
    low, high = np.percentile(means[0] - means[1], [2.5, 97.5])
    return Interval(float(sides[0].mean() - sides[1].mean()), float(low), float(high))
