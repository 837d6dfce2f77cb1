"""Evidence located in a document's own text, and recall and precision by characters."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capsa.eval.spans import Locator, merge, span_precision, span_recall

SPANS = st.lists(
    st.tuples(st.integers(0, 60), st.integers(1, 20)).map(lambda pair: (pair[0], sum(pair))), max_size=6
)


@pytest.mark.parametrize(
    ("text", "string", "found"),
    [
        ("The fee  is\nten.", "the fee is ten", "The fee  is\nten"),
        ("an eﬃcient “rule”", 'efficient "rule', "eﬃcient “rule"),
        ("hyphen-\nated words", "hyphenated", "hyphen-\nated"),
        ("straße", "STRASSE", None),
        ("nothing", "else", None),
        ("text", "--", None),
    ],
)
def test_evidence_is_found_whatever_parsers_did(text: str, string: str, found: str | None) -> None:
    span = Locator(text).find(string)
    assert (None if span is None else text[slice(*span)]) == found


def test_recall_and_precision_worked_out_by_hand() -> None:
    relevant = [(10, 20), (30, 40)]
    assert span_recall(relevant, [(0, 15), (12, 35)]) == 15 / 20
    # 15 + 23 characters read, 15 of them once each are evidence.
    assert span_precision(relevant, [(0, 15), (12, 35)]) == 15 / 38
    assert span_precision(relevant, [(10, 20)], elsewhere=10) == 10 / 20
    assert (span_recall(relevant, []), span_precision(relevant, [])) == (0, 0)


@given(SPANS.filter(bool), SPANS)
def test_both_are_as_counted_character_by_character(
    relevant: list[tuple[int, int]], retrieved: list[tuple[int, int]]
) -> None:
    wanted = {place for span in relevant for place in range(*span)}
    read = [place for span in retrieved for place in range(*span)]
    common = wanted & set(read)
    assert span_recall(relevant, retrieved) == len(common) / len(wanted)
    assert span_precision(relevant, retrieved) == (len(common) / len(read) if read else 0)


@given(SPANS)
def test_merged_spans_are_sorted_apart_and_cover_the_same(spans: list[tuple[int, int]]) -> None:
    merged = merge(spans)
    assert all(left[1] < right[0] for left, right in pairwise(merged))
    assert {p for span in merged for p in range(*span)} == {p for span in spans for p in range(*span)}
