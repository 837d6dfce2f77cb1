"""BM25Okapi against values worked out by hand and against the package that the paper used."""

from math import log

import numpy as np
import pytest
import rank_bm25
from hypothesis import given, settings
from hypothesis import strategies as st

from capsa.eval.bm25 import Okapi, tokens_of

WORDS = st.lists(st.sampled_from(["the", "fee", "is", "ten", "rupees", "of"]), min_size=1, max_size=12)


def test_scores_worked_out_by_hand() -> None:
    found = Okapi([["fee", "fee"], ["ten", "is", "a", "b"], ["c", "d", "e"]]).scores(["fee", "fee", "none"])
    idf = log(2.5) - log(1.5)
    assert found[0] == pytest.approx(2 * idf * 2 * 2.5 / (2 + 1.5 * (0.25 + 0.75 * 2 / 3)))
    assert found[1:].tolist() == [0, 0]


def test_words_are_split_at_white_space_only() -> None:
    assert tokens_of("The Fee,\n is ten.") == ["the", "fee,", "is", "ten."]


def test_texts_without_words() -> None:
    assert Okapi([[], []]).scores(["a"]).tolist() == [0, 0]


@settings(max_examples=60)
@given(st.lists(WORDS, min_size=1, max_size=8), WORDS)
def test_scores_are_those_of_rank_bm25(texts: list[list[str]], query: list[str]) -> None:
    outside = rank_bm25.BM25Okapi(texts).get_scores(query)
    assert np.allclose(Okapi(texts).scores(query), outside)
