"""Markdown: titles, and what raw HTML and containers become."""

import pytest

from capsa.chunkers.model import Document
from capsa.chunkers.parsers import parse


def kinds(document: Document) -> list[tuple[str, int]]:
    return [(block.kind, block.level) for block in document.blocks]


def spans(document: Document) -> list[str]:
    return [document.text[block.start : block.end] for block in document.blocks]


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("---\ntitle: 'From front matter'\n---\n# Other", "From front matter"),
        ("## Second level\n\n# First `level` [link](x) ##\n", "First level link"),
        ("<h1 align=center>In <b>HTML</b></h1>\n\ntext", "In HTML"),
        ("text\n\n### Only heading {#id}\n", "Only heading"),
        ("Setext\n======\n", "Setext"),
        ("no heading", "notes"),
    ],
)
def test_titles(source: str, title: str) -> None:
    assert parse(source.encode(), "folder/notes.md").title == title


def test_windows_newlines_do_not_shift_spans() -> None:
    document = parse(b"# A\r\n\r\n* one\r\n* two\r\n", "a.md")
    assert spans(document) == ["# A", "* one", "* two"]


def test_unusual_line_separators_do_not_shift_spans() -> None:
    document = parse("# A\x0b\x0c\u2028\n\nb\x85c\n\n- d".encode(), "a.md")
    assert spans(document)[-1] == "- d"


def test_paragraphs_of_an_item_are_one_block() -> None:
    document = parse(b"- a\n\n  b\n\n  ```\n  c\n  ```\n\n  d\n", "a.md")
    assert kinds(document) == [("list_item", 1), ("code", 0), ("list_item", 1)]
    assert spans(document)[0] == "- a\n\n  b"


def test_a_term_and_its_definitions_are_one_block() -> None:
    document = parse(b"Term\n: one\n: two\n\nOther\n: three\n", "a.md")
    assert spans(document) == ["Term\n: one\n: two", "Other\n: three"]
    assert {block.kind for block in document.blocks} == {"definition"}


def test_an_html_table_with_blank_lines_is_one_block() -> None:
    document = parse(b"<table>\n<tr><td>\n\n# not a heading\n\n</td></tr>\n</table>\n\nafter\n", "a.md")
    assert kinds(document) == [("table", 0), ("paragraph", 0)]


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("[![badge](a.svg)](https://x) ![b](c)", "figure"),
        ("<img src=a.png>", "figure"),
        ("<a href=x><img src=a.png></a>", "figure"),
        ("![a](b) with words", "paragraph"),
        ("<!-- a -->", "comment"),
        ("<div>", "furniture"),
        ("<pre>\nx\n</pre>", "code"),
        ("[a]: b 'title'", "metadata"),
    ],
)
def test_kinds_of_single_blocks(source: str, kind: str) -> None:
    assert parse(source.encode(), "a.md").blocks[0].kind == kind


def test_a_caption_is_only_one_beside_its_table() -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |\n"
    document = parse(f"Table 1: far\n\nwords\n\nTable 2: near\n\n{table}".encode(), "a.md")
    assert [kind for kind, _ in kinds(document)] == ["paragraph", "paragraph", "caption", "table"]


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("# Tea\n\ntext\n", "Tea"),
        ("Tea\n===\n\ntext\n", "Tea"),
        ("intro\n\n## Install\n\n# Tea\n", "Tea"),
        ("# Tea [![build](https://a.b/c.svg)](https://a.b)\n", "Tea"),
        ('<h1 align="center">\n<img src="a.svg" alt="Tea"></h1>\n\n## Install\n', "Tea"),
        ("a\n\nb\n\nc\n\nd\n\n## Install\n\ne\n", "file"),
        ("no heading at all\n", "file"),
        ('---\ntitle: "Green tea"\n---\n\n# Tea\n', "Green tea"),
    ],
)
def test_the_title_is_what_the_document_opens_with(source: str, title: str) -> None:
    assert parse(source.encode(), "file.md").title == title
