"""Parsers: bytes in, Document out, one module a format."""

from collections.abc import Callable, Mapping
from importlib import import_module

from ..captures.detecting import find_kind
from ..errors import ParseError, UsageError
from ..formats import HEAD, detect
from ..model import LAYOUT_BUDGET_MS, Document

# Part of what a stored document is known by: raise it when any parser's output changes.
VERSION = "7"

Parser = Callable[[bytes, str, float], Document]

# To add a format: a module with parse(data, name), a line here and a line in formats.FORMATS.
_MODULES: Mapping[str, str] = {
    "html": "html",
    "markdown": "markdown",
    "text": "text",
    "rst": "rst",
    "org": "org",
    "csv": "csv",
    "code": "source",
}


def parse(
    data: bytes, name: str, parser: str = "native", layout_budget_ms: float = LAYOUT_BUDGET_MS
) -> Document:
    """Parse one file with the named parser; raises ParseError and nothing else for a bad document."""
    chosen = PARSERS.get(parser)
    if chosen is None:
        raise UsageError(f"unknown parser {parser!r}; choose from {', '.join(PARSERS)}")
    try:
        if (kind := find_kind(name, data[:HEAD])) is not None:
            return _first_page(kind, data, name, parser, layout_budget_ms)
        return chosen(data, name, layout_budget_ms)
    except (MemoryError, RecursionError) as error:
        raise ParseError("limit", f"{name} needs more memory or depth than a parser may use") from error


def _first_page(kind: str, data: bytes, name: str, parser: str, layout_budget_ms: float) -> Document:
    """A saved page as a document like any other; captures.pages gives all pages of a file."""
    from ..captures.pages import read_single

    return read_single(data, name, kind, lambda body, inner: parse(body, inner, parser, layout_budget_ms))


def _native(data: bytes, name: str, layout_budget_ms: float) -> Document:
    """Our parser: the format decides the module."""
    kind = detect(name, data[:HEAD])
    if kind == "pdf":
        from ..ocr_scans import mark_scans
        from . import pdf

        return mark_scans(pdf.parse(data, name, layout_budget_ms), data)
    return _run(_MODULES[kind], data, name)


def _normal(data: bytes, name: str, layout_budget_ms: float) -> Document:
    """The paper's plain text extraction."""
    return _run("normal", data, name)


def _context_aware(data: bytes, name: str, layout_budget_ms: float) -> Document:
    """The paper's extraction by elements."""
    return _run("context_aware", data, name)


def _docling(data: bytes, name: str, layout_budget_ms: float) -> Document:
    """The paper's third parser, an adapter of an extra."""
    return _run("docling", data, name)


def _run(module: str, data: bytes, name: str) -> Document:
    """Import the module only now: a search must not pay for parsers."""
    document: Document = import_module(f".{module}", __name__).parse(data, name)
    return document


PARSERS: Mapping[str, Parser] = {
    "native": _native,
    "normal": _normal,
    "context_aware": _context_aware,
    "docling": _docling,
}
