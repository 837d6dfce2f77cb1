"""capsa beside what people build or install instead: the same files, model and questions, in turn.

Peers are never dependencies: each is a script in ``peers/``, run by a Python that has its libraries.
"""

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from capsa.chunkers.errors import CapsaError, UsageError
from capsa.chunkers.parsers import parse
from capsa.store.embedder import open_embedder
from capsa.store.models import DEFAULT, load_model, model_path, tokenizer_path
from capsa.store.reader import Reader
from capsa.store.records import Query
from capsa.store.search import search

from .compare import SEED
from .fresh import probe
from .matching import normalise
from .metrics import percentile
from .mine_questions import Mined, choose, mine

SCHEMA = "capsa.speed.compare/1"
SUFFIXES = (".md", ".txt", ".html")
QUESTIONS = 100
DEPTHS = (5, 10)
SCRIPTS = Path(__file__).with_name("peers")

Step = Callable[[str], None]


class Peer(NamedTuple):
    """Another stack: its script, and a module, or a program, by which one can tell that it is installed."""

    name: str
    script: str
    module: str = ""
    program: str = ""

    def missing(self, python: Path) -> str:
        """Return what is not there, "" when it is installed."""
        if self.program:
            return "" if shutil.which(self.program) else f"no program {self.program} is installed"
        found = subprocess.run([python, "-c", f"import {self.module}"], capture_output=True, check=False)
        return f"{python} has no {self.module}" if found.returncode else ""


# Those without a model come last: their hits are whole files.
PEERS = (
    Peer("LangChain + FAISS", "langchain_faiss.py", module="langchain_community"),
    Peer("Chroma", "chroma.py", module="chromadb"),
    Peer("Recoll (files)", "recoll_files.py", program="recollindex"),
    Peer("carrel (files)", "carrel_files.py", program="carrel"),
)


def compare(home: Path, folder: Path, python: Path, step: Step) -> dict[str, Any]:
    """Index the folder's texts with capsa and each peer that ``python`` has; ask all the same questions."""
    model = load_model(home, DEFAULT)
    with tempfile.TemporaryDirectory(prefix="comparing-") as temporary:
        work = Path(temporary)
        documents = _copy(folder, work / "documents")
        questions = make_questions(documents)
        (work / "questions.json").write_text(json.dumps([each.text for each in questions]), encoding="utf-8")
        step("capsa")
        rows = [_capsa(home, work, questions)]
        missing = []
        for peer in PEERS:
            if lack := peer.missing(python):
                missing.append(f"{peer.name}: {lack}")
                continue
            step(peer.name)
            words = [
                documents,
                model_path(model),
                tokenizer_path(model),
                work / peer.script,
                os.cpu_count() or 1,
            ]
            rows.append(_peer(python, peer, [*words, work / "questions.json"], questions))
    for row in rows:
        row["ratios"] = _ratios(rows[0], row)
    return {"schema": SCHEMA, "questions": len(questions), "rows": rows, "missing": missing}


def make_questions(folder: Path) -> list[Mined]:
    """Make known-item questions from the documents; CapsaError when there are none."""
    found = [
        question
        for number, path in enumerate(sorted(folder.rglob("*.*")))
        for question in mine(parse(path.read_bytes(), path.name), (SEED, number))
    ]
    if not found:
        raise CapsaError("the documents have no headings, captions or sentences to make questions from")
    return choose(found, QUESTIONS, SEED)


def _copy(folder: Path, target: Path) -> Path:
    """Copy the texts that all can read; UsageError without any."""
    paths = [path for path in sorted(folder.rglob("*")) if path.suffix in SUFFIXES and path.is_file()]
    if not paths:
        raise UsageError(f"{folder}: no {', '.join(SUFFIXES)} files to compare on")
    target.mkdir()
    for number, path in enumerate(paths):
        shutil.copyfile(path, target / f"{number}{path.suffix}")
    return target


