from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capsa.store.snippets import WordFinder, make_snippets
from capsa.store.stems import Stemmer, fold


@pytest.fixture(scope="module")
def stemmer() -> Iterator[Stemmer]:
    stemmer = Stemmer()
    yield stemmer
    stemmer.close()


def finder(stemmer: Stemmer, *words: str, prefixes: tuple[str, ...] = ()) -> WordFinder:
    weights = {stem: 1.0 for stems in stemmer.stems(words).values() for stem in stems}
    return WordFinder(weights, prefixes, stemmer)


def highlighted(stemmer: Stemmer, text: str, *words: str, prefixes: tuple[str, ...] = ()) -> list[str]:
    [snippet] = make_snippets([text], finder(stemmer, *words, prefixes=prefixes))
    return [snippet.text[start:end] for start, end in snippet.highlights]


def test_words_are_found_by_stem_accent_and_script(stemmer: Stemmer) -> None:
    assert highlighted(stemmer, "She says it, studying studies.", "say", "study") == [
        "says",
        "studying",
        "studies",
    ]
    assert highlighted(stemmer, "École et ecole, not eclair", "école") == ["École", "ecole"]
    assert highlighted(stemmer, "我在北京大学", "北", "京") == ["北京"]
    assert highlighted(stemmer, "call foo_bar 1.0.21 or foo", "foo", "bar", "1", "0", "21") == [
        "foo_bar",
        "1.0.21",
        "foo",
    ]
    assert highlighted(stemmer, "Organization, organs", prefixes=("organi",)) == ["Organization"]


def test_the_best_piece_is_shown(stemmer: Stemmer) -> None:
    text = "filler " * 100 + "alpha " + "filler " * 100 + "alpha beta " + "filler " * 100
    [snippet] = make_snippets([text], finder(stemmer, "alpha", "beta"))
    assert "alpha beta" in snippet.text
    assert snippet.text in text
    assert 200 < len(snippet.text) <= 240


def test_without_a_word_the_head_is_shown(stemmer: Stemmer) -> None:
    [snippet] = make_snippets(["head " + "filler " * 100], finder(stemmer, "absent"))
    assert snippet.text.startswith("head filler")
    assert snippet.highlights == ()


@given(st.text(alphabet=st.sampled_from("ab é北ﬁ_.-\n\ud800"), max_size=600))
def test_any_text_has_a_snippet_of_itself(stemmer: Stemmer, text: str) -> None:
    [snippet] = make_snippets([text], finder(stemmer, "ab", "é", "北", "fi"))
    assert snippet.text in text
    assert len(snippet.text) <= 240
    ends = [0, *(place for span in snippet.highlights for place in span)]
    assert ends == sorted(ends)
    assert ends[-1] <= len(snippet.text)


@given(st.text(alphabet=st.sampled_from("aBbcs1 _.-'\n"), max_size=200))
def test_plain_texts_are_read_as_others_are(stemmer: Stemmer, text: str) -> None:
    words = finder(stemmer, "ab", "bcs", "1", "cab", prefixes=("b1",))
    # The accented letter, a word by itself, makes the text one that a pattern reads.
    assert words.find([text]) == words.find([text + " é"])


def test_fold_makes_one_form_of_each_word() -> None:
    assert fold("plain") == "plain"
    assert fold("oﬃce soft\u00adhyphen Ｆｕｌｌ") == "office softhyphen Full"
    assert fold("日本").split() == ["日", "本"]
    fold("\ud800").encode()
