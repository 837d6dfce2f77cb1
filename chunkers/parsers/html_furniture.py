"""What of a page is furniture: told by its tag, its role, its name, or by being mostly links."""

import re
from typing import Any

from .html_measures import Measures
from .html_tree import text_of

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")

_LANDMARK_ROLES = """
    navigation banner contentinfo complementary search alertdialog dialog menu menubar toolbar
"""
_LANDMARKS = frozenset(_LANDMARK_ROLES.split())


def _named(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?:^|[\s_-])(?:{words})(?:[\s_-]|$)", re.IGNORECASE)


_BESIDE = (
    r"sidebar|rail|(?:right|left)[_-]?(?:bar|col(?:umn)?|rail|side)|footer|masthead|related|recommend\w{0,6}"
    r"|trending"
)
_STRONGLY = _named(_BESIDE)
_WORDS = (
    rf"{_BESIDE}|cookies?|consent|gdpr|newsletter|subscri(?:be|ption)|shar(?:e[sd]?|ing|edaddy)|social|breadcrumbs?"
    r"|nav(?:bar|igation|menu|list|head(?:er)?|foot(?:er)?)?|promos?|sponsor(?:ed)?|ads?|advert(?:s|isement)?|banner"
    r"|menu|pagination|pager|toolbar|tools|popup|modal|overlay|popular|outbrain|taboola|log-?in|sign-?up|widgets?"
    r"|twitter|facebook|tags|more-(?:links?|from|stories)|read-?more|further-reading|(?:prev|next)-(?:page|post|link)"
    r"|prev-?next|utility|jumpbox|skip-?(?:link|nav|to)|col(?:umn)?-?(?:right|left)|search-?(?:box|form|bar)"
)
_FURNITURE = _named(_WORDS)
_WHOLLY = re.compile(rf"(?:^|[\s_-])(?:{_WORDS})(?:\s|$)", re.IGNORECASE)
_COMMENTS = _named(
    r"comments|commentlist|comment[_-](?:list|section|area|thread|wrap(?:per)?|block|content|body|item)"
    r"|disqus|dsq|livefyre|isso|remark42|commento|responses-wrapper|replies|respond|kommentare|commentaires"
    r"|comentarios"
)
_BANNER = _named(
    r"cookies?|cookie-?\w{1,20}|consent|gdpr|newsletter|sp_message|usercentrics|tarteaucitron|js-cck"
)
_NEIGHBOURS = re.compile(r"(?:^|\s)nav-?(?:header|footer)(?:\s|$)", re.IGNORECASE)
_CONTENTS = _named("toc|contents|table-of-contents|nav-?header|nav-?footer")
_CONTENTS_TITLE = re.compile(
    r"(?:\d{1,3}\.?\s)?(?:(?:table of )?contents|on this page|inhalt(?:sverzeichnis)?|sommaire)",
    re.IGNORECASE,
)
_NOTES = re.compile(
    r"footnote|admonition|note|topic|callout|warning|tip|caution|important|example", re.IGNORECASE
)
# Parts of documents as DocBook, gtk-doc, Haddock, mandoc and rustdoc name them: a list of links is content.
_PART_OF_DOCUMENT = _named(r"(?:ref)?sect\d|sh|ss|docblock|refentry|refnamediv|chapter|appendix|synopsis")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
# WordPress writes a post's tags and categories into its class.
_TAGGED = re.compile(r"\b(?:tag|category|format)-\S{1,80}")
_NAMED_BY_ID = frozenset(("div", "aside", "nav", "ul", "ol", "table", "form", "footer", "header"))
_EVIDENCE = ("pre", "table", "figure", "math", "dl")


def names(element: Any) -> str:
    """Return class and id, camel case parted; a section's id says what it is about, not what it is."""
    written = element.get("class", "")[:300]
    if element.tag in _NAMED_BY_ID and "section" not in written:
        written += " " + element.get("id", "")[:100]
    return _TAGGED.sub("", _CAMEL.sub("-", written))


def is_named_furniture(element: Any) -> bool:
    """Say whether class or id name a part that stands around the content."""
    return _FURNITURE.search(names(element)) is not None


def is_sidebar(element: Any) -> bool:
    """Say whether class or id name a part that stands beside the content, whatever it holds."""
    return _STRONGLY.search(names(element)) is not None


