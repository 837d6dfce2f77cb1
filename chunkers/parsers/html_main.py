"""Which part of a page is its content: landmarks first, then a main content finder as a mask over the tree.

Losing text is worse than keeping a navigation bar, so the mask alone takes nothing away: what goes is outside
the finder's text *and* looks like furniture (mostly links, or named so).
"""

import re
from typing import Any

from .html_tree import drop, settable, text_length, text_of

_LANDMARK_ROLES = """
    navigation banner contentinfo complementary search alertdialog menu menubar toolbar
"""
_LANDMARKS = frozenset(_LANDMARK_ROLES.split())
_FURNITURE = re.compile(
    r"cookie|consent|gdpr|newsletter|subscribe|share|social|breadcrumb|sidebar|nav(?:bar|igation|-|_|head|foot|$|\s)"
    r"|related|promo|advert|banner|masthead|footer|menu|pagination|pager|sphinxsidebar|comment-form|toolbar|popup|modal",
    re.IGNORECASE,
)
_BANNER = re.compile(r"cookie|consent|gdpr|newsletter", re.IGNORECASE)
_NEIGHBOURS = re.compile(r"(?:^|\s)nav(?:header|footer)(?:\s|$)")
_CONTENTS = re.compile(
    r"(?:^|[\s_-])(?:toc|contents|table-of-contents|navheader|navfooter)(?:[\s_-]|$)", re.IGNORECASE
)
_NOTES = re.compile(
    r"footnote|admonition|note|topic|callout|warning|tip|caution|important|example", re.IGNORECASE
)
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_LEAVES = (*_HEADINGS, "p", "li", "dt", "dd", "td", "th", "pre", "figcaption", "div")
_NEVER_FURNITURE_NAMES = "h1 pre dl p dt dd li td th tr br figure blockquote hr"
_NEVER_FURNITURE = frozenset(_NEVER_FURNITURE_NAMES.split())
_FEWEST, _SMALLEST_SHARE = 200, 0.1


def main_content(root: Any, source: str) -> Any:
    """Return the element that holds the page's content, what is furniture taken out of it."""
    body = root.find("body") if root.tag == "html" else root
    body = root if body is None else body
    whole = text_length(body)
    _drop_landmarks(body, whole)
    container = _semantic_container(body)
    _keep_title(body, container)
    leaves, above = _masked(container, source)
    if leaves:
        _drop_outside(container, leaves, above)
    return container


def _drop_landmarks(body: Any, whole: int) -> None:
    for element in list(
        body.iter("nav", "aside", "footer", "form", "header", "div", "section", "ul", "table")
    ):
        if element.getparent() is not None and _is_landmark(element, whole):
            drop(element)


def _is_landmark(element: Any, whole: int) -> bool:
    tag, role = element.tag, element.get("role", "")
    if tag == "nav" or role in _LANDMARKS:
        return not _holds_much(element, whole)
    if tag == "form":
        return (
            not _holds_much(element, whole)
            and element.find(".//p") is None
            and element.find(".//table") is None
        )
    if tag == "aside":
        return not _NOTES.search(_names(element)) and (
            not _inside_article(element) or link_density(element) > 0.5
        )
    if tag == "footer":
        return not _holds_much(element, whole) and (
            not _inside_article(element) or link_density(element) > 0.3
        )
    names = _names(element)
    if _CONTENTS.search(names):
        return _is_contents(element)
    return _BANNER.search(names) is not None and text_length(element) < min(1500, whole / 3)


def _is_contents(element: Any) -> bool:
    """A table of contents or a bar of links to neighbours says what headings and titles say elsewhere."""
    links = [link for link in element.iter("a") if link.get("href")]
    inside = sum("#" in link.get("href") for link in links)
    if len(links) > 2 and inside >= len(links) * 0.9:
        return link_density(element) > 0.7
    return _NEIGHBOURS.search(_names(element)) is not None and text_length(element) < 300


