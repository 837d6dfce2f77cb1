"""Make the content plain: code as text with its language, no permalinks or line numbers, no inline tags."""

import re
from typing import Any

from lxml import etree

from .html_tree import drop, settable, text_of

# A line break inside running text; the character is also what a page would use for it.
BREAK = "\u2028"
LANGUAGE_ATTRIBUTE = "data-language"

_INLINE_NAMES = """
    a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q rb rp
    rt ruby s samp small span strike strong sub sup time tt u var wbr
"""
INLINE = tuple(_INLINE_NAMES.split())
_PERMALINK = re.compile(
    r"headerlink|permalink|header-?anchor|heading-?anchor|anchor-?link|hash-?link|anchorjs|selflink"
)
_PERMALINK_MARKS = frozenset(("¶", "#", "§", "🔗", "∞", "\uf0c1", "[edit]", "edit", "link", "\u200b", ""))
_GUTTER = re.compile(
    r"(?:^|\s)(?:linenos?|lineno|linenumbers?|line-numbers?(?:-rows)?|gutter|blob-num|lnt?|hljs-ln-n)(?:\s|$)"
)
_LANGUAGE = re.compile(
    r"(?:^|\s)(?:(?:language|lang|highlight(?:-source|-text)?|sourceCode|src|listing)-|lang:|brush:\s?)"
    r"([A-Za-z][\w+#.-]{0,30})"
)
_SECOND_WORD = re.compile(
    r"(?:^|\s)(?:sourceCode|hljs|prettyprint|source|programlisting|code)\s{1,9}([A-Za-z][\w+#]{0,20})(?:\s|$)"
)
_NO_LANGUAGE_NAMES = """
    default none text plain plaintext nohighlight txt notranslate literal-block output
"""
_NO_LANGUAGE = frozenset(_NO_LANGUAGE_NAMES.split())
_ALIASES = {
    "python3": "python",
    "py": "python",
    "pycon": "python",
    "js": "javascript",
    "sh": "shell",
    "ts": "typescript",
}


def make_plain(container: Any) -> None:
    """Change the tree in place so that only block elements, images and text are left."""
    _drop_marks(container)
    for pre in list(container.iter("pre", "xmp", "listing", "plaintext")):
        _flatten_code(pre)
    for line_break in list(container.iter("br")):
        line_break.tail = settable(BREAK + (line_break.tail or ""))
        line_break.tag = "span"
    etree.strip_tags(container, *INLINE)


def _drop_marks(container: Any) -> None:
    for link in list(container.iter("a")):
        if _is_permalink(link):
            drop(link)
    for element in list(container.iter("td", "span", "div", "pre", "a", "code")):
        name = element.get("class")
        if name and (_GUTTER.search(name) or "mw-editsection" in name) and _is_gutter(element):
            drop(element)


def _is_permalink(link: Any) -> bool:
    text = text_of(link).strip()
    if text.lower() not in _PERMALINK_MARKS:
        return False
    if _PERMALINK.search(link.get("class") or ""):
        return True
    parent = link.getparent()
    in_heading = parent is not None and parent.tag in ("h1", "h2", "h3", "h4", "h5", "h6")
    return in_heading and link.find(".//img") is None


def _is_gutter(element: Any) -> bool:
    """A class named so may also be set on the whole listing; only numbers are numbers."""
    text = text_of(element)
    return (
        "mw-editsection" in element.get("class", "")
        or not text.strip()
        or text.replace("\n", "").replace(" ", "").isdigit()
    )


def _flatten_code(pre: Any) -> None:
    language = _language(pre)
    for line_break in pre.iter("br"):
        line_break.tail = settable("\n" + (line_break.tail or ""))
    text, tail = settable(text_of(pre)), settable(pre.tail or "")
    pre.clear()
    pre.tag, pre.text, pre.tail = "pre", text, tail
    pre.set(LANGUAGE_ATTRIBUTE, settable(language))


def _language(pre: Any) -> str:
    near = [pre, *pre.iter("code", "samp"), *_parents(pre)]
    for element in near[:6]:
        named = element.get("data-lang") or element.get("data-language") or element.get("data-code-language")
        if not named:
            classes = (element.get("class") or "")[:300]
            match = _LANGUAGE.search(classes) or _SECOND_WORD.search(classes)
            named = match[1] if match else ""
        named = named.strip().lower()
        if named and named not in _NO_LANGUAGE:
            return str(_ALIASES.get(named, named))[:31]
    return ""


def _parents(element: Any) -> list[Any]:
    return [parent for _, parent in zip(range(3), element.iterancestors("div", "figure", "td"), strict=False)]
