"""Listings: line numbers are no code, every line stays a line."""

import pytest

from capsa.chunkers.parsers import parse

PROSE = (
    "<p>" + "The miller opens the gate when the tide has turned, and the wheel begins to move. " * 5 + "</p>"
)
CODE = "def ebb():\n    return 1"


def blocks(body: str) -> list[tuple[str, str, str]]:
    document = parse(f"<html><body><main>{PROSE}{body}</main></body></html>".encode(), "a.html")
    return [
        (block.kind, document.text[block.start : block.end], block.language) for block in document.blocks[1:]
    ]


@pytest.mark.parametrize(
    "listing",
    [
        "<pre><span class=linenos>1</span>def ebb():\n<span class=linenos>2</span>    return 1</pre>",
        "<table class=highlighttable><tr><td class=linenos><div class=linenodiv><pre>1\n2</pre></div></td>"
        "<td class=code><div class=highlight><pre><code>def ebb():\n    return 1</code></pre></div></td></tr>"
        "</table>",
        "<table class=rouge-table><tbody><tr><td class='rouge-gutter gl'><pre class=lineno>1\n2\n</pre></td>"
        "<td class=rouge-code><pre>def ebb():\n    return 1\n</pre></td></tr></tbody></table>",
        "<pre><code><table class=hljs-ln><tr><td class='hljs-ln-numbers'><div class=hljs-ln-n></div></td>"
        "<td class=hljs-ln-code>def ebb():</td></tr><tr><td class='hljs-ln-numbers'></td>"
        "<td class=hljs-ln-code>    return 1</td></tr></table></code></pre>",
        "<table class='highlight js-file-line-container'><tr><td class='blob-num' data-line-number=1></td>"
        "<td class='blob-code'>def ebb():</td></tr><tr><td class='blob-num' data-line-number=2></td>"
        "<td class='blob-code'>    return 1</td></tr></table>",
        "<pre class=prettyprint><ol class=linenums><li>def ebb():</li><li>    return 1</li></ol></pre>",
        "<pre><div class=line>def ebb():</div><div class=line>    return 1</div></pre>",
        "<pre><div class=line>def ebb():\n</div><div class=line>    return 1</div></pre>",
        "<pre><code><span class=token-line>def ebb():<br></span><span class=token-line>    return 1"
        "<br></span></code></pre>",
        "<pre><span class=lnt>1\n</span><span class=line>def ebb():\n</span>"
        "<span class=lnt>2\n</span><span class=line>    return 1\n</span></pre>",
    ],
)
def test_line_numbers_go_and_lines_stay(listing: str) -> None:
    assert [(kind, text) for kind, text, _ in blocks(listing)] == [("code", CODE)]


def test_the_file_name_above_a_numbered_listing_is_its_caption() -> None:
    listing = (
        "<div class='language-python highlight'><table class=highlighttable><tr><th colspan=2 class=filename>"
        "<span class=filename>tide.py</span></th></tr><tr><td class=linenos><pre>1\n2</pre></td>"
        f"<td class=code><pre>{CODE}</pre></td></tr></table></div>"
    )
    assert blocks(listing) == [("caption", "tide.py", ""), ("code", CODE, "python")]


@pytest.mark.parametrize("name", ["filename", "code-title", "highlight-caption", "codeBlockTitle_Ktv7"])
def test_a_title_above_a_listing_is_its_caption(name: str) -> None:
    listing = f"<div class=highlight><div class={name}>tide.py</div><pre>{CODE}</pre></div>"
    assert [(kind, text) for kind, text, _ in blocks(listing)] == [("caption", "tide.py"), ("code", CODE)]


def test_numbers_that_are_the_content_stay() -> None:
    assert blocks("<pre class=lineno>the numbers 1 2 3 of the lines</pre>")[0][1].startswith("the numbers")
