"""Chunks that end at headings; long sections are packed from whole sentences."""

from ..pack import Draft, glue, pack
from ..task import Task


def split(task: Task) -> list[Draft]:
    """Pack the sentences of each section for itself."""
    drafts: list[Draft] = []
    for units in task.units_of(task.sections):
        drafts.extend(pack(list(glue(units, task.size)), task.size, task.overlap, tidy=True))
    return drafts
