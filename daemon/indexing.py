"""An indexing run from paths to a report; when nothing changed it reads the database and writes nothing."""

import os
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from capsa.chunkers.errors import UnavailableError
from capsa.store.records import ModelMark

from .embedding import BATCH_TEXTS, Embedding
from .estimate import Pace, keep_pace
from .jobs import make_job, make_versions
from .looking import Look, Looking, read_shelf
from .progress import Progress
from .report import Report
from .settings import Settings
from .survey import Survey
from .targets import Resolver, resolve

if TYPE_CHECKING:
    from capsa.store.embedder import Embedder
    from capsa.store.writer import Writer

    from .encoder import Encoder
    from .ingest import Ingest
    from .pool import Pool


FILES_FOR_A_WORKER = 8


class Run:
    """One indexing run over a home."""

    def __init__(self, home: Path, settings: Settings, progress: Progress) -> None:
        self._home = home
        self._settings = settings
        self._progress = progress
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
        return self._work(look, paths) if look.has_work else self._report(look)

    def _look(self, paths: Sequence[str]) -> Look:
        """Find out what there is to do; reads only."""
        looking = Looking(self._home, self._settings, self._resolve, lambda: self._encoder.usable)
        return looking.look(paths)

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
                keep_pace(writer, ingest.seconds, ingest.committing.made)
                removed = ingest.remove_missing()
                self._publish(writer)
            except KeyboardInterrupt:
                ingest.save()
                return self._report(look, ingest, embedding, complete=False)
            return self._report(look, ingest, embedding, removed)

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

        files = ((os.fsdecode(each.file.path), each.file.size) for each in survey.candidates)
        seconds = Pace.load(writer.pace).seconds_for(files, self._settings.thread_count())
        self._progress.start(len(survey.candidates), seconds)
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
        look: Look,
        ingest: "Ingest | None" = None,
        embedding: "Embedding | None" = None,
        removed: int = 0,
        complete: bool = True,
    ) -> Report:
        survey, done = look.survey, ingest.committing if ingest else None
        indexed = done.indexed if done else 0
        refused = survey.skipped.total() + survey.failed.total()
        return Report(
            # After Ctrl-C what was not got to is not counted as found.
            found=survey.found if complete else indexed + survey.unchanged + refused,
            indexed=indexed,
            unchanged=survey.unchanged,
            skipped=survey.skipped,
            failed=survey.failed,
            chunks=done.chunks if done else 0,
            embedded=embedding.embedded if embedding else 0,
            renamed=ingest.renamed if ingest else 0,
            removed=removed,
            scans=done.scans if done else 0,
            cut=done.cut if done else 0,
            seconds=time.monotonic() - self._started,
            notes=(*self._notes, *look.notes),
            doubted=tuple(look.doubted),
            broken=tuple(ingest.broken) if ingest else (),
            complete=complete,
        )
