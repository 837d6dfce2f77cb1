"""Search requests as they come from the command line, the socket and the page -> results, over one home."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from capsa.chunkers.errors import UnavailableError, UsageError
from capsa.store.opening import OpeningEmbedder
from capsa.store.reader import Reader
from capsa.store.records import Query, Results

from .absent import hidden_note, hidden_roots
from .advice import advice
from .beginning import require_index
from .dates import parse_date
from .encoder import find_encoder
from .output import results_to_json, results_to_text

RETRIEVERS = ("bm25", "dense", "hybrid")
# What a search is asked by: texts, and the rest.
TEXTS = ("text", "folder", "site", "since", "until", "language", "retriever")
FIELDS = (*TEXTS, "like", "begun", "limit", "kinds", "visited", "bookmarked", "boost")
# Words enough to say what a passage is about; the model reads no more of it either.
LIKE_CHARACTERS = 1200
MAX_LIMIT = 1000


class Searching:
    """Answers search requests; what it opens it keeps open for the next one. For one thread."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._reader: Reader | None = None
        self._embedder: OpeningEmbedder | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the index and the model."""
        if self._embedder is not None:
            self._embedder.close()
        if self._reader is not None:
            self._reader.close()
        self._embedder = self._reader = None

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return how many were ``found``, with the JSON ``record`` or ``lines`` and ``notes`` for a terminal.

        The request has ``text``, or the id of a chunk as ``like``, and may have ``limit``, the filters,
        ``retriever``, ``explain``; for lines, ``width`` and ``colour``. Raises UsageError for a wrong one,
        UnavailableError without an index.
        """
        check(request)
        query = read_query(request)
        if request.get("like") is not None:
            query = replace(query, text=self._words_of(request["like"]))
        elif request.get("begun"):
            query = replace(query, text=self._completed(query.text))
        results = self.search(query)
        found = len(results.hits)
        if "width" not in request:
            return {"found": found, "record": results_to_json(query.text, results)}
        lines = results_to_text(results, bool(request.get("colour")), query.explain, int(request["width"]))
        return {"found": found, "lines": list(lines), "notes": list(self._notes(query, results))}

    def search(self, query: Query) -> Results:
        """Search; without a model by keywords, and the notes say so."""
        reader = self._open_reader()
        hidden = hidden_roots(self._home, reader.sources())
        query = replace(query, hidden=hidden)
        embedder, notes = (None, ()) if query.retriever == "bm25" else self._open_embedder(reader, query)
        if embedder is None:
            results = _ask(reader, query, None)
        else:
            try:
                results = _ask(reader, query, embedder)
            except UnavailableError as error:
                self._forget_embedder()
                if query.retriever == "dense":
                    raise
                results, notes = _ask(reader, query, None), (f"keyword search only: {error}",)
        # Where no embedder was given, our note says more than the store's.
        notes = (*(notes or results.notes), *map(hidden_note, hidden))
        return Results(results.hits, notes, results.took_ms)

    def _words_of(self, chunk_id: int) -> str:
        """What the passage says, as a query."""
        from .passages import Passages

        return plain_words(Passages(self._open_reader(), self._home).text_of(chunk_id)[:LIKE_CHARACTERS])

    def _completed(self, text: str) -> str:
        """The query with its last word whole, which is perhaps still being typed."""
        from capsa.store.spelling import complete

        reader = self._open_reader()
        with reader.snapshot():
            return complete(reader, text)

    def _open_reader(self) -> Reader:
        if self._reader is None:
            require_index(self._home)
            self._reader = Reader.open(self._home)
        return self._reader

    def _open_embedder(self, reader: Reader, query: Query) -> tuple[OpeningEmbedder | None, tuple[str, ...]]:
        """Return the model that the index was made with, or a note that only keywords are searched."""
        mark = reader.model
        if mark is None:
            return None, ("the index has no vectors yet, keyword search only",)
        if self._embedder is not None and self._embedder.model.fingerprint == mark.fingerprint:
            return self._embedder, ()
        self._forget_embedder()
        encoder = find_encoder(self._home)
        if encoder.usable and encoder.model.fingerprint != mark.fingerprint:
            return None, (
                f"the index was made with {mark.name}; `capsa index` embeds it anew. Keyword search only",
            )
        if not encoder.problem:
            self._embedder = OpeningEmbedder(encoder.model, self._home / "cache")
            return self._embedder, ()
        if query.retriever == "dense":
            raise UnavailableError(encoder.problem)
        return None, (f"keyword search only: {encoder.problem}",)

    def _forget_embedder(self) -> None:
        if self._embedder is not None:
            self._embedder.close()
            self._embedder = None

    def _notes(self, query: Query, results: Results) -> Iterator[str]:
        yield from results.notes
        yield from advice(query, results, self._folders)

    def _folders(self) -> Sequence[bytes]:
        return [source.path for source in self._open_reader().sources() if source.kind == "folder"]


