"""Listings of a page: one pre with the text, its lines and its language, without line numbers."""

import re
from functools import lru_cache
from itertools import islice
from typing import Any, Literal

from .html_tree import drop, settable, text_length, text_of

LANGUAGE_ATTRIBUTE = "data-language"

_GUTTER = re.compile(
    r"(?:^|\s)(?:linenos?|lineno|linenumbers?|line-numbers?(?:-rows)?|gutter|blob-num\S{0,20}|lnt?|rouge-gutter"
    r"|hljs-ln-numbers|hljs-ln-n|code-?gutter|prism-line-numbers?|line-no|lineNumber)(?:\s|$)"
)
_NUMBERED_TABLE = re.compile(
    r"(?:^|\s)(?:(?:code)?highlight\w{0,20}table|rouge-table|lntable|hljs-ln|js-file-line-container|blob-wrapper"
    r"|syntaxhighlighter|crayon-table|code-?table)(?:\s|$)"
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
_FILE_NAME = re.compile(r"(?:^|\s)(?:file-?name|code-?(?:block-?)?(?:title|header))\S{0,20}(?:\s|$)", re.I)
# Around a numbered listing are a table, its row and its cell.
_NEAR, _LITTLE_ELSE, _FEW = 8, 200, 5
# Elements that a browser begins on a new line, also inside a pre.
_LINES = ("div", "li", "tr", "p")
# What other elements may refer to, and the reference to what explains the code.
_KEPT = ("id", "aria-describedby")


def flatten_listings(root: Any) -> None:
    """Make every listing a pre that holds text alone, and a table that numbers its lines no table."""
    for element in list(root.iter("td", "span", "div", "pre", "a", "code", "p")):
        name = element.get("class")
        part = _part(name[:300]) if name else None
        if part == "gutter" and _is_gutter(element):
            drop(element)
        elif part == "file name" and _stands_on_code(element):
            element.tag = "figcaption"
    for table in list(root.iter("table")):
        if _NUMBERED_TABLE.search(table.get("class", "")):
            _unwrap_numbered(table)
    for pre in list(root.iter("pre", "xmp", "listing", "plaintext")):
        _flatten(pre)


# A page of code has thousands of elements of a few dozen classes.
@lru_cache(maxsize=4096)
def _part(name: str) -> Literal["gutter", "file name"] | None:
    if _GUTTER.search(name):
        return "gutter"
    return "file name" if _FILE_NAME.search(name) else None


def _is_gutter(element: Any) -> bool:
    """A class named so may also be set on the whole listing; only numbers are numbers."""
    text = text_of(element)
    return not text.strip() or text.replace("\n", "").replace(" ", "").isdigit()


def _stands_on_code(element: Any) -> bool:
    after = element.getnext()
    return after is not None and next(after.iter("pre"), None) is not None


def _unwrap_numbered(table: Any) -> None:
    """A listing set as a table: its header is its caption; without a pre inside, its rows are the lines."""
    for header in list(table.iter("th")):
        header.tag = "figcaption"
    inside = next(table.iter("pre"), None) is not None
    if not inside and next(table.iterancestors("pre"), None) is None:
        table.tag = "pre"
        return
    for element in table.iter("table", "thead", "tbody", "tr", "td"):
        if inside or element.tag != "tr":
            element.tag = "div"


def _flatten(pre: Any) -> None:
    language = _language(pre)
    for line_break in pre.iter("br"):
        line_break.tail = settable("\n" + (line_break.tail or ""))
    for line in list(pre.iter(*_LINES)):
        if line.getnext() is not None and not text_of(line).endswith("\n") and not _starts_line(line.tail):
            line.tail = settable("\n" + (line.tail or ""))
    text, tail = settable(text_of(pre)), settable(pre.tail or "")
    kept = {name: pre.get(name) for name in _KEPT if pre.get(name)}
    pre.clear()
    pre.attrib.update(kept)
    pre.tag, pre.text, pre.tail = "pre", text, tail
    pre.set(LANGUAGE_ATTRIBUTE, settable(language))


def _starts_line(tail: str | None) -> bool:
    return tail is not None and tail.lstrip(" \t").startswith("\n")


def _language(pre: Any) -> str:
    """Return the language that the listing names, or what is around it and holds little else."""
    for element in islice((pre, *pre.iter("code", "samp")), _FEW):
        if named := _named_language(element):
            return named
    for around in islice(pre.iterancestors("div", "figure", "td"), _NEAR):
        if named := _named_language(around):
            # Around more than a listing, a language is one that people speak.
            return named if text_length(around) <= text_length(pre) + _LITTLE_ELSE else ""
    return ""


def _named_language(element: Any) -> str:
    get = element.get
    named = (
        get("data-lang")
        or get("data-language")
        or get("data-code-language")
        or _of_class(get("class", "")[:300])
    )
    named = named.strip().lower()
    return "" if named in _NO_LANGUAGE else _ALIASES.get(named, named)[:31]


@lru_cache(maxsize=4096)
def _of_class(name: str) -> str:
    match = _LANGUAGE.search(name) or _SECOND_WORD.search(name)
    return match[1] if match else ""
