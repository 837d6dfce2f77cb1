"""An evaluation corpus: every file of a folder parsed and chunked, and the document each question means."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from capsa.chunkers.errors import ParseError, UsageError
from capsa.chunkers.model import Chunk, Document
from capsa.chunkers.parsers import parse
from capsa.chunkers.strategies import chunk
from capsa.chunkers.tokens import Tokenizer

from .matching import normalise
from .questions import Question


@dataclass(frozen=True, slots=True)
class Item:
    """One file of the corpus with what was made of it; ``texts`` are its chunks, normalised for matching."""

    path: Path
    data: bytes
    document: Document
    chunks: tuple[Chunk, ...]
    text: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Corpus:
    """The items of a folder by path, and the files that could not be read, each with its reason."""

    root: Path
    items: dict[Path, Item]
    failures: dict[Path, str] = field(default_factory=dict)

    def resolve(self, question: Question) -> Item | None:
        """The item that a question's ``doc`` names, None when it names none; UsageError when absent."""
        if not question.doc:
            return None
        wanted = PurePath(question.doc).parts
        for item in self.items.values():
            if _names(wanted, item.path, self.root):
                return item
        raise UsageError(f"question {question.id}: its document {question.doc} is not in {self.root}")


@dataclass(frozen=True, slots=True)
class Chunking:
    """How the corpus is cut: parser and chunker by name; size and overlap None for the chunker's own."""

    parser: str
    chunker: str
    size: int | None = None
    overlap: float | int | None = None


def read_corpus(root: Path, chunking: Chunking, tokenizer: Tokenizer) -> Corpus:
    """Parse and chunk every file below ``root``; raises UsageError when there is nothing to read."""
    root = root.resolve()
    items: dict[Path, Item] = {}
    failures: dict[Path, str] = {}
    for path in _files(root):
        try:
            items[path] = _read(path, chunking, tokenizer)
        except ParseError as error:
            failures[path] = error.reason
    if not items:
        raise UsageError(f"{root}: no file there could be read as a document")
    return Corpus(root, items, failures)


def restrict(questions: Sequence[Question], corpus: Corpus) -> list[Question]:
    """The verbatim questions, each checked to name a document that is in the corpus."""
    kept = [question for question in questions if question.verbatim]
    for question in kept:
        corpus.resolve(question)
    return kept


def _files(root: Path) -> Iterator[Path]:
    if not root.exists():
        raise UsageError(f"{root}: no such file or folder")
    paths: Iterable[Path] = [root] if root.is_file() else sorted(root.rglob("*"))
    return (path for path in paths if path.is_file() and not path.is_symlink())


def _read(path: Path, chunking: Chunking, tokenizer: Tokenizer) -> Item:
    data = path.read_bytes()
    document = parse(data, path.name, chunking.parser)
    chunks = chunk(document, tokenizer, chunking.chunker, size=chunking.size, overlap=chunking.overlap)
    texts = tuple(normalise(document.text[part.start : part.end]) for part in chunks)
    return Item(path, data, document, chunks, normalise(document.text), texts)


def _names(wanted: Sequence[str], path: Path, root: Path) -> bool:
    """Whether ``wanted`` is the end of the path, or ends with the part of it below the corpus folder."""
    below = path.relative_to(root).parts if path != root else (path.name,)
    return path.parts[-len(wanted) :] == tuple(wanted) or tuple(wanted)[-len(below) :] == below