def _ask(reader: Reader, query: Query, embedder: OpeningEmbedder | None) -> Results:
    # Imported here, beside the thread that opens the model: a search by itself is done sooner.
    from capsa.store.search import search

    return search(reader, query, embedder)


def check(request: Mapping[str, Any]) -> None:
    """Raise UsageError when what a search is asked by is not of the type that it must be."""
    kinds, like = request.get("kinds") or (), request.get("like")
    texts = [request[name] for name in TEXTS if request.get(name) is not None]
    if not isinstance(kinds, list | tuple) or not all(isinstance(each, str) for each in [*texts, *kinds]):
        raise UsageError(f"{', '.join(TEXTS)}: must be texts, and kinds a list of them")
    if like is not None and (isinstance(like, bool) or not isinstance(like, int) or not 0 < like < 1 << 63):
        raise UsageError("like: must be an id that a record gave")


def plain_words(text: str) -> str:
    """The text without what a query gives a meaning: quotes, leading minus signs, asterisks."""
    words = text.translate(dict.fromkeys(map(ord, '"\u201c\u201d\u201e*'), " ")).split()
    return " ".join(word.lstrip("-") for word in words)


def read_query(request: Mapping[str, Any]) -> Query:
    """Return the query of a request; UsageError for what is none."""
    today = date.today()
    folder, since, until = request.get("folder"), request.get("since"), request.get("until")
    retriever = request.get("retriever", "hybrid")
    if retriever not in RETRIEVERS:
        raise UsageError(f"{retriever}: no retriever; known are {', '.join(RETRIEVERS)}")
    return Query(
        text=_clean(str(request.get("text", ""))),
        limit=_limit(request.get("limit", 10)),
        kinds=tuple(map(str, request.get("kinds", ()))),
        folder=None if folder is None else os.fsencode(str(folder)),
        site=_site(request.get("site")),
        since=None if since is None else parse_date(str(since), today),
        until=None if until is None else parse_date(str(until), today, end_of_day=True),
        language=request.get("language"),
        retriever=retriever,
        explain=bool(request.get("explain")),
        visited=_visited(request.get("visited")),
        boost=bool(request.get("boost", True)),
        bookmarked=bool(request.get("bookmarked")),
    )


def _clean(text: str) -> str:
    """Arguments that are not valid text come in as lone surrogates, which no document has."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _site(value: object) -> str | None:
    """The host as pages are kept under it, without www."""
    if value is None:
        return None
    from capsa.chunkers.urls import site

    host = site(str(value))
    if not host:
        raise UsageError(f"--site {value}: not the name of a host, as example.org is")
    return host


def _visited(value: object) -> int | None:
    if value is None or (isinstance(value, int) and value >= 1):
        return value
    raise UsageError(f"--visited {value}: must be a number from 1")


def _limit(value: object) -> int:
    if isinstance(value, int) and 1 <= value <= MAX_LIMIT:
        return value
    raise UsageError(f"-n {value}: must be a number from 1 to {MAX_LIMIT}")