def _capsa(home: Path, work: Path, questions: Sequence[Mined]) -> dict[str, Any]:
    own = work / "home"
    shutil.copytree(home / "cache", own / "cache") if (home / "cache").is_dir() else None
    run = probe("capsa", "index", "--json", "--home", own, work / "documents")
    answers = []
    with (
        closing(open_embedder(load_model(own, DEFAULT), own / "cache")) as embedder,
        Reader.open(own) as reader,
    ):
        for question in questions:
            began = time.perf_counter()
            hits = search(reader, Query(question.text), embedder).hits
            answers.append({"ms": 1000 * (time.perf_counter() - began), "texts": [hit.text for hit in hits]})
        storage: Any = reader.storage()
    report = run["output"]
    record = {
        "files": report["indexed"],
        "source_bytes": storage["source"]["bytes"],
        "chunks": report["embedded"],
        "wall_s": run["wall_s"],
        "cpu_s": run["cpu_s"] + run["children_cpu_s"],
        "index_bytes": storage["index"]["bytes"],
        "answers": answers,
    }
    return _row("capsa", record, questions)


def _peer(python: Path, peer: Peer, words: Sequence[object], questions: Sequence[Mined]) -> dict[str, Any]:
    command = [str(python), str(SCRIPTS / peer.script), *map(str, words)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        raise CapsaError(f"{peer.name}: exit code {done.returncode}: {done.stderr.strip()[-500:]}")
    return _row(peer.name, json.loads(done.stdout.splitlines()[-1]), questions)


def _row(name: str, record: Mapping[str, Any], questions: Sequence[Mined]) -> dict[str, Any]:
    """Return rates, bytes and recall; ``chunks`` are texts that were embedded."""
    answers = record["answers"]
    texts = [[normalise(text) for text in answer["texts"]] for answer in answers]
    recall = {
        f"recall@{depth}": sum(
            any(question.evidence in text for text in found[:depth])
            for question, found in zip(questions, texts, strict=True)
        )
        / len(questions)
        for depth in DEPTHS
    }
    shown = [len(text) for answer in answers for text in answer["texts"]]
    took = [answer["ms"] for answer in answers]
    return {
        "name": name,
        **{key: value for key, value in record.items() if key != "answers"},
        "chunks_per_cpu_s": record["chunks"] / record["cpu_s"],
        "chunks_per_s": record["chunks"] / record["wall_s"],
        "mb_per_cpu_s": record["source_bytes"] / 1e6 / record["cpu_s"],
        "index_to_source": record["index_bytes"] / record["source_bytes"],
        "passage_characters": sum(shown) / max(1, len(shown)),
        "search_ms": {"p50": percentile(took, 0.5), "p95": percentile(took, 0.95)},
        **recall,
    }


def _ratios(capsa: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, float | None]:
    """Return capsa's figures over the other's, None for what the other does not do."""
    names = ("chunks_per_cpu_s", "chunks_per_s", "mb_per_cpu_s", "index_to_source")
    return {name: capsa[name] / other[name] if other[name] else None for name in names}


def lines(found: Mapping[str, Any]) -> list[str]:
    """Return the comparison as a table."""
    heads = ("embedded", "CPU s", "a CPU s", "MB/CPU s", "index", "recall@5", "@10", "p50 ms", "passage")
    table = [f"{'':<20}" + "".join(f"{head:>10}" for head in heads)]
    for row in found["rows"]:
        cells = (
            f"{row['chunks']:,}",
            f"{row['cpu_s']:.1f}",
            f"{row['chunks_per_cpu_s']:.1f}",
            f"{row['mb_per_cpu_s']:.3f}",
            f"{row['index_to_source']:.2f} x",
            f"{row['recall@5']:.3f}",
            f"{row['recall@10']:.3f}",
            f"{row['search_ms']['p50']:.1f}",
            f"{row['passage_characters']:.0f}",
        )
        table.append(f"{row['name']:<20}" + "".join(f"{cell:>10}" for cell in cells))
    for row in found["rows"][1:]:
        ratios = row["ratios"]
        texts = f"{ratios['chunks_per_cpu_s']:.2f} x the texts, " if ratios["chunks_per_cpu_s"] else ""
        table.append(
            f"capsa against {row['name']}, in a CPU second: {texts}{ratios['mb_per_cpu_s']:.2f} x the bytes; "
            f"its index: {ratios['index_to_source']:.2f} x"
        )
    return [*table, *(f"not compared: {reason}" for reason in found["missing"])]
