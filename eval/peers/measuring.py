"""What the scripts of all peers do alike: the files, the clock, the questions, the record.

    python langchain_faiss.py FOLDER MODEL.onnx TOKENIZER.json WORK THREADS QUERIES.json

Run by ``capsa eval speed --compare``. They import nothing of capsa: what they measure is what somebody would
write without it.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, Self

SUFFIXES = (".md", ".txt", ".html")
HITS = 10


class Task(NamedTuple):
    """The arguments of a script; ``work`` is where an index may lie, and is not there yet."""

    folder: Path
    model: str
    tokenizer: str
    work: Path
    threads: int
    queries: Path

    @classmethod
    def of(cls, arguments: Sequence[str]) -> Self:
        """Read the command line."""
        folder, model, tokenizer, work, threads, queries = arguments
        return cls(Path(folder), model, tokenizer, Path(work), int(threads), Path(queries))


class Indexed(NamedTuple):
    """What answers a question with texts, where the index lies, how many texts and tokens were embedded."""

    ask: Callable[[str], list[str]]
    place: Path
    chunks: int = 0
    tokens: int = 0


def measure(index: Callable[[Task, Sequence[Path]], Indexed]) -> None:
    """Index the folder, ask the questions, print one JSON record of what it took."""
    task = Task.of(sys.argv[1:])
    paths = sorted(path for path in task.folder.rglob("*") if path.suffix in SUFFIXES)
    began, cpu = time.perf_counter(), _cpu_s()
    made = index(task, paths)
    wall, spent = time.perf_counter() - began, _cpu_s() - cpu
    record = {
        "files": len(paths),
        "source_bytes": sum(path.stat().st_size for path in paths),
        "chunks": made.chunks,
        "tokens": made.tokens,
        "wall_s": wall,
        "cpu_s": spent,
        "index_bytes": sum(path.stat().st_size for path in made.place.rglob("*") if path.is_file()),
        "answers": [_answer(made.ask, query) for query in json.loads(task.queries.read_text("utf-8"))],
    }
    sys.stdout.write(json.dumps(record) + "\n")


def _answer(ask: Callable[[str], list[str]], query: str) -> dict[str, object]:
    began = time.perf_counter()
    texts = ask(query)
    return {"ms": 1000 * (time.perf_counter() - began), "texts": texts}


def _cpu_s() -> float:
    """Return the CPU seconds of this process and of the children that have ended."""
    children = os.times()
    return time.process_time() + children.children_user + children.children_system
