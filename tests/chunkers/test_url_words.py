"""The words of an address: what a person may ask for, without ids, hashes and tracking."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capsa.chunkers.url_words import is_id, readable_host, words


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("https://docs.example.org/3/library/tide-mill.html", "docs.example.org 3 library tide mill"),
        ("https://example.org/wiki/Mill_(tide)", "example.org wiki Mill tide"),
        ("https://example.org/M%C3%BChle+Rad", "example.org Mühle Rad"),
        ("https://xn--mhle-0ra.de/", "mühle.de"),
        ("https://example.org/api/getElementById", "example.org api getElementById get Element By Id"),
        ("https://example.org/HTTPServer", "example.org HTTPServer HTTP Server"),
        ("https://example.org/iPhone/v2/utf8", "example.org iPhone v2 utf8"),
        ("https://example.org/a/2024/11/30/news", "example.org a 2024 11 30 news"),
        ("https://example.org/release/1.0.21", "example.org release 1.0.21"),
        ("https://example.org/?q=red+fox&utm_source=mail", "example.org red fox"),
        ("https://example.org/mill?mill=Mill", "example.org mill"),
        ("https://example.org/paper.pdf", "example.org paper.pdf"),
        ("https://example.org/#!/tide/mill", "example.org tide mill"),
        ("https://example.org/b/9780123456786", "example.org b 9780123456786"),
        ("https://example.org/3f2a9c1b", "example.org"),
        ("https://example.org/0a1b2c3d-0a1b-4a1b-8a1b-0a1b2c3d4e5f/mill", "example.org mill"),
        ("https://example.org/watch?v=dQw4w9WgXcQ", "example.org watch"),
        ("https://example.org/status/1234567890123456789", "example.org status"),
        ("about:blank", ""),
        ("", ""),
    ],
)
def test_words_of_an_address(url: str, said: str) -> None:
    assert words(url) == said


@pytest.mark.parametrize(
    "word", ["getElementById", "JavaScript", "deadbeef", "2024", "0123456789", "iPhone14Pro", "Straßenbahn"]
)
def test_words_are_no_ids(word: str) -> None:
    assert not is_id(word)


@pytest.mark.parametrize(
    "word", ["e3b0c44298fc1c149afb", "1700000000000", "a1b2c3d4", "x" * 60, "AAaBbC9dD3eE"]
)
def test_ids_are_no_words(word: str) -> None:
    assert is_id(word)


def test_a_host_that_is_no_punycode_stays() -> None:
    assert readable_host("xn--\x80.org") == "xn--\x80.org"
    assert readable_host("xn--99999999.org") == "xn--99999999.org"


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=80))
def test_no_address_says_a_word_twice(text: str) -> None:
    said = words("http://example.org/" + text).lower().split()
    assert len(said) == len(set(said))


def test_a_huge_address_says_little() -> None:
    assert len(words("http://example.org/" + "mill%20" * 100_000)) < 100
    many = "-".join(f"mill{number}" for number in range(100_000))
    assert len(words("http://example.org/" + many).split()) <= 80
