"""What the cells of an evaluation share in one process: parsed files, tokenised texts, open models."""

from pathlib import Path
from types import TracebackType
from typing import Self

from capsa.store.embedder import Embedder, open_embedder
from capsa.store.models import load_model

from .cache import CachedEmbedder
from .corpus import (
    Chunking,
    Corpus,
    MemoTokenizer,
    Sources,
    absent_document,
    cut_corpus,
    find_document,
    list_files,
    parse_corpus,
)
from .engines import MemoQueries
from .options import QuestionSet, threads

# Parsed sets in memory: groups of two sets and two parsers may come in turn.
KEPT = 4


class Workshop:
    """Opens what is asked for once and keeps it; close it, or use it in a ``with`` statement."""

    def __init__(self, home: Path, embedding_threads: int | None = None) -> None:
        self._home = home
        self._threads = embedding_threads or threads()
        self._embedders: dict[str, tuple[Embedder, CachedEmbedder, MemoQueries]] = {}
        self._tokenizers: dict[str | None, MemoTokenizer] = {}
        self._parsed: dict[object, Sources] = {}
        self._cut: tuple[object, Corpus] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the models."""
        for embedder, cached, _ in self._embedders.values():
            cached.close()
            embedder.close()
        self._embedders.clear()

    def corpus(self, questions: QuestionSet, chunking: Chunking, whole: bool, model: str | None) -> Corpus:
        """Return the set's documents, cut in tokens of the model: all, or those that its questions name.

        The corpus of the last call is kept.
        """
        wanted = (questions.name, questions.root, chunking, whole, model)
        if self._cut is None or self._cut[0] != wanted:
            sources = self.sources(questions, chunking.parser, whole)
            self._cut = wanted, cut_corpus(sources, chunking, self.tokenizer(model))
        return self._cut[1]

    def sources(self, questions: QuestionSet, parser: str, whole: bool = True) -> Sources:
        """Return the set's documents, parsed; the last few are kept."""
        only = None if whole else named_documents(questions)
        wanted = (questions.root, parser, only)
        if wanted not in self._parsed:
            while len(self._parsed) >= KEPT:
                del self._parsed[next(iter(self._parsed))]
            self._parsed[wanted] = parse_corpus(questions.root, parser, only, {Path(questions.source)})
        return self._parsed[wanted]

    def tokenizer(self, model: str | None = None) -> MemoTokenizer:
        """Return the model's tokenizer, which keeps what it was asked."""
        if model not in self._tokenizers:
            self._tokenizers[model] = MemoTokenizer.of(load_model(self._home, model))
        return self._tokenizers[model]

    def cached(self, model: str) -> CachedEmbedder:
        """Return the model's embedder with its file of vectors."""
        return self._open(model)[1]

    def queries(self, model: str) -> MemoQueries:
        """Return the model's embedder, which also keeps the vectors of questions."""
        return self._open(model)[2]

    def _open(self, model: str) -> tuple[Embedder, CachedEmbedder, MemoQueries]:
        if model not in self._embedders:
            embedder = open_embedder(load_model(self._home, model), self._home / "cache", self._threads)
            cached = CachedEmbedder(embedder, self._home / "eval" / "embeddings.sqlite")
            self._embedders[model] = embedder, cached, MemoQueries(cached)
        return self._embedders[model]


def named_documents(questions: QuestionSet) -> frozenset[Path] | None:
    """Return the files that the questions name (UsageError if absent), None for all when one names none."""
    if not all(question.doc for question in questions.questions):
        return None
    paths = list(list_files(questions.root))
    found: set[Path] = set()
    for question in {question.doc: question for question in questions.questions}.values():
        path = find_document(question, paths, questions.root)
        if path is None:
            raise absent_document(question, questions.root)
        found.add(path)
    return frozenset(found)
