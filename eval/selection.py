"""The pre-declared selection rule for ablations (paper 000 section 4.6), as code."""

from collections import defaultdict
from collections.abc import Iterable

from capsa.chunkers.errors import UsageError

from .runs import Row

# What the rule selected in the paper; used where there is no run of the main experiment.
PAPERS_CHOICE = ("normal", "advanced")


def select(rows: Iterable[Row]) -> tuple[str, str]:
    """Return the parser and the chunker that jointly maximise mean dense Evidence Recall@5 in a grid.

    Over exact vectors, all models, inside the question's document, paper match: the paper's main experiment.
    Ties go to the first by name. UsageError when the run has no such rows.
    """
    sums: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in rows:
        wanted = (row["retriever"], row["vectors"], row["scope"], row["matcher"])
        if wanted == ("dense", "flat", "document", "paper"):
            sums[str(row["parser"]), str(row["chunker"])].append(float(row["er@5"] or 0))
    if not sums:
        raise UsageError(
            "the run has no dense cells inside documents, so the selection rule has nothing to choose"
        )
    means = {pair: sum(values) / len(values) for pair, values in sums.items()}
    return min(means, key=lambda pair: (-means[pair], pair))
