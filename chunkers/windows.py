"""Cuts a chunk into windows that the model reads whole, so that no token goes unembedded."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from .bind import Group
from .context import breadcrumb
from .errors import UsageError
from .model import Span, Window
from .task import Task
from .tokens import Tokenizer
from .units import divide, word_end

LONGEST_BREADCRUMB = 64
_SMALLEST_WINDOW = 16


class WindowCutter:
    """Cuts the chunks of one document.

    ``groups`` are the bound groups whose caption and header row are repeated in each window; none for
    strategies that do not bind.
    """

    def __init__(self, task: Task, tokenizer: Tokenizer, window: int, groups: Sequence[Group]) -> None:
        if window < 2 * _SMALLEST_WINDOW:
            raise UsageError(f"a window of {window} tokens has no room for text")
        self._task = task
        self._document = task.document
        self._index = task.index
        self._tokenizer = tokenizer
        self._window = window
        self._groups = groups
        self._items = [task.document.blocks[group.item].start for group in groups]
        self._leads: dict[tuple[str, ...], tuple[int, int | None]] = {}

    def breadcrumb_room(self, headings: tuple[str, ...]) -> tuple[int, int | None]:
        """Return the tokens of a breadcrumb, and after how many characters it is cut (None: not cut)."""
        if headings not in self._leads:
            self._leads[headings] = self._measure(breadcrumb(self._document.title, headings))
        return self._leads[headings]

    def cut(self, span: Span, headings: tuple[str, ...]) -> tuple[Window, ...]:
        """Return windows that cover a chunk and fit the model together with breadcrumb and context."""
        budget = self._window - self.breadcrumb_room(headings)[0]
        context = self._context(span[0], budget)
        if self._tokens((span, *context)) <= budget:
            return self._finish([span], [context], budget)
        room = budget - self._largest_context(span, budget)
        ends = self._task.ends
        near = ends[bisect_left(ends, span[0]) : bisect_right(ends, span[1])]
        spans = divide(self._index, span, room, near)
        return self._finish(spans, [self._context(start, budget) for start, _ in spans], budget)

    def _measure(self, lead: str) -> tuple[int, int | None]:
        most = min(LONGEST_BREADCRUMB, self._window // 2)
        tokens = self._tokenizer.count(lead)
        if tokens <= most:
            return tokens, None
        index = self._tokenizer.index(lead)
        for allowed in range(most, 0, -1):
            end = word_end(index, 0, allowed, len(lead))
            tokens = self._tokenizer.count(lead[:end])
            if tokens <= most:
                return tokens, end
        return 0, 0

    def _tokens(self, spans: Sequence[Span]) -> int:
        return sum(self._index.count(*span) for span in spans)

    def _largest_context(self, span: Span, budget: int) -> int:
        """Return the tokens of the longest context that a window within a span may need."""
        first = max(bisect_right(self._items, span[0]) - 1, 0)
        last = bisect_left(self._items, span[1])
        return max(
            (self._tokens(self._repeated(group, budget)) for group in self._groups[first:last]), default=0
        )

    def _context(self, start: int, budget: int) -> tuple[Span, ...]:
        """Return caption and header row of the table that a window starts inside of."""
        nearest = bisect_left(self._items, start) - 1
        if nearest < 0:
            return ()
        group = self._groups[nearest]
        table = self._document.blocks[group.item]
        if not table.start < start < table.end or start < (table.header_end or 0):
            return ()
        return self._repeated(group, budget)

    def _repeated(self, group: Group, budget: int) -> tuple[Span, ...]:
        """Return the spans a group repeats, cut to a quarter of the budget each."""
        table = self._document.blocks[group.item]
        if group.kind == "figure":
            return ()
        spans = [
            (block.start, block.end)
            for block in self._document.blocks[group.first : group.last]
            if block.kind == "caption"
        ][:1]
        if table.header_end and table.header_end > table.start:
            spans.append((table.start, table.header_end))
        return tuple((start, word_end(self._index, start, budget // 4, end)) for start, end in spans)

    def _finish(
        self, spans: Sequence[Span], contexts: Sequence[tuple[Span, ...]], budget: int
    ) -> tuple[Window, ...]:
        """Make windows; one that starts or ends inside a word is counted anew, as its pieces are others."""
        windows: list[Window] = []
        for span, context in zip(spans, contexts, strict=True):
            room = budget - self._tokens(context)
            parts = [span] if self._fits(span, room) else self._shrink(span, room)
            windows.extend(Window(start, end, context) for start, end in parts)
        return tuple(windows)

    def _fits(self, span: Span, room: int) -> bool:
        if not (self._inside_word(span[0]) or self._inside_word(span[1])):
            return True
        return self._tokenizer.count(self._index.text[span[0] : span[1]]) <= room

    def _inside_word(self, position: int) -> bool:
        text = self._index.text
        return 0 < position < len(text) and not text[position - 1].isspace() and not text[position].isspace()

    def _shrink(self, span: Span, room: int) -> list[Span]:
        middle = (span[0] + span[1]) // 2
        halves = [(span[0], middle), (middle, span[1])]
        return [
            part
            for half in halves
            for part in ([half] if self._fits(half, room) else self._shrink(half, room))
        ]
