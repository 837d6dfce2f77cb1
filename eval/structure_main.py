"""The main content of HTML pages against labels, as a part of the structure benchmark."""

from collections.abc import Mapping, Sequence
from functools import partial
from statistics import fmean

from .structure_html import ELEMENTS, PageLabel, PageScore, measure_page, page_labels
from .structure_library import Library, Work, ratio

LEAST_F1 = 0.95


def prepare(library: Library) -> Work:
    """Measure the labelled pages that are there, unchanged."""
    rows, gaps = library.labels("html")
    labels: Mapping[str, PageLabel] = {label.document: label for label in page_labels()}
    steps = [(name, partial(_measure, library, labels[name])) for name in rows]
    return Work(steps, summarise, _misses, gaps)


def _measure(library: Library, label: PageLabel) -> list[PageScore]:
    return [measure_page(library.data(label.document), label)]


def summarise(scores: Sequence[PageScore]) -> dict[str, float | None]:
    """Return mean F1 of words and of runs, and the share of each kind of element that is kept."""
    summary: dict[str, float | None] = {
        "pages": len(scores),
        "f1": fmean(score.f1 for score in scores) if scores else None,
        "order_f1": fmean(score.order_f1 for score in scores) if scores else None,
    }
    for element in ELEMENTS:
        kept = [score.kept[element] for score in scores]
        summary[element.replace(" ", "_")] = ratio(
            sum(some for some, _ in kept), sum(every for _, every in kept)
        )
    return summary


def _misses(score: PageScore) -> list[str]:
    lost = [
        f"{every - some} of {every} {name} lost" for name, (some, every) in score.kept.items() if some < every
    ]
    low = [f"F1 {score.f1:.3f}"] if score.f1 < LEAST_F1 else []
    return ["; ".join((*low, *lost))] if low or lost else []
