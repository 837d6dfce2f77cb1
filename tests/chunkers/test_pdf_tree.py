"""The structure tree of tagged PDFs: when it is trusted, and what it makes of a page."""

import pytest
from pdf_tagged import Node, Words, tagged

from capsa.chunkers.model import Document
from capsa.chunkers.parsers import pdf, pdf_tree
from capsa.chunkers.parsers.pdf_spans import MOST, Columns
from capsa.chunkers.parsers.pdf_struct import Stretch, Tree

CELLS = (("Port", "Ships"), ("Alba", "12"), ("Brea", "7"))


def parse(data: bytes) -> Document:
    return pdf.parse(data, "tagged.pdf", 60_000.0)


def blocks(document: Document) -> list[tuple[str, int, str]]:
    return [(b.kind, b.level, document.text[b.start : b.end]) for b in document.blocks]


def table_lines() -> list[Words]:
    return [
        Words(20 + 2 * row + column, 72 + 80 * column, 500 - 14 * row, text)
        for row, cells in enumerate(CELLS)
        for column, text in enumerate(cells)
    ]


def table(head: str = "TH") -> Node:
    rows = [
        Node("TR", [Node(head if row == 0 else "TD", [20 + 2 * row + column]) for column in (0, 1)])
        for row in range(len(CELLS))
    ]
    return Node("Table", [Node("TBody", rows)])


LINES = [
    Words(None, 72, 770, "Annals of the harbour"),
    Words(0, 72, 700, "Of ports"),
    Words(3, 72, 640, "the second paragraph stands above the first."),
    Words(1, 72, 660, "A paragraph in"),
    Words(2, 145, 660, "two contents."),
    Words(4, 72, 600, "1."),
    Words(5, 90, 600, "First duty"),
    Words(6, 90, 586, "a."),
    Words(7, 108, 586, "Keep the log"),
    Words(8, 72, 572, "2."),
    Words(9, 90, 572, "Second duty"),
    *table_lines(),
    Words(10, 72, 400, "Fig. 1 The quay by night"),
    Words(None, 300, 30, "17"),
]
INNER = Node("L", [Node("LI", [Node("Lbl", [6]), Node("LBody", [Node("P", [7])])])])
TREE = Node(
    "Document",
    [
        Node("H2", [0]),
        Node("Sect", [Node("P", [3]), Node("P", [1, Node("Span", [2])])]),
        Node(
            "L",
            [
                Node("LI", [Node("Lbl", [4]), Node("LBody", [Node("P", [5]), INNER])]),
                Node("LI", [Node("Lbl", [8]), Node("LBody", [9])]),
            ],
        ),
        table(),
        Node("Figure", [Node("Caption", [10])], "A quay with lamps"),
    ],
)


def test_a_page_has_the_blocks_and_the_order_of_its_tree() -> None:
    document = parse(tagged([(LINES, TREE)]))
    assert blocks(document) == [
        ("furniture", 0, "Annals of the harbour"),
        ("heading", 2, "Of ports"),
        ("paragraph", 0, "the second paragraph stands above the first."),
        ("paragraph", 0, "A paragraph in two contents."),
        ("list_item", 1, "1. First duty"),
        ("list_item", 2, "a. Keep the log"),
        ("list_item", 1, "2. Second duty"),
        ("table", 0, "Port\tShips\nAlba\t12\nBrea\t7"),
        ("figure", 0, "A quay with lamps"),
        ("caption", 0, "Fig. 1 The quay by night"),
        ("furniture", 0, "17"),
    ]
    assert {block.found_by for block in document.blocks} == {"pdf:tag"}
    found = next(block for block in document.blocks if block.kind == "table")
    assert document.text[found.start : found.header_end] == "Port\tShips"


def test_text_that_too_few_tags_cover_is_laid_out() -> None:
    loose = [Words(None, 72, 550 - 12 * n, "words that no tag covers") for n in range(20)]
    document = parse(tagged([(LINES + loose, TREE)]))
    assert "pdf:tag" not in {block.found_by for block in document.blocks}


