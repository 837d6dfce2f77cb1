"""The strategies' result as tables for a terminal."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .grid_table import columns
from .questions import Question

NOTES = (
    "recall@10: the share of a question's evidence that is whole in the first ten passages",
    "ER@2000t: the same in those of them that together have at most 2,000 tokens",
    "misses: questions some of whose evidence is not in the first ten",
    "boundary: the share of the misses that the edge of a passage cuts",
    "ms/doc: CPU time of parsing, cutting and embedding a document, the median",
)


def strategy_lines(result: Mapping[str, Any], asked: Mapping[str, Question]) -> Iterator[str]:
    """Yield the table, the decomposition of the gain and the misses with examples of one set."""
    slices = result["slices"]
    for retriever in result["gain"]:
        where = f"{result['set']}, parser {result['parser']}, {retriever}"
        yield f"{where}, codes as users have them, strict match, all documents searched"
        yield from columns([_head(slices), *(_row(each, retriever, slices) for each in result["strategies"])])
        yield ""
        yield "what each rule adds to recall@10, and to that in the first 2000 tokens: points [95 %]"
        yield from columns(_gain_rows(result["gain"][retriever], slices))
        yield ""
    yield from NOTES
    yield ""
    last = result["strategies"][-1]
    for retriever, by_slice in last["recall"].items():
        yield from _example_lines(last["name"], retriever, by_slice[slices[0]]["examples"], asked)


def _head(slices: Sequence[str]) -> list[str]:
    names = [f"recall@10 {part}" if len(slices) > 1 else "recall@10" for part in slices]
    return [
        "strategy",
        *names,
        "ER@2000t",
        "MRR",
        "misses",
        "boundary",
        "chunks",
        "vectors",
        "index kB",
        "ms/doc",
        "by format",
        "PDFs over cap",
    ]


def _row(strategy: Mapping[str, Any], retriever: str, slices: Sequence[str]) -> list[str]:
    recall = strategy["recall"][retriever]
    first = recall[slices[0]]
    cost = strategy["cost_ms"]
    capped = strategy["capped_pdfs"]
    return [
        strategy["name"],
        *(f"{recall[part]['er@10']:.3f}" for part in slices),
        f"{first['er@2000t']:.3f}",
        f"{first['rr']:.3f}",
        str(sum(first["misses"].values())),
        f"{first['boundary_share']:.0%}",
        str(strategy["chunks"]),
        str(strategy["vectors"]),
        f"{strategy['index_bytes'] / 1000:.0f}",
        f"{cost['all']:.0f}",
        " ".join(f"{kind} {value:.0f}" for kind, value in cost.items() if kind != "all"),
        "-" if capped is None else f"{capped:.0%}",
    ]


def _gain_rows(gain: Mapping[str, Any], slices: Sequence[str]) -> list[list[str]]:
    pairs = [(metric, part) for metric in gain for part in slices]
    labels = {"er@10": "recall@10", "er@2000t": "ER@2000t"}
    rows = [["rule", *(f"{labels[metric]} {part}" for metric, part in pairs)]]
    for rule in gain["er@10"][slices[0]]:
        rows.append([rule, *(_points(gain[metric][part][rule]) for metric, part in pairs)])
    return rows


def _points(interval: Mapping[str, float]) -> str:
    low, high = 100 * interval["low"], 100 * interval["high"]
    return f"{100 * interval['mean']:+.1f} [{low:+.1f}, {high:+.1f}]"


def _example_lines(
    name: str, retriever: str, examples: Mapping[str, Sequence[str]], asked: Mapping[str, Question]
) -> Iterator[str]:
    yield f"misses of {name}, {retriever}, by the step that lost the evidence"
    for step, ids in examples.items():
        for identity in ids:
            question = asked[identity]
            yield f"  {step}: {identity}: {question.text}"
            yield f"      wanted: {' | '.join(question.evidence)[:160]}"
    yield ""
