"""Each step that can lose evidence, made to lose it."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from small_corpus import corpus, item

from capsa.chunkers.model import Window
from capsa.eval.chunkset import ChunkSet
from capsa.eval.corpus import Corpus
from capsa.eval.judging import Judge, Ranking
from capsa.eval.misses import Miss, Misses, Retry, plain_words
from capsa.eval.questions import Question
from capsa.store.stems import Stemmer

ASKED = Question("q", "What is the fee for copies?", ("ten rupees a page",), "a.txt")
CORPUS = corpus(
    item("a.txt", "Fees for copies: ten rupees a page", "Nothing here. Payment is", "due in June"),
    item("b.txt", "Another text"),
)
NO_RETRY = Retry()
NOT_FOUND, FOUND = Ranking([3, 1], 0.0), Ranking([0, 3], 0.0)


@pytest.fixture
def stemmer() -> Iterator[Stemmer]:
    made = Stemmer()
    yield made
    made.close()


def step(
    stemmer: Stemmer, question: Question, ranking: Ranking, retry: Retry = NO_RETRY, made: Corpus = CORPUS
) -> Miss:
    chunks = ChunkSet(made)
    judge = Judge(made, chunks, [question])
    outcome = judge.outcome(question, ranking, "strict")
    assert outcome is not None
    return Misses(chunks, judge, stemmer).step(outcome, ranking, "strict", retry)


def test_what_is_found_is_no_miss(stemmer: Stemmer) -> None:
    assert step(stemmer, ASKED, FOUND) == ""


def test_the_parser_lost_what_its_text_does_not_hold(stemmer: Stemmer) -> None:
    assert step(stemmer, replace(ASKED, evidence=("ten rupees a page", "no such thing")), FOUND) == "parse"


def test_a_boundary_lost_what_no_chunk_holds_whole(stemmer: Stemmer) -> None:
    assert step(stemmer, replace(ASKED, evidence=("Payment is due in June",)), FOUND) == "boundary"


def test_the_window_lost_what_is_in_a_chunk_and_in_no_vector(stemmer: Stemmer) -> None:
    first, second = CORPUS.items.values()
    halves = (Window(0, 20), Window(20, 34))
    cut = replace(first, chunks=(replace(first.chunks[0], windows=halves), *first.chunks[1:]))
    assert step(stemmer, ASKED, NOT_FOUND, made=corpus(cut, second)) == "window"


def test_the_codes_lost_what_exact_vectors_find(stemmer: Stemmer) -> None:
    assert step(stemmer, ASKED, NOT_FOUND, Retry(exact=lambda: FOUND)) == "quantisation"
    assert step(stemmer, ASKED, NOT_FOUND, Retry(exact=lambda: NOT_FOUND)) == "ranking"


def test_the_filter_lost_what_the_question_without_signs_finds(stemmer: Stemmer) -> None:
    assert step(stemmer, ASKED, NOT_FOUND, Retry(plain=lambda: FOUND)) == "filter"
    assert plain_words('who is "the clerk" -not') == "who is the clerk not"
    assert plain_words("who is the clerk-general?") is None


def test_the_filter_lost_a_chunk_whose_twin_was_shown(stemmer: Stemmer) -> None:
    twins = corpus(item("a.txt", "ten rupees a page"), item("b.txt", "Ten rupees a page"))
    assert step(stemmer, ASKED, Ranking([1], 0.0), made=twins) == "filter"


def test_ranked_low_with_other_words_or_with_the_same(stemmer: Stemmer) -> None:
    assert step(stemmer, ASKED, NOT_FOUND) == "ranking"
    paraphrased = replace(ASKED, text="How much does duplicating a document cost?")
    assert step(stemmer, paraphrased, NOT_FOUND) == "vocabulary"
    # "fees" and "copy" have the stems of the passage's words.
    assert step(stemmer, replace(ASKED, text="the fees to copy"), NOT_FOUND) == "ranking"


def test_the_earliest_step_counts(stemmer: Stemmer) -> None:
    question = replace(ASKED, evidence=("ten rupees a page", "Payment is due in June"))
    assert step(stemmer, question, NOT_FOUND, Retry(exact=lambda: FOUND)) == "boundary"
