"""HTML: the page's content without what surrounds it, as blocks."""

import re
from functools import partial
from typing import Any

from bs4 import BeautifulSoup
from bs4.builder._lxml import LXMLTreeBuilder
from lxml import etree

from ..build import TextBuilder
from ..charset import decode
from ..errors import ParseError
from ..language import detect
from ..model import Document
from .html_blocks import BlockWalk
from .html_clean import lighten, make_plain
from .html_main import main_content
from .html_meta import article_texts, page_language, page_metadata, page_title
from .html_tree import drop_unseen, parse_tree

LARGEST = 64 * 1024 * 1024
# Below this a page is taken to keep its text elsewhere: in noscript, in structured data.
_NEXT_TO_NOTHING = 50
_TAGS = re.compile(r"<[^<>]{0,500}>")


class _HugeTreeBuilder(LXMLTreeBuilder):
    """Beautiful Soup's lxml builder without libxml2's limit of 10 MB a text node."""

    def default_parser(self, encoding: str | None) -> Any:
        return partial(etree.HTMLParser, huge_tree=True)


def parse(data: bytes, name: str) -> Document:
    """Parse a page; a page without any text is a document whose outcome is "empty"."""
    if len(data) > LARGEST:
        raise ParseError("too-large", f"{name} has {len(data)} bytes; pages are read up to {LARGEST}")
    text, encoding = decode(data, html=True)
    root, source = parse_tree(text)
    if root is None:
        return TextBuilder().document("html")
    title, declared, metadata = page_title(root), page_language(root), page_metadata(root)
    fallback = article_texts(root)
    drop_unseen(root)
    make_plain(root)
    builder = _write(main_content(root, title))
    if len(builder) < _NEXT_TO_NOTHING:
        builder = _elsewhere(source, fallback, builder)
    metadata["encoding"] = encoding
    language = declared or detect(builder.text)
    return builder.document("html", title=title, language=language, metadata=metadata)


def _write(container: Any) -> TextBuilder:
    lighten(container)
    markup = etree.tostring(container, encoding="unicode", method="html", with_tail=False)
    builder = TextBuilder()
    BlockWalk(builder).walk(BeautifulSoup(markup, builder=_HugeTreeBuilder(multi_valued_attributes=None)))
    return builder


def _elsewhere(source: str, article: list[str], shown: TextBuilder) -> TextBuilder:
    """Return the longest of what is shown, the noscript elements and the structured data's article."""
    noscript = _noscript(source)
    structured = TextBuilder()
    for part in article:
        for paragraph in re.split(r"\n{1,9}", _TAGS.sub("", part)):
            structured.add("paragraph", " ".join(paragraph.split()), found_by="html:json-ld")
    best = max((shown, noscript, structured), key=len)
    return best if len(best) else _plain(source)


def _plain(source: str) -> TextBuilder:
    """Read a page that libxml2 finds nothing in with an HTML5 parser, whose text has no structure."""
    from resiliparse.extract.html2text import extract_plain_text

    builder = TextBuilder()
    for line in extract_plain_text(source, main_content=False, preserve_formatting=True).split("\n"):
        builder.add("paragraph", line, found_by="html:plain")
    return builder


def _noscript(source: str) -> TextBuilder:
    root, _ = parse_tree(source)
    body = etree.Element("body")
    for element in list(root.iter("noscript")):
        element.tag = "div"
        body.append(element)
    drop_unseen(body)
    make_plain(body)
    return _write(body)
