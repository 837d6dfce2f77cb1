from collections.abc import Callable

import pytest

from capsa.chunkers.bind import find_groups
from capsa.chunkers.model import Document
from capsa.chunkers.strategies import chunk
from capsa.chunkers.tokens import Tokenizer

LETTERS = {
    "h": "heading",
    "p": "paragraph",
    "t": "table",
    "f": "figure",
    "c": "code",
    "l": "list_item",
    "x": "furniture",
    "r": "furniture",
}

FOUND_BY = {"P": "pdf:picture", "r": "markdown:hr"}

# Blocks by letter; captions are T of a table, F of a figure, P of a picture without words, L of a listing;
# x a running head, r a rule across the page; brackets are the groups.
CASES = [
    "p[pTt]p",
    "p[ptT]p",
    "p[pfF]p",
    "[hpTt]p",
    "[hTt]p",
    "[hf]",
    "h l[c]p",
    "[pc][pc][pc]",
    "[pTt][fF]p",
    "[pt][Tt]",
    "[fF][fF]",
    "[Tt][Tt][Tt]",
    "[tT][tT]",
    "[ffF]p",
    "[ptTT]h",
    "[pxt]xp",
    "[pTxt]x[c]",
    "x[hxpxtxT]x[f]",
    "p r[t]r p",
    "T r[t]",
    "[pt][c]",
    "[hpTtT]",
    "[pf][Tt]",
    "[pfF][Tt]",
    "[c][Lc]",
    "T p h",
    "[p t]l",
    "p h h",
    "[hpP]p",
    "[pP][t]",
    "[P][Tt]",
    "[tT][P]p",
    "[P][P]l",
    "[pcF][fF]p",
    "p[Lpc]",
    "[hTpt]p",
    "[ptT][pt]",
    "[pc][Ff]p",
    "[pcF][c]p",
    "[pc][Lc]p",
]


@pytest.mark.parametrize("case", CASES)
def test_groups(case: str, build: Callable[..., Document]) -> None:
    words = {"T": "Table 1. Words", "F": "Figure 1. Words", "P": "Figure 1. Words", "L": "Listing 1. Words"}
    kinds = [letter for letter in case if letter.isalpha()]
    document = build(
        *(
            (LETTERS.get(kind, "caption"), words.get(kind, "Words"), {"found_by": FOUND_BY.get(kind, "")})
            for kind in kinds
        )
    )
    groups = find_groups(document)
    marked = list(kinds)
    for group in groups:
        marked[group.first] = "[" + marked[group.first]
        marked[group.last - 1] += "]"
    assert "".join(marked) == case.replace(" ", "")
    assert all({"P": "f"}.get(kinds[group.item], kinds[group.item]) == group.kind[0] for group in groups)


@pytest.mark.parametrize(
    ("item", "bound"),
    [("Run this:", True), ("Run **this:**", True), ("これを実行：", True), ("Run this.", False), ("", False)],
)
def test_an_item_that_announces_code_is_bound_to_it(
    item: str, bound: bool, build: Callable[..., Document]
) -> None:
    document = build(("list_item", "First."), ("list_item", item or "x"), ("code", "mill --ebb"))
    (group,) = find_groups(document)
    assert (group.first, group.last) == (1 if bound else 2, 3)


@pytest.mark.parametrize(
    ("furniture", "together"), [("Harbour report 7", True), ("Hidden words. " * 40, False)]
)
def test_a_running_head_between_caption_and_table_is_in_their_chunk(
    furniture: str, together: bool, build: Callable[..., Document], tokenizer: Tokenizer
) -> None:
    table = ("table", "Port\tVessels\nAlba\t12")
    document = build(("caption", "Table 1. Ports"), ("furniture", furniture), table, ("paragraph", "Words."))
    texts = [document.text[one.start : one.end] for one in chunk(document, tokenizer)]
    assert ["Table 1. Ports" in text for text in texts if "Alba" in text] == [together]
    assert any(text.endswith("Words.") for text in texts)
    assert any("Hidden" in text for text in texts) is False
