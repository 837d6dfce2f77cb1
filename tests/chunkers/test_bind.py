from collections.abc import Callable

import pytest

from capsa.chunkers.bind import find_groups
from capsa.chunkers.model import Document

LETTERS = {
    "h": "heading",
    "p": "paragraph",
    "t": "table",
    "f": "figure",
    "c": "code",
    "l": "list_item",
    "x": "furniture",
    "P": "picture",
}

PICTURE = {"found_by": "pdf:picture"}

# Blocks by letter; captions are T of a table, F of a figure, P of a picture without words, L of a listing;
# brackets are the groups.
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
    "p x[t]xp",
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
]


@pytest.mark.parametrize("case", CASES)
def test_groups(case: str, build: Callable[..., Document]) -> None:
    words = {"T": "Table 1. Words", "F": "Figure 1. Words", "P": "Figure 1. Words", "L": "Listing 1. Words"}
    kinds = [letter for letter in case if letter.isalpha()]
    parts = [(LETTERS.get(kind, "caption"), words.get(kind, "Words")) for kind in kinds]
    document = build(
        *(("caption", text, PICTURE) if kind == "picture" else (kind, text) for kind, text in parts)
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
