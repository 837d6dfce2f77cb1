"""Markdown: CommonMark, GFM tables, front matter, footnotes, definition lists; blocks are source spans."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ..charset import decode
from ..model import Block, BlockKind, Document
from .lines import Lines, source_document, stem
from .markdown_html import html_blocks, is_picture, visible_text
from .text import parse_text

# markdown-it reads about 2 MB a second; what is larger is no document that someone wrote.
LARGEST = 16 * 1024 * 1024
_FIELD = re.compile(
    r"^(title|date|author|description|lang)[ \t]*[:=][ \t]*(\S.*)$", re.IGNORECASE | re.MULTILINE
)
_DEFINITION = re.compile(r"\[(?!\^)[^\]\n]{1,999}\]:")
_IMAGE = r"!\[[^\]\n]{0,999}\](?:\([^()\n]{0,2000}\)|\[[^\]\n]{0,999}\])"
_ONLY_IMAGES = re.compile(
    rf"(?:\s*(?:{_IMAGE}|\[{_IMAGE}\](?:\([^()\n]{{0,2000}}\)|\[[^\]\n]{{0,999}}\])))+\s*"
)
_LINK = re.compile(r"!?\[([^\[\]\n]{0,999})\](?:\([^()\n]{0,2000}\)|\[[^\[\]\n]{0,999}\])")
_ADORNMENT = re.compile(
    r"^[ \t>]{0,20}#{1,6}[ \t]|[ \t]#{1,99}[ \t]*$|\n[ \t>]{0,20}[=-]{1,999}[ \t]*$"
    r"|\{#[^{}\n]{0,99}\}|[*`]{1,3}"
)
# A title stands among the first blocks, after front matter and badges at most.
_OPENING = 4
# An image in Markdown or HTML, and what it says.
_PICTURE = re.compile(r"!\[[^\[\]]*\](?:\([^()\s]*\)|\[[^\[\]]*\])|<img\b[^<>]*>", re.IGNORECASE)
_ALT = re.compile(r"!\[([^\[\]]+)\]|<img\b[^<>]*?\balt=[\"']([^\"'<>]*)[\"']", re.IGNORECASE)


def parse(data: bytes, name: str) -> Document:
    """Parse Markdown source; what is too large for Markdown is read as plain text."""
    text, encoding = decode(data)
    if len(text) > LARGEST:
        return parse_text(text, name, "markdown", notes=(f"too large for Markdown: {len(text)} characters",))
    tokens = _reader().parse(text)
    matter = _front_matter(tokens)
    metadata = {key: matter[key] for key in ("date", "author", "description") if key in matter}
    document = source_document(
        text, _blocks(Lines(text), tokens), "markdown", metadata=metadata | {"encoding": encoding}
    )
    title = matter.get("title") or _first_heading(document) or stem(name)
    blocks = tuple(_as_definitions(text, document.blocks))
    return replace(document, title=title, blocks=blocks, language=matter.get("lang", document.language)[:2])


@cache
def _reader() -> MarkdownIt:
    from mdit_py_plugins.deflist import deflist_plugin
    from mdit_py_plugins.dollarmath import dollarmath_plugin
    from mdit_py_plugins.footnote import footnote_plugin
    from mdit_py_plugins.front_matter import front_matter_plugin

    reader = MarkdownIt("commonmark", {"maxNesting": 60}).enable("table")
    reader.use(front_matter_plugin).use(footnote_plugin).use(deflist_plugin).use(dollarmath_plugin)
    # Blocks need no inline parse, which is most of the cost, and footnotes stay where they are written.
    reader.core.ruler.disable(["inline", "footnote_tail", "text_join"])
    return reader


_CONTAINERS: dict[str, BlockKind] = {
    "list_item": "list_item",
    "blockquote": "quote",
    "dt": "definition",
    "dd": "definition",
    "footnote_reference": "footnote",
}


@dataclass(slots=True)
class _Around:
    """The containers that are open, outermost first; ``unit`` numbers what merges into one block."""

    kinds: list[BlockKind]
    units: list[int]
    count: int = 0
    term_open: bool = False

    def enter(self, name: str) -> None:
        # A term and its definitions are one unit.
        joins = name == "dd" or (name == "dt" and self.term_open)
        self.count += not joins
        self.term_open = name == "dt"
        self.kinds.append(_CONTAINERS[name])
        self.units.append(self.count)

    def leave(self) -> None:
        self.kinds.pop()
        self.units.pop()

    def running(self) -> tuple[BlockKind, int, int]:
        """Return kind, level and unit of running text here."""
        if not self.kinds:
            return "paragraph", 0, 0
        index = len(self.kinds) - 1
        for wanted in ("footnote", "list_item"):
            if wanted in self.kinds:
                index = len(self.kinds) - 1 - self.kinds[::-1].index(wanted)
                break
        kind = self.kinds[index]
        level = self.kinds.count("list_item") if kind == "list_item" else 0
        return kind, level, self.units[index] if kind != "quote" else 0


def _blocks(lines: Lines, tokens: Sequence[Token]) -> Iterator[Block]:
    """Yield the leaves of the block tree as blocks; an item's paragraphs in a row are one."""
    around = _Around([], [])
    last: tuple[Block, int] | None = None
    for index, token in enumerate(tokens):
        name = token.type.removesuffix("_open").removesuffix("_close")
        if name in _CONTAINERS:
            around.enter(name) if token.nesting > 0 else around.leave()
        if token.map is None or token.type not in _LEAVES:
            continue
        first, after = token.map[0], max(token.map[1], token.map[0] + 1)  # the map of a term is empty
        if token.type not in ("paragraph_open", "dt_open"):
            yield from _end(last)
            last = None
            yield from _leaf(lines, token, first, after)
            continue
        kind, level, unit = around.running()
        if last is not None and unit and last[1] == unit:
            block = lines.block(kind, first, after)
            last = (replace(last[0], end=block.end), unit) if block else last
            continue
        yield from _end(last)
        shown = tokens[index + 1].content  # the inline token that every paragraph and term holds
        if kind == "paragraph" and (_ONLY_IMAGES.fullmatch(shown) or is_picture(shown)):
            kind = "figure"
        block = lines.block(kind, first, after, level=level, found_by=f"markdown:{kind.replace('_', '-')}")
        last = (block, unit) if block else None
    yield from _end(last)


