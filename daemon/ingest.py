"""The working half of an indexing run: read, parse, plan, embed and commit what the survey found."""

import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import closing, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from capsa.chunkers import formats, ocr, ocr_page
from capsa.chunkers.captures.model import ARCHIVES
from capsa.chunkers.errors import ParseError
from capsa.store.records import Entry, Recipe, Stat, signed

from .candidates import Candidate, Candidates
from .child import Failure, Outcome, Parsed
from .committing import Committing
from .embedding import Embedding
from .history.finding import refuse_export
from .history.offer import EXPORT
from .pool import Pool, Task
from .progress import Progress
from .quarantine import GUILTY, ONCE, Journal, is_first
from .reading import Content, content_hash, read_file
from .saved import SavedPages, Saving, candidates_of, load_answer
from .settings import Settings
from .snapshots import with_best_copy
from .survey import UNSURE, Survey, Versions, count_known, racy
from .walk import file_uri, found

if TYPE_CHECKING:
    from capsa.store.records import Known
    from capsa.store.writer import Writer

# An archive may hold thousands of pages, each of which takes as long as one that is a file of its own.
ARCHIVE_DEADLINES = 20
# Reasons that say the file is not for us; all others are failures.
NOT_OURS = frozenset(
    ["unsupported", "binary", "empty", "too-large", "symlink", "special", "vanished", EXPORT]
)


@dataclass(frozen=True, slots=True)
class Tools:
    """What a run works with."""

    writer: "Writer"
    pool: Pool
    embedding: Embedding
    progress: Progress
    settings: Settings
    versions: Versions


