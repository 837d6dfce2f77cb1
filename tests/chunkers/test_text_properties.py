"""What holds of every document of the text family, whatever the bytes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capsa.chunkers.errors import ParseError
from capsa.chunkers.model import Document
from capsa.chunkers.parsers import parse
from capsa.chunkers.parsers.html_tables import MOST_COLUMNS

NAMES = ("a.html", "a.md", "a.txt", "a.rst", "a.org", "a.py", "a.csv", "a.json", "unknown")
HTML_PIECES = (
    "<p>", "</p>", "<div>", "</div>", "<ul>", "<li>", "</li>", "</ul>", "<ol>", "<dl>", "<dt>", "<dd>",
    "</dl>", "<table>", "<tr>", "<td>", "<td colspan=3>", "<td rowspan=9>", "<th>", "</table>",
    "<caption>", "<thead>", "<pre>", "</pre>", "<h1>", "</h1>", "<h3>", "<blockquote>", "</blockquote>",
    "<br>", "<hr>", "<img alt='a wheel'>", "<figure>", "<figcaption>", "<nav>", "</nav>", "<script>",
    "</script>", "<b>", "</b>", "<details>", "<summary>", "<main>", "</main>", "<custom-x>", "<!--",
    "-->", "&amp;", "&#0;", "<", ">", "word ", "\x01", "&#2;", "<svg>", "<select>",
    "Table 1: x", "\n", "\u2028",
)  # fmt: skip
SOURCE_PIECES = (
    "# ", "## ", "- ", "  - ", "1. ", "> ", "```\n", "    ", "| a | b |\n", "|---|---|\n", "---\n",
    "===\n", "\n", "\n\n", "word", " ", "<h1>", "</h1>", "<table>", "</table>", "<!--", "-->", "[^1]: ",
    "[a]: b\n", ": ", "$$\n", "* ", "** ", "#+begin_src\n", "#+end_src\n", ":a:\n", ":END:\n",
    ".. note:: x\n", ".. code::\n", "::\n", "== ==\n", "+---+\n", "+===+\n", "Figure 1: x\n",
    "![a](b)\n", "\f", "\t", '"""', "/*", "*/", "\r", "def f():\n", '"', ",", "\\", "\u2028",
)  # fmt: skip


def check(document: Document) -> None:
    """Blocks are sorted, disjoint, trimmed, and cover all that is not white space."""
    position = 0
    for block in document.blocks:
        assert position <= block.start < block.end <= len(document.text)
        assert not document.text[position : block.start].strip()
        assert document.text[block.start : block.end].strip()
        assert block.header_end is None or block.start < block.header_end <= block.end
        assert block.level >= 0
        position = block.end
    assert not document.text[position:].strip()
    assert (document.outcome == "empty") == (not document.blocks)
    document.text.encode("utf-8")
    assert "\0" not in document.text


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=60, deadline=None)
@given(data=st.binary(max_size=400))
def test_any_bytes_give_a_document_or_a_parse_error(name: str, data: bytes) -> None:
    try:
        document = parse(data, name)
    except ParseError as error:
        reason = error.reason
    else:
        check(document)
        return
    assert reason in ("empty", "binary", "unsupported", "damaged")


@settings(max_examples=300, deadline=None)
@given(pieces=st.lists(st.sampled_from(HTML_PIECES), max_size=40))
def test_any_html_gives_a_sound_document(pieces: list[str]) -> None:
    # The spaces keep the share of control characters below what is taken for a binary file.
    check(parse(("<html><body>" + " " * 500 + "".join(pieces)).encode(), "a.html"))


@pytest.mark.parametrize("name", ["a.md", "a.txt", "a.rst", "a.org", "a.py", "a.csv"])
@settings(max_examples=150, deadline=None)
@given(pieces=st.lists(st.sampled_from(SOURCE_PIECES), max_size=40))
def test_any_source_is_kept_verbatim(name: str, pieces: list[str]) -> None:
    source = "words " + "".join(pieces)
    document = parse(source.encode(), name)
    check(document)
    assert document.text == source.replace("\r\n", "\n").replace("\r", "\n")


@settings(max_examples=100, deadline=None)
@given(
    rows=st.lists(
        st.lists(st.text("abc ", min_size=1, max_size=5), min_size=1, max_size=5), min_size=2, max_size=6
    )
)
def test_table_cells_stay_apart_and_in_order(rows: list[list[str]]) -> None:
    markup = "".join("<tr>" + "".join(f"<td>x{cell}</td>" for cell in row) + "</tr>" for row in rows)
    document = parse(f"<table><caption>c</caption>{markup}</table>".encode(), "a.html")
    expected = "\n".join("\t".join(" ".join(f"x{cell}".split()) for cell in row) for row in rows)
    table = document.blocks[-1]
    assert (table.kind, document.text[table.start : table.end]) == ("table", expected)


def test_a_row_of_hostile_spans_is_bounded() -> None:
    row = b"<tr>" + b"<td colspan=65000>x</td>" * 200 + b"</tr>"
    document = parse(b"<table><tr><th>a</th></tr>" + row * 3 + b"</table>", "a.html")
    assert len(document.text) < 4 * (MOST_COLUMNS + 200) * 3
