"""The figures of daemon/RELIABILITY.md that no test asserts, each by name.

python tests/daemon/figures.py bombs | clients | folder | found | found_meanwhile | links | mutated | written
"""

import argparse
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from capsa.chunkers.errors import CapsaError
from capsa.daemon.child import Child, Failure
from capsa.daemon.encoder import find_encoder
from capsa.daemon.jobs import make_job
from capsa.daemon.pool import Pool, Task
from capsa.daemon.quarantine import BROKE
from capsa.daemon.serving.channel import ask
from capsa.daemon.settings import Settings
from capsa.daemon.worker import Request

CAPSA = (sys.executable, "-P", "-m", "capsa.daemon")
WORDS = ("mill", "wheel", "tide", "harbour", "gate", "river", "stone", "paper", "ink", "scroll", "lamp")
CLIENTS, ASKED_EACH = 50, 10
TIMES = 20
FIRST_INDEX = 2000
DEEP = 200_000
INSERTED = (b"<table><tr><td>", b"obj<</Length 4294967295>>stream", b"\xff\xfe", b"[[[[", b'"')
FILES = int(os.environ.get("CAPSA_FILES", "100000"))
LINKS = int(os.environ.get("CAPSA_LINKS", "1000000"))
MUTANTS = int(os.environ.get("CAPSA_MUTANTS", "20000"))
LARGE_SEED = 200_000


