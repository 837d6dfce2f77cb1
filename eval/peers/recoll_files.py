"""Recoll, by its commands: whole files are found, by any of a question's words.

    python recoll_files.py FOLDER MODEL.onnx TOKENIZER.json WORK THREADS QUERIES.json

Run by ``capsa eval speed --compare`` where Recoll is installed; it has no use for the model. A hit's text is
that of the whole file.
"""

import json
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

SUFFIXES = (".md", ".txt", ".html")
HITS = 10


def main(arguments: list[str]) -> None:
    """Index the folder, ask the questions, print what it took."""
    folder, _, _, work, _, questions = arguments
    config = Path(work)
    config.mkdir()
    (config / "recoll.conf").write_text(f"topdirs = {folder}\nindexstemminglanguages = english\n")

    def ask(question: str) -> Iterator[Path]:
        words = " ".join(re.findall(r"\w+", question))
        found = run("recollq", "-c", work, "-o", "-b", "-n", str(HITS), words)
        return (Path(line.removeprefix("file://")) for line in found.splitlines() if line.startswith("file:"))

    measure(Path(folder), config, Path(questions), lambda: run("recollindex", "-c", work), ask)


def measure(
    folder: Path,
    work: Path,
    questions: Path,
    index: Callable[[], object],
    ask: Callable[[str], Iterator[Path]],
) -> None:
    """Print one JSON record of indexing and of what is found, a hit being a file."""
    paths = [path for path in folder.rglob("*") if path.suffix in SUFFIXES]
    began = time.perf_counter()
    index()
    wall, spent = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    size = sum(path.stat().st_size for path in work.rglob("*") if path.is_file())
    answers = []
    for question in json.loads(questions.read_text(encoding="utf-8")):
        start = time.perf_counter()
        found = list(ask(question))
        took = 1000 * (time.perf_counter() - start)
        answers.append({"ms": took, "texts": [path.read_text(encoding="utf-8") for path in found]})
    record = {
        "files": len(paths),
        "source_bytes": sum(os.path.getsize(path) for path in paths),
        "chunks": 0,
        "wall_s": wall,
        "cpu_s": spent.ru_utime + spent.ru_stime,
        "index_bytes": size,
        "answers": answers,
    }
    sys.stdout.write(json.dumps(record) + "\n")


def run(*words: str) -> str:
    """Run a command and return what it printed."""
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout


if __name__ == "__main__":
    main(sys.argv[1:])
