"""Development and held-out results side by side."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from .grid_table import LEGEND, columns
from .heldout import SLICES, gap_interval, in_slice
from .rows import mean
from .runs import Row

SHOWN = ("er@5", "er@10", "full@10", "rr", "ndcg@10", "er@1000t", "coverage")
LABELS = {
    "er@5": "ER@5",
    "er@10": "ER@10",
    "full@10": "Full@10",
    "rr": "MRR",
    "ndcg@10": "nDCG@10",
    "er@1000t": "ER@1000t",
}
NOTES = (
    "hybrid and dense search as users do, with 96-byte codes; bm25 is BM25Okapi, as in the parser study",
    "nothing is chosen by the held-out questions: an interval that holds 0 shows no sign of overfitting",
)
BY_TYPE = "er@10"


def report(rows: Sequence[Row], cells: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the result in the shape of ``capsa eval heldout --json``, schema capsa.eval.heldout/1."""
    strict = [row for row in rows if row["matcher"] == "strict"]
    retrievers = list(dict.fromkeys(str(row["retriever"]) for row in strict))
    by_retriever = {
        name: {part: in_slice([row for row in strict if row["retriever"] == name], part) for part in SLICES}
        for name in retrievers
    }
    return {
        "schema": "capsa.eval.heldout/1",
        "set": cells[-1]["set"],
        "documents": cells[-1]["documents"],
        "chunks": cells[-1]["chunks"],
        "questions": {part: len(found) for part, found in by_retriever[retrievers[-1]].items()},
        "retrievers": {name: _sides(sides) for name, sides in by_retriever.items()},
        "by_type": _by_type(by_retriever[retrievers[-1]]),
    }


def heldout_lines(result: Mapping[str, Any]) -> Iterator[str]:
    """Yield the result as two tables."""
    counts = result["questions"]
    yield (
        f"{result['set']}: {result['documents']} documents, {result['chunks']} chunks, "
        f"{counts['development']} development and {counts['heldout']} held-out questions, "
        "all documents searched, strict match"
    )
    rows = [["", "development", "held out", "held out - development, 95 %"]]
    for retriever, values in result["retrievers"].items():
        for name, sides in values.items():
            difference = f"{sides['mean']:+.3f} [{sides['low']:+.3f}, {sides['high']:+.3f}]"
            cells = [f"{sides[part]:.3f}" for part in SLICES]
            rows.append([f"{retriever} {LABELS.get(name, name)}", *cells, difference])
    yield from columns(rows)
    yield ""
    types = [["hybrid ER@10 by type", "development", "held out"]]
    for name, sides in result["by_type"].items():
        means = (f"{sides[part]['mean']:.3f} ({sides[part]['questions']})" for part in SLICES)
        types.append([name, *means])
    yield from columns(types)
    yield ""
    yield from (*LEGEND, *NOTES)


def _sides(sides: Mapping[str, Sequence[Row]]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for name in SHOWN:
        values = {part: [float(row[name] or 0) for row in rows] for part, rows in sides.items()}
        means = {part: mean(rows, name) for part, rows in sides.items()}
        found[name] = means | asdict(gap_interval(values["development"], values["heldout"]))
    return found


def _by_type(sides: Mapping[str, Sequence[Row]]) -> dict[str, dict[str, dict[str, float]]]:
    types = sorted({str(row["type"]) for rows in sides.values() for row in rows})
    found: dict[str, dict[str, dict[str, float]]] = {}
    for name in types:
        chosen = {part: [row for row in rows if row["type"] == name] for part, rows in sides.items()}
        found[name] = {
            part: {"questions": len(rows), "mean": mean(rows, BY_TYPE)} for part, rows in chosen.items()
        }
    return found