def tell(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def capsa(home: Path, *words: str) -> None:
    """Run a command over the home."""
    subprocess.run([*CAPSA, "--home", str(home), *words], check=True, stdout=subprocess.DEVNULL)


def paper(chance: random.Random, words: int = 400) -> str:
    """A text of so many words in paragraphs under a heading."""
    lines = [" ".join(chance.choices(WORDS, k=40)) + f" {chance.random()}." for _ in range(words // 40)]
    return f"# {' '.join(chance.choices(WORDS, k=3))}\n\n" + "\n\n".join(lines) + "\n"


@contextmanager
def folders() -> Iterator[tuple[Path, Path]]:
    """A home and a folder of documents."""
    with tempfile.TemporaryDirectory() as temporary:
        home, docs = Path(temporary, "home"), Path(temporary, "docs")
        docs.mkdir()
        yield home, docs


@contextmanager
def daemon(home: Path) -> Iterator[None]:
    """Run a daemon over the home."""
    capsa(home, "start")
    try:
        yield
    finally:
        capsa(home, "stop")


def nested(depth: int) -> bytes:
    """A PDF of one page, whose content unpacks ``depth`` times to 2 GB of spaces."""
    packed = zlib.compressobj(9)
    data = b"".join(packed.compress(bytes(1 << 20)) for _ in range(2048)) + packed.flush()
    for _ in range(depth - 1):
        data = zlib.compress(data, 9)
    filters = b"/FlateDecode " * depth
    stream = b"<</Filter[%s]/Length %d>>stream\n%s\nendstream" % (filters, len(data), data)
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R>>",
        stream,
    ]
    body = b"".join(b"%d 0 obj%s\nendobj\n" % (number, each) for number, each in enumerate(objects, 1))
    return b"%PDF-1.4\n" + body + b"trailer<</Root 1 0 R>>\n%%EOF"


def laughs() -> bytes:
    """Entities that would unpack to 10^9 words."""
    lines = ['<!ENTITY a0 "laugh">']
    lines += [f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10)]
    return f"<?xml version='1.0'?><!DOCTYPE x [{''.join(lines)}]><x>&a9;</x>".encode()


BOMBS: dict[str, Callable[[], bytes]] = {
    "flate-once.pdf": lambda: nested(1),
    "flate-three-times.pdf": lambda: nested(3),
    "deep.html": lambda: b"<div>" * DEEP + b"x" + b"</div>" * DEEP,
    "deep-table.html": lambda: b"<table><tr><td>" * DEEP,
    "wide-table.html": lambda: b"<table>" + (b"<tr>" + b"<td>x" * 1000) * 2000,
    "laughs.xml": laughs,
    "laughs.html": laughs,
    "one-token.txt": lambda: b"a" * (16 << 20),
    "zero-width.txt": lambda: "\u200b".encode() * (5 << 20),
    "no-space.md": lambda: "風".encode() * (5 << 20),
    "quotes.md": lambda: b">" * (1 << 20),
    "pipes.md": lambda: b"|" * DEEP + b"\n" + b"|-" * DEEP + b"|\n" + b"|x" * (1 << 20),
    "deep.json": lambda: b"[" * (4 << 20),
    "quotes.csv": lambda: b'a,"b\n' * (2 << 20),
    "numbers.csv": lambda: b"1,2,3,4,5,6,7,8\n" * (1 << 20),
}


class Measured(Child):
    """A worker that tells the most memory it had, in bytes, also when it dies over a file."""

    peak = 0

    def look(self) -> None:
        """Take the process's own figure while it works."""
        process = self._process
        if process is not None:
            try:
                lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
            except OSError:
                return
            found = [int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM")]
            self.peak = max([self.peak, *found])


def bombs() -> None:
    """Each bomb in a parser worker of its own: bytes, outcome, seconds of CPU, peak memory."""
    with tempfile.TemporaryDirectory() as temporary:
        job = make_job(Settings(), find_encoder(Path(temporary)))
    tell(f"limits: {job.memory_bytes >> 20} MB of address space, {job.deadline_s:g} s")
    for name, make in BOMBS.items():
        data = make()
        worker, ended = Measured(job, (sys.executable, "-P", "-m", "capsa.daemon.worker")), threading.Event()

        def watch(worker: Measured = worker, ended: threading.Event = ended) -> None:
            while not ended.wait(0.02):
                worker.look()

        watching = threading.Thread(target=watch)
        watching.start()
        before = _cpu()
        answer = worker.ask(Request(name, data))
        ended.set()
        watching.join()
        worker.look()
        worker.stop()
        outcome = f"{answer.reason}: {answer.detail}" if isinstance(answer, Failure) else "a document"
        tell(f"{name:<22} {len(data):>10,} B {_cpu() - before:6.1f} s {worker.peak >> 20:>6} MB  {outcome}")


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def mutated() -> None:
    """Real documents with bytes changed, cut, repeated, emptied or mixed: how the parser workers end."""
    chance = random.Random(11)
    folder = Path(__file__).parents[2] / "eval" / "shipped" / "documents"
    paths = sorted(path for path in folder.rglob("*.*") if path.stat().st_size < LARGE_SEED)
    paths += sorted(Path(__file__).parents[1].glob("**/documents/**/*.*"))
    seeds = [(path.name, path.read_bytes()) for path in paths]
    with tempfile.TemporaryDirectory() as temporary:
        job = make_job(Settings(), find_encoder(Path(temporary)))
    tasks = (_mutant(chance, seeds, number) for number in range(MUTANTS))
    ends: Counter[tuple[str, str]] = Counter()
    began, cpu = time.monotonic(), _cpu()
    with Pool(job, 2) as pool:
        for (kind, name), answer in pool.ask(tasks):
            if isinstance(answer, Failure):
                ends[kind, answer.reason] += 1
                if answer.reason in BROKE:
                    tell(f"{name}: {answer.reason}: {answer.detail}")
            else:
                ends[kind, "a document"] += 1
    took = f"{time.monotonic() - began:.0f} s, {_cpu() - cpu:.0f} s of CPU"
    tell(f"{ends.total()} files of {len(seeds)} seeds, {took}")
    for (kind, end), times in sorted(ends.items()):
        tell(f"{kind:<12} {end:<16} {times:>6}")


def _mutant(chance: random.Random, seeds: Sequence[tuple[str, bytes]], number: int) -> Task[tuple[str, str]]:
    """A file of a seed's name, with one to eight changes."""
    name, data = chance.choice(seeds)
    changed = bytearray(data)
    for _ in range(chance.randint(1, 8)):
        start = chance.randrange(len(changed) + 1)
        end = min(len(changed), start + int(2 ** chance.uniform(0, 13)))
        piece = bytes(changed[start:end])
        other = chance.choice(seeds)[1]
        changed[start:end] = chance.choice(
            (
                bytes(byte ^ (1 << chance.randrange(8)) for byte in piece[:1]) + piece[1:],
                b"",
                piece * 3,
                bytes(len(piece)),
                chance.randbytes(len(piece)),
                other[: len(piece)],
                chance.choice(INSERTED),
            )
        )
    if chance.random() < 0.2:
        del changed[chance.randrange(len(changed) + 1) :]
    kind = name.rpartition(".")[2]
    return Task((kind, f"mutant {number} of {name}"), name, bytes(changed))


def clients() -> None:
    """50 clients, each asking 10 times over its own connections, while the daemon indexes 2,000 files."""
    chance = random.Random(1)
    with folders() as (home, docs):
        for number in range(300):
            (docs / f"{number}.md").write_text(paper(chance))
        capsa(home, "index", "-q", str(docs))
        with daemon(home):
            for number in range(2000):
                (docs / f"more{number}.md").write_text(paper(chance))
            took, errors = _ask_at_once(home)
            status = ask(home, {"do": "status"}) or {}
    took.sort()
    tell(f"{len(took)} answers, {len(errors)} errors {set(errors) or ''}; the daemon was {status['stage']}")
    tell(f"p50 {took[len(took) // 2] * 1e3:.0f} ms, p95 {took[len(took) * 95 // 100] * 1e3:.0f} ms")


def _ask_at_once(home: Path) -> tuple[list[float], list[str]]:
    took: list[float] = []
    errors: list[str] = []

    def work(seed: int) -> None:
        chance = random.Random(seed)
        for _ in range(ASKED_EACH):
            began = time.perf_counter()
            try:
                ask(home, {"do": "search", "text": " ".join(chance.choices(WORDS, k=3))})
            except CapsaError as error:
                errors.append(str(error))
            else:
                took.append(time.perf_counter() - began)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return took, errors


def found() -> None:
    """From a change of a file to the first search that tells it: created, edited, moved, deleted."""
    with folders() as (home, docs):
        (docs / "first.md").write_text("The first paper.\n")
        capsa(home, "index", "-q", str(docs))
        with daemon(home):
            time.sleep(3)
            _tell_times(home, docs, TIMES)


def found_meanwhile() -> None:
    """The same while a first index goes on."""
    chance = random.Random(3)
    with folders() as (home, docs):
        for number in range(FIRST_INDEX):
            (docs / f"old{number}.md").write_text(paper(chance, words=1000))
        capsa(home, "sources", "add", str(docs))
        with daemon(home):
            while not (ask(home, {"do": "status"}) or {}).get("done"):
                time.sleep(0.1)
            _tell_times(home, docs, TIMES // 4)
            status = ask(home, {"do": "status"}) or {}
    tell(f"then {status.get('done')} of {status.get('files')} files were done, load {os.getloadavg()[0]:.0f}")


def _tell_times(home: Path, docs: Path, times: int) -> None:
    for deed in ("created", "edited", "moved", "deleted"):
        took = sorted(_seconds_until_told(home, docs, deed, number) for number in range(times))
        tell(f"{deed}: median {statistics.median(took):.2f} s, longest {took[-1]:.2f} s of {times}")


def _seconds_until_told(home: Path, docs: Path, deed: str, number: int) -> float:
    path, moved, word = docs / f"{number}.md", docs / f"moved{number}.md", f"{deed}word{number}"
    began = time.perf_counter()
    if deed in ("created", "edited"):
        path.write_text(f"The {word} is here.\n")
        wanted = [path.name]
    elif deed == "moved":
        path.rename(moved)
        word, wanted = f"editedword{number}", [moved.name]
    else:
        moved.unlink()
        word, wanted = f"editedword{number}", []
    while _names(home, word) != wanted:
        time.sleep(0.02)
    took = time.perf_counter() - began
    time.sleep(1.0)
    return took


def _names(home: Path, word: str) -> list[str]:
    answer = ask(home, {"do": "search", "text": f'"{word}"', "retriever": "bm25"})
    assert answer is not None
    return [os.path.basename(hit["document"]["path"]) for hit in answer["record"]["hits"]]


def written() -> None:
    """Bytes written to the disk for a megabyte indexed: a first index, and an edit of one file in ten."""
    chance = random.Random(2)
    with folders() as (home, docs):
        (docs / "before.md").write_text(paper(chance))
        # The model's fast form is written once.
        capsa(home, "index", "-q", str(docs))
        paths = [docs / f"{number}.md" for number in range(300)]
        for path in paths:
            path.write_text(paper(chance, words=1000))
        for name, changed in (("first", paths), ("edits", paths[::10])):
            for path in changed:
                path.write_text(paper(chance, words=1000))
            size = sum(path.stat().st_size for path in changed) / 1e6
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_oublock
            capsa(home, "index", "-q", str(docs))
            blocks = resource.getrusage(resource.RUSAGE_CHILDREN).ru_oublock - before
            bytes_written = blocks * 512 / 1e6
            tell(f"{name}: {size:.2f} MB, {bytes_written:.1f} MB written, {bytes_written / size:.1f} x")


def folder() -> None:
    """One folder of very many small files: indexed, looked at again, deleted and forgotten."""
    with folders() as (home, docs):
        many = docs / "many"
        many.mkdir()
        for number in range(FILES):
            (many / f"{number}.txt").write_text(f"The {WORDS[number % len(WORDS)]} number {number}.\n")
        _tell_run(home, "indexed", "index", str(docs), "-q")
        _tell_run(home, "unchanged", "index", "-q")
        shutil.rmtree(many)
        _tell_run(home, "forgotten", "forget", str(many))
        _tell_run(home, "nothing left", "index", "-q")


def links() -> None:
    """Very many files that are no documents: found, looked at again, a fifth of them deleted."""
    with folders() as (home, docs):
        for number in range(LINKS // 1000):
            inner = docs / f"folder {number}"
            inner.mkdir()
            (inner / "0.bin").write_bytes(bytes([0, number % 256]))
            for other in range(1, 1000):
                os.link(inner / "0.bin", inner / f"{other}.bin")
        _tell_run(home, "found", "index", str(docs), "-q", files=LINKS)
        _tell_run(home, "unchanged", "index", "-q", files=LINKS)
        for number in range(LINKS // 5000):
            shutil.rmtree(docs / f"folder {number}")
        _tell_run(home, "a fifth gone", "index", "-q", files=LINKS)


def _tell_run(home: Path, deed: str, *words: str, files: int = FILES) -> None:
    """Run a command, and tell its time and the most memory that its process took."""
    began = time.monotonic()
    process = subprocess.Popen([*CAPSA, "--home", str(home), *words], stdout=subprocess.DEVNULL)
    _, code, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(code)
    assert process.returncode == 0
    seconds, cpu = time.monotonic() - began, used.ru_utime + used.ru_stime
    tell(
        f"{files:,} files {deed}: {seconds:.1f} s, {cpu:.1f} s of CPU, {used.ru_maxrss / 1024:.0f} MB at most"
    )


FIGURES: dict[str, Callable[[], None]] = {
    each.__name__: each for each in (bombs, clients, folder, found, found_meanwhile, links, mutated, written)
}


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("figure", choices=FIGURES)
    FIGURES[parser.parse_args().figure]()


if __name__ == "__main__":
    main()
