"""One question to ranked hits: filters, both arms, fusion, snippets."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .boost import NO_BOOSTS, Boosts, read_boosts
from .embedder import Embedder
from .fusion import DEFAULT_WEIGHTS, FusionWeights, fuse, keyword_weight, query_features
from .keywordsearch import KeywordQuery, search_keywords
from .querysyntax import ParsedQuery, parse_query
from .ranking import ask_index, drop_unwanted
from .reader import Reader
from .records import PAGE, Arm, Hit, Query, Results, Snippet, Visited, Why
from .rows import KINDS, ChunkRow
from .selections import Selection
from .snippets import make_snippets
from .vectors import NearestVectors, Ranked

if TYPE_CHECKING:
    from concurrent.futures import Future

# Keyword hits that get a cosine though the dense arm did not offer them; more of them changed no result.
SCORED = 60
# Chunks read beyond the hits wanted, since some may be duplicates, and how often more are read.
SPARE = 5
SPARES = 4
# Keyword hits whose texts are unpacked while the vectors are waited for.
FORESEEN = 8


@dataclass(frozen=True, slots=True)
class Ranking:
    """Both arms and what became of them; ``weight`` is what the keyword arm counted when both took part."""

    keywords: KeywordQuery
    bm25: Ranked
    dense: Ranked
    fused: Ranked
    weight: float | None = None


def search(
    reader: Reader, query: Query, embedder: Embedder | None = None, weights: FusionWeights = DEFAULT_WEIGHTS
) -> Results:
    """Return the best chunks for the query; whatever the query says is no error."""
    begin = time.perf_counter()
    notes: list[str] = []
    with reader.snapshot():
        ranking = rank(reader, query, embedder, notes, weights)
        boosts = read_boosts(reader.connection, ranking.fused, time.time()) if query.boost else NO_BOOSTS
        hits = tuple(_hits(reader, query, ranking, boosts))
    return Results(hits, tuple(notes), (time.perf_counter() - begin) * 1000)


def rank(
    reader: Reader,
    query: Query,
    embedder: Embedder | None,
    notes: list[str],
    weights: FusionWeights = DEFAULT_WEIGHTS,
) -> Ranking:
    """Ask the arms that the query wants and fuse them; what could not be asked is added to the notes."""
    parsed = parse_query(query.text)
    selection = reader.selections.of(query)
    index = None
    if query.retriever != "bm25" and parsed.terms:
        index = _vector_index(reader, embedder, notes)
    if index is None or embedder is None:
        keywords, bm25 = _ask_keywords(reader, parsed, selection)
        return Ranking(keywords, bm25, [], bm25)
    # Neither the model nor the index needs the database: they work while it ranks by keywords.
    allowed = selection.chunks if selection else None
    asked = reader.helper.submit(ask_index, index, embedder, query.text, allowed)
    try:
        keywords, bm25 = _ask_keywords(reader, parsed, selection, query.retriever != "dense")
        _foresee(reader, bm25, asked)
    finally:
        # Waited for whatever happens: the next search may renew the index.
        vector, nearest = asked.result()
    nearest = drop_unwanted(reader.connection, nearest, parsed)
    if not bm25:
        return Ranking(keywords, [], nearest, nearest)
    known = {chunk_id for chunk_id, _ in nearest}
    missing = [chunk_id for chunk_id, _ in bm25[:SCORED] if chunk_id not in known]
    features = query_features(bm25, nearest, keywords.idf)
    fused = fuse(features, bm25, [*nearest, *index.score(vector, np.array(missing, dtype=np.int64))], weights)
    return Ranking(keywords, bm25, nearest, fused, keyword_weight(features, weights))


def _ask_keywords(
    reader: Reader, parsed: ParsedQuery, selection: Selection | None, wanted: bool = True
) -> tuple[KeywordQuery, Ranked]:
    keywords = KeywordQuery.of(reader, parsed)
    return keywords, search_keywords(reader, keywords, selection) if wanted else []


def _foresee(reader: Reader, bm25: Ranked, asked: "Future[Any]") -> None:
    """Unpack the texts of the best keyword hits while the vectors are waited for: most will be shown."""
    rows = reader.chunks([chunk_id for chunk_id, _ in bm25[:FORESEEN]])
    for row in rows.values():
        if asked.done():
            return
        reader.text(row)
        reader.document(row.document_id)


def _vector_index(reader: Reader, embedder: Embedder | None, notes: list[str]) -> NearestVectors | None:
    reason = _why_no_vectors(reader, embedder)
    if reason:
        notes.append(f"{reason}: keyword search only")
        return None
    index, found = reader.vectors()
    notes += found
    return index


def _why_no_vectors(reader: Reader, embedder: Embedder | None) -> str:
    mark = reader.model
    if embedder is None:
        return "no model"
    if mark is None:
        return "the index has no vectors yet"
    if mark.fingerprint != embedder.model.fingerprint:
        return f"the index holds vectors of {mark.name}, which are not those of {embedder.model.name}"
    return ""


def _hits(reader: Reader, query: Query, ranking: Ranking, boosts: Boosts) -> Iterator[Hit]:
    shown = _shown(reader, boosts.apply(ranking.fused), query.limit)
    snippets = make_snippets([text for _, _, text in shown], ranking.keywords.finder)
    arms = _places(ranking.bm25), _places(ranking.dense)
    for rank, ((chunk, score, text), snippet) in enumerate(zip(shown, snippets, strict=True), 1):
        why = Why(_arm(arms[0], chunk.id), _arm(arms[1], chunk.id), ranking.weight, boosts.of(chunk.id))
        yield _hit(reader, chunk, (rank, score, text, snippet, why))


def _shown(reader: Reader, fused: Ranked, limit: int) -> list[tuple[ChunkRow, float, str]]:
    """Return the best chunks with their scores and texts, those of the same text once."""
    shown: dict[str, tuple[ChunkRow, float, str]] = {}
    for chunk, score in _rows(reader, fused, limit):
        if len(shown) == limit:
            break
        text = reader.text(chunk)
        shown.setdefault(text, (chunk, score, text))
    return list(shown.values())


def _rows(reader: Reader, fused: Ranked, limit: int) -> Iterator[tuple[ChunkRow, float]]:
    """Yield the best chunks in order, with some to spare for duplicates."""
    step = limit + SPARE
    for start in range(0, min(len(fused), SPARES * step), step):
        rows = reader.chunks([chunk_id for chunk_id, _ in fused[start : start + step]])
        # Only in a damaged index are there vectors without a chunk, and then `capsa doctor` says so.
        yield from ((rows[key], score) for key, score in fused[start : start + step] if key in rows)


def _hit(reader: Reader, chunk: ChunkRow, ranked: tuple[int, float, str, Snippet, Why]) -> Hit:
    rank, score, text, snippet, why = ranked
    document = reader.document(chunk.document_id)
    return Hit(
        rank=rank,
        score=score,
        document_id=document.id,
        uri=document.uri,
        path=document.path,
        title=document.title,
        kind=document.kind,
        modified=document.modified,
        chunk_id=chunk.id,
        start=chunk.start,
        end=chunk.end,
        page_first=chunk.page_first,
        page_last=chunk.page_last,
        headings=document.outline.path(chunk.heading),
        chunk_kind=KINDS[chunk.kind],
        text=text,
        snippet=snippet,
        why=why,
        visited=_visited(reader, document.id) if document.kind == PAGE else None,
    )


def _visited(reader: Reader, document_id: int) -> Visited | None:
    # Imported for pages only, which few indexes have: searches by themselves are done sooner.
    from .visited import read_visited

    return read_visited(reader.connection, document_id)


def _places(ranked: Ranked) -> dict[int, tuple[int, float]]:
    return {chunk_id: (rank, score) for rank, (chunk_id, score) in enumerate(ranked, 1)}


def _arm(places: Mapping[int, tuple[int, float]], chunk_id: int) -> Arm | None:
    return Arm(*places[chunk_id]) if chunk_id in places else None