class Ingest:
    """Works through a survey's candidates; the survey's counts are completed on the way."""

    def __init__(self, tools: Tools, survey: Survey, source_ids: dict[bytes, int]) -> None:
        self._tools = tools
        self._writer = tools.writer
        self._survey = survey
        self._source_ids = source_ids
        self._moved = {
            known.content_hash: path for path, known in survey.missing.items() if known.status == "indexed"
        }
        self._recipe = Recipe(tools.settings.parser, tools.versions.documents, tools.settings.chunker)
        self._saving = Saving(self._writer, self._recipe)
        self.committing = Committing(self._writer, survey, self._saving, tools.progress)
        self.renamed = 0
        # Files that broke their parser for the first time.
        self.broken: list[bytes] = []
        self.seconds = 0.0
        # Called between two files, when nothing is half written.
        self.between: Callable[[], None] = lambda: None
        # That of the run which is overtaken, if one is.
        self.journal: Journal | None = None
        # Paths that this run has not come to.
        self._ahead: set[bytes] = set()

    def run(self) -> None:
        """Index all candidates; the last commit is on the disk when this returns."""
        started = time.monotonic()
        with nullcontext(self.journal) if self.journal else closing(Journal(self._writer.home)) as journal:
            self.journal = journal
            self._ahead = set(self._survey.candidates.paths)
            suspects = journal.suspects(self._survey.candidates)
            for suspect in suspects:
                self._parse([suspect], journal)
            alone = {suspect.file.path for suspect in suspects}
            self._parse((each for each in self._survey.candidates if each.file.path not in alone), journal)
        self.journal = None
        self._tools.progress.stage("embedding")
        for embedded in self._tools.embedding.drain():
            self.committing.add(embedded)
            self.committing.commit_when_due()
            self.between()
        self.committing.commit(durable=True)
        self.seconds = time.monotonic() - started

    def _parse(self, candidates: Iterable[Candidate], journal: Journal) -> None:
        for (entry, candidate), answer in self._tools.pool.ask(self._tasks(candidates, journal)):
            self._take(entry, candidate, load_answer(answer))
            journal.done(candidate)
            self.committing.commit_when_due()
            self.between()

    def overtake(self, paths: Collection[bytes], chunks: int) -> None:
        """Leave alone what another run has dealt with meanwhile over the same writer, in so many chunks."""
        self._survey.overtake(paths)
        self._saving.drop(self._survey.is_overtaken)
        for path in self._ahead.intersection(paths):
            self._ahead.discard(path)
            self._tools.progress.advance(chunks)
            chunks = 0

    def save(self) -> None:
        """Commit what has been finished so far; for a run that is stopped."""
        for embedded in self._tools.embedding.finished():
            # Progress is told no more: it would say again that the run is to stop.
            self.committing.hold(embedded)
        self.committing.commit(durable=True)

    def remove_missing(self) -> int:
        """Remove what is gone from the disk; return how many that were.

        What is still there has been left out since: nothing of it is to stay in any file.
        """
        missing = list(self._survey.missing)
        if not missing:
            return 0
        removed = self._writer.remove(missing, wiped=any(map(os.path.lexists, missing)))
        self._read_again()
        return removed

    def _read_again(self) -> None:
        """Read the files that have the newest copy left of a page whose newest copy went."""
        survey = Survey(candidates=Candidates(candidates_of(self._writer.captures.outdated())))
        if survey.candidates:
            others = Ingest(self._tools, survey, {})
            others.run()
            self.committing.chunks += others.committing.chunks

    def _tasks(
        self, candidates: Iterable[Candidate], journal: Journal
    ) -> Iterator[Task[tuple[Entry, Candidate]]]:
        for candidate in journal.follow(candidates):
            path = candidate.file.path
            is_counted = path not in self._ahead
            self._ahead.discard(path)
            task = self._task(candidate, journal)
            if task is not None:
                yield task
                continue
            journal.done(candidate)
            if not is_counted:
                self._tools.progress.advance(0)

    def _task(self, candidate: Candidate, journal: Journal) -> Task[tuple[Entry, Candidate]] | None:
        if self._survey.is_overtaken(candidate.file.path):
            return None
        if journal.is_guilty(candidate):
            self._record(self._entry(candidate, None, ""), GUILTY)
            return None
        return self._read(candidate)

    def _read(self, candidate: Candidate) -> Task[tuple[Entry, Candidate]] | None:
        """Open one file; None when it needs no parsing, because it is known, moved, or not for us."""
        path, limit = candidate.file.path, self._tools.settings.max_file_bytes
        name = os.path.basename(path).decode("utf-8", "replace")
        kinds: list[str] = []

        def look(head: bytes) -> None:
            kinds.append(_kind(path, name, head))

        try:
            content = read_file(path, limit, look, candidate.target.root)
        except ParseError as error:
            self._record(self._entry(candidate, None, ""), Failure(error.reason, str(error)))
            return None
        content = with_best_copy(path, content, limit)
        entry = self._entry(candidate, content, kinds[0])
        known = candidate.known
        if known is not None and not candidate.again and known.content_hash == entry.content_hash:
            self._writer.touch(path, Stat(entry.size, entry.mtime_ns, entry.ctime_ns, entry.inode))
            count_known(self._survey, known)
            return None
        if known is None and self._rename(entry):
            return None
        deadlines = ARCHIVE_DEADLINES if entry.kind in ARCHIVES else 1
        key = (entry, candidate)
        return Task(key, name, content.data, recognised=self._recognised(entry), deadlines=deadlines)

    def _recognised(self, entry: Entry) -> bytes:
        """What was recognised on the pages of a scan that is parsed again."""
        if entry.kind != "pdf":
            return b""
        return ocr_page.join_pages(self._writer.finishing.recognised(entry.content_hash, ocr.ENGINE))

    def _entry(self, candidate: Candidate, content: Content | None, kind: str) -> Entry:
        file, seen_ns = candidate.file, self._survey.began_ns
        if content is not None:
            file, seen_ns = found(file.path, content.stat), content.opened_ns
        source_id = candidate.target.source_id
        return Entry(
            path=file.path,
            uri=file_uri(file.path),
            source_id=self._source_ids[candidate.target.root] if source_id is None else source_id,
            kind=kind,
            size=file.size,
            mtime_ns=file.mtime_ns,
            ctime_ns=UNSURE if racy(file, seen_ns, time.time_ns()) else file.ctime_ns,
            inode=signed(file.inode),
            content_hash=b"" if content is None else content_hash(content.data),
        )

    def _rename(self, entry: Entry) -> bool:
        old = self._moved.pop(entry.content_hash, None)
        known = self._survey.missing.get(old) if old is not None else None
        if old is None or known is None or not self._is_current(known):
            return False
        del self._survey.missing[old]
        self._writer.rename(old, entry)
        self.renamed += 1
        self.committing.indexed += 1
        return True

    def _is_current(self, known: "Known") -> bool:
        versions = self._tools.versions
        return known.parser_version == versions.documents and not (known.pending and versions.vectors)

    def _take(self, entry: Entry, candidate: Candidate, outcome: Outcome | SavedPages) -> None:
        if self._survey.is_overtaken(candidate.file.path):
            self._tools.progress.advance(0)
            return
        if isinstance(outcome, Failure):
            version = self._tools.versions.failures
            first = is_first(outcome, entry, candidate.known, version)
            self._record(entry, outcome, version + ONCE if first else version)
            if first:
                self.broken.append(candidate.file.path)
            self._tools.progress.advance(0)
            return
        if isinstance(outcome, Parsed):
            plans = [self._writer.plan(entry, outcome.document, outcome.chunks, self._recipe)]
        else:
            plans = self._saving.plan(entry, outcome, candidate.again)
        for plan in plans:
            for embedded in self._tools.embedding.put(plan):
                self.committing.add(embedded)
            # A file with many pages takes minutes.
            self.committing.commit_when_due()

    def _record(self, entry: Entry, failure: Failure, version: str = "") -> None:
        survey, reason = self._survey, failure.reason
        counts = survey.skipped if reason in NOT_OURS else survey.failed
        counts[reason] += 1
        status = "skipped" if reason in NOT_OURS else "failed"
        version = version or self._tools.versions.failures
        self._writer.record_failure(entry, status, reason, failure.detail, version)  # type: ignore[arg-type]


def _kind(path: bytes, name: str, head: bytes) -> str:
    """The format of a file that begins so; ParseError for one that is not ours."""
    refuse_export(path, head)
    return formats.detect(name, head)
