"""What single generators of documentation write in ways of their own, made what other pages have."""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from .html_tree import drop, settable, text_of

_WORDS: Mapping[str, str] = {
    # javadoc sets tables as a grid of divisions, its sections as items of lists, and filters as tabs.
    "grid": r"summary-table",
    "layout": r"(?:summary|details|member)-list|blockList(?:Last)?",
    "signature": r"(?:type|member)-signature",
    # mandoc sets the page's head and foot, and each line of a synopsis, as tables, Doxygen what is declared,
    # and listings as lines that are divisions.
    "synopsis": r"Nm|memname",
    "lines": r"fragment",
    # VitePress sets the labels of a group of listings before all of them, and the language before each.
    "code_group": r"vp-code-group",
    "language": r"lang",
    "gone": r"table-tabs|viewcode-(?:link|back)|theme-doc-version-badge|md-source-file",
}
_NAMED = re.compile("|".join(rf"(?:^|\s)(?P<{kind}>{words})(?:\s|$)" for kind, words in _WORDS.items()))
_EDGE = re.compile(r"(?:^|\s)(?:head|foot)(?:-\w{1,9})?(?:\s|$)")
_FIRST = re.compile(r"(?:^|\s)col-first(?:\s|$)")
_INDEX = ("index", "contents")
_ROLES = {
    "table": "table",
    "grid": "table",
    "row": "tr",
    "columnheader": "th",
    "rowheader": "th",
    "cell": "td",
    "gridcell": "td",
    "rowgroup": "tbody",
}
"""What an element is by its role in a table."""


def make_common(root: Any) -> None:
    """Change such elements in place."""
    for element in list(root.iter("div", "ul", "li", "table", "span", "aside")):
        kind = _kind(element.get("class", "")[:300])
        if kind is not None and element.getparent() is not None:
            _CHANGES[kind](element)
        elif element.tag == "table" and _is_edge(element):
            drop(element)
        elif element.get("role") in ("table", "grid") and element.tag == "div":
            _by_roles(element)
    for heading in list(root.iter("h2")):
        _drop_index(heading)


@lru_cache(maxsize=4096)
def _kind(name: str) -> str | None:
    match = _NAMED.search(name)
    return match.lastgroup if match else None


def _is_edge(table: Any) -> bool:
    """Say whether mandoc has written title, section and date of the page into the table."""
    if not _EDGE.search(table.get("class", "")):
        return False
    cells = list(table.iter("td"))
    return bool(cells) and all(_EDGE.search(cell.get("class", "")) for cell in cells)


def _by_roles(table: Any) -> None:
    """Give the parts of a table made of divisions the tags of one."""
    for part in table.iter("div", "span", "ul", "li", "p"):
        part.tag = _ROLES.get(part.get("role", ""), part.tag)


def _to_table(grid: Any) -> None:
    """A row begins at each first column; those of the header say so."""
    cells = list(grid)
    if not cells or not all(isinstance(cell.tag, str) for cell in cells):
        return
    grid.tag, row = "table", None
    for cell in cells:
        name = cell.get("class", "")
        if row is None or _FIRST.search(name):
            row = grid.makeelement("tr", {})
            grid.append(row)
        cell.tag = "th" if "table-header" in name else "td"
        cell.tail = None
        row.append(cell)


def _to_division(part: Any) -> None:
    for item in part.iterchildren("li"):
        item.tag = "div"
    part.tag = "div"


def _to_code(signature: Any) -> None:
    text, tail = text_of(signature).replace("\u00a0", " "), signature.tail
    lines = (" ".join(line.split()) for line in text.split("\n"))
    signature.clear()
    signature.tag, signature.text, signature.tail = "pre", settable("\n".join(filter(None, lines))), tail
    signature.set("class", "language-java")


def _to_line(table: Any) -> None:
    """Write the cells of a synopsis one after the other."""
    if table.tag == "table":
        text, tail = " ".join(" ".join(text_of(cell).split()) for cell in table.iter("td")), table.tail
        table.clear()
        table.tag, table.text, table.tail = "p", settable(text.strip()), settable(tail or "")


def _to_listing(part: Any) -> None:
    if len(part) and all(line.tag == "div" and line.get("class") == "line" for line in part):
        part.tag = "pre"
        for number in part.iter("span"):
            if number.get("class") == "lineno":
                number.tail = (number.tail or "").removeprefix("\u00a0").removeprefix(" ")


def _mark_tabs(group: Any) -> None:
    for part in group.iterchildren("div"):
        if part.get("class") == "tabs":
            part.set("class", "tabbed-labels")
        for block in part if part.get("class") == "blocks" else ():
            block.set("class", f"tabbed-block {block.get('class', '')}")


def _drop_before_code(name: Any) -> None:
    after = name.getnext()
    if name.tag == "span" and after is not None and after.tag == "pre":
        drop(name)


_CHANGES: Mapping[str, Callable[[Any], None]] = {
    "grid": _to_table,
    "layout": _to_division,
    "signature": _to_code,
    "synopsis": _to_line,
    "lines": _to_listing,
    "code_group": _mark_tabs,
    "language": _drop_before_code,
    "gone": drop,
}


def _drop_index(heading: Any) -> None:
    """Drop the list of links to the page's own parts that man2html writes at the end, with its heading."""
    links = heading.getnext()
    if text_of(heading).strip().lower() not in _INDEX or links is None or links.tag not in ("dl", "ul", "ol"):
        return
    targets = [link.get("href", "") for link in links.iter("a")]
    if targets and all(target.startswith("#") for target in targets):
        drop(links)
        drop(heading)
