"""The mixed-effects model of paper 000 (section 4.5, table 3): crossed fixed effects, questions at random.

Needs statsmodels, from the extra ``capsa[eval]``.
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from capsa.chunkers.errors import CapsaError, UnavailableError, UsageError

from .stats_runs import Floats, Setup

FACTORS = ("parser", "chunker", "embedding")
# The reference of the paper's table 3, where its levels are among those of a run.
REFERENCE = {"parser": "context_aware", "chunker": "basic", "embedding": "bge-base-en-v1.5"}
# Below that, an intercept for each question leaves nothing to estimate effects from.
FEWEST_QUESTIONS = 10
# A variance between questions that is so small a share of that within them counts as none.
BOUNDARY = 1e-3

Effect = tuple[tuple[str, str], ...]  # (factor, level) of each part; () is the intercept


@dataclass(frozen=True, slots=True)
class Design:
    """The coded cells: which effects there are, and their columns, float64 [setups, effects].

    ``left_out`` are effects that the cells do not tell apart from others, as some combinations are not there.
    """

    effects: tuple[Effect, ...]
    columns: Floats
    reference: Mapping[str, str]
    left_out: tuple[Effect, ...]


@dataclass(frozen=True, slots=True)
class Fitted:
    """Estimates, float64 [effects], their covariance, and the variances between and within questions."""

    estimates: Floats
    covariance: Floats
    between: float
    within: float
    converged: bool = True


def fit(setups: Sequence[Setup], values: Floats, reference: Sequence[str] = ()) -> dict[str, Any]:
    """Fit values, float64 [setups, questions] with NaN for what is missing; return all that tables show.

    CapsaError when there is too little to fit, UnavailableError without statsmodels.
    """
    design = make_design(setups, reference)
    _refuse_too_little(setups, values)
    mixed = _mixed_model()
    complete = not np.isnan(values).any()
    found = fit_complete(design.columns, values) if complete else fit_any(design.columns, values, mixed)
    return {
        "reference": dict(design.reference),
        "observations": int((~np.isnan(values)).sum()),
        "questions": _count(values),
        "cells": len(setups),
        "question_variance": found.between,
        "residual_variance": found.within,
        "effects": list(_effects(design, found)),
        "terms": list(_terms(design, found)),
        "left_out": [name_of(effect) for effect in design.left_out],
        "notes": _notes(found),
    }


def fit_complete(columns: Floats, values: Floats) -> Fitted:
    """Return the REML fit of values, float64 [cells, questions], of every question in every cell.

    Then it has a closed form (Searle, Casella and McCulloch, Variance Components, chapter 4), which is what
    ``fit_any`` finds, in no time: that takes minutes for hundreds of effects.
    """
    cells, questions = values.shape
    effects = columns.shape[1]
    estimates = np.linalg.lstsq(columns, values.mean(axis=1))[0]
    expected = columns @ estimates
    own = values.mean(axis=0)
    inside = float(((values - own - (expected - expected.mean())[:, None]) ** 2).sum())
    across = cells * float(((own - own.mean()) ** 2).sum())
    within = inside / (questions * (cells - 1) - (effects - 1))
    between = (across / (questions - 1) - within) / cells
    if between < 0:
        between, within = 0.0, (inside + across) / (questions * cells - effects)
    if within <= 0:
        raise CapsaError("the mixed-effects model cannot be fitted: the cells leave no error to estimate")
    spread = within * np.eye(cells) + between
    covariance = np.linalg.inv(questions * columns.T @ np.linalg.solve(spread, columns))
    return Fitted(estimates, covariance, between, within)


def fit_any(columns: Floats, values: Floats, mixed: Any) -> Fitted:
    """Return the REML fit by statsmodels of values, float64 [cells, questions], NaN for what is missing."""
    present = ~np.isnan(values)
    rows, questions = np.nonzero(present)
    with warnings.catch_warnings():
        # Of convergence, which is looked at below, and of any variance below 0.01, which recall often has.
        warnings.simplefilter("ignore")
        try:
            result = mixed(values[present], columns[rows], questions).fit(reml=True)
        except np.linalg.LinAlgError as error:
            raise CapsaError(f"the mixed-effects model cannot be fitted: {error}") from error
    effects = columns.shape[1]
    covariance = np.asarray(result.cov_params())[:effects, :effects]
    if not np.isfinite(covariance).all():
        raise CapsaError("the mixed-effects model cannot be fitted: the cells leave no error to estimate")
    between = float(np.asarray(result.cov_re)[0, 0])
    estimates = np.asarray(result.fe_params)
    return Fitted(estimates, covariance, between, float(result.scale), bool(result.converged))


def make_design(setups: Sequence[Setup], reference: Sequence[str] = ()) -> Design:
    """Code the setups against reference levels: those named, else the paper's, else the first by name."""
    levels = {factor: sorted({getattr(setup, factor) for setup in setups}) for factor in FACTORS}
    chosen = {factor: _reference(factor, there, reference) for factor, there in levels.items()}
    if unknown := [name for name in reference if name not in chosen.values()]:
        raise UsageError(f"there is no level {unknown[0]!r} to refer to in these runs")
    kept: list[Effect] = []
    left_out: list[Effect] = []
    columns = np.empty((len(setups), 0))
    for effect in _possible(levels, chosen):
        column = [float(all(getattr(setup, factor) == level for factor, level in effect)) for setup in setups]
        wider = np.column_stack([columns, column])
        if np.linalg.matrix_rank(wider) == wider.shape[1]:
            columns = wider
            kept.append(effect)
        else:
            left_out.append(effect)
    return Design(tuple(kept), columns, chosen, tuple(left_out))


