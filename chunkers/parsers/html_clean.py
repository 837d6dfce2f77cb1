"""Make a page plain: no permalinks, no inline tags but links; listings and titles marked for the walk."""

import re
from typing import Any

from lxml import etree

from .html_code import flatten_listings
from .html_generators import make_common
from .html_tables import flatten_tables
from .html_titles import mark_titles
from .html_tree import drop, settable, text_of

# A line break inside running text; the character is also what a page would use for it.
BREAK = "\u2028"

_INLINE_NAMES = """
    abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q rb rp
    rt ruby s samp small span strike strong sub sup time tt u var wbr
"""
_INLINE = tuple(_INLINE_NAMES.split())
_PERMALINK = re.compile(
    r"headerlink|permalink|header-?anchor|heading-?anchor|anchor-?link|hash-?link|anchorjs|selflink|copiable"
    r"|footnote-?back(?:ref|link)|reversefootnote|footnote-return"
)
_PERMALINK_MARKS = frozenset(
    ("¶", "#", "§", "🔗", "∞", "\uf0c1", "◆", "↩", "↩︎", "[edit]", "edit", "link", "\u200b", "")
)
_TO_SOURCE = re.compile(r"(?:^|\s)src(?:\s|$)")
_WRAPPERS = ("div", "section", "article", "main", "header", "center")
_STRIPPED = "data-stripped"
_TELLING_ATTRIBUTES = ("role", "data-title", "data-comments")
_TELLING = re.compile(
    r"caption|title|table|figure|example|image|listing|literal|video|footnote|endnote|math|equation",
    re.IGNORECASE,
)
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")


def make_plain(root: Any) -> None:
    """Change the tree in place so that block elements, images, links and text are left."""
    for link in list(root.iter("a")):
        if _is_permalink(link):
            drop(link)
    for element in list(root.iter("span")):
        if "mw-editsection" in element.get("class", ""):
            drop(element)
    make_common(root)
    flatten_listings(root)
    mark_titles(root)
    for line_break in list(root.iter("br")):
        line_break.tail = settable(BREAK + (line_break.tail or ""))
        line_break.tag = "span"
    etree.strip_tags(root, *_INLINE)


def _is_permalink(link: Any) -> bool:
    text = text_of(link).strip()
    if text in ("Source", "source", "[src]"):
        return _TO_SOURCE.search(link.get("class", "")) is not None
    if text.lower() not in _PERMALINK_MARKS:
        return False
    around = link.getparent()
    named = link.get("class") or (around.get("class") if around is not None and around.tag == "span" else "")
    if _PERMALINK.search(named or "") or link.get("role") == "doc-backlink":
        return True
    in_heading = any(
        parent.tag in _HEADINGS for _, parent in zip(range(2), link.iterancestors(), strict=False)
    )
    return in_heading and link.find(".//img") is None


def lighten(container: Any) -> None:
    """Take away what the walk has no use for: links, the elements of tables, wrappers of blocks."""
    etree.strip_tags(container, "a")
    flatten_tables(container)
    for element in list(container.iter(*_WRAPPERS)):
        if element is not container and _is_wrapper(element):
            element.tag = _STRIPPED
    etree.strip_tags(container, _STRIPPED)
    _drop_white_space(container)


def _drop_white_space(container: Any) -> None:
    """Between blocks it means nothing, and would be half of the walk's nodes."""
    for element in container.iter():
        if element.tail and element.tail.isspace():
            element.tail = None
        if element.text and element.text.isspace():
            element.text = None


def _is_wrapper(element: Any) -> bool:
    """An element that says nothing and holds nothing but blocks."""
    attributes = element.attrib
    if any(name in attributes for name in _TELLING_ATTRIBUTES) or _TELLING.search(
        attributes.get("class", "")
    ):
        return False
    if element.text and not element.text.isspace():
        return False
    return all(
        child.tag not in ("img", "span") and (not child.tail or child.tail.isspace()) for child in element
    )
