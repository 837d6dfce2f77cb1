"""Taking exports into the index: each is made ready, read in a worker, sorted, and added batch by batch."""

import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from capsa.chunkers.errors import ParseError, UnavailableError
from capsa.chunkers.history.model import Record
from capsa.chunkers.history.wire import load
from capsa.store.history import Export, waiting_count
from capsa.store.visited import read_exports, read_forgotten

from ..child import Failure
from ..encoder import Encoder, find_encoder, open_embedder
from ..pool import Answer, Pool, Task
from ..settings import Settings
from ..worker import Job
from .embedding import embed_stubs
from .gathering import Gathering, Policy
from .hosts import PrivateHosts, default_hosts
from .profiles import browser_of
from .progress import Show
from .report import ExportReport, ImportReport, merge_tally
from .staging import Staged, staged, state_of

if TYPE_CHECKING:
    from capsa.store.writer import Writer

WORKER = (sys.executable, "-P", "-m", "capsa.daemon.history.worker")
DEADLINE_S = 120.0
"""Seconds of one batch; the first one of a database without an index takes the longest."""
MEMORY_BYTES = 2 << 30


@dataclass(frozen=True, slots=True)
class Options:
    """How exports are taken in.

    ``device`` names the one that they are from. ``local`` takes hosts of the own network in, ``forgotten``
    also what was forgotten. ``followed`` exports are read again and again. ``anew`` reads those too that did
    not change.
    """

    device: str = ""
    local: bool = False
    forgotten: bool = False
    followed: bool = False
    anew: bool = False


class Importing:
    """Takes exports in over the writer, which the caller has opened."""

    def __init__(
        self,
        writer: "Writer",
        settings: Settings,
        show: Show,
        options: Options,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> None:
        self._writer = writer
        self._settings = settings
        self._show = show
        self._options = options
        self._should_stop = should_stop
        self._known = {export.path: export for export in read_exports(writer.history.connection)}
        self._policy = self._make_policy()

    def run(self, paths: Iterable[Path]) -> ImportReport:
        """Import the exports and embed their pages; Ctrl-C gives a report that is not complete."""
        started = time.monotonic()
        report = ImportReport()
        try:
            for path in paths:
                if self._should_stop():
                    break
                report.exports.append(ExportReport(path))
                self._import(report.exports[-1])
            self._embed(report)
            self._show("publishing", 1.0)
            self._writer.publish()
        except KeyboardInterrupt:
            report.complete = False
        report.waiting = waiting_count(self._writer.history.connection)
        report.seconds = time.monotonic() - started
        return report

    def _import(self, report: ExportReport) -> None:
        known = self._known.get(os.fsencode(report.path))
        if known is not None and self._is_unchanged(known, report.path):
            report.format, report.browser, report.status = known.format, known.browser, "unchanged"
            if self._options.followed:
                self._writer.history.follow(known.path, True)
            return
        try:
            with staged(report.path, self._writer.home) as ready:
                self._read(report, ready, known)
        except ParseError as error:
            report.status, report.problem = "failed", f"{error.reason}: {error}"

    def _is_unchanged(self, known: Export, path: Path) -> bool:
        """Whether an export is as it was read, by the rules of now."""
        same_rules = known.counts.get("rules") == self._policy.mark
        return same_rules and not self._options.anew and known.state == state_of(path)

    def _read(self, report: ExportReport, ready: Staged, known: Export | None) -> None:
        with Pool(_job(self._settings, ready), 1, command=WORKER) as pool:
            report.format, family = _ask_format(pool, ready)
            report.browser = browser_of(report.path, family)
            device = self._options.device or (known.device if known else "")
            gathering = Gathering(self._policy, device)
            try:
                for share, records in _batches(pool, ready):
                    self._add(report, gathering, records)
                    self._tell(report, share)
            finally:
                merge_tally(report, [gathering.tally])
        self._keep(report, ready, device)

    def _add(self, report: ExportReport, gathering: Gathering, records: list[Record]) -> None:
        added = self._writer.history.put(report.browser, *gathering.gather(records))
        report.new += added.new
        report.known += added.known
        report.queries += added.queries
        report.new_pages += added.new_pages
        report.changed_pages += added.changed_pages

    def _tell(self, report: ExportReport, share: float) -> None:
        self._show(f"reading {report.path.name}", share)
        if self._should_stop():
            raise ParseError("stopped", "stopped; what was read so far is kept")

    def _keep(self, report: ExportReport, ready: Staged, device: str) -> None:
        export = Export(
            path=os.fsencode(report.path),
            format=report.format,
            browser=report.browser,
            device=device,
            state=ready.state,
            read_at=time.time(),
            counts={**report.counts, "rules": self._policy.mark},
            followed=self._options.followed,
        )
        self._writer.history.put_export(export)

    def _embed(self, report: ImportReport) -> None:
        encoder = find_encoder(self._writer.home)
        if not self._vectors_fit(encoder):
            report.notes.append(
                "`capsa index` makes other vectors first; new pages are found by words until then"
            )
            return
        try:
            report.embedded = embed_stubs(
                self._writer,
                lambda: open_embedder(encoder, self._writer, self._settings),
                self._show,
                self._should_stop,
            )
        except UnavailableError as error:
            report.notes.append(f"NO VECTORS, pages are found by words only: {error}")

    def _vectors_fit(self, encoder: Encoder) -> bool:
        """Whether the index takes the vectors of the model and the code in use; one of pages alone does."""
        mark, wanted = self._writer.model, (encoder.model.fingerprint, self._settings.code)
        if mark is None or not encoder.usable or (mark.fingerprint, mark.code) == wanted:
            return True
        connection = self._writer.history.connection
        folders = connection.execute("SELECT 1 FROM sources WHERE kind = 'folder'").fetchone()
        if folders is None:
            self._writer.change_model(encoder.model, self._settings.code)
        return folders is None

    def _make_policy(self) -> Policy:
        settings = self._settings
        hosts = PrivateHosts((*default_hosts(), *settings.history_excludes), settings.history_includes)
        forgotten = read_forgotten(self._writer.history.connection, nothing=self._options.forgotten)
        return Policy(hosts, settings.history_local or self._options.local, forgotten)


def _job(settings: Settings, ready: Staged) -> Job:
    return Job(
        parser="history",
        chunker="",
        tokenizer="",
        window=0,
        layout_budget_ms=0,
        max_text_bytes=settings.max_text_bytes,
        deadline_s=DEADLINE_S,
        memory_bytes=MEMORY_BYTES,
        readable=(str(ready.readable),),
    )


def _ask_format(pool: Pool, ready: Staged) -> tuple[str, str]:
    _, answer = next(pool.ask([Task(None, str(ready.path), b"")]))
    try:
        name, family = json.loads(_checked(answer))
    except ValueError as error:
        raise ParseError("crash", "the reader's answer makes no sense") from error
    return str(name), str(family)


def _batches(pool: Pool, ready: Staged) -> Iterator[tuple[float, list[Record]]]:
    """Yield what the worker reads; it is some batches ahead."""
    tasks = (Task(None, str(ready.path), b"", page) for page in count(1))
    for _, answer in pool.ask(tasks):
        try:
            share, records = load(_checked(answer))
        except ValueError as error:
            raise ParseError("crash", "the reader's answer makes no sense") from error
        if not records:
            return
        yield share, records


def _checked(answer: Answer) -> bytes:
    if isinstance(answer, Failure):
        raise ParseError(answer.reason, answer.detail)
    return answer