def test_a_tree_of_few_elements_is_not_trusted() -> None:
    lines = [Words(n, 72, 700 - 12 * n, f"Line {n} of the page") for n in range(9)]
    document = parse(tagged([(lines, Node("Document", [Node("P", list(range(9)))]))]))
    assert "pdf:tag" not in {block.found_by for block in document.blocks}


def test_a_paragraph_goes_on_over_the_page_and_a_list_item_with_a_label_does_not() -> None:
    fill = [Node("P", [mark]) for mark in range(1, 10)]

    def page(first: str, last: str) -> tuple[list[Words], Node]:
        lines = [Words(0, 72, 700, first)]
        lines += [Words(mark, 72, 700 - 20 * mark, f"Sentence {mark} of the page.") for mark in range(1, 10)]
        lines.append(Words(10, 72, 480, last))
        return lines, Node("Document", [Node("P", [0]), *fill, Node("P", [10])])

    document = parse(tagged([page("The start.", "A sentence that runs"), page("over the page.", "The end.")]))
    texts = [text for _, _, text in blocks(document)]
    assert "A sentence that runs over the page." in texts


def test_a_table_without_columns_is_a_layout_and_its_cells_are_paragraphs() -> None:
    lines = [Words(n, 72, 700 - 20 * n, f"Cell {n} is alone in its row.") for n in range(10)]
    rows = [Node("TR", [Node("TD", [Node("P", [n])])]) for n in range(10)]
    document = parse(tagged([(lines, Node("Document", [Node("Table", rows)]))]))
    assert blocks(document) == [("paragraph", 0, f"Cell {n} is alone in its row.") for n in range(10)]


@pytest.mark.parametrize(
    ("alts", "kept"),
    [
        (["A map of the bay"], {"A map of the bay"}),
        (["Figure", "image 3", "chart.png", "flt3", ""], set()),
        (["Logo of the port"] * 3, set()),
    ],
)
def test_alternative_texts_are_kept_when_they_say_something(alts: list[str], kept: set[str]) -> None:
    tree = Tree()
    tree.stretches += [Stretch("Figure", 0, None, 0, alt) for alt in alts]
    assert pdf_tree.useful_alts([tree]) == kept


def test_a_deep_tree_is_read_to_a_depth() -> None:
    node = Node("P", [0])
    for _ in range(300):
        node = Node("Sect", [node])
    words = [Words(0, 72, 700, "Words at the bottom of the tree")]
    assert "Words at the bottom" in parse(tagged([(words, node)])).text


def test_a_tree_of_too_many_elements_is_given_up() -> None:
    words = [Words(0, 72, 700, "Words of the first element"), Words(1, 72, 680, "and of the last one")]
    crowd = [Node("Span", []) for _ in range(3100)]
    document = parse(tagged([(words, Node("Document", [Node("P", [0]), *crowd, Node("P", [1])]))]))
    assert "and of the last one" in document.text
    assert "pdf:tag" not in {block.found_by for block in document.blocks}


