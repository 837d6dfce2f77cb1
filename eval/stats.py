"""The statistics of paper 000 (section 4.5) over runs, in the shape of ``capsa eval stats --json``."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from capsa.chunkers.errors import CapsaError, UsageError

from .compare import SEED
from .selection import select
from .stats_model import fit
from .stats_runs import Loaded, Matrix, make_matrix
from .stats_versus import by_embedding, leaderboard, versus_bm25

SCHEMA = "capsa.eval.stats/1"


@dataclass(frozen=True, slots=True)
class Asked:
    """What the statistics are of; ``reference`` names levels to compare with."""

    scope: str
    matcher: str
    metric: str
    reference: tuple[str, ...] = ()


def statistics(loaded: Loaded, asked: Asked) -> dict[str, Any]:
    """Return everything; CapsaError when no model can be fitted, UnavailableError without statsmodels."""
    matrix = make_matrix(loaded, asked.scope, asked.matcher, asked.metric)
    models, notes = fit_models(matrix, asked.reference)
    cells = versus_bm25(matrix)
    listed = leaderboard(matrix)
    if missing := len(matrix.setups) - len(listed):
        notes.append(f"{missing} configurations did not get every question and are not in the list")
    return {
        "schema": SCHEMA,
        "scope": asked.scope,
        "match": asked.matcher,
        "metric": asked.metric,
        "questions": len(matrix.questions),
        "documents": len(matrix.names),
        "seed": SEED,
        "models": models,
        "leaderboard": listed,
        "versus_bm25": {"family": len(cells), "embeddings": by_embedding(cells, matrix), "cells": cells},
        "selection": selected(loaded),
        "notes": [*loaded.notes, *notes],
    }


def fit_models(matrix: Matrix, reference: Sequence[str] = ()) -> tuple[dict[str, Any], list[str]]:
    """Fit the dense cells and those of BM25; return the models, and why one is not there.

    CapsaError when neither can be fitted.
    """
    models: dict[str, Any] = {}
    reasons: list[str] = []
    for retriever in ("dense", "bm25"):
        places = [place for place, setup in enumerate(matrix.setups) if setup.retriever == retriever]
        setups = [matrix.setups[place] for place in places]
        if len(setups) < 2:
            reasons.append(
                f"no model of {retriever}: there are {len(setups)} configurations of it, it takes 2"
            )
            continue
        known = {level for setup in setups for level in setup}
        wanted = [name for name in reference if name in known]
        models[retriever] = fit(setups, matrix.values[np.array(places)], wanted)
    if not models:
        raise CapsaError("; ".join(reasons))
    if unknown := [name for name in reference if name not in {level for s in matrix.setups for level in s}]:
        raise UsageError(f"there is no level {unknown[0]!r} to refer to in these runs")
    return models, reasons


def selected(loaded: Loaded) -> dict[str, str] | None:
    """Return what the pre-declared rule selects (see selection.py).

    None where it has no rows to look at, and for a stopped run, whose means are of different questions.
    """
    if not all(record.get("complete") for record in loaded.records):
        return None
    try:
        parser, chunker = select(row for rows in loaded.rows.values() for row in rows)
    except UsageError:
        return None
    return {"parser": parser, "chunker": chunker}
