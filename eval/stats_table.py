"""The statistics as tables for a terminal."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .grid_table import columns
from .stats_versus import SIGNIFICANT

_FIRST = 10
EFFECTS = ["effect", "estimate", "95 % interval", "z", "p"]
TERMS = ["term", "chi2", "freedom", "p"]
LEADERS = ["parser", "chunker", "retriever", "embedding", "mean", "by question", "by document", "p (Holm)"]
VERSUS = ["document", "parser", "chunker", "embedding", "n", "BM25", "dense", "difference", "p (Holm)"]
EMBEDDINGS = [
    "embedding",
    "cells",
    "wins",
    "losses",
    "mean difference",
    "significant wins",
    "significant losses",
    "over questions",
]


def stats_lines(found: Mapping[str, Any], everything: bool) -> Iterator[str]:
    """Yield the tables; ``everything`` shows what is not significant too, and all configurations."""
    yield (
        f"{label(found['metric'])}, {found['match']} match, scope {found['scope']}: "
        f"{found['questions']} questions of {found['documents']} documents"
    )
    for name, model in found["models"].items():
        yield ""
        yield from model_lines(name, model, everything)
    yield ""
    yield from versus_lines(found["versus_bm25"], everything)
    yield ""
    yield from leaderboard_lines(found["leaderboard"], None if everything else _FIRST)
    if chosen := found["selection"]:
        yield ""
        yield (
            f"The pre-declared rule (best mean dense ER@5, paper match) selects {chosen['parser']} / "
            f"{chosen['chunker']}."
        )
    for note in found["notes"]:
        yield f"note: {note}"


def model_lines(name: str, model: Mapping[str, Any], everything: bool) -> Iterator[str]:
    """Yield Wald's tests of the terms, then the fixed effects."""
    reference = " / ".join(level for level in model["reference"].values() if level)
    yield (
        f"Mixed-effects model of {name}: {model['cells']} cells, {model['questions']} questions with an "
        f"intercept each, {model['observations']} values"
    )
    yield f"Reference: {reference}"
    if model["terms"]:
        yield from columns([TERMS, *map(term_row, model["terms"])])
        yield ""
    effects = model["effects"][1:]
    shown = [each for each in effects if everything or each["p"] < SIGNIFICANT]
    which = "" if everything else f", those of p < {SIGNIFICANT}"
    yield f"Fixed effects{which}: {len(shown)} of {len(effects)}"
    yield from columns([EFFECTS, *map(effect_row, [model["effects"][0], *shown])])
    variances = f"{model['question_variance']:.4f} between questions, {model['residual_variance']:.4f} within"
    yield f"variance {variances}"
    if model["left_out"]:
        yield f"not told apart, as cells are missing: {', '.join(model['left_out'])}"
    yield from (f"note: {note}" for note in model["notes"])


def versus_lines(found: Mapping[str, Any], everything: bool) -> Iterator[str]:
    """Yield the table of embeddings, then the cells that differ for sure, or all."""
    yield f"Dense against BM25 over the same chunks: {found['family']} cells of document, parser, chunker"
    if not found["cells"]:
        yield "no dense configuration has its BM25 in these runs"
        return
    yield from columns([EMBEDDINGS, *map(embedding_row, found["embeddings"])])
    yield f"significant: p < {SIGNIFICANT} by the exact paired test, Holm over all {found['family']} cells"
    cells = [cell for cell in found["cells"] if everything or cell["p_holm"] < SIGNIFICANT]
    if cells:
        yield ""
        yield from columns([VERSUS, *map(versus_row, sorted(cells, key=lambda cell: cell["p_holm"]))], left=4)


def leaderboard_lines(rows: Sequence[Mapping[str, Any]], first: int | None) -> Iterator[str]:
    """Yield the configurations, best first."""
    shown = rows[:first]
    yield f"Configurations, best first: {len(shown)} of {len(rows)}"
    yield from columns([LEADERS, *map(leader_row, shown)], left=4)
    yield "95 % intervals by a bootstrap over questions and over documents; p against the first line"


def bounds_text(bounds: Mapping[str, float] | None, sign: str = "") -> str:
    """Return an interval for a table, "-" for none."""
    return f"[{bounds['low']:{sign}.3f}, {bounds['high']:{sign}.3f}]" if bounds else "-"


def p_text(value: float) -> str:
    """Return a p-value for a table."""
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"


def label(metric: str) -> str:
    """Return how tables call a metric."""
    return {"rr": "MRR", "ndcg@10": "nDCG@10"}.get(metric, metric.upper().replace("ER@", "Evidence Recall@"))


def term_row(term: Mapping[str, Any]) -> list[str]:
    """Return a term's test as a row under TERMS."""
    return [term["term"], f"{term['chi2']:.1f}", str(term["freedom"]), p_text(term["p"])]


def effect_row(effect: Mapping[str, Any]) -> list[str]:
    """Return a fixed effect as a row under EFFECTS."""
    bounds = f"[{effect['low']:+.3f}, {effect['high']:+.3f}]"
    return [effect["name"], f"{effect['estimate']:+.3f}", bounds, f"{effect['z']:.2f}", p_text(effect["p"])]


def leader_row(row: Mapping[str, Any]) -> list[str]:
    """Return a configuration as a row under LEADERS."""
    name = [row[part] for part in LEADERS[:4]]
    p = "" if row["p_holm"] is None else p_text(row["p_holm"])
    return [*name, f"{row['mean']:.3f}", bounds_text(row["by_question"]), bounds_text(row["by_document"]), p]


def versus_row(cell: Mapping[str, Any]) -> list[str]:
    """Return a cell as a row under VERSUS."""
    name = [cell[part] for part in VERSUS[:4]]
    figures = f"{cell['bm25']:.3f}", f"{cell['dense']:.3f}", f"{cell['difference']:+.3f}"
    return [*name, str(cell["questions"]), *figures, p_text(cell["p_holm"])]


def embedding_row(row: Mapping[str, Any]) -> list[str]:
    """Return what an embedding won as a row under EMBEDDINGS."""
    pooled = row["over_questions"]
    return [
        row["embedding"],
        str(row["cells"]),
        f"{row['win_share']:.0%}",
        f"{row['losses'] / row['cells']:.0%}",
        f"{row['mean_difference']:+.3f}",
        f"{row['significant_wins']:.1%}",
        f"{row['significant_losses']:.1%}",
        f"{pooled['mean']:+.3f} {bounds_text(pooled['by_question'], '+')}",
    ]
