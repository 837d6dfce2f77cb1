"""From the draft of a span to a Chunk: heading path, pages, kind and windows."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from ..bind import Group
from ..model import Chunk, ChunkKind, Window
from ..pack import Draft
from ..sections import Outline
from ..task import Task
from ..windows import WindowCutter


class Finisher:
    """Finishes the drafts of one document."""

    def __init__(self, task: Task, cutter: WindowCutter, groups: Sequence[Group], whole: bool) -> None:
        self._index = task.index
        self._groups = groups
        self._blocks = task.document.blocks
        self._outline = Outline(task.document)
        self._group_ends = [self._blocks[group.last - 1].end for group in groups]
        self._group_starts = [self._blocks[group.first].start for group in groups]
        self._cutter = cutter
        self._whole = whole

    def finish(self, draft: Draft) -> Chunk:
        """Return the chunk of a draft."""
        headings = draft.headings
        if headings is None:
            headings = self._outline.path(draft.core_start, draft.end)
        pages = self._outline.pages(draft.start, draft.end)
        return Chunk(
            draft.start,
            draft.end,
            draft.core_start,
            self._kind(draft),
            headings,
            *pages,
            self._windows(draft, headings),
            self._cutter.breadcrumb_room(headings)[1],
        )

    def _windows(self, draft: Draft, headings: tuple[str, ...]) -> tuple[Window, ...]:
        """Return windows of the chunk, without its overlap where that is whole and would cost one more."""
        windows = self._cutter.cut((draft.start, draft.end), headings)
        if not self._whole or draft.start == draft.core_start or len(windows) == 1:
            return windows
        own = self._cutter.cut((draft.core_start, draft.end), headings)
        return own if len(own) < len(windows) else windows

    def _kind(self, draft: Draft) -> ChunkKind:
        """Return the kind of the bound group that makes up most of the chunk's own text, else "text"."""
        half = self._index.count(draft.core_start, draft.end) / 2
        first = bisect_right(self._group_ends, draft.core_start)
        last = bisect_left(self._group_starts, draft.end)
        for group, start, end in zip(
            self._groups[first:last],
            self._group_starts[first:last],
            self._group_ends[first:last],
            strict=True,
        ):
            item = self._blocks[group.item]
            inside = item.start < draft.end and item.end > draft.core_start
            if inside and self._index.count(max(start, draft.core_start), min(end, draft.end)) > half:
                return group.kind
        return "text"
