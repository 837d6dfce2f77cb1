"""What the encoder and the keyword index read of a chunk besides its verbatim text."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from .model import Chunk, Document, Span, Window

_LONGEST_PART = 70
_LONGEST_BREADCRUMB = 180
_JOINT = " > "

# Each pattern starts and ends at punctuation or white space and is replaced by a space, so no words are
# joined and the cleaned text never has more tokens than the original.
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_BADGE = re.compile(r"\[!\[[^\[\]]*\]\([^()\s]*(?:\s+\"[^\"()]*\")?\)\]\([^()\s]*\)")
_LINK = re.compile(r"(!?\[)([^\[\]]*)\]\([^()\s]*(?:\s+\"[^\"()]*\")?\)")
_TAG = re.compile(r"</?[a-zA-Z][a-zA-Z0-9-]*(?:\s[^<>]*)?/?>")
_RULE = re.compile(r"([-_.*])\1{2,}|([=~#+])\2{3,}")


def breadcrumb(document_title: str, headings: Sequence[str]) -> str:
    """Return ``title > heading > heading`` without repeats; of a long one, middle headings are left out."""
    parts: list[str] = []
    for part in (document_title, *headings):
        clipped = _clip(" ".join(part.split()))
        if clipped and clipped.casefold() not in {known.casefold() for known in parts}:
            parts.append(clipped)
    while len(parts) > 2 and len(_JOINT.join(parts)) > _LONGEST_BREADCRUMB:
        del parts[1]
    return _JOINT.join(parts)


def embedding_texts(document: Document, chunk: Chunk) -> list[str]:
    """Return what the model reads of each window: breadcrumb, context and text, cleaned for the encoder."""
    lead = chunk_breadcrumb(document, chunk)
    return [_embedding_text(document, window, lead) for window in chunk.windows]


def keyword_text(document: Document, chunk: Chunk) -> str:
    """Return what keyword search reads of a chunk: the breadcrumb and the verbatim text."""
    lead = breadcrumb(document.title, chunk.headings)
    text = document.text[chunk.start : chunk.end]
    return f"{lead}\n{text}" if lead else text


def chunk_breadcrumb(document: Document, chunk: Chunk) -> str:
    """Return the part of a chunk's breadcrumb that its windows have room for."""
    return breadcrumb(document.title, chunk.headings)[: chunk.breadcrumb_end]


def clean(text: str) -> str:
    """Leave out what says nothing to the encoder: link targets, badges, HTML comments and tags, rules."""
    if "<" in text:
        text = _TAG.sub(" ", _COMMENT.sub(" ", text))
    if "](" in text:
        text = _LINK.sub(_link_text, _BADGE.sub(" ", text))
    return squeeze(text)


def squeeze(text: str) -> str:
    """Make every run of white space one space, and every rule (``-----``, ``.....``) one."""
    return " ".join(_RULE.sub(" ", text).split())


def _link_text(found: re.Match[str]) -> str:
    return f" {found[2]} " if found[1] == "![" else f"[{found[2]}]"


def _clip(part: str) -> str:
    if len(part) <= _LONGEST_PART:
        return part
    space = part.rfind(" ", _LONGEST_PART // 2, _LONGEST_PART + 1)
    return part[: space if space > 0 else _LONGEST_PART]


def _embedding_text(document: Document, window: Window, lead: str) -> str:
    spans = (*window.context, (window.start, window.end))
    body = "\n".join(_clean_span(document, span) for span in spans)
    return f"{lead}\n{body}" if lead else body


def _clean_span(document: Document, span: Span) -> str:
    """Clean a span; only Markdown source has markup in its text, and not in its code blocks."""
    if document.kind != "markdown":
        return squeeze(document.text[span[0] : span[1]])
    parts = (
        squeeze(document.text[start:end]) if code else clean(document.text[start:end])
        for start, end, code in _by_code(document, span)
    )
    return "\n".join(part for part in parts if part)


def _by_code(document: Document, span: Span) -> Iterator[tuple[int, int, bool]]:
    """Yield the span in parts that are code and parts that are not."""
    position, end = span
    index = bisect_left(document.blocks, position, key=lambda block: block.end)
    while index < len(document.blocks) and document.blocks[index].start < end:
        block = document.blocks[index]
        if block.kind == "code":
            first, last = max(block.start, position), min(block.end, end)
            yield position, first, False
            yield first, last, True
            position = last
        index += 1
    yield position, end, False