def name_of(effect: Effect) -> str:
    """Return an effect's name for a table: its levels, or "intercept"."""
    return " x ".join(level for _, level in effect) or "intercept"


def _reference(factor: str, levels: Sequence[str], wanted: Sequence[str]) -> str:
    named = [level for level in levels if level in wanted]
    return next(iter(named), REFERENCE[factor] if REFERENCE[factor] in levels else levels[0])


def _possible(levels: Mapping[str, Sequence[str]], reference: Mapping[str, str]) -> Iterator[Effect]:
    """Yield the intercept, then main effects, then interactions of two and of three factors."""
    for size in range(len(FACTORS) + 1):
        for factors in combinations(FACTORS, size):
            effects: list[Effect] = [()]
            for factor in factors:
                others = [level for level in levels[factor] if level != reference[factor]]
                effects = [(*effect, (factor, level)) for effect in effects for level in others]
            yield from effects


def _refuse_too_little(setups: Sequence[Setup], values: Floats) -> None:
    count = _count(values)
    if count < FEWEST_QUESTIONS:
        raise CapsaError(f"{count} questions are too few for a model: it takes {FEWEST_QUESTIONS}")
    if len(setups) < 2:
        raise CapsaError("a model needs at least two configurations to compare")
    if np.nanmin(values) == np.nanmax(values):
        raise CapsaError(f"every value is {np.nanmax(values):g}: there is no difference to model")


def _count(values: Floats) -> int:
    return int((~np.isnan(values)).any(axis=0).sum())


def _notes(found: Fitted) -> list[str]:
    notes = [] if found.converged else ["the fit did not converge: read its figures with care"]
    if found.between < BOUNDARY * found.within:
        notes.append(
            "questions do not differ from each other: the variance between them is at its bound of 0"
        )
    return notes


def _mixed_model() -> Any:
    try:
        from statsmodels.regression.mixed_linear_model import MixedLM
    except ImportError as error:
        raise UnavailableError("the model needs statsmodels: pip install 'capsa[eval]'") from error
    return MixedLM


def _effects(design: Design, found: Fitted) -> Iterator[dict[str, Any]]:
    from scipy.stats import norm

    errors = np.sqrt(np.diag(found.covariance))
    reach = float(norm.ppf(0.975))
    for effect, estimate, error in zip(
        design.effects, found.estimates.tolist(), errors.tolist(), strict=True
    ):
        yield {
            "name": name_of(effect),
            "levels": dict(effect),
            "estimate": estimate,
            "error": error,
            "low": estimate - reach * error,
            "high": estimate + reach * error,
            "z": estimate / error,
            "p": float(2 * norm.sf(abs(estimate / error))),
        }


def _terms(design: Design, found: Fitted) -> Iterator[dict[str, Any]]:
    """Yield Wald's test of each main effect and interaction as a whole."""
    from scipy.stats import chi2

    groups: dict[tuple[str, ...], list[int]] = {}
    for place, effect in enumerate(design.effects):
        groups.setdefault(tuple(factor for factor, _ in effect), []).append(place)
    groups.pop((), None)
    for factors, places in groups.items():
        part = found.estimates[places]
        value = float(part @ np.linalg.solve(found.covariance[np.ix_(places, places)], part))
        p = float(chi2.sf(value, len(places)))
        yield {"term": " x ".join(factors), "chi2": value, "freedom": len(places), "p": p}
