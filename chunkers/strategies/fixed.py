"""Chunks of a fixed number of tokens, without regard for structure; also with overlap, and as ``basic``."""

from ..pack import Draft, token_windows
from ..task import Task


def split(task: Task) -> list[Draft]:
    """Cut the body every ``size`` tokens, at the end of a word."""
    drafts: list[Draft] = []
    for run in task.runs:
        drafts.extend(token_windows(task.index, task.span(run), task.size, task.overlap))
    return drafts