def _holds_much(element: Any, whole: int) -> bool:
    """A page wrapped in a form or built inside a banner: the name cannot be meant."""
    if element.find(".//main") is not None or element.find(".//article") is not None:
        return True
    return text_length(element) > whole * 0.5 and link_density(element) < 0.8


def _inside_article(element: Any) -> bool:
    return any(
        parent.tag in ("article", "main", "blockquote", "figure") or parent.get("role") == "main"
        for parent in element.iterancestors()
    )


def _names(element: Any) -> str:
    return f"{element.get('class', '')} {element.get('id', '')}"[:300]


def link_density(element: Any) -> float:
    """Return the share of an element's characters that are link text."""
    total = text_length(element)
    links = sum(text_length(link) for link in element.iter("a") if link.get("href"))
    return links / total if total else 1.0


def _semantic_container(body: Any) -> Any:
    """Return the page's one main or article element, if it holds enough; else the body."""
    whole = text_length(body)
    for path in (".//main", ".//*[@role='main']", ".//article"):
        found = body.findall(path)
        if len(found) == 1:
            size = text_length(found[0])
            if size >= _FEWEST and size >= whole * 0.4:
                return found[0]
    return body


def _keep_title(body: Any, container: Any) -> None:
    """A page's title may stand above its main element; it is content all the same."""
    titles = body.findall(".//h1")
    if container is not body and len(titles) == 1 and container.find(".//h1") is None:
        container.insert(0, titles[0])
        first = container[0]
        first.tail, container.text = settable(container.text or ""), None


def _masked(container: Any, source: str) -> tuple[set[Any], set[Any]]:
    """Return the elements whose text the main content finder kept, and all elements that contain them."""
    from resiliparse.extract.html2text import extract_plain_text

    found = extract_plain_text(
        source, main_content=True, preserve_formatting=True, list_bullets=False, comments=True
    )
    lines = {"".join(line.split()) for line in found.split("\n")}
    leaves: set[Any] = set()
    above: set[Any] = set()
    size = 0
    for leaf in container.iter(*_LEAVES):
        text = "".join(text_of(leaf).split()) if len(leaf) < 50 and leaf.getparent() not in leaves else ""
        if text and text in lines:
            size += len(text)
            leaves.add(leaf)
            above.update(leaf.iterancestors())
    enough = size >= _FEWEST and size >= _SMALLEST_SHARE * text_length(container)
    return (leaves, above) if enough else (set(), set())


def _drop_outside(container: Any, leaves: set[Any], above: set[Any]) -> None:
    core, most = _core(container, leaves | above), text_length(container) * 0.3
    for element in _outermost_outside(container, leaves, above):
        if element.getparent() is not None and _is_furniture(element, core, most):
            drop(element)


def _core(container: Any, kept: set[Any]) -> Any:
    """Go down while one child alone leads to all that was kept."""
    element = container
    while True:
        inner = [child for child in element if child in kept]
        if len(inner) != 1 or len(inner[0]) == 0:
            return element
        element = inner[0]


def _outermost_outside(container: Any, leaves: set[Any], above: set[Any]) -> list[Any]:
    outside = []
    stack = [container]
    while stack:
        for child in stack.pop():
            if child in above:
                stack.append(child)
            elif child not in leaves:
                outside.append(child)
    return outside


def _is_furniture(element: Any, core: Any, most: float) -> bool:
    """Judge an element that the finder did not keep; one of ``most`` characters is never furniture."""
    if element.tag in _NEVER_FURNITURE:
        return False
    size, density = text_length(element), link_density(element)
    if not 0 < size < most:
        return False
    if element.tag in _HEADINGS or next(element.iter(*_HEADINGS, "pre", "figure"), None) is not None:
        return density > 0.8
    named = _FURNITURE.search(_names(element)) is not None
    if element is core or any(parent is core for parent in element.iterancestors()):
        return named and density > 0.5
    return density > 0.5 or (named and size < 1500)
