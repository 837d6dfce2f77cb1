"""The report's sections on the main experiment: leaderboard, heat maps, models, dense against BM25."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from capsa.chunkers.errors import CapsaError

from .report_markup import Content, Markup, join, shade, table, tag
from .report_page import Section, folded, note, pair
from .report_svg import dots
from .report_view import View
from .runs import Row
from .stats import fit_models
from .stats_runs import Setup
from .stats_table import (
    EFFECTS,
    EMBEDDINGS,
    LEADERS,
    TERMS,
    VERSUS,
    effect_row,
    embedding_row,
    label,
    leader_row,
    term_row,
    versus_row,
)
from .stats_versus import SIGNIFICANT, by_embedding, document_units, leaderboard, versus_bm25

_LISTED = 12
_DRAWN = 30
_FOLDER = re.compile(r"(?<=:) .*/")


def leaders(view: View, metric: str) -> Section:
    """The configurations, best first (the paper's table 2)."""
    rows = leaderboard(view.matrix(metric))

    def show(some: Sequence[Mapping[str, Any]]) -> Markup:
        return table(("configuration", *LEADERS[4:]), map(partial(_leader, view), some))

    best = [
        next(row for row in rows if row["retriever"] == name) for name in view.retrievers if _has(rows, name)
    ]
    parts = [
        tag("h3", f"First {min(_LISTED, len(rows))} of {len(rows)}"),
        show(rows[:_LISTED]),
        tag("h3", "Best of each retriever"),
        show(best),
        note(
            "Means over questions with 95 % bootstrap intervals, questions or whole documents drawn; p of "
            "the exact paired test against the first line, corrected by Holm."
        ),
        folded(f"All {len(rows)}", show(rows)),
    ]
    return Section("leaders", "Configurations, best first", join(parts))


def heat_maps(view: View, metric: str) -> Section:
    """Parser x chunker for each retriever (figure 1)."""
    found = view.means(metric, lambda setup, row: (setup.retriever, setup.parser, setup.chunker))
    means = {key: value for key, (value, _) in found.items()}
    parts: list[Content] = []
    for name in view.retrievers:
        cells = {key[1:]: value for key, value in means.items() if key[0] == name}
        parts += [tag("h3", f"{name}: mean {label(metric)}"), heat_table(cells, view.parsers, view.chunkers)]
    parts.append(note("Means over questions and embeddings; in each map the darkest cell is its best."))
    return Section("heat", "Parser x chunker", join(parts))


def coverage(view: View) -> Section:
    """How much evidence any chunk holds (table 5)."""
    found = view.means("coverage", lambda setup, row: (setup.parser, setup.chunker))
    cells = {key: value for key, (value, _) in found.items()}
    text = note(
        "The share of evidence that some chunk holds whole, retrieved or not: no ranking can do better."
    )
    return Section(
        "coverage", "The ceiling: evidence kept", join([heat_table(cells, view.parsers, view.chunkers), text])
    )


def by_type(view: View, metric: str) -> Section | None:
    """Question types by retriever (figure 3); None where no question has a type."""
    parts: list[Content] = []
    for column, title in (("type", "question type"), ("phrasing", "wording")):
        found = view.means(metric, _by_column(view, column))
        names = sorted({name for name, _ in found})
        if names:
            columns = sorted({name for _, name in found}, key=lambda name: name.split(" · ")[0])
            counts = {
                name: max(count for (each, _), (_, count) in found.items() if each == name) for name in names
            }
            cells = {key: value for key, (value, _) in found.items()}
            shown = {name: f"{name} ({counts[name]})" for name in names}
            parts += [
                tag("h3", f"Mean {label(metric)} by {title} (questions)"),
                heat_table(cells, names, columns, shown),
            ]
    return Section("types", "By question type", join(parts)) if parts else None


def _without_folders(names: Sequence[str]) -> list[str]:
    """Return "set: folder/document" without the folder, where that leaves all of them different."""
    short = [_FOLDER.sub(" ", name) for name in names]
    return short if len(set(short)) == len(names) else list(names)


def by_document(view: View, metric: str) -> Section:
    """Retrievers on each document (figure 2)."""
    matrix = view.matrix(metric)
    units, paths = document_units(matrix)
    names = _without_folders(paths)
    unit_of = {key: names[unit] for key, unit in zip(matrix.questions, units, strict=True)}
    found = view.means(
        metric, lambda setup, row: (unit_of[str(row["set"]), str(row["question_id"])], setup.retriever)
    )
    rows = {
        name: {
            retriever: found[name, retriever][0]
            for retriever in view.retrievers
            if (name, retriever) in found
        }
        for name in names
    }
    counts = {name: max(count for (each, _), (_, count) in found.items() if each == name) for name in names}
    drawn = dict(list(rows.items())[:_DRAWN])
    figures = table(
        ("document", "questions", *view.retrievers),
        (
            [
                name,
                str(counts[name]),
                *(f"{row[each]:.3f}" if each in row else "" for each in view.retrievers),
            ]
            for name, row in rows.items()
        ),
    )
    text = note(
        f"Mean {label(metric)} over parsers, chunkers and embeddings. Documents with few questions are one "
        "row for each set."
    )
    return Section(
        "documents", "By document", join([pair(dots(f"{label(metric)} by document", drawn), figures), text])
    )


def models(view: View, metric: str) -> Section:
    """The mixed-effects models (table 3), or why there are none."""
    try:
        fitted, reasons = fit_models(view.matrix(metric))
    except CapsaError as error:
        return Section("models", "What makes the difference", note(f"No model: {error}."))
    parts: list[Content] = [
        note(
            f"Mixed-effects models of {label(metric)}: fixed effects of parser, chunker and embedding with "
            "their interactions, an intercept for each question. An estimate is the difference to the "
            f"reference; those of p < {SIGNIFICANT} are shown."
        )
    ]
    for name, model in fitted.items():
        parts += _model(name, model)
    parts += [note(reason) for reason in reasons]
    return Section("models", "What makes the difference", join(parts))


def versus(view: View, metric: str) -> Section:
    """Dense against BM25 (table 4) with the cells that differ for sure."""
    matrix = view.matrix(metric)
    cells = versus_bm25(matrix)
    title = "Dense against BM25"
    if not cells:
        return Section(
            "versus", title, note("No dense configuration has its BM25 over the same chunks here.")
        )
    sure = sorted((cell for cell in cells if cell["p_holm"] < SIGNIFICANT), key=lambda cell: cell["p_holm"])
    parts: list[Content] = [
        table(EMBEDDINGS, map(embedding_row, by_embedding(cells, matrix))),
        note(
            f"Over the same chunks, in {len(cells)} cells of document, parser, chunker and embedding. "
            f"Significant: p < {SIGNIFICANT} by the exact paired test, corrected by Holm over all of them."
        ),
    ]
    if sure:
        parts += [tag("h3", "Cells that differ significantly"), table(VERSUS, map(versus_row, sure), left=4)]
    parts.append(folded(f"All {len(cells)} cells", table(VERSUS, map(versus_row, cells), left=4)))
    return Section("versus", title, join(parts))


def heat_table(
    cells: Mapping[Any, float],
    rows: Sequence[str],
    columns: Sequence[str],
    names: Mapping[str, str] | None = None,
) -> Markup:
    """Return a table of rows x columns whose cells are the darker, the more."""
    low, high = min(cells.values()), max(cells.values())

    def mark(row: int, column: int) -> str | None:
        value = cells.get((rows[row], columns[column - 1])) if column else None
        return None if value is None else shade(value, low, high)

    body = [
        [
            (names or {}).get(row, row),
            *(f"{cells[row, name]:.3f}" if (row, name) in cells else "–" for name in columns),
        ]
        for row in rows
    ]
    return table(("", *columns), body, mark=mark)


def _by_column(view: View, column: str) -> Callable[[Setup, Row], tuple[str, str] | None]:
    def key(setup: Setup, row: Row) -> tuple[str, str] | None:
        name = str(row[column])
        model = "" if view.one_model else setup.embedding
        return (name, " · ".join(filter(None, (setup.retriever, model)))) if name else None

    return key


def _has(rows: Sequence[Mapping[str, Any]], retriever: str) -> bool:
    return any(row["retriever"] == retriever for row in rows)


def _leader(view: View, row: Mapping[str, Any]) -> list[str]:
    setup = Setup(*(row[name] for name in Setup._fields))
    return [view.told(setup), *leader_row(row)[4:]]


def _model(name: str, model: Mapping[str, Any]) -> list[Content]:
    sure = [effect for effect in model["effects"] if effect["p"] < SIGNIFICANT]
    reference = " / ".join(level for level in model["reference"].values() if level)
    parts: list[Content] = [
        tag("h3", f"{name}: {model['cells']} cells, {model['questions']} questions"),
        note(f"Reference: {reference}."),
        pair(
            table(TERMS, map(term_row, model["terms"])),
            table(EFFECTS, map(effect_row, sure)),
        ),
        folded(f"All {len(model['effects'])} effects", table(EFFECTS, map(effect_row, model["effects"]))),
    ]
    return parts + [note(text) for text in model["notes"]]
