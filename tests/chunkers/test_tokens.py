from hypothesis import given
from hypothesis import strategies as st

from capsa.chunkers.tokens import PIECE, Tokenizer

LETTERS = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)


@given(LETTERS)
def test_offsets_are_sorted_and_inside_the_text(tokenizer: Tokenizer, text: str) -> None:
    index = tokenizer.index(text)
    assert all(0 <= start < end <= len(text) for start, end in zip(index.starts, index.ends, strict=True))
    assert list(index.starts) == sorted(index.starts)
    assert len(index) == index.count(0, len(text)) >= tokenizer.count(text)


@given(LETTERS, st.integers(0, 200), st.integers(1, 50))
def test_a_cut_is_within_the_count(tokenizer: Tokenizer, text: str, start: int, n: int) -> None:
    index = tokenizer.index(text)
    end = index.cut(min(start, len(text)), n)
    assert end <= len(text)
    hangul = 3
    assert index.count(start, end) <= max(n, hangul)


def test_words_and_their_pieces(tokenizer: Tokenizer) -> None:
    index = tokenizer.index("unaffable naïve 3.5")
    assert tokenizer.count("unaffable naïve 3.5") == len(index) == 7
    assert "unaffable naïve 3.5"[: index.cut(0, 3)] == "unaffable"
    assert index.count(0, 9) == 3
    assert index.cut(0, 100) == 19


def test_a_syllable_of_several_tokens_stays_whole(tokenizer: Tokenizer) -> None:
    index = tokenizer.index("한국")
    assert [index.cut(0, n) for n in (1, 3, 4, 6)] == [1, 1, 1, 2]


def test_long_texts_are_read_in_pieces_that_end_at_white_space(tokenizer: Tokenizer) -> None:
    text = "several words\n" * (PIECE // 6)
    index = tokenizer.index(text)
    assert len(index) == 2 * text.count("\n") == tokenizer.count(text)
    assert {text[start:end] for start, end in zip(index.starts, index.ends, strict=True)} == {
        "several",
        "words",
    }


def test_an_endless_word_is_counted_in_slices(tokenizer: Tokenizer) -> None:
    for letter in ("a", "é", "/"):
        text = letter * (3 * PIECE)
        index = tokenizer.index(text)
        assert len(text) / 200 <= len(index) <= len(text)
        assert index.ends[-1] == len(text)
        assert max(index.ends - index.starts) <= 200


def test_the_empty_text(tokenizer: Tokenizer) -> None:
    index = tokenizer.index("")
    assert (len(index), index.count(0, 5), index.cut(0, 3), tokenizer.count("")) == (0, 0, 0, 0)
