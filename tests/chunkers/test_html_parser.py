"""What of a page is content, and what it says about itself."""

import json
import re
import unicodedata
from pathlib import Path

import pytest

from capsa.chunkers.model import Document
from capsa.chunkers.parsers import parse

PROSE = (
    "<p>" + "The miller opens the gate when the tide has turned, and the wheel begins to move. " * 5 + "</p>"
)


def page(body: str, head: str = "") -> Document:
    return parse(f"<!DOCTYPE html><html><head>{head}</head><body>{body}</body></html>".encode(), "a.html")


def kinds(document: Document) -> list[str]:
    return [block.kind for block in document.blocks]


@pytest.mark.parametrize(
    "furniture",
    [
        "<nav><a href=/>Start here</a></nav>",
        "<div role=navigation><a href=/>Start here</a></div>",
        "<footer><p><a href=/>Start here</a></p></footer>",
        "<aside><a href=/>Start here</a></aside>",
        "<form><label>Start here</label><input></form>",
        "<div id=cookie-consent><p>Start here and accept.</p></div>",
        "<div class=sidebar><ul><li><a href=/>Start here</a></li><li><a href=/b>Next</a></li></ul></div>",
        "<p hidden>Start here</p>",
        "<p style='color: red; display: none'>Start here</p>",
        "<span aria-hidden=true>Start here</span>",
        "<a class=skip-link href=#x>Start here</a>",
        "<script>Start here</script>",
        "<style>Start here</style>",
        "<template><p>Start here</p></template>",
        "<button>Start here</button>",
    ],
)
def test_furniture_is_left_out(furniture: str) -> None:
    text = page(f"{furniture}<main><h1>Mills</h1>{PROSE}</main>{furniture}").text
    assert "Start here" not in text
    assert "miller opens" in text


@pytest.mark.parametrize(
    "content",
    [
        "<aside class='admonition warning'><p>Keep this.</p></aside>",
        "<aside class=footnote><p>Keep this.</p></aside>",
        "<ul><li><a href=/a>Keep this.</a></li></ul>",
        "<form><p>Keep this.</p><table><tr><td>a<td>b</table></form>",
        "<div class=navigation-lights><p>Keep this.</p></div>",
        "<header><h2>Keep this.</h2></header>",
        "<details><summary>Keep this.</summary></details>",
        "<p hidden=until-found>Keep this.</p>",
        "<svg><text>x</text></svg><p>Keep this.</p>",
    ],
)
def test_content_is_kept(content: str) -> None:
    assert "Keep this." in page(f"<article>{PROSE}{content}{PROSE}</article>").text


def test_a_page_wrapped_in_a_form_is_not_empty() -> None:
    assert "miller" in page(f"<form>{PROSE}</form>").text


def test_a_page_of_links_only_is_kept() -> None:
    links = "".join(f"<li><a href=/{number}>Mill number {number}</a></li>" for number in range(30))
    assert "Mill number 29" in page(f"<h1>All mills</h1><ul>{links}</ul>").text


def test_the_title_above_the_main_element_is_kept() -> None:
    assert page(f"<header><h1>Mills</h1></header><main>{PROSE}</main>").blocks[0].kind == "heading"


def test_text_in_noscript_only() -> None:
    assert "miller" in page(f"<div id=root></div><noscript>{PROSE}</noscript>").text


def test_noscript_beside_text_is_left_out() -> None:
    assert "enable" not in page(f"{PROSE}<noscript>Please enable scripts</noscript>").text


def test_text_in_structured_data_only() -> None:
    data = json.dumps(
        {"@graph": [{"headline": "Mills", "articleBody": "The wheel turns.\n\nThe gate <b>shuts</b>."}]}
    )
    document = page("<div id=root></div>", f'<script type="application/ld+json">{data}</script>')
    assert document.text == "Mills\n\nThe wheel turns.\n\nThe gate shuts."


@pytest.mark.parametrize(
    ("kind", "record", "text"),
    [
        (
            "application/ld+json; charset=utf-8",
            {"mainEntity": [{"name": "When?", "acceptedAnswer": {"text": "<p>At ebb.</p>"}}]},
            "When?\n\nAt ebb.",
        ),
        (
            "application/ld+json",
            {"@type": "HowTo", "name": "Grind", "step": [{"text": "Open it."}, {"text": "Wait."}]},
            "Grind\n\nOpen it.\n\nWait.",
        ),
    ],
)
def test_questions_and_steps_in_structured_data_only(kind: str, record: dict[str, object], text: str) -> None:
    head = f'<script type="{kind}">{json.dumps(record)}</script>'
    assert page("<div id=root></div>", head).text == text


def test_metadata_from_structured_data() -> None:
    data = json.dumps([{"datePublished": "2020-01-02", "author": [{"name": "A"}, {"name": "B"}]}])
    metadata = page(PROSE, f'<script type="application/ld+json">{data}</script>').metadata
    assert (metadata["date"], metadata["author"]) == ("2020-01-02", "A B")


@pytest.mark.parametrize("data", ["{", "[" * 100_000, "null", "3", '{"@graph": 3}'])
def test_broken_structured_data_says_nothing(data: str) -> None:
    assert "date" not in page(PROSE, f'<script type="application/ld+json">{data}</script>').metadata


@pytest.mark.parametrize(
    ("head", "title"),
    [
        ("<title>  A\n title </title><meta property=og:title content='Shared'>", "Shared"),
        ("<title>  A\n title </title>", "A title"),
        ("", "Mills"),
    ],
)
def test_titles(head: str, title: str) -> None:
    assert page(f"<h1>Mills</h1>{PROSE}", head).title == title


