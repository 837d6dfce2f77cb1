"""Captions against labels: is each in one chunk with the table, figure or code that it belongs to?"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from capsa.chunkers.model import Block, BlockKind, Document

from .structure_captions import measure_captions
from .structure_html import words
from .structure_library import Library, Work, ratio

_PASSED: frozenset[BlockKind] = frozenset(("furniture", "caption", "footnote"))
"""What may stand between a caption and its element."""


@dataclass(frozen=True, slots=True)
class CaptionScore:
    """One labelled caption: ``wrong`` says what is, and is empty when it is bound right."""

    document: str
    where: str
    kind: str
    wrong: str
    pdf: bool = True


def prepare(library: Library) -> Work:
    """Measure the labelled captions of PDFs, one document after another, then those of HTML and Markdown."""
    rows, gaps = library.labels("captions")
    steps = [(name, partial(measure, library, name, some)) for name, some in rows.items()]
    others = ("HTML and Markdown", partial(measure_others, library))
    return Work([*steps, others], summarise, _misses, [*gaps, *library.labels("captions_html")[1]])


def measure_others(library: Library) -> list[CaptionScore]:
    """Measure the captions of HTML and Markdown."""
    return [
        CaptionScore(score.document, score.caption, score.kind, "" if score.right else "not bound", pdf=False)
        for score in measure_captions(library.folder)
        if library.wants(score.document)
    ]


def measure(library: Library, document: str, labels: Sequence[Mapping[str, Any]]) -> list[CaptionScore]:
    """Look for each labelled caption of one PDF, for its element beside it, and for both in one chunk."""
    parsed = library.parsed(document)
    return [
        CaptionScore(
            document,
            f"p{label['page']} {label['label']}",
            label["kind"],
            _wrong(library, document, parsed, label),
        )
        for label in labels
    ]


def _wrong(library: Library, name: str, document: Document, label: Mapping[str, Any]) -> str:
    caption = find_caption(document, label)
    if caption is None:
        return "no block begins with it"
    if not label.get("text", True):
        # Nothing of the figure can be in a chunk: its caption stands for it, as long as it is not prose.
        return "" if document.blocks[caption].kind == "caption" else "taken for prose"
    step = 1 if label["caption"] == "above" else -1
    beside = next(_beside(document.blocks, caption, step), None)
    if beside is None or beside.kind != label["kind"]:
        return f"{'a' if beside else 'no'} {beside.kind if beside else 'block'} where the {label['kind']} is"
    if _share_a_chunk(library, name, document.blocks[caption], beside):
        return ""
    return "in another chunk"


def find_caption(document: Document, label: Mapping[str, Any]) -> int | None:
    """Return the number of the block on the page that begins with the label, best a caption."""
    wanted = words([label["label"]])
    found = [
        number
        for number, block in enumerate(document.blocks)
        if block.page == label["page"]
        and words([document.text[block.start : block.end][:80]])[: len(wanted)] == wanted
    ]
    captions = [number for number in found if document.blocks[number].kind == "caption"]
    return next(iter(captions or found), None)


def _beside(blocks: Sequence[Block], caption: int, step: int) -> Iterator[Block]:
    """Yield the blocks on one side of the caption, nearest first, without what may stand between."""
    ahead = blocks[caption + 1 :] if step > 0 else blocks[:caption][::-1]
    return (block for block in ahead if block.kind not in _PASSED)


def _share_a_chunk(library: Library, name: str, caption: Block, element: Block) -> bool:
    """Say whether a chunk holds the caption and the element, or as much of a long one as it can."""
    return any(
        chunk.start <= caption.start
        and caption.end <= chunk.end
        and max(chunk.start, element.start) < min(chunk.end, element.end)
        for chunk in library.chunks(name)
    )


def summarise(scores: Sequence[CaptionScore]) -> dict[str, float | None]:
    """Return the shares of captions that are bound right, by kind for PDF, and for the other formats."""
    pdf = [score for score in scores if score.pdf]
    others = [score for score in scores if not score.pdf]
    summary: dict[str, float | None] = {"captions": len(pdf), "bound": _share(pdf)}
    for kind in ("table", "figure", "code"):
        summary[kind] = _share([score for score in pdf if score.kind == kind])
    return {**summary, "html_captions": len(others), "html_bound": _share(others)}


def _share(scores: Sequence[CaptionScore]) -> float | None:
    return ratio(sum(not score.wrong for score in scores), len(scores))


def _misses(score: CaptionScore) -> list[str]:
    return [f"{score.where} ({score.kind}): {score.wrong}"] if score.wrong else []
