from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capsa.store.fusion import (
    FusionWeights,
    QueryFeatures,
    fuse,
    keyword_weight,
    margin,
    normalise,
    query_features,
    reciprocal_rank,
)

RANKINGS = st.lists(
    st.tuples(st.integers(1, 50), st.floats(0, 30)), max_size=40, unique_by=lambda item: item[0]
).map(lambda items: sorted(items, key=lambda item: -item[1]))


def test_scores_are_scaled_between_the_best_and_the_one_at_depth() -> None:
    assert normalise([(1, 10.0), (2, 6.0), (3, 2.0), (4, 1.0)], depth=3) == [
        (1, 1.0),
        (2, 0.5),
        (3, 0.0),
        (4, 0.0),
    ]
    assert normalise([(1, 3.0), (2, 3.0)], depth=10) == [(1, 1.0), (2, 1.0)]
    assert normalise([], depth=10) == []


def test_the_weight_decides_between_the_arms() -> None:
    bm25, dense = [(1, 9.0), (2, 1.0)], [(2, 0.9), (1, 0.1)]
    assert fuse(QueryFeatures(), bm25, dense, FusionWeights(0.8, coverage=0.0)) == [
        (1, 0.8),
        (2, pytest.approx(0.2)),
    ]
    assert fuse(QueryFeatures(), bm25, dense, FusionWeights(0.2, coverage=0.0))[0] == (2, 0.8)


def test_a_covered_question_trusts_keywords_more() -> None:
    known, unknown = QueryFeatures(coverage=1.0), QueryFeatures(coverage=0.1)
    assert keyword_weight(known) > keyword_weight(unknown)
    assert keyword_weight(QueryFeatures(coverage=9.0)) == FusionWeights().high


def test_features_of_a_query() -> None:
    bm25 = [(number, 20.0 - number) for number in range(1, 21)]
    dense = [(number, 1.0 - number / 100) for number in range(6, 26)]
    features = query_features(bm25, dense, {"rare": 3.0, "common": 1.0}, lambda chunk_id: frozenset({"rare"}))
    assert (features.terms, features.coverage, features.agreement) == (2, 0.75, 0.5)
    assert features.bm25_margin == pytest.approx(9 / 19)
    assert margin([]) == 0.0


@given(RANKINGS, RANKINGS, st.floats(0, 1))
def test_every_candidate_is_ranked_once_and_in_order(
    bm25: list[tuple[int, float]], dense: list[tuple[int, float]], coverage: float
) -> None:
    for fused in (fuse(QueryFeatures(coverage=coverage), bm25, dense), reciprocal_rank(bm25, dense)):
        assert {chunk_id for chunk_id, _ in fused} == {chunk_id for chunk_id, _ in (*bm25, *dense)}
        assert fused == sorted(fused, key=lambda item: (-item[1], item[0]))


@given(RANKINGS)
def test_one_arm_alone_keeps_its_order(ranking: list[tuple[int, float]]) -> None:
    scores = dict(ranking)
    for fused in (fuse(QueryFeatures(), ranking, []), fuse(QueryFeatures(), [], ranking)):
        found = [scores[chunk_id] for chunk_id, _ in fused]
        assert all(first >= second - 1e-9 for first, second in pairwise(found))
