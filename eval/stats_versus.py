"""Dense against BM25 over the same chunks (paper 000, table 4), and every setup against the best."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .compare import RESAMPLES
from .stats_bootstrap import clustered
from .stats_runs import Floats, Matrix, Setup, Whole
from .stats_tests import holm, paired_p

# Documents with fewer questions are put together with the others of their set.
FEWEST_QUESTIONS = 20
SIGNIFICANT = 0.05


def leaderboard(matrix: Matrix, resamples: int = RESAMPLES) -> list[dict[str, Any]]:
    """Return the setups by their mean, best first, with intervals and their test against the first.

    The p-values are corrected over all of these tests. Setups that did not get every question are left out.
    """
    whole = np.flatnonzero(~np.isnan(matrix.values).any(axis=1))
    means = matrix.values[whole].mean(axis=1)
    order = whole[np.argsort(-means, kind="stable")]
    values = matrix.values[order]
    raw = [paired_p(values[0] - row) for row in values[1:]]
    rows = _with_intervals(values, matrix.documents, resamples)
    corrected = [None, *holm(raw)]
    return [
        {**matrix.setups[place]._asdict(), **row, "p": p, "p_holm": p_holm}
        for place, row, p, p_holm in zip(order, rows, [None, *raw], corrected, strict=True)
    ]


def versus_bm25(matrix: Matrix) -> list[dict[str, Any]]:
    """Return each cell of document, parser, chunker and embedding: BM25, dense, their difference, p.

    The p-values are corrected over all cells, as in the paper.
    """
    units, names = document_units(matrix)
    cells = list(_cells(matrix, units, names))
    corrected = holm([cell["p"] for cell in cells])
    return [{**cell, "p_holm": p} for cell, p in zip(cells, corrected, strict=True)]


def by_embedding(
    cells: Sequence[dict[str, Any]], matrix: Matrix, resamples: int = RESAMPLES
) -> list[dict[str, Any]]:
    """Return the table 4: for each embedding the cells won, the mean difference, the significant ones."""
    table = []
    for name in dict.fromkeys(cell["embedding"] for cell in cells):
        group = [cell for cell in cells if cell["embedding"] == name]
        sure = [cell for cell in group if cell["p_holm"] < SIGNIFICANT]
        wins = sum(cell["difference"] > 0 for cell in group)
        losses = sum(cell["difference"] < 0 for cell in group)
        differences = np.mean(
            [matrix.of(dense) - matrix.of(bm25) for dense, bm25 in _pairs(matrix, name)], axis=0
        )
        table.append(
            {
                "embedding": name,
                "cells": len(group),
                "wins": wins,
                "losses": losses,
                "win_share": wins / len(group),
                "mean_difference": float(np.mean([cell["difference"] for cell in group])),
                "significant_wins": sum(cell["difference"] > 0 for cell in sure) / len(group),
                "significant_losses": sum(cell["difference"] < 0 for cell in sure) / len(group),
                "over_questions": next(_with_intervals(differences[None], matrix.documents, resamples)),
            }
        )
    return table


def document_units(matrix: Matrix) -> tuple[Whole, list[str]]:
    """Return what a cell's documents are, by question: each with enough questions, and the rest of a set."""
    counts = np.bincount(matrix.documents, minlength=len(matrix.names))
    sets = [questions for questions, _ in matrix.questions]
    names = [
        matrix.names[document]
        if counts[document] >= FEWEST_QUESTIONS
        else f"{part}: documents of few questions"
        for document, part in zip(matrix.documents, sets, strict=True)
    ]
    unique = list(dict.fromkeys(names))
    return np.array([unique.index(name) for name in names], dtype=np.int64), unique


def _pairs(matrix: Matrix, embedding: str | None = None) -> Iterator[tuple[Setup, Setup]]:
    """Yield dense setups, each with the one of BM25 over the same chunks."""
    for setup in matrix.setups:
        bm25 = Setup(setup.parser, setup.chunker, "bm25", "")
        wanted = embedding in (None, setup.embedding)
        if setup.retriever == "dense" and wanted and bm25 in matrix.setups:
            yield setup, bm25


def _cells(matrix: Matrix, units: Whole, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    for dense, bm25 in _pairs(matrix):
        ours, theirs = matrix.of(dense), matrix.of(bm25)
        both = ~np.isnan(ours) & ~np.isnan(theirs)
        for unit, name in enumerate(names):
            here = both & (units == unit)
            if here.any():
                yield {
                    "document": name,
                    "parser": dense.parser,
                    "chunker": dense.chunker,
                    "embedding": dense.embedding,
                    "questions": int(here.sum()),
                    "bm25": float(theirs[here].mean()),
                    "dense": float(ours[here].mean()),
                    "difference": float((ours - theirs)[here].mean()),
                    "p": paired_p((ours - theirs)[here]),
                }


def _with_intervals(values: Floats, documents: Whole, resamples: int) -> Iterator[dict[str, Any]]:
    """Yield for each row, float64 [rows, questions], its mean and its intervals by question and document."""
    questions = np.arange(values.shape[1])
    by = {
        "by_question": clustered(values, questions, resamples),
        "by_document": clustered(values, documents, resamples),
    }
    for place, row in enumerate(values):
        bounds = {
            name: None
            if found is None
            else {"low": float(found.low[place]), "high": float(found.high[place])}
            for name, found in by.items()
        }
        yield {"questions": int((~np.isnan(row)).sum()), "mean": float(np.nanmean(row)), **bounds}
