"""Results as tables for a terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

from .compare import SHOWN

_FIRST = 20
_SHOWN = ("evidence_recall@", "hit@5", "full@5", "mrr", "ndcg@10")


def run_table(result: Mapping[str, Any], match: str) -> str:
    """Return one line of facts, then a row of metrics for all questions and for each group of them."""
    chosen = result["metrics"][match]
    shown = [
        name for name in chosen if name.startswith(("evidence_recall@", "hit@5", "full@5", "mrr", "ndcg@10"))
    ]
    rows = {"all": {"questions": result["questions"], **chosen}}
    if match == "strict":
        rows |= result["by_type"] | result["by_phrasing"]
    lines = [
        _facts(result, match),
        *(f"note: {note}" for note in result["notes"]),
        "",
        _row("", ["n", *map(_short, shown)]),
        *(_row(name, [str(row["questions"]), *_numbers(row, shown)]) for name, row in rows.items()),
        "",
        f"evidence coverage {chosen['evidence_coverage']:.4f}, "
        f"cut by a chunk edge {result['cut_share']:.2%}, "
        f"query p50 {result['latency_ms']['p50']:.1f} ms, p95 {result['latency_ms']['p95']:.1f} ms",
        f"{_spans(result['spans'])}index {result['storage']['index']['bytes'] / 1000:.0f} kB, "
        f"{result['index_cpu_s']:.1f} CPU s",
    ]
    return "\n".join(lines) + "\n"


def comparison_table(result: Mapping[str, Any]) -> str:
    """Return the means of each variant by group, then the differences to the first with their intervals."""
    lines = [
        f"{result['questions']} questions, strict match; differences to {result['reference']}, 95 % interval",
        "",
    ]
    for group, count in result["groups"].items():
        lines.append(_row(f"{group} ({count})", map(_short, SHOWN)))
        lines += [_row(f"  {name}", _numbers(row[group], SHOWN)) for name, row in result["rows"].items()]
    lines += ["", _row("difference (95 %)", map(_short, SHOWN), 26)]
    lines += [
        _row(f"  {name}", [_interval(row[metric]) for metric in SHOWN], 26)
        for name, row in result["differences"].items()
    ]
    return "\n".join(lines) + "\n"


def _spans(spans: Mapping[str, float]) -> str:
    if not spans["questions"]:
        return ""
    recall, precision = (f"{name} {spans[name]:.3f}" for name in ("recall", "precision"))
    return f"evidence's characters in the first ten: {recall}, {precision}; "


def _facts(result: Mapping[str, Any], match: str) -> str:
    config, chunking = result["config"], result["config"]["chunking"]
    how = (chunking["parser"], chunking["chunker"], config["retriever"], config["vectors"])
    counts = ", ".join(f"{result[name]} {name}" for name in ("questions", "documents", "chunks"))
    return f"{counts}: {' / '.join(how)}, scope {config['scope']}, {match} match"


def _row(name: str, cells: Any, width: int = 9) -> str:
    return f"{name:<{_FIRST}}" + "".join(f"{cell:>{width}}" for cell in cells)


def _numbers(row: Mapping[str, float], names: Sequence[str]) -> list[str]:
    return [f"{row[name]:.3f}" for name in names]


def _interval(values: Mapping[str, float]) -> str:
    return f"{values['mean']:+.3f} [{values['low']:+.3f}, {values['high']:+.3f}]"


def _short(name: str) -> str:
    return name.replace("evidence_recall@", "ER@").replace("tokens", "t")
