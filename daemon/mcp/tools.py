"""The four tools: what they ask of the index, and how much of it they tell."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from capsa.chunkers.errors import UnavailableError, UsageError

from ..asking import Asking
from .permission import Permission
from .replies import Document, Passage, ReadReply, SearchReply, Source, SourcesReply, StatusReply

# Characters of a passage in a list of hits; `read` gives the rest.
PASSAGE = 2000
# Characters of a title or a heading.
NAME = 300
# Hits asked for beyond those wanted, since some may not be shown any more.
SPARE = 10
# Hosts that are listed.
SITES = 100
ID = re.compile(r"([cd])([1-9][0-9]{0,17})")


class Tools:
    """Answers over one home; for one thread. CapsaError for what cannot be answered."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._asking = Asking(home)

    def close(self) -> None:
        """Let go of the index and the model."""
        self._asking.close()

    def search(self, query: str, limit: int, filters: Mapping[str, Any]) -> SearchReply:
        """Return the best passages; ``filters`` are those of ``capsa.search/1``, and None is no filter."""
        request = {"do": "search", "text": query, "limit": limit + SPARE, **filters}
        record = self._asking.answer({name: value for name, value in request.items() if value is not None})
        permission = self._permission()
        shown = [hit for hit in record["hits"] if self._allowed(permission, hit["document"]["id"])]
        notes = list(record["notes"])
        if left_out := len(record["hits"]) - len(shown):
            notes.append(f"{left_out} hits are left out: a source or an exclusion has changed since")
        return SearchReply(hits=[_passage(hit) for hit in shown[:limit]], notes=notes)

    def read(self, wanted: str, start: int | None, length: int) -> ReadReply:
        """Return a piece of a document: around the passage "c…", or of the document "d…" from ``start``."""
        kind, number = _parse_id(wanted)
        request = {"do": "read", kind: number, "start": start, "length": length}
        record = self._asking.answer({name: value for name, value in request.items() if value is not None})
        if not self._allowed(self._permission(), record["document"]["id"]):
            raise UnavailableError("this document may not be shown any more: it is excluded now")
        return ReadReply(
            document=_document(record["document"]),
            headings=_headings(record["chunk"]) if record["chunk"] else [],
            **{name: record[name] for name in ("text", "start", "end", "characters", "previous", "next")},
        )

    def list_sources(self) -> SourcesReply:
        """Return the sources, and the kinds and hosts with their number of documents."""
        record = self._asking.answer({"do": "sources"})
        return SourcesReply(
            sources=[
                Source(**{name: source[name] for name in Source.model_fields}) for source in record["sources"]
            ],
            kinds=record["kinds"],
            sites=dict(list(record["sites"].items())[:SITES]),
        )

    def status(self) -> StatusReply:
        """Return the counts."""
        record = self._asking.answer({"do": "status"})
        return StatusReply(
            documents=record["documents"],
            passages=record["chunks"],
            waiting_for_vectors=record["waiting_for_vectors"],
            skipped=record["skipped"],
            failed=record["failed"],
            model=record["model"]["name"],
            model_problem=record["model"]["problem"],
            running=record["daemon"] is not None,
            paused=bool(record["daemon"] and record["daemon"]["paused"]),
            unread=record["unread"],
        )

    def _permission(self) -> Permission:
        return Permission(self._home, self._asking.roots())

    def _allowed(self, permission: Permission, document_id: int) -> bool:
        return permission.allows(self._asking.path_of(document_id))


def _parse_id(wanted: str) -> tuple[str, int]:
    match = ID.fullmatch(wanted)
    if match is None:
        raise UsageError(f"{wanted[:40]}: no id; `search` gives ids like c12 (a passage) and d3 (a document)")
    return {"c": "chunk", "d": "document"}[match[1]], int(match[2])


def _passage(hit: Mapping[str, Any]) -> Passage:
    chunk, text = hit["chunk"], hit["text"]
    return Passage(
        id=f"c{chunk['id']}",
        document=_document(hit["document"]),
        headings=_headings(chunk),
        page_first=chunk["page_first"],
        page_last=chunk["page_last"],
        text=text[:PASSAGE],
        cut=len(text) > PASSAGE,
    )


def _headings(chunk: Mapping[str, Any]) -> list[str]:
    return [heading[:NAME] for heading in chunk["headings"]]


def _document(document: Mapping[str, Any]) -> Document:
    return Document(
        id=f"d{document['id']}",
        title=document["title"][:NAME],
        kind=document["kind"],
        place=document.get("url") or document["path"] or document["uri"],
        modified=document["modified"],
        visits=document["visits"]["count"] if "visits" in document else None,
        # When a page was kept is not always known; then its folder or a tag tells that it was.
        bookmarked=any(document.get("bookmark", {}).values()),
    )