def is_comments(element: Any, measures: Measures) -> bool:
    """Say whether this holds what readers wrote below the content; much prose must be left without it."""
    if not _COMMENTS.search(names(element)):
        return False
    root_prose = max((measures.prose(around) for around in element.iterancestors()), default=0)
    return root_prose - measures.prose(element) > 300


def is_landmark(element: Any, measures: Measures, whole: int) -> bool:
    """Say whether tag, role or name make this navigation, a banner, a form or a table of contents."""
    tag, role = element.tag, element.get("role", "")
    if tag == "nav" or role in _LANDMARKS:
        return not _holds_much(element, measures, whole)
    if tag == "form":
        return (
            not _holds_much(element, measures, whole)
            and element.find(".//p") is None
            and element.find(".//table") is None
        )
    if tag == "aside":
        return not _NOTES.search(names(element)) and (
            not _inside_article(element) or measures.density(element) > 0.5
        )
    if tag == "footer":
        return not _holds_much(element, measures, whole) and (
            not _inside_article(element) or measures.density(element) > 0.3
        )
    named = names(element)
    if _CONTENTS.search(named):
        return _is_contents(element, measures)
    return _BANNER.search(named) is not None and measures.text(element) < min(1500, whole / 3)


def _is_contents(element: Any, measures: Measures) -> bool:
    """A table of contents or a bar of links to neighbours says what headings and titles say elsewhere."""
    links = [link for link in element.iter("a") if link.get("href")]
    inside = sum("#" in link.get("href") for link in links)
    if len(links) > 2 and inside >= len(links) * 0.9:
        return measures.density(element) > 0.7
    return _NEIGHBOURS.search(names(element)) is not None and measures.text(element) < 300


def is_contents_heading(heading: Any) -> bool:
    """Say whether this is the title of a table of contents."""
    return _CONTENTS_TITLE.fullmatch(" ".join(text_of(heading).split())) is not None


def _holds_much(element: Any, measures: Measures, whole: int) -> bool:
    """A page wrapped in a form or built inside a banner: the name cannot be meant."""
    if element.find(".//main") is not None or element.find(".//article") is not None:
        return True
    return measures.text(element) > whole * 0.5 and measures.density(element) < 0.8


def _inside_article(element: Any) -> bool:
    return any(
        parent.tag in ("article", "main", "blockquote", "figure") or parent.get("role") == "main"
        for parent in element.iterancestors()
    )


def is_beside(element: Any, inner: Any, measures: Measures, total: int) -> bool:
    """Say whether an element beside ``inner``, which leads to the content, is none of it.

    ``total`` is the prose of the whole. What holds much prose, code, a table or a figure stays unless it is
    named; parts of a document that look like the one that leads to most of it stay as well.
    """
    if not measures.text(element) or element.tag in HEADINGS:
        return False
    prose, density = measures.prose(element), measures.density(element)
    if _is_alike(element, inner):
        return False
    if is_sidebar(element):
        return prose < 0.8 * total
    if prose > 0.3 * total:
        return False
    if is_named_furniture(element) or (density > 0.5 and prose < 400) or (density > 0.3 and not prose):
        return True
    if density > 0.25 and prose < 0.2 * total and sum(1 for _ in element.iter("a")) > 4:
        return True
    return not prose and measures.text(element) < 300 and _is_label(element)


def _is_label(element: Any) -> bool:
    return element.tag not in _EVIDENCE and next(element.iter(*_EVIDENCE), None) is None


def _is_alike(element: Any, inner: Any) -> bool:
    """Sections of one document have the same tag and class, and headings of the same level."""
    if _PART_OF_DOCUMENT.search(names(element)):
        return True
    if element.tag != inner.tag or not element.get("class") or element.get("class") != inner.get("class"):
        return False
    first, other = next(element.iter(*HEADINGS), None), next(inner.iter(*HEADINGS), None)
    return first is not None and other is not None and first.tag == other.tag != "h1"


def is_bar(element: Any, measures: Measures, total: int) -> bool:
    """Say whether an element inside the content is a bar of buttons or links, by its name."""
    text, prose = measures.text(element), measures.prose(element)
    if element.get("role") == "note" or not text or prose >= 0.3 * total or not is_named_furniture(element):
        return False
    wholly = _WHOLLY.search(names(element)) is not None
    return measures.density(element) > 0.5 or (wholly and text < 200 and not prose and _is_label(element))