def test_cells_over_columns_and_rows_keep_the_others_in_place() -> None:
    names = ["Port", "Ships", "In", "Out", "Alba", "12", "9", "Brea", "7", "6"]
    lines = [Words(n, 72 + 60 * (n % 3), 700 - 20 * (n // 3), name) for n, name in enumerate(names)]
    lines += [Words(20 + n, 72, 500 - 30 * n, f"Paragraph {n} on the ports.") for n in range(9)]

    def row(*cells: Node) -> Node:
        return Node("TR", cells)

    def cell(mark: int, spans: tuple[int, int] = (1, 1), role: str = "TD") -> Node:
        return Node(role, [mark], spans=spans)

    tree = Node(
        "Document",
        [
            Node(
                "Table",
                [
                    row(cell(0, (1, 2), "TH"), cell(1, (2, 1), "TH")),
                    row(cell(2, role="TH"), cell(3, role="TH")),
                    row(cell(4), cell(5), cell(6)),
                    row(cell(7), cell(8), cell(9)),
                ],
            ),
            *(Node("P", [20 + n]) for n in range(9)),
        ],
    )
    document = parse(tagged([(lines, tree)]))
    [block] = [block for block in document.blocks if block.kind == "table"]
    assert document.text[block.start : block.end] == ("Port\tShips\n\tIn\tOut\nAlba\t12\t9\nBrea\t7\t6")
    assert document.text[block.start : block.header_end] == "Port\tShips\n\tIn\tOut"


def test_huge_spans_are_bounded() -> None:
    columns = Columns()
    columns.start_row(1, 2)
    assert columns.place(1, 2, (MOST, MOST)) == 1
    for number in range(3, 3 + MOST - 1):
        columns.start_row(1, number)
        assert columns.place(1, number, (1, 1)) == MOST + 1
    columns.start_row(1, 3 + MOST)
    assert columns.place(1, 3 + MOST, (1, 1)) == 1


def test_words_of_a_tagged_figure_are_its_labels_and_captions_side_by_side_are_two() -> None:
    lines = [Words(0, 72, 700, "Nut"), Words(1, 200, 700, "Bolt"), Words(2, 72, 680, "Figure 1. A nut")]
    lines += [Words(2, 200, 680, "Figure 2. A bolt")]
    lines += [Words(20 + n, 72, 500 - 30 * n, f"Paragraph {n} on the parts.") for n in range(9)]
    tree = [Node("Figure", [0, 1]), Node("Caption", [2]), *(Node("P", [20 + n]) for n in range(9))]
    found = blocks(parse(tagged([(lines, Node("Document", tree))])))
    assert [block[::2] for block in found[:3]] == [
        ("figure", "Nut Bolt"),
        ("caption", "Figure 1. A nut"),
        ("caption", "Figure 2. A bolt"),
    ]


def test_tagged_table_goes_on_over_the_page_s_foot() -> None:
    def page(first: int) -> tuple[list[Words], Node]:
        rows = [("Port", "Ships")] if first == 0 else []
        rows += [(f"Port {n}", str(n)) for n in range(first, first + 6 + 36 * (first == 6))]
        cells = [(n, c, text) for n, row in enumerate(rows) for c, text in enumerate(row)]
        top = 180 if first == 0 else 740
        lines = [Words(2 * n + c, 72 + 80 * c, top - 14 * n, text) for n, c, text in cells]
        foot = Words(None, 300, 30, f"Page {1 + (first > 0) + (first > 6)}")
        table = Node(
            "Table", [Node("TR", [Node("TD", [2 * n + c]) for c in (0, 1)]) for n in range(len(rows))]
        )
        return [*lines, foot], Node("Document", [table])

    document = parse(tagged([page(0), page(6), page(48)]))
    [block] = [block for block in document.blocks if block.kind == "table"]
    rows = document.text[block.start : block.end].split("\n")
    assert rows == ["Port\tShips", *(f"Port {n}\t{n}" for n in range(54))]


def test_cells_of_a_row_that_leaves_out_empty_ones_stand_in_their_columns() -> None:
    rows = [[(0, "Item"), (1, "Words"), (2, "Count")], [(0, "Lamp"), (1, "bright"), (2, "12")]]
    rows += [[(1, "Sum"), (2, "12")], [(2, "paid")]]
    cells = [(n, column, text) for n, row in enumerate(rows) for column, text in row]
    lines = [Words(k, 72 + 80 * c, 700 - 20 * n, text) for k, (n, c, text) in enumerate(cells)]
    lines += [Words(20 + n, 72, 500 - 30 * n, f"Paragraph {n} on the lamps.") for n in range(9)]
    nodes = [
        Node("TR", [Node("TD", [k]) for k, (n, _, _) in enumerate(cells) if n == row])
        for row in range(len(rows))
    ]
    tree = Node("Document", [Node("Table", nodes), *(Node("P", [20 + n]) for n in range(9))])
    [found] = [text for kind, _, text in blocks(parse(tagged([(lines, tree)]))) if kind == "table"]
    assert found == "Item\tWords\tCount\nLamp\tbright\t12\n\tSum\t12\n\t\tpaid"