def _end(last: tuple[Block, int] | None) -> Iterator[Block]:
    if last is not None:
        yield last[0]


_LEAVES: dict[str, BlockKind] = {
    "paragraph_open": "paragraph",
    "dt_open": "definition",
    "heading_open": "heading",
    "fence": "code",
    "code_block": "code",
    "html_block": "paragraph",
    "hr": "furniture",
    "table_open": "table",
    "math_block": "equation",
    "math_block_label": "equation",
    "front_matter": "metadata",
}


def _leaf(lines: Lines, token: Token, first: int, after: int) -> Iterator[Block]:
    if token.type == "html_block":
        yield from html_blocks(lines.text, lines.starts[first], lines.starts[after])
        return
    found_by = f"markdown:{token.type.removesuffix('_open').replace('_', '-')}"
    level = int(token.tag[1]) if token.type == "heading_open" else 0
    block = lines.block(_LEAVES[token.type], first, after, level=level, found_by=found_by)
    if block is None:
        return
    if token.type == "table_open":
        header_end = lines.starts[first + 2]
        block = replace(block, header_end=min(header_end - lines.text[:header_end].endswith("\n"), block.end))
    yield replace(block, language=_language(token.info)) if token.type == "fence" else block


def _language(info: str) -> str:
    words = info.strip().lstrip("{.").replace(",", " ").rstrip("}").split()
    return words[0].lower()[:30] if words else ""


def _as_definitions(text: str, blocks: Iterable[Block]) -> Iterator[Block]:
    """Link reference definitions, which the block tree leaves out, are metadata."""
    for block in blocks:
        if block.found_by == "gap" and _DEFINITION.match(text, block.start):
            block = replace(block, kind="metadata", found_by="markdown:reference")
        yield block


def _front_matter(tokens: Sequence[Token]) -> dict[str, str]:
    """Return the plain fields; nested YAML says nothing that capsa keeps."""
    if not tokens or tokens[0].type != "front_matter":
        return {}
    return {
        key.lower(): value.strip().strip("\"'") for key, value in reversed(_FIELD.findall(tokens[0].content))
    }


def _first_heading(document: Document) -> str:
    """Return the heading that the document opens with; one further down is a section's."""
    opening = [block for block in document.blocks[:_OPENING] if block.kind == "heading"]
    opening.sort(key=lambda block: block.level != 1)
    plain = (title_text(document.text[block.start : block.end][:2000]) for block in opening)
    return next((text for text in plain if text), "")


def title_text(source: str) -> str:
    """Return a title without its markup and badges; a title that is only a logo is what the logo says."""
    named = _ALT.search(source)
    alternative = (named[1] or named[2] or "") if named else ""
    return heading_text(_PICTURE.sub(" ", source)) or alternative.strip()


def heading_text(source: str) -> str:
    """Return a heading without its markup."""
    linked = _LINK.sub(r"\1", _LINK.sub(r"\1", source))
    return visible_text(_ADORNMENT.sub("", linked))
