"""Finishing documents that indexing left unfinished: laid out in part within its budget, or scans.

One document at a time is parsed again with a larger budget and committed as any other: only changed chunks
are embedded. A layout starts at the first page again: what a page is depends on all of them (the usual font,
running heads, broken words). To keep what was read of the pages that are done would save half a second of the
7.5 s of CPU time that a manual of 150 pages takes here, most of it for embedding, and would be one more copy
of its text to forget. Recognition takes seconds a page, so each page is kept when it is done: a stop costs
one. Documents whose file changed are left to the next indexing.
"""

import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from capsa.chunkers import ocr
from capsa.chunkers.errors import ParseError, UnavailableError
from capsa.chunkers.model import Document
from capsa.chunkers.ocr_page import join_pages
from capsa.store.home import database_path
from capsa.store.records import Recipe
from capsa.store.unfinished import Finishing, Unfinished

from .child import Failure, Outcome, Parsed
from .embedding import Embedding
from .encoder import find_encoder, open_embedder
from .excludes import Excludes
from .finish_report import FinishReport, Result
from .jobs import FINISH_DEADLINE_S, make_job, what_is_wanted
from .pool import Pool, Task
from .progress import Progress, Quiet
from .reading import read_file
from .report import total
from .settings import Settings, load_settings

if TYPE_CHECKING:
    from capsa.store.embedder import Embedder
    from capsa.store.writer import Writer

PAGE_DEADLINE_S = 180.0
"""Seconds that the recognition of one page may take: dense text takes 8 on a quiet core."""
PAGE_MEMORY_BYTES = 3 << 30
"""Of address space for the recognition: it takes 1.5 GB of it, of which 0.6 GB are in use."""
RECOGNISER = (sys.executable, "-P", "-m", "capsa.daemon.recogniser")

Stop = Callable[[], bool]


def finish(
    home: Path,
    should_stop: Stop = lambda: False,
    *,
    settings: Settings | None = None,
    progress: Progress | None = None,
    writer: "Writer | None" = None,
    gentle: bool = False,
) -> FinishReport:
    """Finish what there is to finish until should_stop, which is asked before each document and scanned page.

    The caller's writer is used when there is one; else the home's lock is taken if there is anything to do.
    ``gentle`` workers make way for everything else.
    """
    settings = settings or load_settings(home)
    with ExitStack() as stack:
        if writer is None:
            nothing = _nothing_to_do(home, settings)
            if nothing is not None:
                return nothing
            from capsa.store.writer import Writer

            writer = stack.enter_context(Writer.open(home))
        finisher = stack.enter_context(Finisher(writer, settings, progress or Quiet(), gentle))
        return finisher.run(should_stop)


def _nothing_to_do(home: Path, settings: Settings) -> FinishReport | None:
    """The report when there is nothing to finish, without a lock on the home."""
    from capsa.store.reader import Reader

    if not database_path(home).exists():
        return FinishReport()
    wanted = what_is_wanted(settings)
    with Reader.open(home) as reader:
        store = Finishing(reader.connection)
        if store.unfinished(wanted):
            return None
        return FinishReport(scans_waiting=0 if wanted.scans else store.scans_waiting())


