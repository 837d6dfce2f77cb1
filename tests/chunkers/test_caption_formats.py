"""Captions bound to what they explain, whatever the format, the label and the side on which they stand."""

import pytest
from pdf_samples import STYLES, WORDS, draw, flow, text_lines
from reportlab.lib import colors
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, Preformatted, Table

from capsa.chunkers.bind import find_groups
from capsa.chunkers.model import Document
from capsa.chunkers.parsers import parse
from capsa.chunkers.strategies import chunk
from capsa.chunkers.tokens import Tokenizer

PROSE = "<p>The harbour office keeps a record of every vessel that enters the bay and of its cargo.</p>"
BODY = STYLES["BodyText"]
CODE = "berth = quay.give(ship)\nprint(berth)"
ROWS = [["Port", "Vessels"], ["Alba", "12"], ["Brea", "7"]]

HTML = {
    "table": "<table><tr><th>Port</th><th>Vessels</th></tr><tr><td>Alba</td><td>12</td></tr></table>",
    "figure": "<p><img src=a.png alt='The wheel of the mill'></p>",
    "code": f"<pre>{CODE}</pre>",
}
MARKDOWN = {
    "table": "| Port | Vessels |\n|---|---|\n| Alba | 12 |",
    "figure": "![The wheel of the mill](a.png)",
    "code": f"```\n{CODE}\n```",
}
LABELS = [
    ("table", "Table 3: Ports of the bay"),
    ("table", "Tab. 3 – Ports of the bay"),
    ("table", "Tabelle 3. Häfen der Bucht"),
    ("figure", "Fig. 2a. The wheel"),
    ("figure", "Figure 2(b) The wheel"),
    ("figure", "Abb. 2: Das Rad"),
    ("code", "Listing 4.1 Giving berths"),
    ("code", "Code 1. Giving berths"),
    ("code", "Algorithm 2: Giving berths"),
]


def page(body: str) -> Document:
    """Parse a page with the body between paragraphs."""
    source = f"<html><body><main><h1>Mill</h1>{PROSE}{body}{PROSE}</main></body></html>"
    return parse(source.encode(), "mill.html")


def note(body: str) -> Document:
    """Parse Markdown with the body between paragraphs."""
    return parse(f"# Mill\n\nWords of it.\n\n{body}\n\nMore words.\n".encode(), "mill.md")


def bound(document: Document, kind: str, words: str) -> bool:
    """Say whether a block that holds the words, as a caption or a paragraph, is in a group of the kind."""
    return any(
        group.kind == kind
        and document.blocks[group.item].kind == kind
        and words in document.text[block.start : block.end]
        for group in find_groups(document)
        for block in document.blocks[group.first : group.last]
        if block.kind in ("caption", "paragraph")
    )


def captions(document: Document) -> list[str]:
    return [document.text[block.start : block.end] for block in document.blocks if block.kind == "caption"]


@pytest.mark.parametrize("below", [False, True], ids=["above", "below"])
@pytest.mark.parametrize(("kind", "label"), LABELS)
class TestLabels:
    """A paragraph that begins with a label is a caption beside what it names."""

    def test_html(self, kind: str, label: str, below: bool) -> None:
        parts = [f"<p>{label}</p>", HTML[kind]]
        document = page("".join(parts[::-1] if below else parts))
        assert captions(document) == [label]
        assert bound(document, kind, label)

    def test_markdown(self, kind: str, label: str, below: bool) -> None:
        parts = [f"**{label}**", MARKDOWN[kind]]
        document = note("\n\n".join(parts[::-1] if below else parts))
        assert captions(document) == [f"**{label}**"]
        assert bound(document, kind, label)

    def test_pdf(self, kind: str, label: str, below: bool) -> None:
        def paint(canvas: Canvas) -> None:
            text_lines(canvas, 60, 740, [WORDS[:90]] * 3, "Times-Roman")
            text_lines(canvas, 60, 558 if below else 690, [label], "Times-Roman")
            if kind == "code":
                text_lines(canvas, 60, 668, [*CODE.split("\n")] * 4, "Courier")
            elif kind == "figure":
                canvas.circle(180, 625, 50)
                canvas.line(130, 625, 230, 640)
                canvas.line(180, 575, 200, 675)
                canvas.drawCentredString(180, 630, "Wheel")
            else:
                for number, row in enumerate(ROWS):
                    canvas.line(60, 680 - 34 * number, 260, 680 - 34 * number)
                    canvas.drawString(66, 660 - 34 * number, row[0])
                    canvas.drawString(166, 660 - 34 * number, row[1])
                canvas.line(60, 578, 260, 578)
            text_lines(canvas, 60, 520, [WORDS[:90]] * 3, "Times-Roman")

        document = parse(draw(paint), "mill.pdf")
        assert captions(document) == [label]
        assert bound(document, kind, label)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("table", HTML["table"].replace("<table>", "<table><caption>Ports of the bay</caption>")),
        (
            "table",
            HTML["table"].replace("<table>", "<table aria-describedby=d>") + "<p id=d>Ports of the bay</p>",
        ),
        (
            "table",
            "<p id=d>Ports of the bay</p>" + HTML["table"].replace("<table>", "<table aria-describedby='d'>"),
        ),
        ("table", f"<figure><figcaption>Ports of the bay</figcaption>{HTML['table']}</figure>"),
        ("code", f"<figure>{HTML['code']}<figcaption>Ports of the bay</figcaption></figure>"),
        ("code", "<p id=d>Ports of the bay</p>" + HTML["code"].replace("<pre>", "<pre aria-describedby=d>")),
        ("code", f"<div class=code-block-caption>Ports of the bay</div>{HTML['code']}"),
        (
            "figure",
            "<figure><img src=a.png alt='Mill wheel'><figcaption>Ports of the bay</figcaption></figure>",
        ),
        ("figure", "<img src=a.png alt='Mill wheel' aria-describedby=d><p id=d>Ports of the bay</p>"),
    ],
)
def test_captions_that_html_marks(kind: str, body: str) -> None:
    document = page(body)
    assert captions(document) == ["Ports of the bay"]
    assert bound(document, kind, "Ports of the bay")


