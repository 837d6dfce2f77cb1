from importlib.resources import files

import numpy as np
import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

from capsa.chunkers import token_words
from capsa.chunkers.token_words import LONGEST_WORD, WordTokens, reads_by_words

TEXT = st.text(
    st.characters(exclude_categories=["Cs"]) | st.sampled_from(" \t\n-.'é\u0301한字\x0c\u200b=aZ9")
)
PROSE = (
    "A “well-known” word’s piece, café x\x0cy a\u00a0b…\tnaïve\r\n(3.5 %) ﬁne foo_bar=\u0338 x\u0301-y "
    "漢字かな 한국 \u200bzero\u00ad-width https://example.org/a?b=c&d [sep] \U0001f600hello\U0001f600"
)


@pytest.fixture(scope="session")
def inner() -> tokenizers.Tokenizer:
    path = files("capsa.store") / "model_data" / "all-MiniLM-L6-v2" / "tokenizer.json"
    read = tokenizers.Tokenizer.from_file(str(path))
    read.no_truncation()
    read.no_padding()
    return read


def by_words(inner: tokenizers.Tokenizer) -> WordTokens:
    return WordTokens(lambda text: inner.encode(text, add_special_tokens=False).offsets, ["[SEP]", "[CLS]"])


def as_whole(inner: tokenizers.Tokenizer, text: str) -> list[tuple[int, int]]:
    return inner.encode(text, add_special_tokens=False).offsets


def found(words: WordTokens, text: str) -> list[tuple[int, ...]]:
    return [tuple(pair) for pair in words.offsets(text).tolist()]


@given(TEXT)
@settings(max_examples=300, deadline=None)
def test_words_have_the_tokens_of_the_whole_text(inner: tokenizers.Tokenizer, text: str) -> None:
    assert found(by_words(inner), text) == as_whole(inner, text)


@pytest.mark.parametrize("text", [PROSE, PROSE * 3, "a [SEP] b[CLS]", "[ SEP ]", "", " \n", "-"])
def test_it_reads_known_words_as_new_ones(inner: tokenizers.Tokenizer, text: str) -> None:
    words = by_words(inner)
    for _ in range(2):
        assert found(words, text) == as_whole(inner, text)
        assert words.offsets(text).dtype == np.int32


def test_long_words_are_not_kept_and_few_others(
    inner: tokenizers.Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(token_words, "KEPT", 10)
    words = by_words(inner)
    for start in range(0, 100, 5):
        text = " ".join(f"w{number}" for number in range(start, start + 5))
        assert found(words, text) == as_whole(inner, text)
        assert len(words._kept) <= 15
    for letter in "aé":
        long = letter * (LONGEST_WORD + 1)
        assert found(words, f"x {long} y") == [(0, 1), (2, 2 + len(long)), (3 + len(long), 4 + len(long))]
        assert long not in words._kept


def test_only_tokenizers_like_those_of_bert_read_by_words(inner: tokenizers.Tokenizer) -> None:
    assert reads_by_words(inner)
    other = tokenizers.Tokenizer(tokenizers.models.BPE())
    assert not reads_by_words(other)
    other = tokenizers.Tokenizer(tokenizers.models.WordPiece(unk_token="[UNK]"))
    other.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    assert not reads_by_words(other)
