"""Sections found by the heading rule of the context_aware parser, each cut for itself into token windows."""

from ..heading_rule import is_heading
from ..pack import Draft, token_windows
from ..sections import heading_sections, heading_text
from ..task import Task


def split(task: Task) -> list[Draft]:
    """Cut each section every ``size`` tokens; its heading is the whole heading path of its chunks."""
    document = task.document
    marks = [
        block.kind == "heading" or is_heading(document.text[block.start : block.end])
        for block in document.blocks
    ]
    drafts: list[Draft] = []
    for section in heading_sections(document.blocks, lambda index: index >= 0 and marks[index]):
        first = section[0]
        while marks[first] and first + 1 < section[1] and marks[first + 1]:
            first += 1
        headings = (heading_text(document, document.blocks[first]),) if marks[first] else ()
        for draft in token_windows(task.index, task.span(section), task.size, task.overlap):
            drafts.append(draft._replace(headings=headings))
    return drafts
