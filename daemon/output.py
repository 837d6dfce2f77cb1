"""Search results for people and for programs."""

import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from capsa.store.records import PAGE, Arm, Hit, Results, Visited

from .printing import count
from .terminal import BOLD, DIM, RESET, highlight, safe, safe_block

MAX_WIDTH = 100
INDENT = "    "


def results_to_json(query: str, results: Results) -> dict[str, Any]:
    """The record ``capsa.search/1``."""
    return {
        "schema": "capsa.search/1",
        "query": query,
        "took_ms": round(results.took_ms, 3),
        "hits": [_hit_to_json(hit) for hit in results.hits],
        "notes": list(results.notes),
    }


def _hit_to_json(hit: Hit) -> dict[str, Any]:
    return {
        "rank": hit.rank,
        "score": hit.score,
        "document": {
            "id": hit.document_id,
            "uri": hit.uri,
            "path": None if hit.path is None else json_path(hit.path),
            "title": hit.title,
            "kind": hit.kind,
            "modified": instant(hit.modified),
            **page_to_json(hit.kind, hit.uri, hit.visited),
        },
        "chunk": {
            "id": hit.chunk_id,
            "start": hit.start,
            "end": hit.end,
            "page_first": hit.page_first,
            "page_last": hit.page_last,
            "headings": list(hit.headings),
            "kind": hit.chunk_kind,
        },
        "text": hit.text,
        "snippet": hit.snippet.text,
        "highlights": [list(span) for span in hit.snippet.highlights],
        "why": {"bm25": _arm_to_json(hit.why.bm25), "dense": _arm_to_json(hit.why.dense)},
    }


def _site(uri: str) -> str:
    # Imported for pages only: its rules take a while to load.
    from capsa.chunkers.urls import site

    return site(uri)


def page_to_json(kind: str, uri: str, visited: Visited | None) -> dict[str, Any]:
    """What a document's record has more when it is a page, and when that was visited."""
    if kind != PAGE:
        return {}
    page = {"url": uri if visited is None else visited.url, "site": _site(uri)}
    return page if visited is None else page | _visits_to_json(visited)


def _visits_to_json(visited: Visited) -> dict[str, Any]:
    return {
        "visits": {
            "count": visited.count,
            "first": _moment(visited.first),
            "last": _moment(visited.last),
            "browsers": list(visited.browsers),
            "devices": list(visited.devices),
        },
        "bookmark": {
            "added": _moment(visited.kept_at),
            "tags": list(visited.tags),
            "folders": list(visited.folders),
        },
    }


