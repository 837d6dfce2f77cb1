"""Rankings of chunks against evidence and pages, on a corpus made in memory."""

from dataclasses import replace
from math import log2

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_corpus import corpus, item

from capsa.eval.chunkset import ChunkSet
from capsa.eval.judging import Judge, Ranking
from capsa.eval.matching import paper, strict
from capsa.eval.questions import Question
from capsa.eval.scores import score

WORDS = st.lists(st.sampled_from(["a", "b", "c", "d", "e", "f"]), min_size=1, max_size=7).map(" ".join)


ASKED = Question("q", "?", ("the fee is ten", "Of rupees"), "a.txt", pages=(2, 3))
TWO = corpus(
    item("b.txt", "the fee is ten, of rupees"),
    item("a.txt", "nothing", "The fee is “ten”", "the fee is  ten of rupees"),
)


def judged(question: Question, *numbers: int) -> Judge:
    return Judge(TWO, ChunkSet(TWO), [question])


def test_only_the_document_of_the_question_counts() -> None:
    outcome = judged(ASKED).outcome(ASKED, Ranking([0, 1, 3], 2.0), "strict")
    assert outcome is not None
    assert outcome.matched == (frozenset(), frozenset(), frozenset({0, 1}))
    assert outcome.sizes == (6, 1, 6)
    values = score(outcome, (1, 10))
    assert (values["evidence_recall@1"], values["evidence_recall@10"], values["mrr"]) == (0, 1, 1 / 3)
    assert values["ndcg@10"] == pytest.approx((2 / log2(4)) / (1 + 1 / log2(3)))


def test_without_a_document_any_chunk_counts() -> None:
    question = replace(ASKED, doc="")
    outcome = judged(question).outcome(question, Ranking([0], 1.0), "strict")
    assert outcome is not None
    assert outcome.matched == (frozenset({0, 1}),)
    assert outcome.span_recall is None


def test_pages_are_found_by_chunks_that_stand_on_them() -> None:
    outcome = judged(ASKED).outcome(ASKED, Ranking([1, 3], 1.0), "pages")
    assert outcome is not None
    assert (outcome.m, outcome.matched) == (2, (frozenset(), frozenset({1})))
    assert (outcome.covered, outcome.parsed) == ({0, 1}, {0, 1})
    beyond = replace(ASKED, pages=(9,))
    outcome = judged(beyond).outcome(beyond, Ranking([1], 1.0), "pages")
    assert outcome is not None
    assert (outcome.covered, outcome.parsed) == (set(), set())


def test_a_question_has_no_outcome_where_nothing_is_looked_for() -> None:
    assert judged(replace(ASKED, pages=())).outcome(replace(ASKED, pages=()), Ranking([], 0), "pages") is None
    bare = replace(ASKED, evidence=())
    assert judged(bare).outcome(bare, Ranking([1], 0), "strict") is None


def test_what_the_parser_kept_is_more_than_what_a_chunk_holds() -> None:
    question = replace(ASKED, evidence=("nothing The fee", "no such thing"))
    outcome = judged(question).outcome(question, Ranking([1, 2], 0), "strict")
    assert outcome is not None
    assert (outcome.parsed, outcome.covered) == ({0}, set())


def test_spans_are_those_of_the_questions_document() -> None:
    outcome = judged(ASKED).outcome(ASKED, Ranking([2, 0], 1.0), "strict")
    assert outcome is not None
    # "The fee is “ten”" without its last quote is the first evidence; "of rupees" is not retrieved.
    assert outcome.span_recall == 15 / (15 + 9)
    assert outcome.span_precision == 15 / (16 + 25)


@settings(max_examples=80)
@given(st.lists(WORDS, min_size=1, max_size=6), WORDS)
def test_looking_up_all_chunks_at_once_is_matching_them_one_by_one(texts: list[str], evidence: str) -> None:
    chunks = ChunkSet(corpus(item("a.txt", *texts)))
    everywhere = range(len(chunks))
    found = {number for number in everywhere if strict(evidence, chunks.texts[number])}
    assert chunks.with_strict(evidence, everywhere) == found
    near = {number for number in everywhere if paper(evidence, chunks.texts[number])}
    assert chunks.with_paper(evidence, everywhere) == near
