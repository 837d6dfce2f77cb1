"""What an index costs as it grows: building, opening, searching, deleting, memory and bytes, by size.

Documents are made up or cut from a folder's texts, their vectors lie around a centre for each topic. The
query's vector is given: the model's time and memory are not in these figures.
"""

import json
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from capsa.store.embedder import unit
from capsa.store.models import Model, load_model
from capsa.store.quantisers import Vectors
from capsa.store.reader import Reader
from capsa.store.records import Query
from capsa.store.search import search
from capsa.store.writer import Writer

from .fresh import probe, run_capsa
from .metrics import percentile
from .scale_home import grow
from .speed_home import BUILT, Made, open_home, timed
from .speed_search import make_queries

SCHEMA = "capsa.eval.scale/1"
SIZES = (1_000, 10_000, 100_000)
QUERIES = 100
WARM_UP = 5
# Chunks of the largest index that is made of documents.
SEED = 100_000
# Chunks that are deleted at once, or a tenth of what there is.
DELETED = 10_000

Step = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class GivenQueries:
    """An Embedder that has a vector for every question without a model."""

    model: Model

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return float32 [n, dimension]."""
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Vectors:
        """Return float32 [dimension], always the same for a text."""
        random = np.random.default_rng(list(text.encode("utf-8", "surrogatepass")))
        vector: Vectors = unit(random.standard_normal((1, self.model.dimension), dtype=np.float32))[0]
        return vector

    def close(self) -> None:
        """Nothing is open."""


def measure(home: Path, sizes: Sequence[int], folder: Path | None, step: Step) -> dict[str, Any]:
    """Return a row for each size, in the shape of ``capsa eval scale --json``; homes are kept."""
    rows = []
    for size in sizes:
        made = _open(home, size, folder, step)
        step(f"{size:,} chunks: searching")
        rows.append({**_row(made), "build": _built(made)})
    return {"schema": SCHEMA, "documents": "generated" if folder is None else str(folder), "rows": rows}


def _open(home: Path, size: int, folder: Path | None, step: Step) -> Made:
    """Return an index of that many chunks; larger ones than SEED are grown out of one of that size."""
    if size <= SEED:
        return open_home(home, size, folder, step)
    small = open_home(home, SEED, folder, step)
    times = -(-size // small.chunks)
    large = home / "eval" / f"scale-{size}{'' if folder is None else '-folder'}"
    # What shaped the small one shapes this one: another format, and it is grown anew.
    shape, grown = (small.home.parent / "made.json").read_text(encoding="utf-8"), large / "grown"
    if not grown.is_file() or grown.read_text(encoding="utf-8") != shape:
        shutil.rmtree(large, ignore_errors=True)
        shutil.copytree(small.home, large / "home")
        _, took = timed(partial(grow, large / "home", times - 1, step))
        seed = json.loads((small.home.parent / BUILT).read_text(encoding="utf-8"))
        built = {name: took[name] + seed[name] for name in took}
        (large / BUILT).write_text(json.dumps(built), encoding="utf-8")
        grown.write_text(shape, encoding="utf-8")
    return Made(large / "home", *(times * number for number in small[1:]))


def _built(made: Made) -> dict[str, float]:
    """Return what building took when that was: an index that is kept is not built again."""
    built: dict[str, float] = json.loads((made.home.parent / BUILT).read_text(encoding="utf-8"))
    return {**built, "cpu_us_per_chunk": 1e6 * built["cpu_s"] / made.chunks}


def _row(made: Made) -> dict[str, Any]:
    with Reader.open(made.home) as reader:
        storage: Any = reader.storage()
    parts = {name: storage[name]["bytes"] for name in ("text", "keywords", "vectors", "metadata", "history")}
    first_s, first_cpu_s = run_capsa(
        "search", "--json", "--retriever", "bm25", "--home", made.home, "index of the"
    )
    warm = probe("scale", made.home, str(QUERIES), threads=1)
    return {
        "documents": made.documents,
        "chunks": made.chunks,
        "vectors": made.vectors,
        "bytes": {**parts, "index": storage["index"]["bytes"]},
        "bytes_per_chunk": storage["index"]["bytes"] / made.chunks,
        "command": {"wall_s": first_s, "cpu_s": first_cpu_s},
        **warm,
        "delete": _delete(made),
    }


def measure_warm(home: Path, count: int) -> dict[str, Any]:
    """Open the home in this process, search, and return milliseconds and the memory that took."""
    from .probe import peak_bytes

    before = peak_bytes()
    wall, cpu = time.perf_counter(), time.process_time()
    with Reader.open(home) as reader:
        embedder = GivenQueries(load_model(home))
        search(reader, Query("the first answer of all"), embedder)
        opened = {"wall_s": time.perf_counter() - wall, "cpu_s": time.process_time() - cpu}
        with reader.snapshot():
            queries = list(make_queries(reader, WARM_UP + count))
        took = [_timed(partial(search, reader, Query(query), embedder)) for query in queries][WARM_UP:]
    return {
        "open": opened,
        "warm_ms": _spread([wall for wall, _ in took]),
        "warm_cpu_ms": _spread([cpu for _, cpu in took]),
        "peak_bytes": peak_bytes(),
        "before_bytes": before,
    }


def _timed(act: Callable[[], object]) -> tuple[float, float]:
    """Return the milliseconds that an act takes, on the clock and of CPU."""
    wall, cpu = time.perf_counter(), time.process_time()
    act()
    return 1000 * (time.perf_counter() - wall), 1000 * (time.process_time() - cpu)


def _delete(made: Made) -> dict[str, float]:
    """Delete documents of a copy while a reader is open, and time that and the next search."""
    wanted = min(DELETED, made.chunks // 10)
    with tempfile.TemporaryDirectory(prefix="deleting-", dir=made.home.parent) as folder:
        copy = Path(folder) / "home"
        shutil.copytree(made.home, copy)
        embedder = GivenQueries(load_model(copy))
        with Reader.open(copy) as reader, Writer.open(copy) as writer:
            ask = partial(search, reader, Query("the first answer of all"), embedder)
            for _ in range(2):
                ask()
            paths, chunks = _some(reader, wanted)
            removed = _timed(partial(writer.remove, paths))
            searched = _timed(ask)
            one, _ = _some(reader, 1)
            single = _timed(partial(writer.remove, one))
    return {
        "chunks": chunks,
        "wall_ms": removed[0],
        "cpu_ms": removed[1],
        "next_search_ms": searched[0],
        "next_search_cpu_ms": searched[1],
        "one_document_cpu_ms": single[1],
    }


def _some(reader: Reader, wanted: int) -> tuple[list[bytes], int]:
    """Return paths of documents with so many chunks together."""
    rows = reader.connection.execute(
        "SELECT d.path, count(*) FROM documents AS d JOIN chunks AS c ON c.document_id = d.id"
        " GROUP BY d.id ORDER BY d.id % 97, d.id"
    )
    paths: list[bytes] = []
    found = 0
    for path, count in rows:
        if found >= wanted:
            break
        paths.append(path)
        found += count
    return paths, found


def _spread(values: Sequence[float]) -> dict[str, float]:
    return {"p50": percentile(values, 0.5), "p95": percentile(values, 0.95)}
