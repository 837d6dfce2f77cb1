"""An evaluation corpus: the files of a folder parsed, then cut, and the document each question means."""

import math
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePath
from typing import Self

from capsa.chunkers.errors import ParseError, UsageError
from capsa.chunkers.model import Chunk, Document
from capsa.chunkers.parsers import parse
from capsa.chunkers.strategies import WINDOW, chunk
from capsa.chunkers.tokens import TokenIndex, Tokenizer
from capsa.store.models import Model, tokenizer_path

from .matching import TOKEN, Match, enough, normalise
from .questions import Question
from .spans import Locator


@dataclass(frozen=True)
class Source:
    """One file that was parsed; ``parse_ms`` is the CPU time that took."""

    path: Path
    data: bytes
    document: Document
    parse_ms: float = 0.0

    @cached_property
    def text(self) -> str:
        """The document's text, normalised for matching."""
        return normalise(self.document.text)

    @cached_property
    def locator(self) -> Locator:
        """Finds evidence in the document's own text."""
        return Locator(self.document.text)

    @cached_property
    def tokens(self) -> frozenset[str]:
        """The different tokens of the normalised text."""
        return frozenset(TOKEN.findall(self.text))

    def holds(self, evidence: str, match: Match) -> bool:
        """Whether the whole text holds the normalised evidence: what the parser kept."""
        return evidence in self.text or (match == "paper" and enough(TOKEN.findall(evidence), self.tokens))


