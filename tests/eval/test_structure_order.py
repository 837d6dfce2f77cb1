"""Reading order: runs of words, the order that a structure tree tells, and pages in columns."""

import io
import sys
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from capsa.chunkers.tokens import Tokenizer
from capsa.eval.structure_library import Library
from capsa.eval.structure_order import OrderScore, measure_columns, read_tree_order, runs_f1, summarise

sys.path.append(str(Path(__file__).parents[1] / "chunkers"))

LEFT = [f"left line {number} of the harbour book tells of ships" for number in range(20)]
RIGHT = [f"right line {number} of the harbour book tells of tides" for number in range(20)]


def test_order_counts_and_words_alone_do_not() -> None:
    text = ["one", "two", "three", "four", "five", "six"]
    assert runs_f1(text, text) == 1.0
    assert runs_f1(text[::-1], text) == 0.0
    assert 0 < runs_f1(["x", *text], text) < 1
    assert runs_f1(["a", "b", "c", "d", *text][:4] + text, text, [["a", "b", "c", "d"]]) > runs_f1(
        ["a", "b", "c", "d", *text], text
    )


def columns() -> bytes:
    """A page in two columns, painted line by line across them."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(600, 800), invariant=1)
    canvas.setFont("Helvetica", 9)
    for number, (left, right) in enumerate(zip(LEFT, RIGHT, strict=True)):
        canvas.drawString(40, 740 - 12 * number, left)
        canvas.drawString(320, 740 - 12 * number, right)
    canvas.save()
    return out.getvalue()


def test_a_page_in_columns_is_compared_region_by_region(tmp_path: Path, tokenizer: Tokenizer) -> None:
    (tmp_path / "a.pdf").write_bytes(columns())
    books = Library(tmp_path, tokenizer)
    regions = [[0, 0, 52, 100], [52, 0, 100, 100]]
    (right,) = measure_columns(books, "a.pdf", [{"page": 1, "regions": regions, "aside": []}])
    assert (right.page, right.f1) == (1, pytest.approx(1.0))
    (swapped,) = measure_columns(books, "a.pdf", [{"page": 1, "regions": regions[::-1], "aside": []}])
    assert 0.9 < swapped.f1 < 1


def test_the_tree_tells_the_order_and_how_much_it_covers() -> None:
    from pdf_tagged import Node, Words, tagged

    lines = [
        Words(0, 72, 700, "the second part"),
        Words(1, 72, 680, "the first part"),
        Words(None, 72, 40, "7"),
    ]
    tree = Node("Document", [Node("P", [1]), Node("Sect", [Node("P", [0])])])
    covered, order = read_tree_order(tagged([(lines, tree)]))
    assert order == ["the", "first", "part", "the", "second", "part"]
    assert covered == pytest.approx(6 / 7)
    assert read_tree_order(columns()) == (0.0, [])
    assert read_tree_order(b"no PDF") == (0.0, [])


def test_tagged_documents_have_a_mean_and_pages_a_median() -> None:
    scores = [OrderScore("a.pdf", None, 0.8), OrderScore("b.pdf", None, 1.0)]
    scores += [OrderScore("c.pdf", page, f1) for page, f1 in enumerate((0.2, 0.9, 1.0), start=1)]
    summary = summarise(scores)
    assert (summary["tagged_f1"], summary["tagged_least"]) == (pytest.approx(0.9), 0.8)
    assert (summary["columns_f1"], summary["columns_least"]) == (0.9, 0.2)
    assert summarise([])["tagged_f1"] is None
