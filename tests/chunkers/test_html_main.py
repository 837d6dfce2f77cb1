"""What is content of pages as sites build them: news, blogs, manuals, with all that stands around it."""

import pytest
from lxml import etree

from capsa.chunkers.model import Document
from capsa.chunkers.parsers import parse
from capsa.chunkers.parsers.html_measures import Measures

SENTENCES = "The miller opens the gate when the tide has turned, and the wheel begins to move. "
PROSE = f"<p>{SENTENCES * 4}</p>"
TEASERS = "".join(
    f"<li><a href=/{word}>News of {word} and of all who live there</a></li>"
    for word in ("Deben", "Orwell", "Stour", "Alde", "Blyth", "Ore")
)


def page(body: str, title: str = "Mills | Tide Times") -> Document:
    html = f"<!DOCTYPE html><html><head><title>{title}</title></head><body>{body}</body></html>"
    return parse(html.encode(), "a.html")


def news(*, before: str = "", inside: str = "", after: str = "") -> Document:
    """A page without landmarks: the article is one division of many."""
    return page(
        "<div id=wrap><div class=top><a href=/>Home</a> <a href=/sport>Sport</a></div>"
        f"<div class=cols><div class=c1>{before}<h1>Mills</h1>"
        f"<div class=text>{PROSE}{inside}{PROSE * 3}</div>{after}</div>"
        f"<div class=c2><h3>More</h3><ul>{TEASERS}</ul></div></div>"
        "<div class=bottom>Printed on recycled electrons</div></div>"
    )


def test_what_stands_beside_the_article_goes() -> None:
    document = news()
    assert [block.kind for block in document.blocks] == ["heading"] + ["paragraph"] * 4
    assert document.blocks[0].level == 1


@pytest.mark.parametrize(
    "furniture",
    [
        "<div class=share-tools>Unwanted <a href=#>Tweet</a></div>",
        "<div class='social'>Unwanted</div>",
        "<div id=relatedArticles><h4>Unwanted</h4><a href=/a>The mill of Woodbridge</a></div>",
        "<ul class=tags><li><a href=/t>Unwanted</a></li></ul>",
        "<div class='newsletter-signup'><p>Unwanted letters, every Friday.</p></div>",
        "<div class='comment-list'><a href=#c>Unwanted: 12 comments</a></div>",
        "<div class='next-page-link prev-next'><a href=/2>Unwanted</a></div>",
    ],
)
def test_bars_inside_the_article_go(furniture: str) -> None:
    assert "Unwanted" not in news(inside=furniture).text
    assert "Unwanted" not in news(after=furniture).text


@pytest.mark.parametrize(
    "content",
    [
        "<ul><li><a href=/a>Wanted</a></li><li><a href=/b>and linked</a></li></ul>",
        "<div class=tidal-tools><table><tr><th>Wanted</th></tr><tr><td>1</td></tr></table></div>",
        "<h2 id=related>Wanted</h2>",
        "<section id=comments><h2>Wanted</h2><p>Section about comments.</p></section>",
        "<div class='section' id=footer><h2>Wanted</h2></div>",
        "<p class=topic-title>Wanted</p>",
        "<dl><dt>Wanted</dt><dd>A wish.</dd></dl>",
        "<figure><img src=a.png alt=''><figcaption>Wanted</figcaption></figure>",
        "<pre>Wanted = 1</pre>",
    ],
)
def test_parts_of_the_article_stay(content: str) -> None:
    assert "Wanted" in news(inside=content).text


def test_comments_of_readers_are_marked_and_come_last() -> None:
    said = "".join(f"<li><b>Reader {number}</b><p>{SENTENCES}</p></li>" for number in range(3))
    document = news(before=f"<div id=comments><h3>Comments</h3><ol>{said}</ol><form><input></form></div>")
    kinds = [block.kind for block in document.blocks]
    assert kinds[:5] == ["heading", "paragraph", "paragraph", "paragraph", "paragraph"]
    assert set(kinds[5:]) == {"comment"}
    assert "Reader 2" in document.text


@pytest.mark.parametrize(
    "around",
    [
        "<div id=comments class=comments-area><ol class=comment-list>%s</ol></div>",
        "<section class=comments><dl id=comments-block><dd class=comment-body>%s</dd></dl></section>",
        "<div id=disqus_thread>%s</div>",
        "<div class=responsesWrapper><h2>Responses</h2>%s</div>",
        "<section id=isso-thread><div class=isso-comment>%s</div></section>",
    ],
)
def test_comments_are_known_by_what_programs_name_them(around: str) -> None:
    document = page(f"<article><h1>Mills</h1>{PROSE * 3}</article>{around % ('<p>Well said. ' + SENTENCES)}")
    said = [block for block in document.blocks if "Well said" in document.text[block.start : block.end]]
    assert [block.kind for block in said] == ["comment"]


