"""Parts of a page that lead on to other pages, told by the words above them: "Related articles"."""

import re
from typing import Any

from .html_furniture import HEADINGS
from .html_measures import Measures
from .html_tree import text_of

_TEASER = re.compile(
    r"(?:related (?:articles?|stories|posts?|content|news|topics|searches|videos)"
    r"|more (?:from|on|in|about) .{2,40}|more (?:stories|news|articles|posts|videos|headlines)"
    r"|read (?:more|next|also|this next)|further reading on .{2,40}|keep reading|continue reading"
    r"|you (?:may|might) (?:also )?(?:like|be interested in)|recommended(?: for you| stories| articles)?"
    r"|most (?:read|popular|viewed|shared|commented|recent)(?: .{2,20})?|trending(?: now| topics| stories)?"
    r"|(?:latest|recent|popular|top|other|today's) (?:posts|stories|news|articles|videos|comments)"
    r"|editors?['’]? picks?|explore further|around the web|from the web|sponsored (?:links|content|stories)"
    r"|share (?:this|on|via)(?: .{2,30})?|follow us(?: on)?|also on .{2,40}|what to read next"
    r"|(?:à )?lire aussi|sur le même sujet|mehr zum thema|lesen sie auch|auch interessant|weitere artikel"
    r"|lee también|también te puede interesar|noticias relacionadas|leggi anche|leia também"
    r"|相关内容|関連記事)"
    r"\s{0,2}[:»›]?",
    re.IGNORECASE,
)
_LONGEST = 60
_LISTS = ("ul", "ol", "div", "section")


def drop_teasers(container: Any, measures: Measures, way: list[Any]) -> None:
    """Drop what stands under such words: the part they are the title of, or the list that follows them.

    ``way`` leads to the content; what holds more than a fifth of the prose is content as well.
    """
    total, kept = measures.prose(container), set(way)
    for label in list(container.iter(*HEADINGS[1:], "p", "div", "li", "span")):
        if label.getparent() is None or not 0 < measures.text(label) <= _LONGEST:
            continue
        if not _TEASER.fullmatch(" ".join(text_of(label).split())):
            continue
        for element in _under(label, measures, kept, total):
            measures.drop(element)


def _under(label: Any, measures: Measures, kept: set[Any], total: int) -> list[Any]:
    titled = label
    for around in label.iterancestors():
        first = next((child for child in around if measures.text(child)), None)
        if around in kept or first is not titled or measures.prose(around) > 0.2 * total:
            break
        titled = around
    if titled is not label and measures.links(titled):
        return [titled]
    after = titled.getnext()
    if after is not None and after.tag in _LISTS and after not in kept and measures.density(after) > 0.5:
        return [titled, after]
    return []
