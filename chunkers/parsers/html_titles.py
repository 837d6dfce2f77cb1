"""Titles that a page shows beside or on top of a part: of notes, of tabs, of what aria-describedby explains.

Each becomes an element with an attribute, right before the text that it is the title of.
"""

import re
from collections.abc import Mapping
from itertools import islice
from typing import Any

from .html_tree import drop, is_tab_panel, settable, text_of

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
# The title is among the first elements of a note, and panels are this many levels below what holds the tabs.
_FIRST_FEW = 20
_NOT_FAR = 5

_TAB_LIST = re.compile(
    r"(?:^|\s)(?:tabbed-labels|nav-tabs|tabs__list|tab-?list|tabs-?nav|tab-?head\w{0,10}|nav-pills|tabs-bar)(?:\s|$)",
    re.IGNORECASE,
)
_TAB_LABEL = re.compile(r"(?:^|\s)(?:sd-tab-label|tab-label|tabbed-label|tab-title)(?:\s|$)", re.IGNORECASE)
_DESCRIBED = ("table", "figure", "img", "pre", "video", "svg", "div")


def mark_titles(root: Any) -> None:
    """Mark the titles of notes and tabs, and make captions of what aria-describedby points to."""
    _mark_tabs(root)
    for note in list(root.iter("div", "aside", "section", "details", "blockquote")):
        named = note.get("class", "")[:300]
        if _NOTE.search(named):
            _mark_note_title(note)
        elif _EXAMPLE.search(named) and len(note) and note[0].tag in _HEADINGS:
            note[0].tag = "figcaption"
    described = [element for element in root.iter(*_DESCRIBED) if element.get("aria-describedby")]
    if described:
        by_id = {element.get("id"): element for element in root.iter() if element.get("id")}
        for element in described:
            _describe(element, by_id.get(element.get("aria-describedby").split(" ")[0]))


def _mark_note_title(note: Any) -> None:
    """The first element with text is the title when it is named so, is a heading, or is a table's header."""
    for element in islice(note.iter(*_TITLE_TAGS, "th"), _FIRST_FEW):
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
    panels = _panels_by_place(root)
    for element in [each for each in root.iter("div", "ul", "ol", "nav") if panels and _is_tab_list(each)]:
        if element.getparent() is not None:
            _title_panels(element, panels)
    for label in list(root.iter("label", "div")):
        if _TAB_LABEL.search(label.get("class", "")[:300]):
            label.tag = "p"
            label.set(TITLE_ATTRIBUTE, "")


def _panels_by_place(root: Any) -> dict[Any, list[Any]]:
    """Return, for each element, the panels not far below it; one inside another has tabs of its own."""
    found: dict[Any, list[Any]] = {}
    for panel in [
        element for element in root.iter("div", "section", "li", "article") if is_tab_panel(element)
    ]:
        for around in islice(panel.iterancestors(), _NOT_FAR):
            found.setdefault(around, []).append(panel)
            if is_tab_panel(around):
                break
    return found


def _is_tab_list(element: Any) -> bool:
    return element.get("role") == "tablist" or _TAB_LIST.search(element.get("class", "")[:300]) is not None


def _title_panels(tabs: Any, panels: Mapping[Any, list[Any]]) -> None:
    """Put each label of a list of tabs into the panel it shows; a list that does not match stays."""
    labels = [text for text in _labels(tabs) if text]
    for around in islice(tabs.iterancestors(), 2):
        shown = panels.get(around, [])
        if shown and len(shown) == len(labels):
            for label, panel in zip(labels, shown, strict=True):
                title = panel.makeelement("p", {TITLE_ATTRIBUTE: ""})
                title.text = settable(label)
                title.tail, panel.text = settable(panel.text or ""), None
                panel.insert(0, title)
            drop(tabs)
            return


def _labels(tabs: Any) -> list[str]:
    found = [tab for tab in tabs.iter() if tab.get("role") == "tab"]
    found = found or list(tabs.iter("label", "button")) or list(tabs.iter("li"))
    return [" ".join(text_of(tab).split())[:_LONGEST] for tab in found]


def _describe(element: Any, caption: Any) -> None:
    """Make a caption right after the element of the text that describes it, unless it stands inside."""
    if caption is None or caption is element or len(text_of(caption)) > _LONGEST * 2:
        return
    if caption.tag in ("figcaption", "caption") or any(
        around is element for around in caption.iterancestors()
    ):
        return
    if any(around is caption for around in element.iterancestors()) or element.getparent() is None:
        return
    drop(caption)
    caption.tag = "figcaption"
    caption.tail, element.tail = settable(element.tail or ""), None
    element.addnext(caption)