@pytest.mark.parametrize("make", [page, note])
def test_alternative_text_speaks_for_a_picture(make) -> None:
    source = HTML if make is page else MARKDOWN
    figures = [block for block in make(source["figure"]).blocks if block.kind == "figure"]
    assert len(figures) == 1
    document = make(source["figure"])
    assert "The wheel of the mill" in document.text[figures[0].start : figures[0].end]


ANNOUNCING = "The berth is given by these lines:"


def announced_in_pdf() -> Document:
    story = [Paragraph(WORDS, BODY), Paragraph(ANNOUNCING, BODY), Preformatted(CODE, STYLES["Code"])]
    return parse(flow([*story, Paragraph(WORDS, BODY)]), "mill.pdf")


@pytest.mark.parametrize(
    "document",
    [
        page(f"<p>{ANNOUNCING}</p>{HTML['code']}"),
        page(f"<ul><li>Go.</li><li>{ANNOUNCING}{HTML['code']}</li></ul>"),
        page(f"<dl><dt>berth</dt><dd>{ANNOUNCING}{HTML['code']}</dd></dl>"),
        note(f"{ANNOUNCING}\n\n{MARKDOWN['code']}"),
        note(f"{ANNOUNCING}\n{MARKDOWN['code']}"),
        announced_in_pdf(),
    ],
    ids=["html", "html item", "html definition", "markdown", "markdown without a blank line", "pdf"],
)
def test_the_sentence_that_announces_code_is_in_its_chunk(document: Document, tokenizer: Tokenizer) -> None:
    texts = [document.text[one.start : one.end] for one in chunk(document, tokenizer)]
    assert all(ANNOUNCING in text for text in texts if CODE.split("\n")[0] in text)
    assert [group.kind for group in find_groups(document)] == ["code"]


NAMES = [["Port", "Vessels", "Tonnage"], *([f"Port {n}", str(n), str(100 * n)] for n in range(120))]


def long_table(format_name: str) -> Document:
    """Parse a table of 120 rows below the caption "Table 7: All ports"."""
    if format_name == "markdown":
        lines = [f"| {' | '.join(row)} |" for row in NAMES]
        return note("\n".join(["Table 7: All ports", "", lines[0], "|---|---|---|", *lines[1:]]))
    if format_name == "html":
        cells = ["".join(f"<td>{cell}</td>" for cell in row) for row in NAMES]
        head = cells[0].replace("td>", "th>")
        rows = "".join(f"<tr>{row}</tr>" for row in (head, *cells[1:]))
        return page(f"<table><caption>Table 7: All ports</caption>{rows}</table>")
    table = Table(NAMES, repeatRows=1, style=[("GRID", (0, 0), (-1, -1), 0.5, colors.black)])
    return parse(flow([Paragraph(WORDS, BODY), Paragraph("Table 7: All ports", BODY), table]), "ports.pdf")


@pytest.mark.parametrize("format_name", ["html", "markdown", "pdf"])
def test_windows_of_a_long_table_repeat_caption_and_head(format_name: str, tokenizer: Tokenizer) -> None:
    document = long_table(format_name)
    [table] = [block for block in document.blocks if block.kind == "table"]
    windows = [window for one in chunk(document, tokenizer) for window in one.windows]
    inside = [window for window in windows if table.start < window.start < table.end]
    assert len(inside) > 2
    for window in inside:
        repeated = " ".join(document.text[start:end] for start, end in window.context)
        assert "Table 7: All ports" in repeated
        assert all(name in repeated for name in NAMES[0])