class Finisher:
    """Finishes documents over the writer; use it in a with statement, from the writer's thread."""

    def __init__(
        self, writer: "Writer", settings: Settings, progress: Progress, gentle: bool = False
    ) -> None:
        self._writer = writer
        self._settings = settings
        self._progress = progress
        self._store = writer.finishing
        self._wanted = what_is_wanted(settings)
        self._encoder = find_encoder(writer.home)
        self._excludes = Excludes(settings, os.fsencode(writer.home))
        job = replace(
            make_job(settings, self._encoder, gentle),
            layout_budget_ms=settings.finish_budget_ms,
            deadline_s=FINISH_DEADLINE_S,
        )
        self._parsers = Pool(job, 1)
        page_job = replace(job, deadline_s=PAGE_DEADLINE_S, memory_bytes=PAGE_MEMORY_BYTES)
        self._recognisers = Pool(page_job, 1, command=RECOGNISER)
        self._embedding = Embedding(self._open_embedder)
        self._stack = ExitStack()
        self._results: Counter[Result] = Counter()
        self._failed: Counter[str] = Counter()
        self._unread: Counter[str] = Counter()
        self._notes: list[str] = []
        self._laid_out = self._recognised = self._chunks = 0

    def __enter__(self) -> Self:
        self._stack.callback(self._embedding.close)
        self._stack.enter_context(self._parsers)
        self._stack.enter_context(self._recognisers)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def run(self, should_stop: Stop) -> FinishReport:
        """Work through the list; Ctrl-C gives a report that is not complete."""
        started = time.monotonic()
        documents = self._store.unfinished(self._wanted)
        self._progress.start(len(documents))
        self._progress.stage("finishing")
        try:
            for document in documents:
                if should_stop():
                    break
                self._results[self.finish_one(document, should_stop)] += 1
            self._writer.publish()
        except KeyboardInterrupt:
            pass  # told by the documents that are left
        return self._report(len(documents), time.monotonic() - started)

    def finish_one(self, document: Unfinished, should_stop: Stop) -> Result:
        """Parse one document again, its scanned pages recognised, and commit it."""
        data = self._read(document)
        if data is None:
            self._progress.advance(0)
            return "changed"
        self._store.begin(document, self._wanted.limits)
        try:
            outcome = self._work(document, data, should_stop)
        except KeyboardInterrupt:
            self._store.release(document)
            raise
        if outcome is None:
            self._store.release(document)
            return "left"
        if isinstance(outcome, Failure):
            self._progress.advance(0)
            self._store.settle(document, f"{outcome.reason}: {outcome.detail}")
            self._failed[outcome.reason] += 1
            return "failed"
        return self._commit(document, outcome)

    def _read(self, document: Unfinished) -> bytes | None:
        """The file's bytes, or None when they are not those that were indexed."""
        path = document.entry.key
        if self._excludes.reason(document.root, path) is not None:
            return None
        try:
            content = read_file(path, self._settings.max_file_bytes)
        except ParseError:
            return None
        return content.data if content.digest == document.entry.content_hash else None

    def _work(self, document: Unfinished, data: bytes, should_stop: Stop) -> Outcome | None:
        """Parse, recognise what is missing, and parse with it; None when it was stopped."""
        known = dict(self._store.recognised(document.entry.content_hash, ocr.ENGINE))
        outcome = self._parse(document, data, known)
        if isinstance(outcome, Failure) or not self._wanted.scans:
            return outcome
        pages = outcome.document.scanned_pages[: self._settings.finish_ocr_pages]
        missing = [page for page in pages if page not in known]
        if not missing:
            return outcome
        for place, page in enumerate(missing):
            if should_stop():
                return None
            self._progress.stage(f"reading scan, page {place + 1} of {len(missing)}")
            self._recognise(document, data, page, known)
        self._progress.stage("finishing")
        return self._parse(document, data, known)

    def _parse(self, document: Unfinished, data: bytes, known: Mapping[int, bytes]) -> Outcome:
        task = Task(None, _name(document), data, recognised=join_pages(known))
        return next(outcome for _, outcome in self._parsers.run([task]))

    def _recognise(self, document: Unfinished, data: bytes, page: int, known: dict[int, bytes]) -> None:
        """Recognise one page and keep it; a page that cannot be stays a scan."""
        task = Task(None, _name(document), data, page)
        answer = next(answer for _, answer in self._recognisers.ask([task]))
        if isinstance(answer, Failure):
            self._unread[answer.reason] += 1
            return
        self._store.keep_recognised(document.entry.content_hash, page, ocr.ENGINE, answer)
        known[page] = answer
        self._recognised += 1

    def _commit(self, document: Unfinished, parsed: Parsed) -> Result:
        settings = self._settings
        recipe = Recipe(settings.parser, self._wanted.parser_version, settings.chunker)
        plan = self._writer.plan(document.entry, parsed.document, parsed.chunks, recipe)
        embedded = [*self._embedding.put(plan), *self._embedding.drain()]
        self._progress.advance(len(parsed.chunks))
        if not self._store.is_current(document):
            return "changed"
        self._writer.commit(embedded)
        self._chunks += len(parsed.chunks)
        lacks = what_lacks(parsed.document, self._wanted.scans)
        if lacks:
            self._store.settle(document, lacks)
            return "cut"
        self._store.release(document)
        self._laid_out += parsed.document.pages
        return "finished"

    def _open_embedder(self) -> "Embedder | None":
        try:
            return open_embedder(self._encoder, self._writer, self._settings)
        except UnavailableError as error:
            self._notes.append(f"NO VECTORS, keyword search only: {error}")
            return None

    def _report(self, found: int, seconds: float) -> FinishReport:
        results = self._results
        if self._unread:
            self._notes.append(f"pages that could not be read: {total('failed', self._unread)}")
        return FinishReport(
            finished=results["finished"],
            cut=results["cut"],
            changed=results["changed"],
            failed=self._failed,
            left=found - results.total() + results["left"],
            laid_out=self._laid_out,
            recognised=self._recognised,
            chunks=self._chunks,
            embedded=self._embedding.embedded,
            seconds=seconds,
            scans_waiting=0 if self._wanted.scans else self._store.scans_waiting(),
            notes=tuple(self._notes),
        )


def what_lacks(document: Document, scans: bool) -> str:
    """What a document still lacks; nothing when it is finished."""
    if document.layout.cut:
        return document.layout.reason
    unread = len(document.scanned_pages) - document.ocr_pages
    return f"{unread} of {len(document.scanned_pages)} scanned pages are not read" if scans and unread else ""


def _name(document: Unfinished) -> str:
    return os.path.basename(document.entry.key).decode("utf-8", "replace")
