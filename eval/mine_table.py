"""The measurement of a home as text for a terminal."""

from collections.abc import Iterator, Mapping
from typing import Any

from .grid_table import columns, points
from .mine_advice import EXACT, in_words, lost
from .mine_questions import RULES

_SHOWN = 3
_WIDTH = 100  # of evidence
# Share of codes that machines differ in at most, as their floating point does.
SOUND = 0.9


def mine_lines(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield what was asked, how the index answers, what codes cost, the advice, and examples of misses."""
    yield from _head(found)
    yield ""
    yield "Your index as it is: the share of questions whose passage is among the first 1, 5, 10"
    rows = [["search", "1", "5", "10", "MRR", *RULES]]
    for name, values in found["index"].items():
        rules = [f"{values['by_rule'][rule]:.3f}" if rule in values["by_rule"] else "-" for rule in RULES]
        rows.append(
            [name, *(f"{values[key]:.3f}" for key in ("recall@1", "recall@5", "recall@10", "mrr")), *rules]
        )
    yield from columns(rows)
    yield "the last columns are of the first 10, by what the question was made from"
    yield "questions are words of the documents, which suits bm25; asked in other words, dense finds more"
    if found["vectors"]:
        yield ""
        yield from _vectors(found)
    yield ""
    same = found["codes_as_made_anew"]
    if same is not None and same < SOUND:
        yield f"Only {same:.0%} of the index's codes are those of its texts: index the sources anew."
    yield from found["advice"]["text"]
    if found["not_found"]:
        yield ""
        yield "Not among the first ten, for example:"
        for each in found["not_found"][:_SHOWN]:
            yield f"  {each['text']}   ({each['rule']})"
            yield f"      wanted: {each['evidence'][:_WIDTH]}"


def _head(found: Mapping[str, Any]) -> Iterator[str]:
    home, sample, asked = found["home"], found["sample"], found["questions"]
    yield f"{home['documents']:,} documents, {home['chunks']:,} chunks, {home['vectors']:,} vectors"
    which = "all of them" if sample["whole"] else "a sample"
    yield f"read again: {which}, {sample['documents']:,} documents with {sample['vectors']:,} vectors"
    for reason, count in sample["left_out"].items():
        yield f"left out: {count:,} ({reason})"
    rules = ", ".join(f"{count} from a {rule}" for rule, count in asked["by_rule"].items())
    yield f"{asked['count']} questions: {rules}"


def _vectors(found: Mapping[str, Any]) -> Iterator[str]:
    sample = found["sample"]
    yield f"Exact vectors and codes, among the {sample['documents']:,} documents read again:"
    rows = [
        [
            "vectors",
            "bytes each",
            "all of them",
            "loses up to",
            "dense @10",
            "hybrid @1",
            "@5",
            "@10",
            "same dense 10",
            "@5 against exact",
        ]
    ]
    for each in found["vectors"]:
        hybrid = [f"{each['hybrid'][f'recall@{k}']:.3f}" for k in (1, 5, 10)]
        rows.append(
            [
                each["name"] + (" (now)" if each["name"] == found["code"] else ""),
                str(each["bytes_per_vector"]),
                in_words(each["bytes"]),
                "" if each["name"] == EXACT else f"{lost(each):.1f}",
                f"{each['dense']['recall@10']:.3f}",
                *hybrid,
                f"{each['dense']['same_first_ten']:.0%}",
                "" if each["name"] == EXACT else points(each["hybrid"]["difference"]["recall@5"]),
            ]
        )
    yield from columns(rows)
    yield "loses up to: points that exact vectors find more, dense or hybrid, at 1, 5 or 10"
    yield "against exact: points of hybrid search with their 95 % interval"
