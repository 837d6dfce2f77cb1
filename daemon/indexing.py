"""An indexing run from paths to a report; when nothing changed it reads the database and writes nothing."""

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from capsa.chunkers.errors import UnavailableError
from capsa.store.home import database_path
from capsa.store.records import Known, ModelMark, Source

from .embedding import BATCH_TEXTS, Embedding
from .estimate import Pace, keep_pace
from .excludes import Excludes
from .guard import hold_back
from .jobs import make_job, make_versions
from .progress import Progress
from .report import Report
from .settings import Settings
from .survey import KnownPaths, Survey, Walking, add_target, exists
from .targets import Resolver, Target, resolve
from .terminal import show_path
from .walk import Limits

if TYPE_CHECKING:
    from capsa.store.embedder import Embedder
    from capsa.store.writer import Writer

    from .encoder import Encoder
    from .ingest import Ingest
    from .pool import Pool


FILES_FOR_A_WORKER = 8

KnownFiles = Mapping[int, Mapping[bytes, Known]]


@dataclass(frozen=True, slots=True)
class Shelf:
    """What the home held when the run began."""

    sources: Sequence[Source] = ()
    mark: ModelMark | None = None
    change: int = 0
    doubts: Mapping[int, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Look:
    """What there is to do, and the state of the index that this was seen in."""

    targets: Sequence[Target]
    survey: Survey
    shelf: Shelf
    doubts: Mapping[int, float]

    @property
    def has_work(self) -> bool:
        """Whether anything must be written."""
        new_source = any(target.source_id is None for target in self.targets)
        new_doubts = self.doubts != self.shelf.doubts
        return bool(self.survey.candidates or self.survey.missing or new_source or new_doubts)


class Run:
    """One indexing run over a home."""

    def __init__(self, home: Path, settings: Settings, progress: Progress) -> None:
        self._home = home
        self._settings = settings
        self._progress = progress
        self._excludes = Excludes(settings, os.fsencode(home))
        self._notes: list[str] = []
        self._started = time.monotonic()
        self._vectors_changed = False

    # Finds the targets for the paths, and whether the workers make way for everything else.
    _resolve: Resolver = staticmethod(resolve)
    _gentle = False
    _batch_texts = BATCH_TEXTS

    def index(self, paths: Sequence[str] = ()) -> Report:
        """Index the paths, or all known sources, and report; Ctrl-C gives a report that is not complete."""
        look = self._look(paths)
        if self._wants_other_vectors(look.shelf.mark):
            self._change_vectors()
            look = self._look(paths)
        return self._work(look, paths) if look.has_work else self._report(look.survey)

    def _look(self, paths: Sequence[str]) -> Look:
        """Find out what there is to do; reads only."""
        shelf = read_shelf(self._home)
        resolved = self._resolve(paths, shelf.sources, self._excludes)
        targets = [target for target in resolved if exists(target)]
        known = read_known(self._home, targets)
        survey = self._survey(targets, shelf, known)
        survey.notes += [
            f"{show_path(target.root)} is not there now; what is indexed of it is kept"
            for target in resolved
            if target not in targets
        ]
        looked_at = {target.source_id for target in targets if target.within == target.root}
        doubts = {source: since for source, since in shelf.doubts.items() if source not in looked_at}
        doubts |= hold_back(survey, targets, known, shelf.doubts, time.time())
        return Look(targets, survey, shelf, doubts)

    def _survey(self, targets: Sequence[Target], shelf: Shelf, known: KnownFiles) -> Survey:
        survey = Survey()
        pending = any(file.pending for files in known.values() for file in files.values())
        versions = make_versions(self._settings, vectors=pending and self._encoder.usable)
        roots = {source.path for source in shelf.sources} | {target.root for target in targets}
        ordered = {source_id: KnownPaths(files) for source_id, files in known.items()}
        for target in targets:
            limits = Limits(
                self._settings.max_file_bytes, self._settings.other_file_systems, roots - {target.root}
            )
            files = ordered.get(target.source_id or 0, KnownPaths({}))
            add_target(survey, target, files, versions, Walking(self._excludes, limits))
        return survey

    @cached_property
    def _encoder(self) -> "Encoder":
        from .encoder import find_encoder

        return find_encoder(self._home)

    def _wants_other_vectors(self, mark: ModelMark | None) -> bool:
        if mark is None:
            return False
        encoder = self._encoder
        wanted = (encoder.model.fingerprint, self._settings.code)
        return encoder.usable and wanted != (mark.fingerprint, mark.code)

    def _change_vectors(self) -> None:
        from capsa.store.writer import Writer

        model = self._encoder.model
        self._vectors_changed = True
        with Writer.open(self._home) as writer:
            writer.change_model(model, self._settings.code)
        self._notes.append(
            f"the vectors are now those of {model.name}, kept as {self._settings.vectors}: "
            "all documents are embedded anew"
        )

    def _embed_pages(self, writer: "Writer") -> None:
        """Give visited pages, which are no files that a run finds, the new vectors too."""
        from .encoder import open_embedder
        from .history.embedding import embed_stubs

        def show(stage: str, share: float) -> None:
            self._progress.stage(f"{stage} visited pages, {share:.0%}")

        embed_stubs(writer, lambda: open_embedder(self._encoder, writer, self._settings), show)

    def _work(self, look: Look, paths: Sequence[str]) -> Report:
        from .watching.mounts import refuse_share

        refuse_share(self._home)
        with ExitStack() as stack:
            writer = stack.enter_context(self._open_writer())
            if read_shelf(self._home).change != look.shelf.change:
                look = self._look(paths)  # another run ended between the look and the lock
            survey, targets = look.survey, look.targets
            embedding = Embedding(lambda: self._open_embedder(writer), self._batch_texts)
            stack.callback(embedding.close)
            ids = {t.root: writer.add_source(t.root).id for t in targets if t.source_id is None}
            ingest = self._ingest(stack, survey, writer, embedding, ids)
            self._prepare(ingest, survey, writer)
            writer.keep_doubts(look.doubts)
            try:
                ingest.run()
                if self._vectors_changed:
                    self._embed_pages(writer)
                keep_pace(writer, ingest.seconds, ingest.made)
                removed = ingest.remove_missing()
                self._publish(writer)
            except KeyboardInterrupt:
                ingest.save()
                return self._report(survey, ingest, embedding, complete=False)
            return self._report(survey, ingest, embedding, removed)

    def _open_writer(self) -> "AbstractContextManager[Writer]":
        from capsa.store.writer import Writer

        return Writer.open(self._home)

    def _publish(self, writer: "Writer") -> None:
        self._progress.stage("publishing")
        writer.publish()

    def _ingest(
        self,
        stack: ExitStack,
        survey: Survey,
        writer: "Writer",
        embedding: "Embedding",
        ids: dict[bytes, int],
    ) -> "Ingest":
        from .ingest import Ingest, Tools

        files = [(os.fsdecode(each.file.path), each.file.size) for each in survey.candidates]
        seconds = Pace.load(writer.pace).seconds_for(files, self._settings.thread_count())
        self._progress.start(len(files), seconds)
        pool = stack.enter_context(self._open_pool(len(survey.candidates)))
        versions = make_versions(self._settings, self._encoder.usable)
        return Ingest(Tools(writer, pool, embedding, self._progress, self._settings, versions), survey, ids)

    def _prepare(self, ingest: "Ingest", survey: Survey, writer: "Writer") -> None:
        """Another kind of run arranges its work here, before it begins."""

    def _open_pool(self, files: int) -> "AbstractContextManager[Pool]":
        return self._own_pool(files)

    def _own_pool(self, files: int) -> "Pool":
        from .pool import Pool

        # A worker takes a second to start, so one file must not start several.
        workers = min(self._settings.thread_count(), 1 + files // FILES_FOR_A_WORKER)
        return Pool(make_job(self._settings, self._encoder, self._gentle), workers)

    def _load_embedder(self, writer: "Writer") -> "Embedder":
        from .encoder import open_embedder

        return open_embedder(self._encoder, writer, self._settings)

    def _open_embedder(self, writer: "Writer") -> "Embedder | None":
        try:
            return self._load_embedder(writer)
        except UnavailableError as error:
            self._notes.append(f"NO VECTORS, keyword search only: {error}")
            return None

    def _report(
        self,
        survey: Survey,
        ingest: "Ingest | None" = None,
        embedding: "Embedding | None" = None,
        removed: int = 0,
        complete: bool = True,
    ) -> Report:
        indexed = ingest.indexed if ingest else 0
        refused = survey.skipped.total() + survey.failed.total()
        return Report(
            # After Ctrl-C what was not got to is not counted as found.
            found=survey.found if complete else indexed + survey.unchanged + refused,
            indexed=indexed,
            unchanged=survey.unchanged,
            skipped=survey.skipped,
            failed=survey.failed,
            chunks=ingest.chunks if ingest else 0,
            embedded=embedding.embedded if embedding else 0,
            renamed=ingest.renamed if ingest else 0,
            removed=removed,
            scans=ingest.scans if ingest else 0,
            cut=ingest.cut if ingest else 0,
            seconds=time.monotonic() - self._started,
            notes=(*self._notes, *survey.notes),
            doubted=tuple(survey.doubted),
            broken=tuple(ingest.broken) if ingest else (),
            complete=complete,
        )


def read_shelf(home: Path) -> Shelf:
    """Read what the home holds; nothing when there is no database yet."""
    if not database_path(home).exists():
        return Shelf()
    from capsa.store import meta
    from capsa.store.database import is_older
    from capsa.store.reader import Reader

    if is_older(database_path(home)):
        _bring_up_to_date(home)

    with Reader.open(home) as reader, reader.snapshot():
        change, doubts = meta.change(reader.connection), meta.doubts(reader.connection)
        return Shelf(reader.sources(), reader.model, change, doubts)


def read_known(home: Path, targets: Sequence[Target]) -> KnownFiles:
    """Read what is known of the files of the targets, by source and path."""
    known: dict[int, dict[bytes, Known]] = {}
    wanted = [(target.source_id, target.within) for target in targets if target.source_id is not None]
    if not wanted:
        return known
    from capsa.store.reader import Reader

    with Reader.open(home) as reader, reader.snapshot():
        for source_id, within in wanted:
            known.setdefault(source_id, {}).update(reader.known(source_id, within))
    return known


def _bring_up_to_date(home: Path) -> None:
    from capsa.store.writer import Writer

    Writer.open(home).close()
