"""Corrections of words that no document has."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_kit import HashEmbedder, put

from capsa.store.reader import Reader
from capsa.store.spelling import complete, correct, is_near
from capsa.store.writer import Writer


@pytest.mark.parametrize(
    ("one", "other", "most", "near"),
    [
        ("river", "river", 0, True),
        ("river", "rivre", 1, True),
        ("river", "rver", 1, True),
        ("river", "rivver", 1, True),
        ("river", "rover", 1, True),
        ("river", "robert", 1, False),
        ("river", "rovers", 2, True),
        ("", "ab", 1, False),
    ],
)
def test_near_words(one: str, other: str, most: int, near: bool) -> None:
    assert is_near(one, other, most) is near
    assert is_near(other, one, most) is near


@settings(max_examples=50)
@given(st.text("abc", max_size=8), st.integers(0, 7), st.sampled_from("abc"))
def test_one_letter_more_or_less_is_near(word: str, place: int, letter: str) -> None:
    longer = word[:place] + letter + word[place:]
    assert is_near(word, longer, 1)
    assert is_near(longer, word, 1)


@pytest.mark.parametrize(
    ("typed", "right"),
    [
        ("oficer", "officer"),
        ("informaton", "information"),
        ("commitee", "committee"),
        ("designatoin", "designation"),
        ("xylophone", None),
        ("officers", None),
    ],
)
def test_a_word_is_corrected_to_one_that_is_written(tmp_path: Path, typed: str, right: str | None) -> None:
    text = "The officer of the committee. An office, and offices. The designation informs of information."
    with Writer.open(tmp_path, HashEmbedder().model) as writer:
        writer.add_source(b"/d")
        put(writer, "/d/a.txt", text, HashEmbedder())
    with Reader.open(tmp_path) as reader, reader.snapshot():
        found = correct(reader, typed)
    assert [each.instead for each in found] == ([right] if right else [])


@pytest.mark.parametrize(
    ("typed", "whole"),
    [
        ("the commit", "the committee"),
        ("Offi", "officer"),
        ("off", "off"),
        ("offi ", "offi "),
        ("officers", "officers"),
        ("xylo", "xylo"),
        ('"the commit', '"the committee'),
        ("officer -commit", "officer -commit"),
        ("commit tee", "commit tee"),
        ("", ""),
    ],
)
def test_a_word_that_is_typed_is_the_commonest_that_begins_so(tmp_path: Path, typed: str, whole: str) -> None:
    with Writer.open(tmp_path, HashEmbedder().model) as writer:
        writer.add_source(b"/d")
        for number, text in enumerate(("An officer of the committee.", "Officers commute.", "Offices.")):
            put(writer, f"/d/{number}.txt", text, HashEmbedder())
    with Reader.open(tmp_path) as reader, reader.snapshot():
        assert complete(reader, typed) == whole
