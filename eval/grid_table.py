"""A grid's record as tables for a terminal."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from .runs import read_rows

SHOWN = {
    "er@5": "ER@5",
    "er@10": "ER@10",
    "er@1000t": "ER@1000t",
    "rr": "MRR",
    "ndcg@10": "nDCG@10",
    "coverage": "coverage",
}
SHOWN_CELLS = 20
# What the heads of tables mean, for who reads one for the first time.
LEGEND = (
    "ER@k: the share of a question's evidence that is whole in the first k passages",
    "ER@1000t: the same in those of the first passages that together have at most 1,000 tokens",
    "MRR: mean of 1 / rank of the first passage with evidence; coverage: the evidence that any passage holds",
)


def grid_lines(
    record: Mapping[str, Any], folder: Path, match: str = "strict", everything: bool = False
) -> Iterator[str]:
    """Yield for each set and scope its best cells by ER@10 and means, then recall by type, then the gaps.

    ``everything`` lists all cells.
    """
    cells = [{**cell, **cell["means"][match]} for cell in record["cells"]]
    for key in dict.fromkeys((cell["set"], cell["scope"]) for cell in cells):
        group = [cell for cell in cells if (cell["set"], cell["scope"]) == key]
        yield f"{key[0]}, scope {key[1]}: {group[0]['questions']} questions, {match} match"
        best = sorted(group, key=lambda cell: -cell["er@10"])
        shown = len(best) if everything else SHOWN_CELLS
        yield from cell_lines(best[:shown])
        if len(best) > shown:
            yield f"… and {len(best) - shown} more cells (--all)"
        yield ""
        yield from mean_lines(group)
        yield ""
    yield from type_lines(row for row in read_rows(folder) if row["matcher"] == match)
    yield from LEGEND
    yield from gap_lines(record["gaps"])
    yield f"all rows: {folder / 'results.csv'}"


def cell_lines(cells: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a line for each cell."""
    rows = [
        ("parser", "chunker", "retriever", "model", *SHOWN.values(), "chunks", "index kB", "p50 ms", "CPU s")
    ]
    for cell in cells:
        rows.append(
            (
                cell["parser"],
                cell["chunker"],
                cell["retriever"] + (f" {cell['vectors']}" if cell["vectors"] else ""),
                cell["model"],
                *(f"{cell[name]:.3f}" for name in SHOWN),
                str(cell["chunks"]),
                f"{cell['index_bytes'] / 1000:.0f}",
                f"{cell['latency_p50_ms']:.1f}",
                f"{cell['seconds']:.1f}",
            )
        )
    yield from columns(rows, left=4)


def mean_lines(cells: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield mean ER@10 over chunkers by parser and retriever."""
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for cell in cells:
        retriever = f"{cell['retriever']} {cell['model']}".strip()
        for parser in (cell["parser"], "all"):
            found[parser, retriever].append(cell["er@10"])
    retrievers = list(dict.fromkeys(retriever for _, retriever in found))
    yield "ER@10, mean over chunkers"
    rows = [["parser", *retrievers]]
    for parser in dict.fromkeys([*(cell["parser"] for cell in cells), "all"]):
        means = [found[parser, retriever] for retriever in retrievers]
        rows.append([parser, *(f"{fmean(values):.3f}" if values else "" for values in means)])
    yield from columns(rows)


def type_lines(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield ER@5 by question type and retriever (paper 000 section 5.4), over all parsers and chunkers."""
    sums: dict[tuple[str, str], list[float]] = defaultdict(list)
    asked: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for row in rows:
        if row["type"]:
            sums[row["type"], f"{row['retriever']} {row['model']}".strip()].append(row["er@5"])
            asked[row["type"]].add((row["set"], row["question_id"]))
    retrievers = list(dict.fromkeys(retriever for _, retriever in sums))
    if not asked:
        return
    yield "ER@5 by question type, all sets and scopes, mean over parsers and chunkers"
    table = [["type", "questions", *retrievers]]
    for kind in sorted(asked):
        means = (fmean(sums[kind, retriever]) for retriever in retrievers)
        table.append([kind, str(len(asked[kind])), *(f"{value:.3f}" for value in means)])
    yield from columns(table)
    yield ""


def gap_lines(gaps: Iterable[Mapping[str, str]]) -> Iterator[str]:
    """Yield a line for each thing that was asked for and is not here."""
    for gap in gaps:
        yield f"not here: {gap['axis']} {gap['name']}: {gap['reason']}"


def columns(rows: Sequence[Sequence[str]], left: int = 1) -> Iterator[str]:
    """Yield the rows with their cells in columns, the first ``left`` of them flush left."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    for row in rows:
        cells = (
            cell.ljust(width) if place < left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(cells).rstrip()


def points(bounds: Mapping[str, float]) -> str:
    """Say a mean difference with its interval in points."""
    mean, low, high = (f"{100 * bounds[name] + 0.0:+.1f}" for name in ("mean", "low", "high"))
    return f"{mean} [{low}, {high}]"
