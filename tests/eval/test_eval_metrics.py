"""Metrics against values worked out by hand."""

from math import isclose, log2

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from capsa.eval import metrics
from capsa.eval.matching import least_tokens, normalise, paper, strict

# Three evidence strings 0, 1, 2; the ranking finds 1 at rank 2 and 0 with 1 at rank 4, never 2.
RANKING: list[set[int]] = [set(), {1}, set(), {0, 1}, set()]


def test_evidence_recall_is_the_share_found_in_the_union() -> None:
    assert [metrics.evidence_recall(RANKING, 3, k) for k in (1, 2, 4, 10)] == [0, 1 / 3, 2 / 3, 2 / 3]


def test_hit_and_full() -> None:
    assert [metrics.hit(RANKING, k) for k in (1, 2)] == [0, 1]
    assert metrics.full(RANKING, 3, 5) == 0
    assert metrics.full(RANKING, 2, 5) == 1


def test_reciprocal_rank() -> None:
    assert metrics.reciprocal_rank(RANKING) == 0.5
    assert metrics.reciprocal_rank([set(), set()]) == 0


def test_ndcg_counts_each_evidence_once() -> None:
    gain = 1 / log2(3) + 1 / log2(5)
    ideal = 1 + 1 / log2(3) + 1 / log2(4)
    assert isclose(metrics.ndcg(RANKING, 3, 5), gain / ideal)


def test_ndcg_can_pass_one_as_in_the_paper() -> None:
    assert isclose(metrics.ndcg([{0, 1}], 2, 5), 2 / (1 + 1 / log2(3)))


def test_capped_ndcg_is_held_to_one() -> None:
    assert metrics.capped(metrics.ndcg([{0, 1}], 2, 5)) == 1
    assert metrics.capped(0.4) == 0.4


def test_coverage_is_of_all_chunks_and_recall_of_those_retrieved() -> None:
    assert metrics.evidence_coverage({0, 1}, 4) == 0.5
    assert metrics.evidence_recall([{0}], 4, 10) == 0.25


def test_tokens_of_the_first_chunks() -> None:
    assert metrics.tokens_retrieved([5, 6, 7], 2) == 11
    assert metrics.tokens_retrieved([5], 10) == 5


# For one evidence string the paper's metrics are the usual ones, as trec_eval computes them.
@given(st.lists(st.booleans(), min_size=1, max_size=20).filter(any))
def test_single_evidence_questions_score_as_in_trec_eval(held: list[bool]) -> None:
    first = held.index(True)
    matched = [{0} if rank == first else set() for rank in range(len(held))]
    measures = {"recip_rank", "ndcg_cut.5,10", "recall.1,5,10", "success.1,5,10"}
    run = {"q": {f"chunk{rank}": float(-rank) for rank in range(len(held))}}
    outside = pytrec_eval.RelevanceEvaluator({"q": {f"chunk{first}": 1}}, measures).evaluate(run)["q"]
    assert metrics.reciprocal_rank(matched) == pytest.approx(outside["recip_rank"])
    for k in (5, 10):
        assert metrics.ndcg(matched, 1, k) == pytest.approx(outside[f"ndcg_cut_{k}"])
    for k in (1, 5, 10):
        assert metrics.evidence_recall(matched, 1, k) == outside[f"recall_{k}"]
        assert metrics.hit(matched, k) == metrics.full(matched, 1, k) == outside[f"success_{k}"]


def test_token_budget_stops_before_the_chunk_that_does_not_fit() -> None:
    sizes = [100, 100, 100, 200, 100]
    assert metrics.evidence_recall_in_tokens(RANKING, sizes, 3, 250) == 1 / 3
    assert metrics.evidence_recall_in_tokens(RANKING, sizes, 3, 499) == 1 / 3
    assert metrics.evidence_recall_in_tokens(RANKING, sizes, 3, 500) == 2 / 3
    assert metrics.evidence_recall_in_tokens(RANKING, sizes, 3, 50) == 0


@pytest.mark.parametrize(("share", "expected"), [(0.5, 2), (0.95, 4), (0.25, 1), (1.0, 4)])
def test_percentile(share: float, expected: float) -> None:
    assert metrics.percentile([4, 1, 3, 2], share) == expected


def test_percentile_of_nothing() -> None:
    assert metrics.percentile([], 0.5) == 0


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("Two  lines\n\tand tabs", "two lines and tabs"),
        ("the person,--(i) reasons", "the person, - (i) reasons"),
        ("the person,— (i) reasons", "the person, - (i) reasons"),
        ("1 – 2 and “quotes” and it’s", '1 - 2 and "quotes" and it\'s'),
        ("ﬁne eﬃcient", "fine efficient"),
        ("hyphen-\nated", "hyphenated"),
        ("soft\u00adhyphen", "softhyphen"),
        ("sub- section and sub-section", "subsection and subsection"),
        ("pages 3-5", "pages 3-5"),
    ],
)
def test_normalise(raw: str, expected: str) -> None:
    assert normalise(raw) == expected


def test_strict_wants_the_whole_string() -> None:
    assert strict("the fee is ten", "here the fee is ten rupees")
    assert not strict("the fee is ten", "the fee was ten")


def test_paper_accepts_four_tokens_of_five() -> None:
    assert paper("one two three four five", "five four and three two")
    assert not paper("one two three four five", "five four and three")
    assert not paper("—", "nothing")


def test_four_fifths_are_counted_in_whole_numbers() -> None:
    assert [least_tokens(n) for n in (1, 5, 6, 10, 35)] == [1, 4, 5, 8, 28]
