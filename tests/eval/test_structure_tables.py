"""Tables against labelled pages: pages that a table crosses, shapes, precision and recall."""

from collections.abc import Callable
from typing import Any

import pytest

from capsa.chunkers.model import Document
from capsa.eval import structure_tables
from capsa.eval.structure_tables import PageScore, summarise, tables_by_page

TABLE = "Name\tUse\nbow\tin front\nstern\tbehind"


def test_a_table_is_on_every_page_that_has_rows_of_it(build: Callable[..., Document]) -> None:
    document = build(
        ("table", TABLE, {"page": 1, "header": 8}),
        ("footnote", "1 A note.", {"page": 1}),
        ("paragraph", "So much for the parts of a ship.", {"page": 2}),
        pages=2,
    )
    crossing = ["Name Use bow in front 1 A note.", "stern behind So much for the parts of a ship."]
    assert sorted(tables_by_page(document, crossing)) == [1, 2]
    whole = ["Name Use bow in front stern behind", "Parts So much for the parts of a ship. behind the stern"]
    assert sorted(tables_by_page(document, whole)) == [1]


def test_the_last_table_of_a_document_crosses_pages_too(build: Callable[..., Document]) -> None:
    document = build(("table", TABLE, {"page": 1}), pages=3)
    assert sorted(tables_by_page(document, ["Name Use", "bow in front", "stern behind"])) == [1, 2, 3]
    assert sorted(tables_by_page(document, ["Name Use bow in front stern behind", "", ""])) == [1, 2]


@pytest.mark.parametrize(
    ("cells", "wrong"),
    [
        ([[3, 2, 1]], {}),
        ([[3, 3, 0]], {"columns": 1, "header": 1}),
        ([[4, None, None]], {"rows": 1}),
        ([[3, 2, 1], [3, 2, 1]], {"rows": 2, "columns": 2, "header": 2}),
    ],
)
def test_known_facts_are_counted(
    cells: list[list[int | None]], wrong: dict[str, int], build: Callable[..., Document]
) -> None:
    document = build(("table", TABLE, {"page": 1, "header": 8}), pages=1)
    label: dict[str, Any] = {"page": 1, "tables": len(cells), "continued": False, "cells": cells}
    found = structure_tables._facts(document, label, document.blocks, False)
    assert {name: known - right for name, (right, known) in found.items() if right < known} == wrong
    crossing = structure_tables._facts(document, label, document.blocks, True)
    assert crossing["rows"][1] == len([row for row, _, _ in cells if row is not None]) - 1


def test_precision_and_recall_are_by_page() -> None:
    none = {"rows": (0, 0), "columns": (0, 0), "header": (0, 0)}
    one = {"rows": (1, 2), "columns": (2, 2), "header": (0, 0)}
    scores = [
        PageScore("a.pdf", 1, "", 2, 2, one),
        PageScore("a.pdf", 2, "", 1, 0, none),
        PageScore("a.pdf", 3, "code", 0, 1, none),
        PageScore("a.pdf", 4, "list", 0, 0, none),
    ]
    summary = summarise(scores)
    assert (summary["pages"], summary["table_pages"]) == (4, 2)
    assert (summary["precision"], summary["recall"]) == (0.5, 0.5)
    assert (summary["rows"], summary["columns"], summary["header"]) == (0.5, 1.0, None)
    assert [structure_tables._misses(score) for score in scores] == [
        ["p1 wrong: rows"],
        ["p2 no table found"],
        ["p3 code taken for a table"],
        [],
    ]
