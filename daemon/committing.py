"""Finished documents on their way into the index: committed together, and counted when they are there."""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .embedding import Embedded
from .progress import Progress
from .saved import Saving
from .survey import Survey

if TYPE_CHECKING:
    from capsa.store.records import Plan
    from capsa.store.writer import Writer

COMMIT_SECONDS = 2.0
# A commit that is waited for by the disk, at least this often; the last one of a run always is.
DURABLE_SECONDS = 10.0
COMMIT_CHARACTERS = 32 << 20


class Committing:
    """Takes the documents of a run; ``made`` are bytes and chunks by format."""

    def __init__(self, writer: "Writer", survey: Survey, saving: Saving, progress: Progress) -> None:
        self._writer = writer
        self._survey = survey
        self._saving = saving
        self._progress = progress
        self._ready: list[Embedded] = []
        self._characters = 0
        self._committed_at = self._durable_at = time.monotonic()
        self.indexed = self.chunks = self.scans = self.cut = 0
        self.made: dict[str, tuple[float, float]] = {}

    def hold(self, embedded: Embedded) -> None:
        """Take a document that the next commit is to have."""
        self._ready.append(embedded)
        self._characters += len(embedded[0].document.text)

    def add(self, embedded: Embedded) -> None:
        """Take a document, and tell of the progress."""
        self.hold(embedded)
        plan = embedded[0]
        if plan.capture is None:
            self._progress.advance(len(plan.chunks))

    def commit_when_due(self) -> None:
        """Commit when there is much, or some time has passed."""
        now = time.monotonic()
        if now - self._committed_at >= COMMIT_SECONDS or self._characters >= COMMIT_CHARACTERS:
            self.commit(durable=now - self._durable_at >= DURABLE_SECONDS)

    def commit(self, durable: bool) -> None:
        """Commit what was taken, apart from what is old by now; a ``durable`` one is on the disk then."""
        ready = [each for each in self._ready if not self._survey.is_overtaken(each[0].entry.key)]
        plans = [plan for plan, _ in ready]
        if ready:
            self._writer.commit(ready, durable=durable)
            self._count(plans)
        for _ in range(self._saving.settle(plans)):
            self.indexed += 1
            self._progress.advance(0)
        self._ready, self._characters = [], 0
        self._committed_at = time.monotonic()
        if durable:
            self._durable_at = self._committed_at

    def _count(self, plans: "Sequence[Plan]") -> None:
        self.chunks += sum(len(plan.chunks) for plan in plans)
        files = [plan for plan in plans if plan.capture is None]
        self.indexed += len(files)
        for plan in files:
            size, chunks = self.made.get(plan.entry.kind, (0.0, 0.0))
            self.made[plan.entry.kind] = (size + plan.entry.size, chunks + len(plan.chunks))
        documents = [plan.document for plan in plans]
        self.scans += sum(len(document.scanned_pages) > document.ocr_pages for document in documents)
        self.cut += sum(document.layout.cut for document in documents)
