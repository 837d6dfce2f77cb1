from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capsa.chunkers.context import breadcrumb, clean, embedding_texts, keyword_text, squeeze
from capsa.chunkers.model import Document
from capsa.chunkers.strategies import chunk
from capsa.chunkers.tokens import Tokenizer

PIECES = (
    "[a](b)|![a b](c.png)|[![x](y)](z)|<!--|-->|<b>|</b>|<|>|[|](|)|----|...|word|un|affable| |\n"
    '|3.5|漢|é|<a href=x>|_____|=====|[a](b "t")'
)
MARKUP = st.lists(st.sampled_from(PIECES.split("|")), max_size=40).map("".join)


def test_breadcrumb_without_repeats() -> None:
    assert breadcrumb("Guide", ["guide", "Install", "On  Linux"]) == "Guide > Install > On Linux"
    assert breadcrumb("", []) == ""
    assert breadcrumb("", ["One"]) == "One"


def test_long_breadcrumbs_keep_the_title_and_the_nearest_heading() -> None:
    parts = [f"{name} " + "words " * 9 for name in "bcde"]
    crumb = breadcrumb("a " + "title " * 30, parts)
    assert len(crumb) <= 180
    assert crumb.startswith("a title")
    assert "e words" in crumb


@pytest.mark.parametrize(
    ("source", "cleaned"),
    [
        ("See [the docs](https://a.b/c) now", "See [the docs] now"),
        ('See [it](x "title")', "See [it]"),
        ("![a chart](c.png) shows", "a chart shows"),
        ("[![build](https://x/y.svg)](https://x) Text", "Text"),
        ("a <!-- no\nno --> b", "a b"),
        ("<p align='center'>Hi<br/>you</p>", "Hi you"),
        ("if a < b and c > d", "if a < b and c > d"),
        ("<https://a.b>", "<https://a.b>"),
        ("a\n\n  b\t----- c ...... 5", "a b c 5"),
        ("a === b, __init__", "a === b, __init__"),
    ],
)
def test_cleaning(source: str, cleaned: str) -> None:
    assert clean(source) == cleaned


@given(MARKUP)
def test_cleaning_never_adds_tokens(tokenizer: Tokenizer, source: str) -> None:
    assert tokenizer.count(clean(source)) <= tokenizer.count(source)
    assert tokenizer.count(squeeze(source)) <= tokenizer.count(source)


@given(MARKUP, st.text(max_size=300), st.lists(st.text(max_size=100), max_size=5))
def test_windows_fit_the_model_with_any_breadcrumb(
    build: Callable[..., Document], tokenizer: Tokenizer, source: str, title: str, headings: list[str]
) -> None:
    parts = [
        ("heading", text.replace("\r", " ") or "x", {"level": at}) for at, text in enumerate(headings, 1)
    ]
    document = build(*parts, ("paragraph", source or "x"), title=title, kind="markdown")
    for part in chunk(document, tokenizer, window=126):
        for text in embedding_texts(document, part):
            assert tokenizer.count(text) <= 126


def test_code_is_not_cleaned(build: Callable[..., Document], tokenizer: Tokenizer) -> None:
    document = build(
        ("paragraph", "A <b>bold</b> word."),
        ("code", "vector<int> a[b](c);"),
        ("paragraph", "<i>End</i>"),
        kind="markdown",
    )
    (part,) = chunk(document, tokenizer)
    assert embedding_texts(document, part) == ["A bold word.\nvector<int> a[b](c);\nEnd"]


def test_only_markdown_is_cleaned(build: Callable[..., Document], tokenizer: Tokenizer) -> None:
    document = build(("paragraph", "The tag <b> is\n  bold."), title="HTML")
    (part,) = chunk(document, tokenizer)
    assert embedding_texts(document, part) == ["HTML\nThe tag <b> is bold."]
    assert keyword_text(document, part) == "HTML\nThe tag <b> is\n  bold."
