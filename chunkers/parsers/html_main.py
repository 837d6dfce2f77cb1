"""Which part of a page is its content: landmarks go, then what stands beside the way down to the prose.

Losing text is worse than keeping a navigation bar: what goes is named as furniture, or mostly links, or a
short label outside the part that holds most of the page's prose.
"""

import re
from itertools import pairwise
from typing import Any

from .html_furniture import (
    HEADINGS,
    is_bar,
    is_beside,
    is_comments,
    is_contents_heading,
    is_landmark,
    is_sidebar,
)
from .html_measures import Measures
from .html_teasers import drop_teasers
from .html_tree import settable, text_of

COMMENTS_ATTRIBUTE = "data-comments"

_WORD = re.compile(r"\w+")
_TITLE_CLASS = re.compile(r"(?:^|[\s_-])title(?:\s|$)", re.IGNORECASE)
_FEWEST = 200
# The way down ends at these: their children are not parts of a page.
_WHOLE = frozenset(("p", "pre", "ul", "ol", "dl", "blockquote", "figure"))
_PARTS = ("div", "section", "ul", "ol", "table", "p", "aside")
_LANDMARK_TAGS = ("nav", "aside", "footer", "form", "header", "div", "section", "ul", "table")
_COMMENT_TAGS = ("div", "section", "ol", "ul", "aside", "li", "table")
# A part goes on the way down when it has this share of the prose, or this one and the page's title.
_MOST, _HALF = 0.75, 0.5


def main_content(root: Any, title: str) -> Any:
    """Return the element that holds the page's content, what is furniture taken out of it.

    ``title`` is what the page calls itself, which tells the heading of its content. What readers wrote below
    the content is moved to its end and marked by an attribute.
    """
    body = root.find("body") if root.tag == "html" else root
    body = root if body is None else body
    measures = Measures(body)
    _drop_landmarks(body, measures)
    comments = _take_comments(body, measures)
    container = _semantic_container(body, measures)
    _keep_title(body, container)
    if measures.prose(container) >= _FEWEST:
        _drop_around(container, measures, _title_heading(container, title), container is not body)
    for comment in comments:
        comment.set(COMMENTS_ATTRIBUTE, "")
        container.append(comment)
    return container


def _drop_landmarks(body: Any, measures: Measures) -> None:
    whole = measures.text(body)
    for element in list(body.iter(*_LANDMARK_TAGS)):
        if element is not body and element.getparent() is not None and is_landmark(element, measures, whole):
            measures.drop(element)
    for heading in list(body.iter(*HEADINGS)):
        around = heading.getparent()
        if is_contents_heading(heading) and measures.text(around) == measures.text(heading):
            measures.drop(heading)


def _take_comments(body: Any, measures: Measures) -> list[Any]:
    """Take out the outermost parts that hold comments; those without a sentence are only counts and links."""
    taken: dict[Any, None] = {}
    for element in list(body.iter(*_COMMENT_TAGS)):
        inside = element is body or any(around in taken for around in element.iterancestors())
        if not inside and element.getparent() is not None and is_comments(element, measures):
            measures.drop(element)
            element.tail = None
            taken[element] = None
    return [element for element in taken if measures.prose(element)]


def _semantic_container(body: Any, measures: Measures) -> Any:
    """Return the page's one main or article element, if it holds enough; else the body."""
    whole = measures.text(body)
    for path in (".//main", ".//*[@role='main']", ".//article"):
        found = body.findall(path)
        if len(found) == 1:
            size = measures.text(found[0])
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


def _title_heading(container: Any, title: str) -> Any:
    """Return the heading that shares most words with the title, half its own at least; else the first h1."""
    wanted = _words(title)
    best, most = None, 0
    for heading in container.iter("h1", "h2", "h3"):
        said = _words(text_of(heading))
        shared = len(said & wanted)
        if shared > most and shared * 2 >= len(said):
            best, most = heading, shared
    if best is None or not _words(text_of(best)) <= wanted:
        unmarked = _unmarked_title(container, wanted)
        best = best if unmarked is None else unmarked
    return next(container.iter("h1"), None) if best is None else best


def _unmarked_title(container: Any, wanted: set[str]) -> Any:
    """Some write the title into a division of that name; it becomes the heading that it is."""
    for element in container.iter("div", "p", "td"):
        if _TITLE_CLASS.search(element.get("class", "")[:300]) and element.find("*") is None:
            said = _words(text_of(element))
            if said and said <= wanted:
                element.tag = "h1"
                return element
    return None


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def _drop_around(container: Any, measures: Measures, heading: Any, semantic: bool) -> None:
    total = measures.prose(container)
    way = _way_down(container, measures, heading)
    for element, inner in pairwise(way):
        _drop_beside(element, inner, measures, heading, semantic)
    drop_teasers(container, measures, way)
    core = way[-1]
    for element in list(core):
        if is_sidebar(element) and measures.prose(element) < 0.8 * total:
            measures.drop(element)
    for element in list(core.iter(*_PARTS)):
        if element is not core and element.getparent() is not None and is_bar(element, measures, total):
            measures.drop(element)


def _way_down(container: Any, measures: Measures, heading: Any) -> list[Any]:
    """Go down while one child holds most of the prose."""
    way = [container]
    while True:
        element = way[-1]
        parts = [child for child in element if measures.prose(child) > 0]
        if not parts:
            return way
        best = max(parts, key=lambda part: measures.prose(part) * (0.3 if is_sidebar(part) else 1.0))
        share = _HALF if _holds(best, heading) else _MOST
        if best.tag in _WHOLE or measures.prose(best) < share * measures.prose(element):
            return way
        way.append(best)


def _holds(element: Any, heading: Any) -> bool:
    return heading is not None and heading in element.iter(heading.tag)


def _drop_beside(element: Any, inner: Any, measures: Measures, heading: Any, semantic: bool) -> None:
    """Drop what stands beside ``inner``; the title stays, even of a header that goes."""
    total = max(measures.prose(element), measures.prose(inner))
    before = True
    for part in list(element):
        if part is inner:
            before = False
        elif part is heading or (semantic and (part.tag == "section" or part.tag in HEADINGS)):
            continue
        elif is_beside(part, inner, measures, total):
            if before and _holds(part, heading):
                if not measures.prose(part) and measures.density(part) < 0.5:
                    continue
                part.addprevious(heading)
                heading.tail = None
            measures.drop(part)
