from collections.abc import Callable

import pytest

from capsa.chunkers.model import Document
from capsa.chunkers.sections import Outline, heading_text


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("## A *bold* title ##", "A *bold* title"),
        ("Title\n=====", "Title"),
        ("=====\nTitle\n=====", "Title"),
        ("** Org heading", "Org heading"),
        ("# See [the docs](http://a.b)", "See the docs"),
        ("#", ""),
    ],
)
def test_heading_words(source: str, words: str, build: Callable[..., Document]) -> None:
    document = build(("heading", source, {"level": 1}))
    assert heading_text(document, document.blocks[0]) == words


def test_paths_follow_the_levels(build: Callable[..., Document]) -> None:
    levels = [("A", 1), ("B", 2), ("C", 4), ("D", 3), ("E", 2), ("F", 1), ("G", 0)]
    document = build(*(("heading", name, {"level": level}) for name, level in levels), ("paragraph", "end"))
    outline = Outline(document)
    paths = ["".join(outline.path(block.start, block.end)) for block in document.blocks]
    assert paths == ["A", "AB", "ABC", "ABD", "AE", "F", "G", "G"]
    assert outline.path(0, len(document.text)) == ("G",)
