"""HTML text to an lxml tree that holds only what a reader sees, however deep or broken the page is."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from lxml import etree

# libxml2 gives up below 2,048 open elements and returns an empty page (its xmlParserMaxHugeDepth).
DEEPEST = 500
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9:-]{0,40})[^>]{0,2000}>")
_VOID_NAMES = """
    area base br col embed hr img input link meta param source track wbr
"""
_VOID = frozenset(_VOID_NAMES.split())
_RAW = frozenset(["script", "style", "head", "title", "html", "body", "template", "noscript"])

_UNSEEN_NAMES = """
    script style template iframe object embed applet canvas audio video map select datalist button
    input textarea svg dialog link meta base title
"""
UNSEEN = tuple(_UNSEEN_NAMES.split())
_NEVER_SEEN = frozenset(("script", "style", "template", "title"))
_UNDISPLAYED = re.compile(
    r"(?:^|;)\s{0,9}(?:display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}hidden)", re.IGNORECASE
)
_FOR_SCREEN_READERS = re.compile(
    r"(?:^|\s)(?:sr-only|visually-?hidden|screen-reader-text|skip-?(?:link|nav))\S{0,20}(?:\s|$)"
)
# More text than this is content that a script would have shown later.
_SMALL = 200


def parse_tree(text: str) -> tuple[Any, str]:
    """Return the root element (None when there is nothing to parse) and the source it was made from."""
    # Not lxml.html's parser: its elements are looked up in Python, which is a third of the cost of a walk.
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    root = _parse(text, parser)
    if any("depth" in entry.message for entry in parser.error_log):
        text = cap_depth(text)
        root = _parse(text, parser)
    return root, text


def _parse(text: str, parser: Any) -> Any:
    try:
        return etree.fromstring(text.encode("utf-8"), parser=parser)
    except etree.ParseError:
        return None


def cap_depth(text: str, deepest: int = DEEPEST) -> str:
    """Drop the tags that open below ``deepest`` and their ends; all text stays."""
    return "".join(_capped(text, deepest))


def _capped(text: str, deepest: int) -> Iterator[str]:
    depth = position = 0
    for match in _TAG.finditer(text):
        closing, name = match[1], match[2].lower()
        if name in _VOID or name in _RAW:
            continue
        depth = max(depth - 1, 0) if closing else depth + 1
        if depth + bool(closing) > deepest:
            yield text[position : match.start()] + " "
            position = match.end()
    yield text[position:]


_REFUSED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_TAB_PANEL = re.compile(
    r"(?:^|\s)(?:tabbed-block|tab-?pane|tab-?panel|tab-content__item|tabs-panel|sphinx-tabs-panel)(?:\s|$)",
    re.IGNORECASE,
)
_text = etree.XPath("string()")
_length = etree.XPath("string-length(normalize-space())")


def settable(text: str) -> str:
    """Replace the characters that a page may hold but that lxml refuses to be given."""
    return _REFUSED.sub("\ufffd", text)


def text_of(element: Any) -> str:
    """Return all text in an element."""
    return str(_text(element))


def text_length(element: Any) -> int:
    """Count the characters of an element's text, white space squeezed."""
    return int(_length(element))


def is_tab_panel(element: Any) -> bool:
    """Say whether this is the part that a tab shows, which is hidden until its tab is chosen."""
    return element.get("role") == "tabpanel" or _is_panel_class(element.get("class", "")[:300])


@lru_cache(maxsize=4096)
def _is_panel_class(name: str) -> bool:
    return _TAB_PANEL.search(name) is not None


def drop(element: Any) -> None:
    """Take an element out of its tree; the text after it stays."""
    parent, before, tail = element.getparent(), element.getprevious(), element.tail or ""
    if parent is None:
        return
    if before is None:
        parent.text = settable((parent.text or "") + tail)
    else:
        before.tail = settable((before.tail or "") + tail)
    parent.remove(element)


def drop_unseen(root: Any) -> None:
    """Take out what no reader sees: scripts, forms' fields, hidden elements."""
    _math_scripts_to_text(root)
    for element in list(root.iter(*UNSEEN)):
        if element.tag not in _NEVER_SEEN and _holds_page(element):
            element.tag = "div"
        elif element.get("role") == "tab":
            element.tag = "span"
        else:
            drop(element)
    for element in list(root.iter("noscript")):
        drop(element)
    for element in [each for each in root.iter() if each.attrib and _is_hidden(each)]:
        drop(element)


def _holds_page(element: Any) -> bool:
    """An svg or select that was never closed swallows the rest of the page here, but not in a browser."""
    return text_length(element) > _SMALL and element.find(".//p") is not None


def _is_hidden(element: Any) -> bool:
    get = element.get
    hidden, style, classes = get("hidden"), get("style"), get("class")
    if hidden is not None and hidden.lower() != "until-found":
        return _may_hide(element)
    if style and "n" in style and _UNDISPLAYED.search(style[:2000]):
        return _may_hide(element)
    aside = get("aria-hidden") == "true" or (classes is not None and _is_for_screen_readers(classes[:300]))
    return aside and _may_hide(element) and text_length(element) < _SMALL


@lru_cache(maxsize=4096)
def _is_for_screen_readers(classes: str) -> bool:
    return _FOR_SCREEN_READERS.search(classes) is not None


def _may_hide(element: Any) -> bool:
    """A page hides all of itself only until a script shows it, and the panel of a tab until it is chosen."""
    return element.tag not in ("html", "body", "main", "article") and not is_tab_panel(element)


def _math_scripts_to_text(root: Any) -> None:
    """MathJax keeps formulas in scripts; MathML has a TeX annotation or an alternative text."""
    for script in list(root.iter("script")):
        if script.get("type", "").startswith("math/tex"):
            _become_text(script, display="display" in script.get("type"))
    for formula in list(root.iter("math")):
        tex = formula.xpath("string(.//*[local-name()='annotation'][1])") or formula.get("alttext")
        display = formula.get("display") == "block"
        if tex:
            tail = formula.tail
            formula.clear()
            formula.text, formula.tail = settable(tex), settable(tail or "")
        _become_text(formula, display)


def _become_text(formula: Any, display: bool) -> None:
    formula.tag = "div" if display else "span"
    if display:
        formula.set("class", "math")
