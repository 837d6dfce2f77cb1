import pytest

from capsa.chunkers.heading_rule import is_heading

HEADINGS = [
    "# Title",
    "### 1. Deep",
    "CHAPTER IV",
    "Section 12",
    "3.1 Scope of the rules",
    "PRELIMINARY",
    "Schedule II - Fees",
]
OTHERS = [
    "",
    "A plain sentence.",
    "#hashtag",
    "12 apples were eaten; all gone",
    "Section 12 applies to all.",
    "U.S.",
    "x" * 140,
]


@pytest.mark.parametrize("text", HEADINGS)
def test_headings(text: str) -> None:
    assert is_heading(text)
    assert is_heading(f"{text}\nand what follows.")


@pytest.mark.parametrize("text", OTHERS)
def test_others(text: str) -> None:
    assert not is_heading(text)