def test_a_discussion_that_is_the_page_is_its_content() -> None:
    posts = "".join(f"<li><p>{SENTENCES * 2}</p></li>" for _ in range(5))
    document = page(f"<h1>Mills</h1><div class=comments><ol>{posts}</ol></div>")
    assert "comment" not in {block.kind for block in document.blocks}
    assert document.text.count("miller") == 10


def test_the_title_in_a_header_of_links_stays_alone() -> None:
    header = f"<div class=header><h1>Mills</h1><ul>{TEASERS}</ul></div>"
    document = page(f"<div>{header}<div>{PROSE * 4}</div></div>")
    assert document.blocks[0].kind == "heading"
    assert "Deben" not in document.text


def test_sections_of_a_manual_stay_though_one_holds_most_of_it() -> None:
    sections = (
        f"<div class=sect1><h2>Turning</h2>{PROSE * 9}</div>"
        f"<div class=sect1><h2>See also</h2><ul>{TEASERS}</ul></div>"
    )
    assert "Alde" in page(f"<div class=book><h1>Mills</h1>{sections}</div>").text


def test_an_index_of_links_in_the_main_element_stays() -> None:
    lists = "".join(
        f"<section><h2><a href=#{n}>Part {n}</a></h2><ul>{TEASERS}</ul></section>" for n in range(4)
    )
    document = page(f"<nav>{TEASERS}</nav><main><h1>Mills</h1>{PROSE}{lists}</main>")
    assert [block.kind for block in document.blocks].count("heading") == 5
    assert document.text.count("Orwell") == 4


def test_measures_follow_what_is_dropped() -> None:
    root = etree.HTML(
        f"<body><div><p>{SENTENCES}</p><p>Short.</p><a href=/>Link</a> tail</div><pre>x = 1</pre></body>"
    )
    body = root.find("body")
    measures = Measures(body)
    div, pre = body
    sentence = len(SENTENCES.strip())
    assert measures.text(body) == sentence + len("Short.") + len("Link") + len("tail") + len("x = 1")
    assert (measures.prose(div), measures.prose(pre)) == (sentence, 5)
    measures.drop(div[0])
    assert (measures.prose(body), measures.text(div)) == (5, len("Short.") + len("Link") + len("tail"))
    assert measures.density(div) == pytest.approx(4 / 14)


def test_the_heading_of_a_table_of_contents_goes_with_it() -> None:
    toc = "".join(f"<li><a href=#p{number}>Part {number}</a></li>" for number in range(5))
    section = f"<div class=sect1><h2>1. Table of Contents</h2><div class=toc><ul>{toc}</ul></div></div>"
    told = "<section><h2>Contents</h2><p>What a barrel of flour held.</p></section>"
    text = page(f"<h1>Mills</h1>{section}{PROSE * 2}{told}").text
    assert "Table of Contents" not in text
    assert "Contents" in text


def test_a_note_of_links_is_no_bar() -> None:
    note = "<div role=note class='hatnote navigation-hint'>Main article: <a href=/w>Watermills</a></div>"
    assert "Watermills" in news(inside=note).text


@pytest.mark.parametrize(
    "words",
    [
        "Related articles",
        "Most read",
        "More from the Tide Times:",
        "À lire aussi",
        "Lesen Sie auch",
        "Read more",
    ],
)
@pytest.mark.parametrize(
    "part",
    [
        "<div><h3>{words}</h3><p><a href=/a>A mill burns</a> Nobody was hurt.</p></div>",
        "<h3>{words}</h3><ul><li><a href=/a>A mill burns</a></li></ul>",
        "<div><div><p>{words}</p></div><ul><li><a href=/a>A mill burns</a></li></ul></div>",
    ],
)
def test_what_leads_on_to_other_pages_goes_by_the_words_above_it(part: str, words: str) -> None:
    text = news(inside=part.format(words=words)).text
    assert "burns" not in text
    assert words.rstrip(":") not in text


@pytest.mark.parametrize(
    "part",
    [
        "<h2>Related work</h2><p>Of mills, <a href=/a>much was written</a>.</p>",
        "<h2>Read more</h2><p>Without any list of links, this is a section.</p>",
        "<h2>See also</h2><ul><li><a href=/a>much was written</a></li></ul>",
    ],
)
def test_sections_with_words_like_that_stay(part: str) -> None:
    document = news(inside=part)
    assert any(block.level == 2 for block in document.blocks)
    assert any(word in document.text for word in ("written", "Without"))


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("<div class=page_title>Mills</div>", "heading"),
        ("<div class=title>Dams</div>", "paragraph"),
        ("<div class=title><p>Mills</p></div>", "paragraph"),
    ],
)
def test_a_title_that_is_no_heading_becomes_one(title: str, kind: str) -> None:
    blocks = page(f"<div>{title}<div>{PROSE}<h2>Dams</h2>{PROSE}</div></div>").blocks
    assert (blocks[0].kind, [block.kind for block in blocks].count("heading")) == (
        kind,
        1 + (kind == "heading"),
    )
