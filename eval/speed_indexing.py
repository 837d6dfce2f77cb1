"""What indexing spends its time on by format, and what the command ``capsa index`` costs as a whole."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

from capsa.chunkers.formats import HEAD, detect
from capsa.chunkers.model import Chunk, Document
from capsa.chunkers.parsers import VERSION, parse
from capsa.chunkers.strategies import DEFAULT as CHUNKER
from capsa.chunkers.strategies import chunk
from capsa.chunkers.tokens import Tokenizer
from capsa.store.embedder import Embedder, open_embedder
from capsa.store.models import Model, tokenizer_path
from capsa.store.records import Entry, Plan, Recipe, Stat
from capsa.store.writer import Writer

from . import generated
from .fresh import probe
from .metrics import percentile
from .speed_home import list_texts

STEPS = ("parse", "chunk", "write", "embed")
# Documents of a format whose steps are timed one by one, of a size that notes and articles have.
SAMPLE = 20
SAMPLE_BYTES = 1 << 20
# Notes of a few lines that the made-up folder has beside the sample: enough that a re-run can be timed.
NOTES = 2000
COMMIT = 16

Result = TypeVar("Result")


@dataclass(slots=True)
class Tally:
    """What the documents of one format took: CPU seconds by step, parse times, sizes."""

    seconds: dict[str, float] = field(default_factory=lambda: dict.fromkeys(STEPS, 0.0))
    parse_ms: list[float] = field(default_factory=list)
    page_ms: list[float] = field(default_factory=list)
    source_bytes: int = 0
    chunks: int = 0
    partial_layouts: int = 0

    def timed(self, step: str, work: Callable[[], Result]) -> Result:
        """Do the work and count its CPU time for the step."""
        began = time.process_time()
        try:
            return work()
        finally:
            self.seconds[step] += time.process_time() - began

    def summary(self) -> dict[str, Any]:
        """Return shares of the CPU time, which add up to 1, and rates."""
        total = sum(self.seconds[step] for step in STEPS)
        return {
            "documents": len(self.parse_ms),
            "chunks": self.chunks,
            "cpu_s": total,
            "shares": {step: self.seconds[step] / total for step in STEPS},
            "without_embedding_share": 1 - self.seconds["embed"] / total,
            "chunks_per_cpu_s": self.chunks / total,
            "mb_per_cpu_s": self.source_bytes / 1e6 / total,
            "parse_ms": {
                "median": median(self.parse_ms),
                "p95": percentile(self.parse_ms, 0.95),
            },
            "parse_ms_per_page": _spread(self.page_ms),
            "partial_layout_share": self.partial_layouts / len(self.parse_ms),
        }


def _spread(values: Sequence[float]) -> dict[str, float] | None:
    """Return median and p95, None for a format without pages."""
    return {"median": median(values), "p95": percentile(values, 0.95)} if values else None


def measure_indexing(
    model: Model, cache: Path, work: Path, folder: Path | None, quick: bool
) -> dict[str, Any]:
    """Time the steps in this process and the command in fresh ones; ``work`` is a folder to work in."""
    documents = work / "documents" if folder is None else folder
    if folder is None:
        write_documents(documents, 2 if quick else SAMPLE, 10 if quick else NOTES)
    with closing(open_embedder(model, cache, 1)) as embedder:
        formats = _by_format(model, embedder, work / "steps", _sample(documents, 2 if quick else SAMPLE))
    return {"formats": formats, "command": _command(work, documents)}


def write_documents(folder: Path, sample: int, notes: int) -> None:
    """Write the made-up documents: a sample of each format, and short notes."""
    for number in range(sample * len(generated.FORMATS)):
        form = generated.FORMATS[number % len(generated.FORMATS)]
        _write(folder / form / f"{number}{generated.SUFFIXES[form]}", generated.document(number, form))
    for number in range(notes):
        data = generated.document(1_000_000 + number, "markdown", 1, topic=0)[:400]
        _write(folder / "notes" / str(number % 20) / f"{number}.md", data)


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def _sample(folder: Path, size: int) -> Mapping[str, Sequence[Path]]:
    """Return evenly spread files of each format; of the made-up folder all but the notes."""
    found: dict[str, list[Path]] = {}
    for path in list_texts(folder):
        if path.stat().st_size <= SAMPLE_BYTES and path.relative_to(folder).parts[0] != "notes":
            found.setdefault(detect(path.name, path.read_bytes()[:HEAD]), []).append(path)
    return {form: paths[:: max(1, len(paths) // size)][:size] for form, paths in sorted(found.items())}


def _by_format(
    model: Model, embedder: Embedder, home: Path, sample: Mapping[str, Sequence[Path]]
) -> dict[str, Any]:
    tokenizer = Tokenizer.from_file(tokenizer_path(model))
    results = {}
    with Writer.open(home, model) as writer:
        source = writer.add_source(os.fsencode(home)).id
        steps = _Steps(writer, source, tokenizer, embedder, model.room)
        for form, paths in sample.items():
            steps.read(paths[0], Tally())  # what is imported and loaded once is not the format's
            tally = Tally()
            for start in range(0, len(paths), COMMIT):
                steps.index(paths[start : start + COMMIT], tally)
            results[form] = tally.summary()
    return results


@dataclass(frozen=True, slots=True)
class _Steps:
    """The steps of indexing one after the other, in one thread."""

    writer: Writer
    source: int
    tokenizer: Tokenizer
    embedder: Embedder
    room: int

    def index(self, paths: Sequence[Path], tally: Tally) -> None:
        """Take a few files from bytes to a commit."""
        batch = []
        for path in paths:
            entry, document, chunks = self.read(path, tally)
            plan = tally.timed("write", lambda e=entry, d=document, c=chunks: self._plan(e, d, c))  # type: ignore[misc]
            vectors = tally.timed("embed", lambda plan=plan: self.embedder.embed(plan.texts))  # type: ignore[misc]
            batch.append((plan, vectors))
        tally.timed("write", lambda: self.writer.commit(batch))

    def read(self, path: Path, tally: Tally) -> tuple[Entry, Document, tuple[Chunk, ...]]:
        """Parse and chunk one file."""
        data = path.read_bytes()
        began = time.process_time()
        document = tally.timed("parse", lambda: parse(data, path.name))
        took = 1000 * (time.process_time() - began)
        tally.parse_ms.append(took)
        if document.pages:
            tally.page_ms.append(took / document.pages)
        chunks = tally.timed("chunk", lambda: chunk(document, self.tokenizer, window=self.room))
        tally.source_bytes += len(data)
        tally.chunks += len(chunks)
        tally.partial_layouts += document.layout.state != "full"
        return self._entry(path, document.kind), document, chunks

    def _plan(self, entry: Entry, document: Document, chunks: Sequence[Chunk]) -> Plan:
        return self.writer.plan(entry, document, chunks, Recipe("native", VERSION, CHUNKER))

    def _entry(self, path: Path, kind: str) -> Entry:
        stat = Stat.of(path.stat())
        numbers = (stat.size, stat.mtime_ns, stat.ctime_ns, stat.inode)
        name = os.fsencode(path)
        return Entry(name, path.as_uri(), self.source, kind, *numbers, name[-16:].rjust(16))


def _command(work: Path, documents: Path) -> dict[str, Any]:
    """Run ``capsa index``: without a model, with it, and again when nothing has changed."""
    files = [path for path in documents.rglob("*") if path.is_file()]
    megabytes = sum(path.stat().st_size for path in files) / 1e6
    runs = {
        name: probe(what, "index", "--json", "--home", work / home, documents)
        for name, what, home in (
            ("without_model", "modelless", "plain"),
            ("with_model", "capsa", "home"),
            # The files are read once more when they were as new as the first run.
            ("again", "capsa", "home"),
            ("unchanged", "capsa", "home"),
        )
    }
    del runs["again"]
    return {"files": len(files), "mb": megabytes} | {
        name: _run_summary(run, megabytes) for name, run in runs.items()
    }


def _run_summary(run: Mapping[str, Any], megabytes: float) -> dict[str, Any]:
    report, written = run["output"], run["written_bytes"]
    keep = ("wall_s", "cpu_s", "children_cpu_s", "peak_bytes", "child_peak_bytes", "model_loaded")
    return {
        **{name: run[name] for name in keep},
        **{name: report[name] for name in ("found", "indexed", "unchanged", "chunks", "embedded")},
        "mb_per_s": megabytes / run["wall_s"],
        "chunks_per_s": report["chunks"] / run["wall_s"],
        "written_per_byte": None if written is None else written / (megabytes * 1e6),
    }