@dataclass(frozen=True, slots=True)
class Sources:
    """The parsed files of a folder by path, and those that could not be read, each with its reason."""

    root: Path
    parser: str
    by_path: dict[Path, Source]
    failures: dict[Path, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Item:
    """One document of the corpus and its chunks.

    ``texts`` are the chunks normalised for matching, ``sizes`` their tokens, ``cut_ms`` the CPU time of
    tokenising and cutting.
    """

    source: Source
    chunks: tuple[Chunk, ...]
    texts: tuple[str, ...]
    sizes: tuple[int, ...]
    cut_ms: float = 0.0

    @property
    def path(self) -> Path:
        """Where the document lies."""
        return self.source.path

    @property
    def document(self) -> Document:
        """The parsed document."""
        return self.source.document


@dataclass(frozen=True, slots=True)
class Corpus:
    """The items of a folder by path, and the files that could not be read, each with its reason."""

    root: Path
    items: dict[Path, Item]
    failures: dict[Path, str] = field(default_factory=dict)

    def resolve(self, question: Question) -> Item | None:
        """The item that a question's ``doc`` names; None when it names none, or one that was not read.

        UsageError when there is no such file.
        """
        path = find_document(question, self.items, self.root) if question.doc else None
        if question.doc and path is None and not self.lost(question):
            raise absent_document(question, self.root)
        return self.items[path] if path else None

    def lost(self, question: Question) -> bool:
        """Whether the document that the question names could not be read: a miss of the parser."""
        return bool(question.doc) and find_document(question, self.failures, self.root) is not None


@dataclass(frozen=True, slots=True)
class Chunking:
    """How the corpus is cut: parser and chunker by name; size and overlap None for the chunker's own."""

    parser: str
    chunker: str
    size: int | None = None
    overlap: float | int | None = None


class MemoTokenizer(Tokenizer):
    """A tokenizer that indexes no document twice, however many ways it is cut, and knows what each took.

    ``window`` is how many tokens a window of a passage may have, breadcrumb included.
    """

    def __init__(self, inner: Tokenizer, window: int = WINDOW) -> None:
        self._plain = inner
        self._indexes: dict[str, tuple[TokenIndex, float]] = {}
        self.window = window

    @classmethod
    def of(cls, model: Model) -> Self:
        """Read the model's tokenizer; windows are as in an index that is made with the model."""
        return cls(Tokenizer.from_file(tokenizer_path(model)), min(WINDOW, model.room))

    def count(self, text: str) -> int:
        """Return how many tokens the model reads for a text."""
        return self._plain.count(text)

    def index(self, text: str) -> TokenIndex:
        """Tokenise a text, or return what was made of it before."""
        return self._timed(text)[0]

    def ms(self, text: str) -> float:
        """CPU milliseconds that tokenising the text took."""
        return self._timed(text)[1]

    def _timed(self, text: str) -> tuple[TokenIndex, float]:
        if text not in self._indexes:
            began = time.process_time()
            index = self._plain.index(text)
            self._indexes[text] = index, 1000 * (time.process_time() - began)
        return self._indexes[text]


def read_corpus(
    root: Path,
    chunking: Chunking,
    tokenizer: MemoTokenizer,
    without: Collection[Path] = (),
    layout_budget_ms: float | None = None,
) -> Corpus:
    """Parse and chunk every file below ``root``; raises UsageError when there is nothing to read."""
    sources = parse_corpus(root, chunking.parser, None, without, layout_budget_ms)
    return cut_corpus(sources, chunking, tokenizer)


def parse_corpus(
    root: Path,
    parser: str,
    only: Collection[Path] | None = None,
    without: Collection[Path] = (),
    layout_budget_ms: float | None = None,
) -> Sources:
    """Parse every file below ``root``, or ``only`` some; raises UsageError when there is nothing to read.

    A question file among the documents (``without``) would be found in place of them. PDFs get the whole of
    their layout (``layout_budget_ms`` None), as an index has it in the end: so results do not depend on how
    fast the machine is.
    """
    root = root.resolve()
    left_out = {path.resolve() for path in without}
    sources: dict[Path, Source] = {}
    failures: dict[Path, str] = {}
    for path in list_files(root):
        if path in left_out or (only is not None and path not in only):
            continue
        try:
            sources[path] = _parse(path, parser, layout_budget_ms)
        except ParseError as error:
            failures[path] = error.reason
    if not sources and not (only and failures):
        raise UsageError(f"{root}: no file there could be read as a document")
    return Sources(root, parser, sources, failures)


def cut_corpus(sources: Sources, chunking: Chunking, tokenizer: MemoTokenizer) -> Corpus:
    """Cut the parsed files."""
    items = {path: _cut(source, chunking, tokenizer) for path, source in sources.by_path.items()}
    return Corpus(sources.root, items, sources.failures)


def restrict(questions: Sequence[Question], corpus: Corpus) -> list[Question]:
    """The verbatim questions, each checked to name a document that is in the corpus."""
    kept = [question for question in questions if question.verbatim]
    for question in kept:
        corpus.resolve(question)
    return kept


def list_files(root: Path) -> Iterator[Path]:
    """Yield the files of a folder, sorted, or the one file; raises UsageError when there is no such thing."""
    if not root.exists():
        raise UsageError(f"{root}: no such file or folder")
    paths: Iterable[Path] = [root] if root.is_file() else sorted(root.rglob("*"))
    return (path for path in paths if path.is_file() and not path.is_symlink())


def find_document(question: Question, paths: Iterable[Path], root: Path) -> Path | None:
    """Return the path that ends with ``question.doc``, or whose part below the corpus folder ends that."""
    wanted = PurePath(question.doc).parts
    return next((path for path in paths if _names(wanted, path, root)), None)


def absent_document(question: Question, root: Path) -> UsageError:
    """Return the error for a question whose document is not there."""
    return UsageError(
        f"{question.where}: question {question.id}: its document {question.doc} is not in {root}"
    )


def _parse(path: Path, parser: str, layout_budget_ms: float | None) -> Source:
    data = path.read_bytes()
    began = time.process_time()
    document = parse(data, path.name, parser, math.inf if layout_budget_ms is None else layout_budget_ms)
    return Source(path, data, document, 1000 * (time.process_time() - began))


def _cut(source: Source, chunking: Chunking, tokenizer: MemoTokenizer) -> Item:
    document = source.document
    index = tokenizer.index(document.text)
    began = time.process_time()
    chunks = chunk(
        document, tokenizer, chunking.chunker, chunking.size, chunking.overlap, window=tokenizer.window
    )
    cut_ms = tokenizer.ms(document.text) + 1000 * (time.process_time() - began)
    texts = tuple(normalise(document.text[part.start : part.end]) for part in chunks)
    sizes = tuple(index.count(part.start, part.end) for part in chunks)
    return Item(source, chunks, texts, sizes, cut_ms)


def _names(wanted: Sequence[str], path: Path, root: Path) -> bool:
    """Whether ``wanted`` is the end of the path, or ends with the part of it below the corpus folder."""
    below = path.relative_to(root).parts if path != root else (path.name,)
    return path.parts[-len(wanted) :] == tuple(wanted) or tuple(wanted)[-len(below) :] == below
