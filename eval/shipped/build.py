"""Build the shipped set: typeset the PDFs, complete and check the questions, write the manifest.

``python -m capsa.eval.shipped.build [COLLECTION ...]`` builds the named collections, by default all, and
keeps what the manifest says of the others. Written by hand are the documents, the sources, ``heldout.txt``
and of every question all but ``slice`` and ``pages``. Needs typst, which is in the extra ``dev``.
"""

import datetime
import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pypdfium2
import typst

from capsa.chunkers.errors import CapsaError, UsageError
from capsa.chunkers.parsers import parse

from ..matching import normalise
from . import DOCUMENTS, MANIFEST, ROOT
from .check import problems

SOURCES = ROOT / "sources"
HELDOUT = ROOT / "heldout.txt"
# A source that begins with this line becomes a PDF without a structure tree.
UNTAGGED = "// untagged"
# Stamped into every PDF, so that the same source gives the same bytes.
STAMP = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
_KINDS = {".html": "html", ".md": "markdown", ".pdf": "pdf"}


def main(argv: Sequence[str]) -> int:
    """Build the named collections and report what is wrong with their questions; 1 when anything is."""
    try:
        names = list(argv) or sorted(path.name for path in DOCUMENTS.glob("c[0-9][0-9]"))
        for name in names:
            build(name)
        found = [line for name in names for line in problems(name)]
    except CapsaError as error:
        found = [str(error)]
    sys.stderr.writelines(f"{line}\n" for line in found)
    return 1 if found else 0


def build(collection: str) -> None:
    """Make one collection's PDFs, the slice and pages of its questions, and its part of the manifest."""
    if not (DOCUMENTS / collection).is_dir():
        raise UsageError(f"{collection}: no such collection in {DOCUMENTS}")
    for source in sorted((SOURCES / collection).glob("[!_]*.typ")):
        _write(DOCUMENTS / collection / f"{source.stem}.pdf", typeset(source))
    heldout = set(HELDOUT.read_text(encoding="utf-8").split())
    questions = ROOT / f"questions_{collection}.jsonl"
    if questions.exists():
        _write(questions, "".join(_completed(questions, heldout)).encode())
    _update_manifest(collection, heldout)


def typeset(source: Path) -> bytes:
    """The PDF of one typst source, tagged unless the source says otherwise; CapsaError when it is faulty."""
    untagged = source.read_text(encoding="utf-8").startswith(UNTAGGED)
    try:
        return typst.compile(
            source,
            root=SOURCES,
            format="pdf",
            timestamp=STAMP,
            pdf_tags=not untagged,
            ignore_system_fonts=True,
        )
    except typst.TypstError as error:
        raise CapsaError(f"{source}: {error.message} {error.trace}") from error


def _write(path: Path, data: bytes) -> None:
    if not path.exists() or path.read_bytes() != data:
        path.write_bytes(data)


def _completed(path: Path, heldout: set[str]) -> Iterator[str]:
    """The lines of a question file with ``slice`` and, for PDFs, ``pages`` filled in."""
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        row["slice"] = _slice(row["doc"], heldout)
        if row["doc"].endswith(".pdf"):
            row["pages"] = _evidence_pages(DOCUMENTS / row["doc"], row["required_evidence"])
        yield json.dumps(row, ensure_ascii=False) + "\n"


def _slice(document: str, heldout: set[str]) -> str:
    return "heldout" if document in heldout else "development"


def _evidence_pages(path: Path, evidence: Sequence[str]) -> list[int]:
    """The first page that holds each evidence string, without those that are on no single page."""
    pages = _page_texts(path) + _block_texts(path)
    found = (next((n for n, text in pages if normalise(wanted) in text), 0) for wanted in evidence)
    return sorted(set(found) - {0})


def _page_texts(path: Path) -> list[tuple[int, str]]:
    with pypdfium2.PdfDocument(path) as pdf:
        raw = [page.get_textpage().get_text_range() for page in pdf]
    return [(number, normalise(text.replace("\ufffe", "-"))) for number, text in enumerate(raw, 1)]


def _block_texts(path: Path) -> list[tuple[int, str]]:
    """The blocks with their pages: a page's plain text mixes the lines of a table's neighbouring cells."""
    document = parse(path.read_bytes(), path.name, layout_budget_ms=1e6)
    return [(block.page or 0, normalise(document.text[block.start : block.end])) for block in document.blocks]


def manifest() -> dict[str, Any]:
    """The manifest as it is on disk, or one without files."""
    if not MANIFEST.exists():
        return {"schema": "capsa.shipped/1", "files": {}}
    read: dict[str, Any] = json.loads(MANIFEST.read_text(encoding="utf-8"))
    return read


def _update_manifest(collection: str, heldout: set[str]) -> None:
    made = manifest()
    old = made["files"]
    files = {name: entry for name, entry in old.items() if entry["collection"] != collection}
    for path in sorted((DOCUMENTS / collection).iterdir()):
        files[path.relative_to(ROOT).as_posix()] = _document_entry(path, heldout)
    questions = ROOT / f"questions_{collection}.jsonl"
    if questions.exists():
        files[questions.name] = _entry(questions) | {"collection": collection}
    made |= {"typst": version("typst"), "files": dict(sorted(files.items()))}
    MANIFEST.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")


def _document_entry(path: Path, heldout: set[str]) -> dict[str, Any]:
    name = path.relative_to(DOCUMENTS).as_posix()
    entry = _entry(path) | {"collection": path.parent.name, "slice": _slice(name, heldout)}
    entry["kind"] = _KINDS[path.suffix]
    if path.suffix == ".pdf":
        with pypdfium2.PdfDocument(path) as pdf:
            entry |= {"pages": len(pdf), "tagged": pdf.is_tagged()}
    return entry


def _entry(path: Path) -> dict[str, Any]:
    data = path.read_bytes()
    return {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