@pytest.mark.parametrize(
    ("classes", "language"),
    [
        ("<pre class='language-python'>x</pre>", "python"),
        ("<pre><code class='language-js hljs'>x</code></pre>", "javascript"),
        ("<div class='highlight-rust notranslate'><pre>x</pre></div>", "rust"),
        ("<div class='highlight highlight-source-shell'><pre>x</pre></div>", "shell"),
        ("<pre class='sourceCode haskell'>x</pre>", "haskell"),
        ("<pre class='brush: java'>x</pre>", "java"),
        ("<pre data-lang=go>x</pre>", "go"),
        (
            "<div class=language-bash><table class=highlighttable><tr><td><pre>x</pre></table></div>",
            "bash",
        ),
        (f"<div class='lang-en'>{PROSE}<pre>x</pre></div>", ""),
        ("<div class='highlight-default notranslate'><pre>x</pre></div>", ""),
        ("<pre>x</pre>", ""),
    ],
)
def test_code_languages(classes: str, language: str) -> None:
    block = page(PROSE + classes).blocks[-1]
    assert (block.kind, block.language) == ("code", language)


def test_line_numbers_are_not_code() -> None:
    code = "<pre><span class=linenos>1</span>x = 1\n<span class=linenos>2</span>y = 2</pre>"
    document = page(PROSE + code)
    assert document.text.endswith("x = 1\ny = 2")


def test_line_breaks_in_code_and_text() -> None:
    assert page("<p>one<br>two</p><pre>a<br>b</pre>").text == "one\ntwo\n\na\nb"


def test_a_layout_table_is_no_table() -> None:
    document = page(f"<table><tr><td>{PROSE}</td><td><h2>Right</h2>{PROSE}</td></tr></table>")
    assert kinds(document) == ["paragraph", "heading", "paragraph"]


def test_a_table_of_divisions_is_known_by_its_roles() -> None:
    rows = "<div role=row><span role=columnheader>a</span><span role=columnheader>b</span></div>"
    rows += "<div role=rowgroup><div role=row><span role=cell>1</span><span role=cell>2</span></div></div>"
    document = page(f"{PROSE}<div role=table>{rows}</div>")
    table = document.blocks[-1]
    assert (table.kind, document.text[table.start : table.end]) == ("table", "a\tb\n1\t2")
    assert table.header_end == table.start + 3


def test_a_table_in_a_cell_is_part_of_the_cell() -> None:
    document = page(
        "<table><tr><th>a</th><th>b</th></tr><tr><td><table><tr><td>x<td>y</table></td><td>z</td></tr></table>"
    )
    assert document.text == "a\tb\nx y\tz"


def test_spans_are_laid_out() -> None:
    rows = "<tr><th>k<th>v<th>w<tr><td rowspan=2>x<td>1<td>2<tr><td>3<td>4<tr><td colspan=2>wide<td>5"
    assert page(f"<table>{rows}</table>").text == "k\tv\tw\nx\t1\t2\nx\t3\t4\nwide\t\t5"


def test_formulas_are_their_tex() -> None:
    mathml = "<math alttext='x^2'><mi>x</mi><mn>2</mn></math>"
    script = '<script type="math/tex">y^3</script>'
    assert page(f"<p>Area {mathml} and {script} end</p>").text == "Area x^2 and y^3 end"


def normalise(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).lower().replace("\u00ad", "")
    plain = re.sub("[‘’‚‛`´]", "'", re.sub("[“”„‟«»]", '"', re.sub("[‐‑‒–—―−]", "-", plain)))
    return " ".join(plain.split())


@pytest.mark.data
def test_no_evidence_of_the_development_set_is_lost(data: Path) -> None:
    folder = data / "het"
    questions = [json.loads(line) for line in (folder / "questions.jsonl").read_text().splitlines()]
    read = sorted({row["doc"] for row in questions if not row["doc"].endswith(".pdf")})
    texts = {doc: normalise(parse((folder / doc).read_bytes(), doc).text) for doc in read}
    wanted = [
        (row["doc"], evidence)
        for row in questions
        if row["doc"] in texts
        for evidence in row["required_evidence"]
    ]
    assert wanted
    assert [(doc, evidence) for doc, evidence in wanted if normalise(evidence) not in texts[doc]] == []


@pytest.mark.parametrize(
    ("figure", "found_by"),
    [
        ("<figure><img src=a.png alt=''><figcaption>The wheel</figcaption></figure>", "html:picture"),
        ("<figure><img src=a.png alt='Oak'><figcaption>The wheel</figcaption></figure>", "html:figcaption"),
        ("<figure><pre>x</pre><figcaption>The wheel</figcaption></figure>", "html:figcaption"),
        ("<div class=wp-caption><img src=a.png><p class=wp-caption-text>The wheel</p></div>", "html:picture"),
        ("<center><img src=a.png><br>Figure 1: The wheel</center>", "html:picture"),
        ("<img src=b.png><div><p class=caption>The wheel</p></div>", "html:p"),
    ],
)
def test_the_caption_of_a_picture_without_words_stands_for_it(figure: str, found_by: str) -> None:
    captions = [block for block in page(f"<main>{PROSE}{figure}</main>").blocks if block.kind == "caption"]
    assert [block.found_by for block in captions] == [found_by]


def test_control_characters_behind_a_table_or_a_figure_break_nothing() -> None:
    odd = "\x01\x0b odd"
    table = f"<table><tr><td>one<td>two</table>{odd} behind the table"
    figure = f"<figure><img src=a.png><figcaption>Figure 1: a mill</figcaption></figure>{odd} behind it"
    document = page(PROSE + table + PROSE + f"<pre>code</pre>{odd}" + figure + PROSE)
    assert "behind the table" in document.text
