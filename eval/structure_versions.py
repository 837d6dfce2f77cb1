"""One document in several formats, as a part of the structure benchmark."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from .structure_library import Library, Work, ratio
from .structure_same import SameScore, measure_same

DOCUMENT = "files/debian-policy"
FORMATS = ("pdf", "text")
MEASURES = ("heading_recall", "heading_precision", "tables", "other_tables", "chunks", "text")
SHOWN = 20
"""Headings of each kind that are listed."""


@dataclass(frozen=True, slots=True)
class VersionScore:
    """How one format's version agrees with the HTML one."""

    document: str
    same: SameScore


def prepare(library: Library) -> Work:
    """Measure the one document that there is in several formats."""
    if not library.wants(DOCUMENT):
        return Work([], summarise, _misses)
    gaps = [] if (library.folder / DOCUMENT).is_dir() else [f"{DOCUMENT}: not there"]
    return Work([(DOCUMENT, partial(measure, library))], summarise, _misses, gaps)


def measure(library: Library) -> list[VersionScore]:
    """Compare each version with the HTML one."""
    return [VersionScore(DOCUMENT, score) for score in measure_same(library.folder, library.tokenizer)]


def summarise(scores: Sequence[VersionScore]) -> dict[str, float | None]:
    """Return headings, tables and chunk texts that agree, by format; None for what was not measured."""
    summary = {f"{name}_{measure}": None for name in FORMATS for measure in MEASURES}
    return summary | {
        f"{score.same.format}_{measure}": value
        for score in scores
        for measure, value in zip(MEASURES, _measures(score.same), strict=True)
    }


def _measures(same: SameScore) -> Sequence[float | None]:
    there, right, found = same.tables
    headings = (same.heading_recall, same.heading_precision)
    return (*headings, ratio(right, there), found - right, same.chunk_f1, same.text_f1)


def _misses(score: VersionScore) -> list[str]:
    same = score.same
    return [
        *(f"{same.format} lacks the heading: {text[:60]}" for text in same.missing_headings[:SHOWN]),
        *(f"{same.format} alone has the heading: {text[:60]}" for text in same.other_headings[:SHOWN]),
    ]
