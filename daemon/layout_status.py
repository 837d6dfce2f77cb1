"""What ``capsa status`` tells of layouts that were cut, and of scans."""

from collections.abc import Iterator, Mapping
from typing import Any

from capsa.chunkers import ocr
from capsa.store.pages import Cut, Pages

from .printing import count

FINISH = "`capsa index --finish`"


def layout_record(pages: Pages) -> dict[str, Any]:
    """The part ``layout_budget`` of the record: shares cut by format and by pages, and times."""
    return {
        "by_kind": {kind: _share(cut) for kind, cut in pages.by_kind.items()},
        "by_pages": {size: _share(cut) for size, cut in pages.by_size.items()},
        "cpu_ms": {"median": round(pages.cpu_ms.median, 1), "p95": round(pages.cpu_ms.p95, 1)},
        "wall_ms": {"median": round(pages.wall_ms.median, 1), "p95": round(pages.wall_ms.p95, 1)},
    }


def scans_record(pages: Pages) -> dict[str, Any]:
    """The part ``scans`` of the record: documents with scanned pages, and what waits to be read."""
    scans = pages.scans
    return {
        "documents": scans.documents,
        "pages": scans.pages,
        "pages_read": scans.pages_read,
        "documents_waiting": scans.documents_waiting,
        "pages_waiting": scans.pages_waiting,
        "ocr": ocr.is_available(),
    }


def _share(cut: Cut) -> dict[str, Any]:
    return {
        "documents": cut.documents,
        "cut": cut.cut,
        "share": round(cut.cut / cut.documents, 4),
        "pages": cut.pages,
        "pages_cut": cut.pages_cut,
    }


def layout_lines(record: Mapping[str, Any]) -> Iterator[str]:
    """The lines for people."""
    budget = record["layout_budget"]
    for kind, share in budget["by_kind"].items():
        cut = f"{share['cut']:,} of {share['documents']:,} ({share['share']:.0%}) cut by the layout budget"
        yield f"layout of {kind}: {cut}{_by_pages(budget['by_pages']) if share['cut'] else ''}"
        if share["cut"]:
            pages = f"{share['pages_cut']:,} of {count(share['pages'], 'page')}"
            yield f"  {pages} are plain paragraphs, {FINISH} gives them structure"
    if budget["by_kind"]:
        cpu, wall = budget["cpu_ms"], budget["wall_ms"]
        yield f"  CPU time a document: median {cpu['median']:.0f} ms, 95 % within {cpu['p95']:.0f} ms" + (
            f" (elapsed {wall['median']:.0f} and {wall['p95']:.0f} ms)"
        )
    yield from _scan_lines(record["scans"])
    for one in record["given_up"]:
        yield f"cannot be finished: {one['path']}: {one['detail']}"


def _by_pages(sizes: Mapping[str, Mapping[str, Any]]) -> str:
    parts = (f"{size} pages {share['cut']:,} of {share['documents']:,}" for size, share in sizes.items())
    return f": {', '.join(parts)}"


def _scan_lines(scans: Mapping[str, Any]) -> Iterator[str]:
    if not scans["pages"]:
        return
    line = f"scans: {count(scans['pages'], 'page')} in {count(scans['documents'], 'document')}"
    yield f"{line}, {scans['pages_read']:,} read by OCR"
    if scans["pages_waiting"]:
        documents = count(scans["documents_waiting"], "document")
        how = FINISH if scans["ocr"] else f"{ocr.INSTALL}, then {FINISH}"
        yield f"  {count(scans['pages_waiting'], 'page')} in {documents} wait: {how}"