def _moment(microseconds: int | None) -> str | None:
    return None if microseconds is None else instant(microseconds // 1_000_000)


def _visits(visited: Visited) -> str:
    """When and how often a page was visited."""
    if visited.last is None:
        kept = "" if visited.kept_at is None else f" {datetime.fromtimestamp(visited.kept_at / 1e6):%Y-%m-%d}"
        return f"bookmarked{kept}"
    return f"{datetime.fromtimestamp(visited.last / 1e6):%Y-%m-%d} · {count(visited.count, 'visit')}"


def _address(hit: Hit) -> str:
    """The address that a page can be opened by: what it is known under may have another host or scheme."""
    return hit.visited.url if hit.visited is not None else hit.uri


def _arm_to_json(arm: Arm | None) -> dict[str, Any] | None:
    return None if arm is None else {"rank": arm.rank, "score": arm.score}


def json_path(path: bytes) -> str:
    """The path as text; JSON has no bytes, so undecodable ones are U+FFFD and the URI is what is exact."""
    return os.fsdecode(path).encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def instant(seconds: float) -> str:
    """A moment as ISO 8601 in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def results_to_text(results: Results, colour: bool, explain: bool, width: int) -> Iterator[str]:
    """The lines for a terminal; nothing in them is active but our own bold and dim."""
    width = min(width, MAX_WIDTH)
    first: dict[int, int] = {}
    for hit in results.hits:
        yield from _place_lines(hit, first.setdefault(hit.document_id, hit.rank), colour)
        yield from _passage_lines(hit, width, colour)
        if explain:
            yield INDENT + _paint(_explain(hit), DIM, colour)
        yield ""


def _place_lines(hit: Hit, first: int, colour: bool) -> Iterator[str]:
    """The document with its place; of one that stands above only the number of the hit there."""
    if first != hit.rank:
        yield f"{hit.rank:>2}. {_paint(f'in the document of {first}', DIM, colour)}{_pages(hit)}"
        return
    about = f"{hit.kind} · {datetime.fromtimestamp(hit.modified):%Y-%m-%d}"
    if hit.kind == PAGE:
        dates = (
            f"{datetime.fromtimestamp(hit.modified):%Y-%m-%d}"
            if hit.visited is None
            else _visits(hit.visited)
        )
        about = f"{hit.kind} · {_site(hit.uri)} · {dates}"
    title = hit.title or (os.path.basename(json_path(hit.path)) if hit.path else hit.uri)
    yield f"{hit.rank:>2}. {_paint(safe(title), BOLD, colour)}  {_paint(safe(about), DIM, colour)}"
    yield from (INDENT + line for line in _places(hit))


def _places(hit: Hit) -> Iterator[str]:
    """The address of a page, and the file of it or of any other document, with the pages in it."""
    if hit.kind == PAGE or hit.path is None:
        yield safe(_address(hit))
    if hit.path is not None:
        yield safe(os.fsdecode(hit.path)) + _pages(hit)


def _passage_lines(hit: Hit, width: int, colour: bool) -> Iterator[str]:
    # A document's first heading is often its title, which stands above.
    if headings := hit.headings[hit.headings[:1] == (hit.title,) :]:
        yield INDENT + _paint(safe(" > ".join(headings)), DIM, colour)
    yield from _snippet_lines(hit, width, colour)


def _pages(hit: Hit) -> str:
    if hit.page_first is None:
        return ""
    if hit.page_last in (None, hit.page_first):
        return f", page {hit.page_first}"
    return f", pages {hit.page_first}-{hit.page_last}"


def _snippet_lines(hit: Hit, width: int, colour: bool) -> Iterator[str]:
    """The snippet's words packed into lines; highlights stay with their words."""
    opening, closing = _cuts(hit)
    room = max(width - len(INDENT) - len(closing), 20)
    line: list[str] = [opening] if opening else []
    length = len(opening)
    for word in re.finditer(r"\S+", hit.snippet.text):
        width_of_word = len(safe_block(word[0]))
        if line and length + 1 + width_of_word > room:
            yield INDENT + " ".join(line)
            line, length = [], 0
        spans = [(start - word.start(), end - word.start()) for start, end in hit.snippet.highlights]
        inside = [(max(start, 0), min(end, len(word[0]))) for start, end in spans]
        length += width_of_word + bool(line)
        line.append(highlight(word[0], inside, colour))
    if line:
        yield INDENT + " ".join(line) + closing


def _cuts(hit: Hit) -> tuple[str, str]:
    """What shows that the chunk has more text before and after its snippet."""
    text, snippet = hit.text.strip(), hit.snippet.text.strip()
    return "" if text.startswith(snippet) else "…", "" if text.endswith(snippet) else " …"


def _explain(hit: Hit) -> str:
    arms = [f"score {hit.score:.4f}"]
    for name, arm in (("bm25", hit.why.bm25), ("dense", hit.why.dense)):
        arms.append(f"{name} -" if arm is None else f"{name} rank {arm.rank} ({arm.score:.4f})")
    if hit.why.weight is not None:
        arms.append(f"keyword weight {hit.why.weight:.2f}")
    if hit.why.boost != 1.0:
        arms.append(f"visits × {hit.why.boost:.3f}")
    return ", ".join(arms)


def _paint(text: str, code: str, colour: bool) -> str:
    return f"{code}{text}{RESET}" if colour and text else text
