"""One question to ranked hits: filters, both arms, fusion, snippets."""

import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from .embedder import Embedder
from .fusion import DEFAULT_WEIGHTS, FusionWeights, fuse, keyword_weight, query_features
from .keywordsearch import KeywordQuery, search_keywords
from .querysyntax import parse_query
from .ranking import ask_index, drop_unwanted
from .reader import Reader
from .records import Arm, Hit, Query, Results, Why
from .rows import KINDS, ChunkRow
from .snippets import make_snippet
from .vectors import NearestVectors, Ranked

# Keyword hits that get a cosine though the dense arm did not offer them; more of them changed no result.
SCORED = 60
# Chunks looked at for each hit wanted, so that duplicates can be left out.
SPARE = 3


@dataclass(frozen=True, slots=True)
class Ranking:
    """Both arms and what became of them; ``weight`` is what the keyword arm counted when both took part."""

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
        keywords = KeywordQuery.of(reader, parse_query(query.text))
        ranking = rank(reader, query, keywords, embedder, notes, weights)
        hits = tuple(_hits(reader, query, keywords, ranking))
    return Results(hits, tuple(notes), (time.perf_counter() - begin) * 1000)


def rank(
    reader: Reader,
    query: Query,
    keywords: KeywordQuery,
    embedder: Embedder | None,
    notes: list[str],
    weights: FusionWeights = DEFAULT_WEIGHTS,
) -> Ranking:
    """Ask the arms that the query wants and fuse them; what could not be asked is added to the notes."""
    selection = reader.selections.of(query)
    documents = selection.documents if selection else None
    index = None
    if query.retriever != "bm25" and keywords.parsed.terms:
        index = _vector_index(reader, embedder, notes)
    if index is None or embedder is None:
        bm25 = search_keywords(reader, keywords, documents)
        return Ranking(bm25, [], bm25)
    with ThreadPoolExecutor(1) as pool:
        # Neither the model nor the index needs the database: they work while it ranks by keywords.
        asked = pool.submit(ask_index, index, embedder, query.text, selection.chunks if selection else None)
        bm25 = search_keywords(reader, keywords, documents) if query.retriever != "dense" else []
        vector, nearest = asked.result()
    nearest = drop_unwanted(reader.connection, nearest, keywords.parsed)
    if not bm25:
        return Ranking([], nearest, nearest)
    known = {chunk_id for chunk_id, _ in nearest}
    missing = [chunk_id for chunk_id, _ in bm25[:SCORED] if chunk_id not in known]
    features = query_features(bm25, nearest, keywords.idf)
    fused = fuse(features, bm25, [*nearest, *index.score(vector, np.array(missing, dtype=np.int64))], weights)
    return Ranking(bm25, nearest, fused, keyword_weight(features, weights))


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


def _hits(reader: Reader, query: Query, keywords: KeywordQuery, ranking: Ranking) -> Iterator[Hit]:
    arms = _arms(ranking.bm25), _arms(ranking.dense)
    seen: set[str] = set()
    rank = 0
    for chunk, score in _rows(reader, ranking.fused, query.limit):
        text = reader.text(chunk)
        if text in seen:
            continue
        seen.add(text)
        rank += 1
        why = Why(arms[0].get(chunk.id), arms[1].get(chunk.id), ranking.weight)
        yield _hit(reader, keywords, chunk, (rank, score, text, why))
        if rank == query.limit:
            return


def _rows(reader: Reader, fused: Ranked, limit: int) -> Iterator[tuple[ChunkRow, float]]:
    """Yield the best chunks in order, with some to spare for duplicates."""
    first = fused[: SPARE * limit + 20]
    rows = reader.chunks([chunk_id for chunk_id, _ in first])
    # Only in a damaged index are there vectors without a chunk, and then `capsa doctor` says so.
    return ((rows[chunk_id], score) for chunk_id, score in first if chunk_id in rows)


def _hit(reader: Reader, keywords: KeywordQuery, chunk: ChunkRow, ranked: tuple[int, float, str, Why]) -> Hit:
    rank, score, text, why = ranked
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
        snippet=make_snippet(text, keywords.finder),
        why=why,
    )


def _arms(ranked: Ranked) -> Mapping[int, Arm]:
    return {chunk_id: Arm(rank, score) for rank, (chunk_id, score) in enumerate(ranked, 1)}
