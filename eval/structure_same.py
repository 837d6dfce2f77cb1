"""One document in several formats: are the same headings, tables and chunk texts found in each?"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bs4 import BeautifulSoup

from capsa.chunkers.model import Block, BlockKind, Chunk, Document
from capsa.chunkers.parsers import parse
from capsa.chunkers.strategies import chunk
from capsa.chunkers.tokens import Tokenizer

from .structure_html import SAME, overlap, words

# The manual as its Sphinx project built it: pages of HTML, of which the first lists the others, PDF and text.
_PAGES = "files/debian-policy/html"
_FIRST = "index.html"
_OTHERS = {"pdf": "files/debian-policy/policy.pdf", "text": "files/debian-policy/policy.txt"}
# "Chapter 3. ", "3.2.1. ", "A.1 ", "TWELVE ": builders number headings in their own ways, or not at all.
_SPELLED = """
    one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty twentyone twentytwo twentythree twentyfour
"""
_PLACE = rf"\d{{1,3}}(?:\.\d{{1,3}}){{0,5}}|[A-Z](?:\.\d{{1,3}}){{1,5}}|{'|'.join(_SPELLED.split())}"
_NUMBER = re.compile(rf"^(?:(?:chapter|appendix)\s{{1,9}})?(?:{_PLACE})[.:]?\s{{1,9}}", re.IGNORECASE)
_LIKEST = 3
_RUN = 4


@dataclass(frozen=True, slots=True)
class Version:
    """One format's version of a document: its parsed parts, in order, with the chunks of each."""

    format: str
    parts: tuple[tuple[Document, tuple[Chunk, ...]], ...]

    def texts(self, kind: BlockKind) -> list[str]:
        """Return the texts of the blocks of a kind, in order."""
        return [
            _text(document, block)
            for document, _ in self.parts
            for block in document.blocks
            if block.kind == kind
        ]

    def chunk_words(self) -> Iterator[list[str]]:
        """Yield the words of each chunk, in order."""
        for document, chunks in self.parts:
            for each in chunks:
                yield words([document.text[each.core_start : each.end]])


@dataclass(frozen=True, slots=True)
class SameScore:
    """How a version agrees with the HTML one, which is taken as the truth.

    Of headings precision and recall by their words without numbers; ``tables`` counts those that are there,
    those of them that were found, and all that were found;
    ``chunk_f1`` is the mean, over the words, of the word F1 of each HTML chunk with the chunk most like it;
    ``text_f1`` is the F1 of runs of four words of all chunks, which does not depend on where chunks end.
    """

    format: str
    heading_precision: float
    heading_recall: float
    tables: tuple[int, int, int]
    chunk_f1: float
    text_f1: float
    missing_headings: tuple[str, ...]
    other_headings: tuple[str, ...]


def measure_same(data_folder: Path, tokenizer: Tokenizer) -> list[SameScore]:
    """Compare the manual's PDF and text with its HTML; nothing when the folder does not hold all three."""
    pages = _reading_order(data_folder / _PAGES)
    others = {name: data_folder / path for name, path in _OTHERS.items()}
    if not pages or not all(path.is_file() for path in others.values()):
        return []
    truth = _read("html", pages, tokenizer)
    return [compare(truth, _read(name, [path], tokenizer)) for name, path in others.items()]


def _reading_order(folder: Path) -> list[Path]:
    """Return the first page and those it links to, in the order of its table of contents."""
    first = folder / _FIRST
    if not first.is_file():
        return []
    page = BeautifulSoup(first.read_bytes(), "lxml")
    linked = (str(link.get("href", "")).split("#")[0] for link in page.select(".toctree-wrapper a"))
    names = dict.fromkeys(name for name in linked if name.endswith(".html") and "/" not in name)
    return [first, *(folder / name for name in names if (folder / name).is_file())]


def _read(name: str, paths: Sequence[Path], tokenizer: Tokenizer) -> Version:
    documents = (parse(path.read_bytes(), path.name, layout_budget_ms=float("inf")) for path in paths)
    return Version(name, tuple((document, tuple(chunk(document, tokenizer))) for document in documents))


def compare(truth: Version, other: Version) -> SameScore:
    """Compare a version of a document with the one that is taken as the truth."""
    wanted, found = _headings(truth), _headings(other)
    precision, recall, _ = overlap(found, wanted)
    return SameScore(
        format=other.format,
        heading_precision=precision,
        heading_recall=recall,
        tables=_tables(truth, other),
        chunk_f1=_chunk_agreement(truth, other),
        text_f1=overlap(_runs(other), _runs(truth))[2],
        missing_headings=tuple((wanted - found).elements()),
        other_headings=tuple((found - wanted).elements()),
    )


def _text(document: Document, block: Block) -> str:
    return document.text[block.start : block.end]


def _headings(version: Version) -> Counter[str]:
    plain = (" ".join(words([_NUMBER.sub("", text.split("\n")[0])])) for text in version.texts("heading"))
    return Counter(filter(None, plain))


def _tables(truth: Version, other: Version) -> tuple[int, int, int]:
    wanted = [Counter(words([text])) for text in truth.texts("table")]
    found = [Counter(words([text])) for text in other.texts("table")]
    matched = sum(any(overlap(each, table)[2] >= SAME for each in found) for table in wanted)
    return len(wanted), matched, len(found)


def _runs(version: Version) -> Counter[tuple[str, ...]]:
    runs: Counter[tuple[str, ...]] = Counter()
    for spoken in version.chunk_words():
        runs.update(_runs_of(spoken))
    return runs


def _runs_of(spoken: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return zip(*(spoken[start:] for start in range(_RUN)), strict=False)


def _chunk_agreement(truth: Version, other: Version) -> float:
    """Match each chunk with the one that shares most runs with it, and average their word F1 by length."""
    candidates = [Counter(spoken) for spoken in other.chunk_words()]
    places: Mapping[tuple[str, ...], set[int]] = _places(other)
    total = score = 0.0
    for spoken in truth.chunk_words():
        shared = Counter(place for run in _runs_of(spoken) for place in places.get(run, ()))
        likest = [candidates[place] for place, _ in shared.most_common(_LIKEST)]
        best = max((overlap(each, Counter(spoken))[2] for each in likest), default=0.0)
        total += len(spoken)
        score += best * len(spoken)
    return score / total if total else 1.0


def _places(version: Version) -> dict[tuple[str, ...], set[int]]:
    places: dict[tuple[str, ...], set[int]] = {}
    for number, spoken in enumerate(version.chunk_words()):
        for run in _runs_of(spoken):
            places.setdefault(run, set()).add(number)
    return places
