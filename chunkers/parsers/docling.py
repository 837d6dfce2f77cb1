"""The paper's `docling` parser: an adapter of the extra `capsa[docling]`; it never downloads anything."""

import io
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from capsa.chunkers.build import TextBuilder
from capsa.chunkers.errors import ParseError, UnavailableError
from capsa.chunkers.formats import HEAD, detect
from capsa.chunkers.model import BlockKind, Document, Layout

NO_PACKAGE = "the docling parser needs a package that is not installed: pip install 'capsa[docling]'"
NO_MODELS = (
    "the docling parser needs docling's models, which are not on this machine; capsa downloads nothing: "
    "run `docling-tools models download` once, or set DOCLING_ARTIFACTS_PATH to a folder that has them"
)
_SUFFIXES = {"pdf": ".pdf", "html": ".html", "markdown": ".md"}
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")
_HEADER = re.compile(r"(#{1,6})\s")
_ITEM = re.compile(r"(?:[-*+]|\d{1,4}[.)])\s")


def parse(data: bytes, name: str) -> Document:
    """Convert to Markdown and split it on blank lines; raises UnavailableError without docling."""
    kind = detect(name, data[:HEAD])
    if kind not in _SUFFIXES:
        raise ParseError("unsupported", f"{name}: the docling parser reads PDF, HTML and Markdown")
    with offline():
        markdown, pages = _convert(data, name, _SUFFIXES[kind])
    return from_markdown(markdown, kind, pages)


@contextmanager
def offline() -> Iterator[None]:
    """Keep huggingface_hub from the network while docling looks for its models."""
    before = os.environ.get("HF_HUB_OFFLINE")
    os.environ["HF_HUB_OFFLINE"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["HF_HUB_OFFLINE"]
        else:
            os.environ["HF_HUB_OFFLINE"] = before


def _convert(data: bytes, name: str, suffix: str) -> tuple[str, int]:
    """Return the Markdown and the number of pages."""
    try:
        from docling.datamodel.base_models import DocumentStream
        from docling.document_converter import DocumentConverter
        from docling.exceptions import ConversionError
    except ImportError as error:
        raise UnavailableError(NO_PACKAGE) from error
    stream = DocumentStream(name=f"document{suffix}", stream=io.BytesIO(data))
    try:
        result: Any = DocumentConverter().convert(stream)
    except ConversionError as error:
        raise ParseError("damaged", f"{name}: docling: {error}") from error
    except (OSError, ValueError) as error:
        # huggingface_hub's LocalEntryNotFoundError and OfflineModeIsEnabled are OSErrors or ValueErrors.
        if is_missing_model(error):
            raise UnavailableError(NO_MODELS) from error
        raise ParseError("damaged", f"{name}: docling: {error}") from error
    return result.document.export_to_markdown(), len(result.document.pages)


def is_missing_model(error: BaseException | None) -> bool:
    """Say whether the error, or one that it came from, is about a model that is not on this machine."""
    for _ in range(8):
        if error is None:
            return False
        if type(error).__name__ in {"LocalEntryNotFoundError", "OfflineModeIsEnabled"}:
            return True
        if isinstance(error, FileNotFoundError) and "model" in str(error).lower():
            return True
        error = error.__cause__ or error.__context__
    return False


def from_markdown(markdown: str, kind: str, pages: int) -> Document:
    """Return the Markdown's blocks between blank lines, their kinds told by how they begin."""
    builder = TextBuilder()
    for element in _BLANK_LINE.split(markdown.replace("\r\n", "\n")):
        block, level = kind_of(element.lstrip())
        builder.add(block, element, level=level, found_by="blank-line")
    return builder.document(kind, pages=pages, layout=Layout("full", pages, reason="by docling"))


def kind_of(element: str) -> tuple[BlockKind, int]:
    """Return the kind and level of a Markdown block."""
    header = _HEADER.match(element)
    if header:
        return "heading", len(header[1])
    if element.startswith("|"):
        return "table", 0
    if element.startswith("```"):
        return "code", 0
    return ("list_item", 1) if _ITEM.match(element) else ("paragraph", 0)
