"""The daemon's work: index what changed, and finish documents when there is nothing else to do."""

import logging
import os
import sqlite3
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from pathlib import Path

from capsa.chunkers.errors import CapsaError
from capsa.store.home import database_path
from capsa.store.published import published_bytes
from capsa.store.reserve import keep_reserve

from .background_run import FEW, OVERTAKING, BackgroundRun
from .deferred import finish
from .encoder import find_encoder
from .errands import ERRANDS, Context, Errands
from .faults import Faults, settle
from .guard import DOUBT_SECONDS
from .manners import why_wait
from .overtaking import OvertakingRun, portion
from .pacing import Pacing
from .report import Report
from .ruled import ruled_by
from .settings import Settings, load_settings
from .state import State
from .targets import IGNORE_FILES, is_within
from .watching.changes import Batch, Changes
from .workshop import Workshop

logger = logging.getLogger(__name__)

# What may go wrong as a whole: it is told, and tried again.
FAILURES = (CapsaError, OSError, sqlite3.Error)
# So long after what went wrong as a whole, a full disk for one, it is tried again.
RETRY_SECONDS = 10.0
# So long after a file broke its parser it is tried once more: the machine may have been the reason.
BROKEN_SECONDS = 300.0
# A file that changed less than this ago may still be written to; it is held back so long at most.
YOUNG_SECONDS = 1.0
YOUNG_AT_MOST = 30.0
# Publishing may write all codes; after that so long nothing is published that this is the mean.
PUBLISHED_BYTES_PER_SECOND = 100_000.0


