"""Whole sentences packed up to the size."""

from ..pack import Draft, glue, pack
from ..task import Task


def split(task: Task) -> list[Draft]:
    """Pack the sentences of the body; a heading stays with what follows."""
    drafts: list[Draft] = []
    for units in task.units_of(task.runs):
        drafts.extend(pack(list(glue(units, task.size)), task.size, task.overlap))
    return drafts
