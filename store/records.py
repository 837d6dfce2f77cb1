"""The records that cross the store's boundary: what is written, what is asked, what comes back."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Literal

from capsa.chunkers.model import Chunk, Document

from .codes import DEFAULT, code_size

if TYPE_CHECKING:
    from .quantisers import Quantiser

# The kind of a document that is a page of the web, whoever told of it.
PAGE = "page"

Status = Literal["indexed", "skipped", "failed"]
Retriever = Literal["bm25", "dense", "hybrid"]


@dataclass(frozen=True, slots=True)
class Stat:
    """What the file system says about a file; a hint only, the content hash decides."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int

    @classmethod
    def of(cls, result: os.stat_result) -> "Stat":
        """Take the four fields from ``os.stat``."""
        return cls(result.st_size, result.st_mtime_ns, result.st_ctime_ns, signed(result.st_ino))


def signed(number: int) -> int:
    """Fold an unsigned 64-bit number into SQLite's signed range (inodes of some file systems need it)."""
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


@dataclass(frozen=True, slots=True)
class Entry:
    """One file or page as found by a source; ``path`` is ``os.fsencode``, or None for what is no file."""

    path: bytes | None
    uri: str
    source_id: int
    kind: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    content_hash: bytes

    @property
    def key(self) -> bytes:
        """What the entry is known by: its path, or its URI when it has none."""
        return self.path if self.path is not None else self.uri.encode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True)
class Recipe:
    """What made the chunks; a document of another recipe is worth parsing anew."""

    parser: str = "native"
    parser_version: str = ""
    chunker: str = ""


@dataclass(frozen=True, slots=True)
class Known:
    """What the store remembers of a path: enough to leave an unchanged file alone.

    ``pending`` is true when some of its chunks still wait for a vector (they were indexed without a model).
    """

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    content_hash: bytes
    status: Status
    reason: str
    parser_version: str
    pending: bool

    @property
    def stat(self) -> Stat:
        """The four fields to compare with ``Stat.of``."""
        return Stat(self.size, self.mtime_ns, self.ctime_ns, self.inode)


@dataclass(frozen=True, slots=True)
class Source:
    """A watched folder or a history export; a ``paused`` one is searched, and not looked at for changes."""

    id: int
    path: bytes
    kind: str
    added_at: float
    paused: bool = False


@dataclass(frozen=True, slots=True)
class PlannedChunk:
    """A chunk, the two texts the keyword index gets, and the keys by which it and its vectors are kept."""

    chunk: Chunk
    crumb: str
    body: str
    key: int
    windows: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Capture:
    """A page as a file has it: when it was saved (microseconds since 1970), and a hash of what was parsed."""

    captured: int
    content_hash: bytes


@dataclass(frozen=True, slots=True)
class Plan:
    """A document ready to be committed.

    ``texts`` need a vector each, in this order; ``new_keys`` are their keys; ``codes`` are the codes re-used
    by key. With a ``capture`` the document is a saved page, and the entry's file may have others.
    """

    entry: Entry
    document: Document
    chunks: tuple[PlannedChunk, ...]
    recipe: Recipe
    texts: tuple[str, ...]
    new_keys: tuple[int, ...]
    codes: Mapping[int, bytes]
    capture: Capture | None = None


@dataclass(frozen=True, slots=True)
class ModelMark:
    """The model whose vectors the index holds (``Model.fingerprint``) and the code that they are kept as.

    ``codebook`` is what was trained for the code, if anything, see ``quantisers.training``.
    """

    name: str
    fingerprint: str
    dimension: int
    code: str = DEFAULT
    codebook: bytes = b""

    @property
    def code_size(self) -> int:
        """Bytes of one code."""
        return code_size(self.code, self.dimension)

    @property
    def code_id(self) -> str:
        """The code's name, with that of its codebook: codes of two ids never mix."""
        return f"{self.code}/{sha256(self.codebook).hexdigest()[:16]}" if self.codebook else self.code

    @property
    def quantiser(self) -> "Quantiser":
        """What makes and scores the codes."""
        from .quantisers import open_quantiser

        return open_quantiser(self.code, self.dimension, self.codebook)


@dataclass(frozen=True, slots=True)
class Query:
    """A question with its filters. ``since`` and ``until`` are seconds since 1970, both inclusive.

    ``folder`` is a folder or one file, as bytes or text; ``site`` is a host and takes its subdomains along;
    ``visited`` is how often a page was visited at least; ``bookmarked`` lets bookmarks through alone. Without
    ``boost`` visits have no part in the score. Nothing is shown of files in the folders ``hidden``.
    """

    text: str
    limit: int = 10
    kinds: tuple[str, ...] = ()
    folder: str | bytes | None = None
    site: str | None = None
    since: float | None = None
    until: float | None = None
    language: str | None = None
    retriever: Retriever = "hybrid"
    explain: bool = False
    visited: int | None = None
    boost: bool = True
    bookmarked: bool = False
    hidden: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class Arm:
    """Where one retriever put a chunk: rank from 1 and its own score."""

    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Why:
    """What each arm thought of a hit, None if it did not offer it.

    ``weight`` is what the keyword arm counted for the query, the dense arm counting 1. ``boost`` is what the
    visits of a page multiplied the score by.
    """

    bm25: Arm | None = None
    dense: Arm | None = None
    weight: float | None = None
    boost: float = 1.0


@dataclass(frozen=True, slots=True)
class Snippet:
    """A short verbatim piece of the chunk with the spans (in the snippet) that answer the query's words."""

    text: str
    highlights: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Visited:
    """The visits of a page; times are microseconds since 1970, ``url`` the address to open it by."""

    url: str
    first: int | None
    last: int | None
    count: int
    kept_at: int | None
    tags: tuple[str, ...]
    folders: tuple[str, ...]
    browsers: tuple[str, ...]
    devices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """One found chunk. ``text`` is ``document.text[start:end]``; ``modified`` is seconds since 1970.

    Of a visited page ``modified`` is the last visit, and ``visited`` tells of all.
    """

    rank: int
    score: float
    document_id: int
    uri: str
    path: bytes | None
    title: str
    kind: str
    modified: float
    chunk_id: int
    start: int
    end: int
    page_first: int | None
    page_last: int | None
    headings: tuple[str, ...]
    chunk_kind: str
    text: str
    snippet: Snippet
    why: Why = field(default_factory=Why)
    visited: Visited | None = None


@dataclass(frozen=True, slots=True)
class Results:
    """The hits, best first, with notes on what the search had to do without."""

    hits: tuple[Hit, ...]
    notes: tuple[str, ...]
    took_ms: float


@dataclass(frozen=True, slots=True)
class Counts:
    """How much the index holds."""

    documents: int
    chunks: int
    vectors: int
    pending_documents: int
    skipped: Mapping[str, int]
    failed: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Finding:
    """One result of a check: ``ok``, or what is wrong and whether ``repair`` mends it."""

    check: str
    ok: bool
    message: str
    repairable: bool = False