@dataclass(slots=True)
class Background:
    """Works for a home, on one thread; what cannot be done now goes back to the changes."""

    home: Path
    changes: Changes
    state: State
    last_scan: float | None = None
    problem: str = ""
    waits_for: str = ""
    errands: Errands = field(default_factory=lambda: Errands(ERRANDS))
    workshop: Workshop = field(default_factory=Workshop)
    _is_new: bool = True
    _behind: bool = False
    _publish_at: float = 0.0
    _young: dict[bytes, float] = field(default_factory=dict)
    _faults: Faults = field(default_factory=Faults)
    _pacing: Pacing = field(init=False)

    def __post_init__(self) -> None:
        self._pacing = Pacing(self.home, self.state)

    def close(self) -> None:
        """End what was kept for the next change."""
        self.workshop.close()

    def get_ready(self) -> None:
        """Start what the first change needs, once there is an index; let go of it when long nothing came."""
        self.workshop.tidy()
        if self._is_new and database_path(self.home).exists():
            self._is_new = False
            try:
                self.workshop.get_ready(self._settings(), find_encoder(self.home))
            except CapsaError as error:
                self._failed(Batch(), error)

    def index(self, batch: Batch, roots: frozenset[bytes]) -> None:
        """Index what the batch names; ``roots`` are all there are, which a whole scan looks over.

        Files that change meanwhile, if they are not many, are indexed between two of those.
        """
        batch = self._grown_up(batch)
        if batch and self._faults.must_wait:
            self._keep(batch)
            return
        if batch and not self._must_wait(batch):
            self._index(batch, roots)

    def _index(self, batch: Batch, roots: frozenset[bytes]) -> None:
        publishing = time.monotonic() >= self._publish_at
        self.state.stage("looking")
        try:
            settings = self._settings()
            self._pacing.begin(settings, _is_large(batch))
            if self._faults.has_some:
                settle(self.home)
            run = BackgroundRun(self.home, settings, self.state, self.workshop, publishing)
            run.between = lambda writer, ingest, waits: self._overtake(
                OvertakingRun(run, writer, ingest), roots, waits
            )
            run.hurry = lambda paths: self.changes.postpone(paths, 0.0)
            report = run.index(_names(batch))
        except FAILURES as error:
            self._failed(batch, error)
            return
        finally:
            self.state.stage("idle")
        self.problem = ""
        if report.indexed or report.removed:
            self._faults.clear()
        self._published(publishing and report.complete, report)
        keep_reserve(self.home)
        self._tell(report)
        if report.complete and batch.roots >= roots:
            self.last_scan = time.time()
        if not report.complete:
            self._keep(batch)

    def _overtake(self, run: OvertakingRun, roots: frozenset[bytes], waits: bool) -> None:
        """Index the files that have changed meanwhile, if there are some and not many, some at a time.

        The other run gives them half of its time, and all of it while it ``waits``.
        """
        if not (waits or self._pacing.has_time):
            return
        batch = self._grown_up(self.changes.take_few(OVERTAKING))
        files = batch.paths
        whole = {path for path in files if _concerns_all(path, roots)}
        self.changes.postpone(whole, RETRY_SECONDS)
        batch = replace(batch, paths=frozenset(portion(files - whole)))
        self.changes.postpone(files - whole - batch.paths, 0.0)
        if not batch:
            return
        with self._pacing.taking_time():
            report = self._run_over(run, batch)
        self._behind |= bool(report.indexed or report.removed)
        self._tell(report)

    def _run_over(self, run: OvertakingRun, batch: Batch) -> Report:
        report = None
        try:
            report = run.index(_names(batch))
        finally:
            if report is None or not report.complete:
                self._keep(batch)
        return report

    @property
    def owes_publishing(self) -> bool:
        """Whether the vector file is behind the database, and may be written again."""
        return self._behind and time.monotonic() >= self._publish_at and not self._faults.must_wait

    def publish(self) -> None:
        """Write the vector file anew."""
        from capsa.store.writer import Writer

        try:
            with Writer.open(self.home) as writer:
                writer.publish()
        except FAILURES as error:
            self._failed(Batch(), error)
            self._publish_at = time.monotonic() + RETRY_SECONDS
        else:
            self._wait_to_publish()

    def finish(self, should_stop: Callable[[], bool]) -> bool:
        """Finish documents until told to stop; return whether there may be more to finish later."""
        self.waits_for = why_wait(self.home)
        if self.waits_for or self._faults.must_wait:
            return True
        try:
            settings = self._settings()
            self._pacing.begin_finishing(settings)
            report = finish(self.home, should_stop, settings=settings, progress=self.state, gentle=True)
        except FAILURES as error:
            self._failed(Batch(), error)
            return True
        finally:
            self.state.stage("idle")
        if report.found:
            logger.info("%s", "; ".join(report.lines()))
        return not report.complete

    def run_errands(self, should_stop: Callable[[], bool]) -> None:
        """Do what other modules have to be done from time to time."""
        try:
            settings = self._settings()
        except CapsaError as error:
            self._failed(Batch(), error)
            return
        if not self._faults.must_wait:
            self.errands.run(Context(self.home, settings, self.state, should_stop))

    def _settings(self) -> Settings:
        """The settings as they are now, with half of the processor's cores."""
        settings = load_settings(self.home)
        return replace(settings, threads=max(1, settings.thread_count() // 2))

    def _must_wait(self, batch: Batch) -> bool:
        """Put back what is large while the machine has better things to do."""
        self.waits_for = why_wait(self.home)
        if self.waits_for and _is_large(batch):
            self._keep(batch)
            return True
        return False

    def _failed(self, batch: Batch, error: Exception) -> None:
        told = self._faults.add(error)
        if told != self.problem:
            logger.error("%s", told)
        self.problem = told
        self._keep(batch)

    def _published(self, publishing: bool, report: Report) -> None:
        if not (report.indexed or report.removed):
            return
        if publishing:
            self._wait_to_publish()
        else:
            self._behind = True

    def _wait_to_publish(self) -> None:
        """Bound what is written: up to all codes, for however few changes."""
        try:
            wait = published_bytes(self.home) / PUBLISHED_BYTES_PER_SECOND
        except FAILURES as error:
            self._failed(Batch(), error)
            wait = RETRY_SECONDS
        self._behind, self._publish_at = False, time.monotonic() + wait

    def _keep(self, batch: Batch) -> None:
        self.changes.put_back(batch, RETRY_SECONDS)

    def _tell(self, report: Report) -> None:
        self.changes.postpone(report.doubted, DOUBT_SECONDS + RETRY_SECONDS)
        self.changes.postpone(report.broken, BROKEN_SECONDS)
        if report.indexed or report.removed or report.failed:
            logger.info("%s", "; ".join(report.lines()))
        for note in report.notes:
            logger.warning("%s", note)

    def _grown_up(self, batch: Batch) -> Batch:
        """Return the batch without the files that are still being written; those come again later."""
        now = time.monotonic()
        young = {path for path in batch.paths - batch.settled if _is_young(path)}
        since = {path: self._young.get(path, now) for path in young}
        held = {path for path in young if now - since[path] < YOUNG_AT_MOST}
        # Those that are not in this batch wait for another one; some of them may have been given up.
        others = {path: began for path, began in self._young.items() if path not in batch.paths}
        others = {path: began for path, began in others.items() if now - began < 2 * YOUNG_AT_MOST}
        self._young = others | since
        self.changes.postpone(held, YOUNG_SECONDS)
        return replace(batch, paths=batch.paths - held)


def _names(batch: Batch) -> list[str]:
    return [os.fsdecode(path) for path in (*batch.roots, *sorted(batch.paths))]


def _concerns_all(path: bytes, roots: Collection[bytes]) -> bool:
    """Whether it is rules, or has a root in it: more of what a run works on than a walk of it finds."""
    rules = os.path.basename(path) in IGNORE_FILES or ruled_by(path)
    return bool(rules) or any(is_within(root, path) for root in roots)


def _is_large(batch: Batch) -> bool:
    """Whether it is more than what somebody has just edited, which is indexed whatever the battery says."""
    return bool(batch.roots) or len(batch.paths) > FEW


def _is_young(path: bytes) -> bool:
    try:
        state = os.lstat(path)
    except OSError:
        return False
    return 0 <= time.time() - state.st_mtime < YOUNG_SECONDS
