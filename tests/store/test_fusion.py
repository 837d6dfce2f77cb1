from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capsa.store.fusion import (
    FusionWeights,
    QueryFeatures,
    fuse,
    keyword_weight,
    query_features,
)

RANKINGS = st.lists(
    st.tuples(st.integers(1, 50), st.floats(0, 30)), max_size=40, unique_by=lambda item: item[0]
).map(lambda items: sorted(items, key=lambda item: -item[1]))


def test_scores_add_up_on_an_absolute_scale() -> None:
    bm25, dense = [(1, 4.4), (2, 1.1)], [(2, 0.9), (1, 0.1), (3, 0.05)]
    features = QueryFeatures(bound=4.4)
    even = FusionWeights(most=2.0, offset=0.0, coverage=0.0, agreement=0.0, terms=0.0)
    assert fuse(features, bm25, dense, even) == [
        (2, pytest.approx(0.9 + 0.25)),
        (1, pytest.approx(0.1 + 1.0)),
        (3, pytest.approx(0.05)),
    ]


def test_a_covered_question_trusts_keywords_more() -> None:
    known, unknown = QueryFeatures(coverage=1.0), QueryFeatures(coverage=0.1)
    assert keyword_weight(known) > keyword_weight(unknown)
    assert keyword_weight(QueryFeatures(agreement=0.8)) > keyword_weight(QueryFeatures())
    assert keyword_weight(QueryFeatures(coverage=9.0)) <= FusionWeights().most


def test_features_of_a_query() -> None:
    bm25 = [(number, 20.0 - number) for number in range(1, 21)]
    dense = [(number, 1.0 - number / 100) for number in range(6, 26)]
    features = query_features(bm25, dense, {"rare": 9.0, "common": 1.0})
    assert features == QueryFeatures(bound=22.0, coverage=pytest.approx(19 / 22), agreement=0.5, terms=2)
    assert query_features([], dense, {}) == QueryFeatures()


@given(RANKINGS, RANKINGS, st.floats(0, 1))
def test_every_candidate_is_ranked_once_and_in_order(
    bm25: list[tuple[int, float]], dense: list[tuple[int, float]], coverage: float
) -> None:
    fused = fuse(QueryFeatures(coverage=coverage), bm25, dense)
    assert {chunk_id for chunk_id, _ in fused} == {chunk_id for chunk_id, _ in (*bm25, *dense)}
    assert fused == sorted(fused, key=lambda item: (-item[1], item[0]))


@given(RANKINGS)
def test_one_arm_alone_keeps_its_order(ranking: list[tuple[int, float]]) -> None:
    scores = dict(ranking)
    for fused in (fuse(QueryFeatures(), ranking, []), fuse(QueryFeatures(), [], ranking)):
        found = [scores[chunk_id] for chunk_id, _ in fused]
        assert all(first >= second - 1e-9 for first, second in pairwise(found))
