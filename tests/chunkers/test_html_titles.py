"""Notes, tabs and described figures of documentation generators: the title and its text are one block."""

import pytest

from capsa.chunkers.model import Document
from capsa.chunkers.parsers import parse

PROSE = (
    "<p>" + "The miller opens the gate when the tide has turned, and the wheel begins to move. " * 5 + "</p>"
)


def page(body: str) -> Document:
    return parse(f"<html><body><main><h1>Mills</h1>{PROSE}{body}</main></body></html>".encode(), "a.html")


def last(body: str) -> list[tuple[str, str]]:
    """Return kind and text of the blocks after the page's opening."""
    document = page(body)
    return [(block.kind, document.text[block.start : block.end]) for block in document.blocks[2:]]


@pytest.mark.parametrize(
    "note",
    [
        "<div class='admonition note'><p class=admonition-title>Note</p><p>Neap tides give less.</p></div>",
        "<details class=note><summary>Note</summary><p>Neap tides give less.</p></details>",
        "<details><summary>Note</summary>Neap tides give less.</details>",
        "<div class='theme-admonition theme-admonition-note alert alert--info'>"
        "<div class='admonitionHeading_x'><span><svg></svg></span>Note</div>"
        "<div class='admonitionContent_y'><p>Neap tides give less.</p></div></div>",
        "<div class='admonitionblock note'><table><tr><td class=icon><div class=title>Note</div></td>"
        "<td class=content>Neap tides give less.</td></tr></table></div>",
        "<div class='admonitionblock note'><table><tr><td class=icon><img src=n.png alt=Note></td>"
        "<td class=content>Neap tides give less.</td></tr></table></div>",
        "<div class=note><table><tr><td rowspan=2><img alt='[Note]' src=n.png></td><th>Note</th></tr>"
        "<tr><td><p>Neap tides give less.</p></td></tr></table></div>",
        "<div class=note><h3 class=title>Note</h3><p>Neap tides give less.</p></div>",
        "<div class=markdown-alert><p class=markdown-alert-title>Note</p><p>Neap tides give less.</p></div>",
        "<div class=custom-block><p class=custom-block-title>Note</p><p>Neap tides give less.</p></div>",
    ],
)
def test_a_note_is_one_block_with_its_title(note: str) -> None:
    assert last(note) == [("paragraph", "Note\nNeap tides give less.")]


def test_a_title_right_before_code_is_a_paragraph_of_its_own() -> None:
    note = "<div class='admonition tip'><p class=admonition-title>Tip</p><pre>mill --ebb</pre></div>"
    assert last(note) == [("paragraph", "Tip"), ("code", "mill --ebb")]


def test_a_note_without_a_title_is_a_paragraph() -> None:
    assert last("<div class=note><p>Neap <b>tides</b> give less.</p></div>") == [
        ("paragraph", "Neap tides give less.")
    ]


def test_the_heading_of_an_example_is_the_caption_of_its_code() -> None:
    example = "<div class=example><h3>Example</h3><pre>mill --ebb</pre></div>"
    assert last(example) == [("caption", "Example"), ("code", "mill --ebb")]


@pytest.mark.parametrize(
    "tabs",
    [
        "<div class='tabbed-set tabbed-alternate'><input><div class=tabbed-labels><label>Linux</label>"
        "<label>macOS</label></div><div class=tabbed-content><div class=tabbed-block><p>Use apt.</p></div>"
        "<div class=tabbed-block><p>Use brew.</p></div></div></div>",
        "<div class=tabs-container><ul role=tablist class=tabs><li role=tab>Linux</li><li role=tab>macOS</li>"
        "</ul><div><div role=tabpanel><p>Use apt.</p></div><div role=tabpanel hidden><p>Use brew.</p></div>"
        "</div></div>",
        "<div class='sphinx-tabs'><div role=tablist><button role=tab>Linux</button><button role=tab>macOS"
        "</button></div><div role=tabpanel class=sphinx-tabs-panel>Use apt.</div>"
        "<div role=tabpanel class=sphinx-tabs-panel hidden=true>Use brew.</div></div>",
        "<div class=sd-tab-set><input><label class=sd-tab-label>Linux</label><div class=sd-tab-content>"
        "<p>Use apt.</p></div><input><label class=sd-tab-label>macOS</label><div class=sd-tab-content>"
        "<p>Use brew.</p></div></div>",
        "<ul class='nav nav-tabs'><li><a href=#l>Linux</a></li><li><a href=#m>macOS</a></li></ul>"
        "<div class=tab-content><div class=tab-pane id=l>Use apt.</div><div class=tab-pane id=m>Use brew."
        "</div></div>",
    ],
)
def test_each_tab_is_a_block_with_its_label(tabs: str) -> None:
    assert last(tabs) == [("paragraph", "Linux\nUse apt."), ("paragraph", "macOS\nUse brew.")]


def test_labels_that_match_no_panels_stay_text() -> None:
    labels = "<li role=tab>Linux</li><li role=tab>macOS</li>"
    tabs = f"<ul role=tablist>{labels}</ul><div role=tabpanel>Use apt.</div>"
    assert "Linux" in page(tabs).text
    assert "Use apt." in page(tabs).text


def test_what_aria_describedby_names_is_the_caption() -> None:
    described = (
        "<table aria-describedby=t1><tr><th>Estuary</th><th>Mills</th></tr><tr><td>Deben</td><td>3</td></tr>"
        f"</table>{PROSE}<p id=t1>Mills by estuary</p>"
    )
    assert [kind for kind, _ in last(described)] == ["table", "caption", "paragraph"]
    assert last(described)[1][1] == "Mills by estuary"


@pytest.mark.parametrize("target", ["absent", "around", "long"])
def test_a_description_that_cannot_be_a_caption_stays(target: str) -> None:
    body = (
        f"<div id=around><img alt='A wheel' src=a.png aria-describedby={target}><p>Seen at ebb.</p></div>"
        f"<p id=long>{'Long words. ' * 50}</p>"
    )
    assert [kind for kind, _ in last(body)] == ["figure", "paragraph", "paragraph"]


def test_display_formulas_are_equations() -> None:
    formulas = (
        "<div class=math>\\[e = mc^2\\]</div><script type='math/tex; mode=display'>a^2</script>"
        "<math display=block alttext='b^3'><mi>b</mi></math>"
    )
    assert last(formulas) == [("equation", "\\[e = mc^2\\]"), ("equation", "a^2"), ("equation", "b^3")]


def test_a_footnote_is_one_block_with_its_mark_and_without_the_way_back() -> None:
    notes = (
        "<aside class=footnote><span class=label>[1]</span><p>As of 1795.</p></aside>"
        "<div class=footnotes><ol><li><p>As of 1796. <a class=footnote-backref href=#r>↩</a></p></li></ol>"
        "</div>"
    )
    assert last(notes) == [("footnote", "[1]\nAs of 1795."), ("footnote", "As of 1796.")]


def test_thousands_of_tabs_and_descriptions_are_read_all_the_same() -> None:
    tabs = "<ul role=tablist><li role=tab>Linux</li></ul>" * 5000
    described = "<img alt='A wheel of oak, seen at ebb' src=a.png aria-describedby=t>" * 5000
    text = page(f"{tabs}<div role=tabpanel>Use apt.</div>{described}<p id=t>The wheel</p>").text
    assert text.count("Linux") == 5000
    assert "The wheel" in text
