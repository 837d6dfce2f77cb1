"""Paragraphs, cut into lines, sentences and words only where longer than the size; also as ``medium``."""

from collections.abc import Callable, Iterator, Sequence

from ..pack import Draft, tail_start
from ..task import Task
from ..units import SENTENCE, Unit, join


def split(task: Task) -> list[Draft]:
    """Merge paragraphs up to the size; each chunk repeats the last ``overlap`` tokens of the one before."""
    drafts: list[Draft] = []
    for units in task.units_of(task.runs):
        drafts.extend(_merge(task, list(_pieces(task, units))))
    return drafts


def _pieces(task: Task, units: Sequence[Unit]) -> Iterator[Unit]:
    """Yield paragraphs that fit beside the overlap, lines of longer ones, sentences of longer lines."""
    room = task.size - task.overlap
    for paragraph in _grouped(units, lambda left, right: right.rank > SENTENCE):
        if _tokens(paragraph) <= room:
            yield join(paragraph)
            continue
        for line in _grouped(paragraph, lambda left, right: "\n" in task.index.text[left.end : right.start]):
            if _tokens(line) <= room:
                yield join(line)
            else:
                yield from line


def _grouped(units: Sequence[Unit], parted: Callable[[Unit, Unit], bool]) -> Iterator[list[Unit]]:
    group: list[Unit] = []
    for unit in units:
        if group and parted(group[-1], unit):
            yield group
            group = []
        group.append(unit)
    if group:
        yield group


def _tokens(units: Sequence[Unit]) -> int:
    return units[-1].after - units[0].before


def _merge(task: Task, pieces: Sequence[Unit]) -> Iterator[Draft]:
    draft: Draft | None = None
    position = 0
    while position < len(pieces):
        piece = pieces[position]
        spare = task.size - (piece.after - piece.before)
        start = tail_start(task.index, draft, min(task.overlap, spare), piece.start) if draft else piece.start
        first = task.index.before(start)
        position += 1
        end = piece.end
        while position < len(pieces) and pieces[position].after - first <= task.size:
            end = pieces[position].end
            position += 1
        draft = Draft(start, end, piece.start)
        yield draft
