"""The index that searches are timed on: many chunks, made as indexing makes them, but for their vectors.

Vectors are random, around a centre for each topic, since embedding 100,000 chunks takes an hour of one core.
"""

import json
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from functools import partial
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from capsa.chunkers.errors import ParseError, UsageError
from capsa.chunkers.model import Chunk, Document
from capsa.chunkers.parsers import VERSION, parse
from capsa.chunkers.strategies import DEFAULT as CHUNKER
from capsa.chunkers.strategies import chunk
from capsa.chunkers.tokens import Tokenizer
from capsa.store import models
from capsa.store.embedder import unit
from capsa.store.quantisers import Vectors
from capsa.store.records import Entry, Recipe
from capsa.store.writer import Writer

from . import generated

Step = Callable[[str], None]
_T = TypeVar("_T")

BATCH = 32
# Beside a kept index: what building it took.
BUILT = "built.json"
# Folders that the made-up documents lie in, one in ten in each: what a filter by folder chooses.
FOLDERS = 10
ROOT = "/speed"
# Share of a vector that is its topic's; the rest is its own.
TOPIC_SHARE = 0.5
DAY_NS = 86_400 * 10**9
NEWEST_NS = 1_750_000_000 * 10**9


class Made(NamedTuple):
    """A kept index: its home, how many chunks and vectors it has, and bytes of the texts in it."""

    home: Path
    documents: int
    chunks: int
    vectors: int
    text_bytes: int


class Parsed(NamedTuple):
    """One document on its way into the index."""

    name: str
    document: Document
    chunks: tuple[Chunk, ...]


def open_home(home: Path, wanted: int, folder: Path | None, step: Step) -> Made:
    """Return the kept index of that many chunks below ``home``, making it when there is none."""
    kept = home / "eval" / (f"speed-{wanted}" if folder is None else f"speed-{wanted}-folder")
    mark = _mark(wanted, folder)
    record = kept / "made.json"
    if record.is_file():
        data = json.loads(record.read_text(encoding="utf-8"))
        if data["mark"] == mark:
            return Made(kept / "home", **data["made"])
    kept.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="making-", dir=kept.parent) as temporary:
        new = Path(temporary) / "new"
        made, built = timed(partial(_make, new / "home", wanted, folder, step))
        data = {"mark": mark, "made": {**made._asdict()}}
        del data["made"]["home"]
        (new / "made.json").write_text(json.dumps(data), encoding="utf-8")
        (new / BUILT).write_text(json.dumps(built), encoding="utf-8")
        if kept.exists():
            kept.rename(Path(temporary) / "old")
        new.rename(kept)
    return made._replace(home=kept / "home")


def timed(build: Callable[[], _T]) -> tuple[_T, dict[str, float]]:
    """Return what building gives, and the seconds that took, on the clock and of CPU, children included."""
    wall, cpu = time.perf_counter(), _cpu()
    made = build()
    return made, {"wall_s": time.perf_counter() - wall, "cpu_s": _cpu() - cpu}


def _cpu() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _mark(wanted: int, folder: Path | None) -> list[str | int | None]:
    """Everything that shapes the index, so that an old one is not taken for a new one."""
    from capsa.store.keywords import fingerprint
    from capsa.store.migrations import VERSION as SCHEMA_VERSION

    model = models.load_model(Path(), models.DEFAULT).fingerprint
    versions: list[str | int] = [generated.VERSION, SCHEMA_VERSION, VERSION, CHUNKER]
    return [wanted, str(folder) if folder else None, *versions, fingerprint(), model]


