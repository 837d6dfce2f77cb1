"""Captions of HTML and Markdown against labels: is each in one group with its table, figure or code?"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from capsa.chunkers.bind import find_groups
from capsa.chunkers.charset import decode
from capsa.chunkers.model import Block, Document
from capsa.chunkers.parsers import parse

from .structure_html import SAME, labelled_bytes, overlap, read_labels, read_page, table_text, words

_Find = Callable[[Any], list[int]]


@dataclass(frozen=True, slots=True)
class CaptionScore:
    """One labelled caption: the kind of what it belongs to, and whether the two are bound."""

    document: str
    kind: str
    caption: str
    right: bool


def measure_captions(data_folder: Path) -> list[CaptionScore]:
    """Measure the labelled captions of documents that are in the folder, unchanged; others are left out."""
    by_document: dict[str, list[Mapping[str, Any]]] = {}
    for row in read_labels("captions_html"):
        by_document.setdefault(row["document"], []).append(row)
    scores: list[CaptionScore] = []
    for name, rows in by_document.items():
        data = labelled_bytes(data_folder, name, rows[0]["sha256"])
        if data is not None:
            scores += _measure(name, data, rows)
    return scores


def _measure(name: str, data: bytes, rows: list[Mapping[str, Any]]) -> list[CaptionScore]:
    document = parse(data, Path(name).name)
    groups = [range(group.first, group.last) for group in find_groups(document)]
    find = _by_line(document, data) if name.endswith(".md") else _by_element(document, data)
    scores = []
    for row in rows:
        items = [index for index in find(row["item"]) if document.blocks[index].kind == row["kind"]]
        captions = find(row["caption"])
        bound = any(
            item in group and caption in group for group in groups for item in items for caption in captions
        )
        # A picture of which only the caption is text: it stands alone, as a caption and not as prose.
        alone = not items and any(document.blocks[index].kind == "caption" for index in captions)
        said = " ".join(_text(document, document.blocks[index]) for index in captions[:1])[:80]
        scores.append(CaptionScore(name, row["kind"], said, bound or (alone and row["kind"] == "figure")))
    return scores


def _text(document: Document, block: Block) -> str:
    return document.text[block.start : block.end]


def _by_line(document: Document, data: bytes) -> _Find:
    """Find the block that covers a line, counted from 1; a comment in a picture's place is no block."""
    starts = [0]
    for line in decode(data)[0].split("\n"):
        starts.append(starts[-1] + len(line) + 1)

    def find(line: int) -> list[int]:
        first, last = starts[line - 1], starts[line]
        return [
            index
            for index, block in enumerate(document.blocks)
            if block.start < last and block.end > first and block.kind != "comment"
        ]

    return find


def _by_element(document: Document, data: bytes) -> _Find:
    """Find the blocks with the words of a selector's nth element, else the blocks that contain them."""
    page = read_page(data, ["a.headerlink"])
    spoken = [words([_text(document, block)]) for block in document.blocks]

    def find(place: tuple[str, int]) -> list[int]:
        element = page.select(place[0])[place[1]]
        wanted = words([str(element.get("alt") or ""), table_text(element)])
        same = [index for index, found in enumerate(spoken) if _agree(found, wanted)]
        return same or [index for index, found in enumerate(spoken) if _contains(found, wanted)]

    return find


def _agree(found: list[str], wanted: list[str]) -> bool:
    """A rendered table repeats the keys of its row spans, so nearly the same is the same."""
    return bool(wanted) and overlap(Counter(found), Counter(wanted))[2] >= SAME


def _contains(found: list[str], wanted: list[str]) -> bool:
    return bool(wanted) and f" {' '.join(wanted)} " in f" {' '.join(found)} "
