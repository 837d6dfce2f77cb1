"""Titles that a page shows beside or on top of a part: of notes, of tabs, of what aria-describedby explains.

Each becomes an element with an attribute, right before the text that it is the title of.
"""

import re
from collections.abc import Iterator
from typing import Any

from .html_tree import drop, is_tab_panel, text_of

TITLE_ATTRIBUTE = "data-title"

_NOTE = re.compile(
    r"(?:^|\s)(?:note|tip|warning|caution|important|danger|hint|error|attention|seealso|todo|admonition\S{0,30}"
    r"|theme-admonition\S{0,30}|alert|callout|custom-block|markdown-alert"
    r"|topic)(?:\s|$)",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(r"(?:^|\s)(?:example|listing)(?:\s|$)", re.IGNORECASE)
_NOTE_TITLE = re.compile(
    r"admonition-?(?:title|heading)|alert-?(?:title|heading)|callout-?title|custom-block-title"
    r"|(?:^|[\s_-])title(?:[\s_-]|$)",
    re.IGNORECASE,
)
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_TITLE_TAGS = ("p", "div", "summary", "span", "strong", "b", "dt", "header", *_HEADINGS)
_LONGEST = 200

_TAB_LIST = re.compile(
    r"(?:^|\s)(?:tabbed-labels|nav-tabs|tabs__list|tab-?list|tabs-?nav|tab-?head\w{0,10}|nav-pills|tabs-bar)(?:\s|$)",
    re.IGNORECASE,
)
_TAB_LABEL = re.compile(r"(?:^|\s)(?:sd-tab-label|tab-label|tabbed-label|tab-title)(?:\s|$)", re.IGNORECASE)
_DESCRIBED = ("table", "figure", "img", "pre", "video", "svg", "div")


def mark_titles(root: Any) -> None:
    """Mark the titles of notes and tabs, and make captions of what aria-describedby points to."""
    _mark_tabs(root)
    for note in root.iter("div", "aside", "section", "details", "blockquote"):
        named = note.get("class", "")[:300]
        if _NOTE.search(named):
            _mark_note_title(note)
        elif _EXAMPLE.search(named) and len(note) and note[0].tag in _HEADINGS:
            note[0].tag = "figcaption"
    for element in root.xpath("//*[@aria-describedby]"):
        if element.tag in _DESCRIBED:
            _describe(root, element)


def _mark_note_title(note: Any) -> None:
    """The first element with text is the title when it is named so, is a heading, or is a table's header."""
    for element in note.iter(*_TITLE_TAGS, "th"):
        if element is note or not (size := len(text_of(element).strip())):
            continue
        if size > _LONGEST:
            return
        named = _NOTE_TITLE.search(element.get("class", "")[:300]) is not None
        if named or element.tag in _HEADINGS or element.tag == "th":
            element.tag = "p"
            element.set(TITLE_ATTRIBUTE, "")
            return
        if element.find("*") is None:
            return


def _mark_tabs(root: Any) -> None:
    for element in list(root.iter("div", "ul", "ol", "nav")):
        listed = element.get("role") == "tablist" or _TAB_LIST.search(element.get("class", "")[:300])
        if listed and element.getparent() is not None:
            _title_panels(element)
    for label in list(root.iter("label", "div")):
        if _TAB_LABEL.search(label.get("class", "")[:300]):
            label.tag = "p"
            label.set(TITLE_ATTRIBUTE, "")


def _title_panels(tabs: Any) -> None:
    """Put each label of a list of tabs into the panel it shows; a list that does not match stays."""
    labels = [text for text in _labels(tabs) if text]
    for around in (tabs.getparent(), tabs.getparent().getparent()):
        panels = [] if around is None else _panels(around)
        if panels and len(panels) == len(labels):
            for label, panel in zip(labels, panels, strict=True):
                title = panel.makeelement("p", {TITLE_ATTRIBUTE: ""})
                title.text = label
                title.tail, panel.text = panel.text, None
                panel.insert(0, title)
            drop(tabs)
            return


def _labels(tabs: Any) -> list[str]:
    found = [tab for tab in tabs.iter() if tab.get("role") == "tab"]
    found = found or list(tabs.iter("label", "button")) or list(tabs.iter("li"))
    return [" ".join(text_of(tab).split())[:_LONGEST] for tab in found]


def _panels(around: Any) -> list[Any]:
    """Return the outermost panels; one inside another belongs to tabs of its own."""
    return list(_outermost(around))


def _outermost(element: Any) -> Iterator[Any]:
    stack = list(element)[::-1]
    while stack:
        child = stack.pop()
        if isinstance(child.tag, str) and is_tab_panel(child):
            yield child
        else:
            stack.extend(list(child)[::-1])


def _describe(root: Any, element: Any) -> None:
    """Make a caption right after the element of the text that describes it, unless it stands inside."""
    told = root.xpath("//*[@id=$name]", name=element.get("aria-describedby", "").split(" ")[0])
    if len(told) != 1 or told[0] is element or len(text_of(told[0])) > _LONGEST * 2:
        return
    caption = told[0]
    if caption.tag in ("figcaption", "caption") or any(
        around is element for around in caption.iterancestors()
    ):
        return
    if any(around is caption for around in element.iterancestors()) or element.getparent() is None:
        return
    drop(caption)
    caption.tag = "figcaption"
    caption.tail, element.tail = element.tail, None
    element.addnext(caption)
