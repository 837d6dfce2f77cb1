"""Walk the kept fragment of a page and write its blocks."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Unpack

from bs4 import Tag
from bs4.element import NavigableString

from ..build import BlockFields, TextBuilder
from ..captions import is_caption
from ..model import BlockKind
from .html_clean import BREAK
from .html_code import LANGUAGE_ATTRIBUTE
from .html_main import COMMENTS_ATTRIBUTE
from .html_tables import FLAT_TABLE, HEADER_ATTRIBUTE
from .html_texts import alt_of, level_of, line_of, names_of, paragraphs_of, terms_of
from .html_titles import TITLE_ATTRIBUTE

# The walk recurses once per open element; pages of real use stay below 60.
DEEPEST = 100
# An item of more text than this is continued in further blocks, so that no block outgrows a chunk by much.
_LONG_ITEM = 1000
_LONG_CAPTION = 400
_TELLING_ALT = 20

_BLOCK_NAMES = """
    address article aside blockquote body center dd details dir div dl dt fieldset
    figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav
    ol p pre section summary ul
"""
_BLOCKS = frozenset((*_BLOCK_NAMES.split(), FLAT_TABLE))
_CAPTION = re.compile(r"caption", re.IGNORECASE)
_TITLED = re.compile(r"table|figure|example|image|listing|literal|video", re.IGNORECASE)
_PICTURED = re.compile(r"figure|image|caption|thumb", re.IGNORECASE)
_MATH = re.compile(r"(?:^|\s)(?:math|math-display|mathjax_display|equation)(?:\s|$)", re.IGNORECASE)
_FOOTNOTE = re.compile(r"(?:^|\s)(?:footnotes?|endnotes?|footnote-list)(?:\s|$|-)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Place:
    """What running text is at this point of the page."""

    kind: BlockKind = "paragraph"
    tag: str = "p"
    level: int = 0
    in_item: bool = False


class BlockWalk:
    """One walk over a fragment; running text of an item is gathered until the item or its text ends."""

    def __init__(self, builder: TextBuilder) -> None:
        self._builder = builder
        self._gathered: list[str] = []
        self._place = Place()
        self._alts: set[str] = set()
        self._title = ""
        self._in_comments = False

    def walk(self, fragment: Tag) -> None:
        """Write the blocks of the fragment, in page order."""
        self._children(fragment, Place(), 0)
        self._flush()

    def _children(self, parent: Tag, place: Place, depth: int) -> None:
        """Part the children into runs of inline content and block elements."""
        if depth > DEEPEST:
            for text in parent.stripped_strings:
                for paragraph in paragraphs_of(text):
                    self._running(paragraph, place)
            return
        run: list[str] = []
        images: list[Tag] = []
        for child in parent.children:
            if isinstance(child, Tag):
                if child.name == "img":
                    images.append(child)
                elif _is_block(child):
                    self._end_run(run, images, place)
                    self._block(child, place, depth + 1)
                else:
                    run.append(child.get_text())
                    images += child.find_all("img")
            elif type(child) is NavigableString:
                run.append(child)
        self._end_run(run, images, place)

    def _end_run(self, run: list[str], images: list[Tag], place: Place) -> None:
        text = "".join(run)
        spoken = not text.isspace() and bool(text)
        wordless = bool(images) and not any(alt_of(image) for image in images)
        for paragraph in paragraphs_of(text):
            self._running(paragraph, place, wordless)
        for image in images:
            alt = alt_of(image)
            if alt and alt not in self._alts and (not spoken or len(alt) >= _TELLING_ALT):
                self._alts.add(alt)
                self._add("figure", alt, "html:img")
        run.clear()
        images.clear()

    def _running(self, text: str, place: Place, of_picture: bool = False) -> None:
        if self._title:
            self._title, text = "", f"{self._title}\n{text}"
        if place.kind == "paragraph" and len(text) < _LONG_CAPTION and is_caption(text):
            self._add("caption", text, "html:picture" if of_picture else "html:text")
        elif place.in_item:
            self._gather(text, place)
        else:
            self._add(place.kind, text, f"html:{place.tag}")

    def _gather(self, text: str, place: Place) -> None:
        if place is not self._place or sum(map(len, self._gathered)) > _LONG_ITEM:
            self._flush()
        self._place = place
        self._gathered.append(text)

    def _flush(self) -> None:
        """End the item that is open; a title that no text has followed is a paragraph."""
        if self._gathered:
            text, place = "\n".join(self._gathered), self._place
            self._gathered = []
            before = self._builder.blocks[-1].kind if self._builder.blocks else None
            joiner = "\n" if before == place.kind else "\n\n"
            self._write(place.kind, text, joiner, found_by=f"html:{place.tag}", level=place.level)
        if self._title:
            title, self._title = self._title, ""
            self._write("paragraph", title, found_by="html:title")

    def _add(self, kind: BlockKind, text: str, found_by: str, level: int = 0, language: str = "") -> None:
        self._flush()
        self._write(kind, text, found_by=found_by, level=level, language=language)

    def _write(self, kind: BlockKind, text: str, joiner: str = "\n\n", **fields: Unpack[BlockFields]) -> None:
        if self._in_comments:
            kind, fields = "comment", {"found_by": "html:comments"}
        self._builder.add(kind, text, joiner=joiner, **fields)

    def _block(self, tag: Tag, place: Place, depth: int) -> None:
        names = names_of(tag)
        if tag.get("role") == "heading" or tag.name in _HEADINGS:
            self._heading(tag)
        elif TITLE_ATTRIBUTE in tag.attrs or tag.name == "summary":
            self._flush()
            self._title = line_of(tag)
        elif COMMENTS_ATTRIBUTE in tag.attrs:
            self._comments(tag, depth)
        elif tag.name == "figcaption" or (tag.name in ("p", "div") and _is_titled(tag, names)):
            self._add(
                "caption", line_of(tag), "html:picture" if _shows_only(tag.parent) else f"html:{tag.name}"
            )
        elif tag.name in _HANDLERS:
            _HANDLERS[tag.name](self, tag, place, depth)
        elif _FOOTNOTE.search(names) or str(tag.get("role", "")).startswith("doc-footnote"):
            self._children(tag, Place("footnote", "footnote", in_item=True), depth)
        elif _MATH.search(names):
            self._add("equation", line_of(tag), "html:math")
        else:
            self._children(tag, place, depth)

    def _heading(self, tag: Tag) -> None:
        level = _HEADINGS.get(tag.name, 0) or min(max(level_of(tag.get("aria-level")), 1), 6)
        for image in tag.find_all("img") if not tag.get_text(strip=True) else ():
            tag.append(str(image.get("alt", "")))
        self._add("heading", line_of(tag), f"html:h{level}", level=level)

    def _paragraph(self, tag: Tag, place: Place, depth: int) -> None:
        self._children(tag, place, depth)

    def _comments(self, tag: Tag, depth: int) -> None:
        self._flush()
        self._in_comments = True
        self._children(tag, Place(), depth)
        self._flush()
        self._in_comments = False

    def _quote(self, tag: Tag, place: Place, depth: int) -> None:
        self._children(tag, Place("quote", "blockquote"), depth)

    def _list(self, tag: Tag, place: Place, depth: int) -> None:
        noted = place.kind == "footnote" or _FOOTNOTE.search(names_of(tag))
        level = place.level + 1 if place.in_item and place.kind == "list_item" else 1
        for child in tag.children:
            if isinstance(child, Tag):
                # A new Place per item: its identity is what parts one item's text from the next one's.
                item = Place("footnote" if noted else "list_item", "li", 0 if noted else level, in_item=True)
                self._children(child, item, depth + 1) if child.name == "li" else self._block(
                    child, item, depth
                )
            elif type(child) is NavigableString and child.strip():
                self._running(" ".join(child.split()), place)
        self._flush()

    def _item(self, tag: Tag, place: Place, depth: int) -> None:
        self._children(tag, Place("list_item", "li", max(place.level, 1), in_item=True), depth)
        self._flush()

    def _definitions(self, tag: Tag, place: Place, depth: int) -> None:
        noted = place.kind == "footnote" or _FOOTNOTE.search(names_of(tag))
        fresh = Place("footnote" if noted else "definition", "dl", in_item=True)
        item, before = fresh, "dd"
        for child in terms_of(tag):
            if child.name == "dt" and before == "dd":
                item = replace(fresh)
            self._children(child, item, depth + 1)
            before = child.name
        self._flush()

    def _code(self, tag: Tag, place: Place, depth: int) -> None:
        text = tag.get_text().replace(BREAK, "\n")
        self._add("code", text, "html:pre", language=str(tag.get(LANGUAGE_ATTRIBUTE, "")))

    def _table(self, tag: Tag, place: Place, depth: int) -> None:
        self._flush()
        if self._in_comments:
            self._add("comment", tag.get_text(), "html:comments")
            return
        end = str(tag.get(HEADER_ATTRIBUTE, ""))
        self._builder.add(
            "table", tag.get_text(), header_end_rel=int(end) if end else None, found_by="html:table"
        )

    def _rule(self, tag: Tag, place: Place, depth: int) -> None:
        self._flush()


_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_Handler = Callable[[BlockWalk, Tag, Place, int], None]
_HANDLERS: Mapping[str, _Handler] = {
    "p": BlockWalk._paragraph,
    "blockquote": BlockWalk._quote,
    "ul": BlockWalk._list,
    "ol": BlockWalk._list,
    "menu": BlockWalk._list,
    "dir": BlockWalk._list,
    "li": BlockWalk._item,
    "dl": BlockWalk._definitions,
    "pre": BlockWalk._code,
    FLAT_TABLE: BlockWalk._table,
    "hr": BlockWalk._rule,
}


def _is_block(tag: Tag) -> bool:
    """An element of no known name is inline unless it holds blocks."""
    return tag.name in _BLOCKS or tag.find(_BLOCKS) is not None or tag.get("role") == "heading"


def _is_titled(tag: Tag, names: str) -> bool:
    """Captions that are no figcaption: so named, or the title of a DocBook or AsciiDoc table or figure."""
    named = _CAPTION.search(names) is not None
    if not named and not ("title" in names.split() and _TITLED.search(names_of(tag.parent))):
        return False
    if tag.find([FLAT_TABLE, "pre", "ul", "ol", "img"]) is not None:
        return False
    return len(tag.get_text()) < _LONG_CAPTION * 5


def _shows_only(figure: Tag | None) -> bool:
    """Say whether a figure's pictures have no words, so that its caption is all there is to find of it."""
    if figure is None or not (figure.name == "figure" or _PICTURED.search(names_of(figure))):
        return False
    images = figure.find_all("img")
    return (
        bool(images) and not any(alt_of(image) for image in images) and not figure.find([FLAT_TABLE, "pre"])
    )
