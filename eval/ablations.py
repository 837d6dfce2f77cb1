"""The two ablations of paper 000 section 5.6 as plans and stations: size x overlap, and dimensions."""

from collections.abc import Iterator
from typing import Any

from capsa.store.stems import Stemmer

from .chunkset import ChunkSet
from .corpus import Chunking
from .dims import dimensions_of, principal, transformed, truncation
from .engines import DenseEngine, MemoQueries, WindowVectors
from .grid import Group, do_cell, make_cell, make_record, preparing_s
from .judging import Judge
from .misses import Misses
from .options import QuestionSet
from .runs import Row
from .stations import Station
from .workshop import Workshop

SIZES = (128, 256, 384, 512)
OVERLAPS = (0, 32, 64)
# Fixed before the sweep, as in the paper.
SWEEP_PARSER, SWEEP_CHUNKER, SWEEP_MODEL = "context_aware", "recursive", "bge-base-en-v1.5"
DIMS_MODEL = "nomic-embed-text-v1.5"


def sweep_chunkings(parser: str = SWEEP_PARSER) -> list[Chunking]:
    """Return the combinations of size and overlap for the recursive chunker."""
    return [Chunking(parser, SWEEP_CHUNKER, size, overlap) for size in SIZES for overlap in OVERLAPS]


def do_dims(
    questions: QuestionSet, chunking: Chunking, model: str, workshop: Workshop, stemmer: Stemmer
) -> tuple[list[Row], list[dict[str, Any]]]:
    """Ask all questions inside their documents in each number of dimensions; return rows and records."""
    group = Group(questions, chunking)
    corpus = workshop.corpus(questions, chunking, whole=False, model=model)
    chunks = ChunkSet(corpus)
    judge = Judge(corpus, chunks, questions.questions)
    misses = Misses(chunks, judge, stemmer)
    rows: list[Row] = []
    records: list[dict[str, Any]] = []
    windows = WindowVectors.of(corpus, workshop.queries(model))
    for station in _stations(questions, chunks, windows, workshop.queries(model)):
        cell = make_cell(group, station, "document")
        found = do_cell(cell, station, "document", judge, misses)
        rows += found
        records.append(make_record(cell, station, corpus, preparing_s(corpus), found))
    return rows, records


def _stations(
    questions: QuestionSet, chunks: ChunkSet, windows: WindowVectors, queries: MemoQueries
) -> Iterator[Station]:
    texts = [question.text for question in questions.questions]
    model = queries.model
    for size in dimensions_of(model):
        for vectors, transform in (
            ("flat", truncation(model, size)),
            ("pca", principal(windows.vectors, size)),
        ):
            cut, asked = transformed(windows, queries, texts, transform, size)
            engine = DenseEngine(chunks, cut, asked)
            yield Station(
                engine,
                "dense",
                model=model.name,
                vectors=vectors,
                dimension=size,
                vector_count=len(cut.owners),
                index_bytes=engine.size,
                queries=asked,
            )