def _make(home: Path, wanted: int, folder: Path | None, step: Step) -> Made:
    model = models.load_model(home, models.DEFAULT)
    centres = np.random.default_rng(1).standard_normal((generated.TOPICS, model.dimension), dtype=np.float32)
    number = chunks = vectors = text_bytes = 0
    with Writer.open(home, model) as writer:
        source = writer.add_source(os.fsencode(ROOT))
        for batch in _batches(folder, wanted):
            plans = []
            for parsed in batch:
                if chunks < wanted:
                    kept = parsed.chunks[: wanted - chunks]
                    entry = _entry(parsed, number, source.id)
                    plan = writer.plan(entry, parsed.document, kept, Recipe("native", VERSION, CHUNKER))
                    plans.append((plan, _vectors(centres, number, len(plan.texts))))
                    number, chunks, vectors = number + 1, chunks + len(kept), vectors + len(plan.texts)
                    text_bytes += len(parsed.document.text.encode("utf-8", "surrogatepass"))
            writer.commit(plans, durable=False)
            step(f"making an index: {chunks:,} of {wanted:,} chunks")
        writer.publish()
    return Made(home, number, chunks, vectors, text_bytes)


def _vectors(centres: Vectors, number: int, count: int) -> Vectors:
    random = np.random.default_rng((2, number))
    noise = random.standard_normal((count, centres.shape[1]), dtype=np.float32)
    return unit(TOPIC_SHARE * centres[generated.topic_of(number)] + (1 - TOPIC_SHARE) * noise)


def _entry(parsed: Parsed, number: int, source_id: int) -> Entry:
    path = f"{ROOT}/{number % FOLDERS}/{number}-{parsed.name}"
    return Entry(
        path=os.fsencode(path),
        uri=f"file://{path}",
        source_id=source_id,
        kind=parsed.document.kind,
        size=len(parsed.document.text),
        mtime_ns=NEWEST_NS - number % 1000 * DAY_NS,
        ctime_ns=1,
        inode=number,
        content_hash=number.to_bytes(16, "big"),
    )


def _batches(folder: Path | None, wanted: int) -> Iterator[Sequence[Parsed]]:
    """Yield parsed documents in their order until that many chunks have come out."""
    make = generate if folder is None else partial(remake, list_texts(folder))
    size = min(BATCH, 1 + wanted // 8)
    found = 0
    with ExitStack() as stack:
        run: Callable[..., Iterable[Parsed]] = map
        # A smaller index is made before processes would have started.
        if wanted > 2000:
            pool = ProcessPoolExecutor(mp_context=get_context("spawn"))
            run = partial(stack.enter_context(pool).map, chunksize=4)
        for start in count(0, size):
            batch = list(run(make, range(start, start + size)))
            yield batch
            found += sum(len(parsed.chunks) for parsed in batch)
            if found >= wanted:
                return


def generate(number: int) -> Parsed:
    """Make up, parse and chunk the document of that number."""
    form = generated.FORMATS[number % len(generated.FORMATS)]
    name = f"document{generated.SUFFIXES[form]}"
    return read(generated.document(number, form), name)


def remake(paths: Sequence[Path], number: int) -> Parsed:
    """Parse and chunk a file of a folder, one after the other; later rounds mix the files' paragraphs."""
    path = paths[number % len(paths)]
    parsed = read(path.read_bytes(), path.name)
    if number < len(paths):
        return parsed
    random = np.random.default_rng((3, number))
    paragraphs = parsed.document.text.split("\n\n")
    other = read(paths[int(random.integers(len(paths)))].read_bytes(), path.name).document.text.split("\n\n")
    mixed = random.permutation(np.array([*paragraphs, *other], dtype=object))[: len(paragraphs)]
    return read("\n\n".join(mixed).encode("utf-8", "replace"), f"{path.stem}.txt")


def list_texts(folder: Path) -> list[Path]:
    """Return the files of the folder that can be read as documents; UsageError when there are none."""
    paths = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()):
        try:
            read(path.read_bytes(), path.name)
        except ParseError:
            continue
        paths.append(path)
    if not paths:
        raise UsageError(f"{folder}: no file there could be read as a document")
    return paths


_tokenizers: dict[Path, Tokenizer] = {}


def read(data: bytes, name: str) -> Parsed:
    """Parse and chunk the bytes of one file."""
    model = models.load_model(Path(), models.DEFAULT)
    path = models.tokenizer_path(model)
    if path not in _tokenizers:
        _tokenizers[path] = Tokenizer.from_file(path)
    document = parse(data, name)
    return Parsed(name, document, chunk(document, _tokenizers[path], window=model.room))
