"""A daemon under churn for as long as wanted: does anything grow, and is the index the folder at the end?

    python tests/daemon/soak.py --minutes 120 [--kill-every 300] [--changes 10] [--steady]

Prints one line a minute, then the slopes over the second half, in which caches are warm. Exit code 1 when the
index differs from a fresh one. A steady folder is kept as large as it was at first: what still grows then is
none of its index.
"""

import argparse
import itertools
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import psutil
from test_following import Folder, indexed

from capsa.daemon.serving.channel import ask
from capsa.store.reader import Reader

CAPSA = (sys.executable, "-P", "-m", "capsa.daemon")
FIRST_FILES, FIRST_FOLDERS = 300, 20
Sample = tuple[float, dict[str, float]]


def tell(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def capsa(home: Path, *words: str) -> None:
    """Run a command over the home."""
    subprocess.run([*CAPSA, "--home", str(home), *words], check=True, stdout=subprocess.DEVNULL)


def start(home: Path) -> psutil.Process:
    """Start the daemon in the background."""
    capsa(home, "start")
    answer = ask(home, {"do": "status"})
    assert answer is not None
    return psutil.Process(answer["pid"])


def measure(process: psutil.Process, home: Path) -> dict[str, float]:
    """What may grow: memory of the daemon without and with its children, descriptors, threads, files kept."""
    memory = process.memory_info().rss / 1e6
    children = sum(child.memory_info().rss for child in process.children(recursive=True)) / 1e6
    figures = {
        "rss_mb": memory,
        "children_mb": children,
        "descriptors": process.num_fds(),
        "threads": process.num_threads(),
        "home_files": sum(1 for path in home.rglob("*") if path.is_file()),
        "written_mb": process.io_counters().write_bytes / 1e6,
    }
    return {name: round(value, 1) for name, value in figures.items()}


def slope(samples: list[Sample], name: str) -> float:
    """The median of the slopes between all pairs of samples, by the hour: peaks do not count."""
    points = [(moment / 3600, figures[name]) for moment, figures in samples]
    pairs = itertools.combinations(points, 2)
    return statistics.median((after - before) / (later - early) for (early, before), (later, after) in pairs)


def restore_size(folder: Folder) -> None:
    """Remove what the folder has more of than at first, and add what it has less of."""
    files, links = folder.files(), [path for path in folder.root.iterdir() if path.is_symlink()]
    hidden = [path for path in folder.root.rglob(".*.md")]
    for path in [*folder.random.sample(files, max(0, len(files) - FIRST_FILES)), *links, *hidden]:
        path.unlink()
    for path in folder.folders()[FIRST_FOLDERS:]:
        shutil.rmtree(path, ignore_errors=True)
    for _ in range(FIRST_FILES - len(folder.files())):
        folder.create()


def churn(
    home: Path, happen: Callable[[], None], folder: Folder, seconds: float, kill_every: float
) -> tuple[list[Sample], int]:
    """Change, search and sample until the time is up; return the samples and how often it was killed."""
    process, kills = start(home), 0
    began = time.monotonic()
    next_sample, next_kill = 60.0, kill_every or float("inf")
    samples: list[Sample] = []
    while (now := time.monotonic() - began) < seconds:
        happen()
        ask(home, {"do": "search", "text": folder.text()})
        if now >= next_kill:
            process.send_signal(signal.SIGKILL)
            process.wait()
            process, kills, next_kill = start(home), kills + 1, now + kill_every
        if now >= next_sample:
            samples.append((now, measure(process, home)))
            tell(f"{now / 60:6.1f} min  {json.dumps(samples[-1][1])}")
            next_sample += 60.0
        time.sleep(1.0)
    return samples, kills


def is_the_folder(home: Path, root: Path, fresh: Path) -> bool:
    """Whether the index, once the daemon has stopped, is what a fresh one is."""
    capsa(home, "stop")
    capsa(home, "index", "-q")
    capsa(fresh, "index", "-q", str(root))
    return indexed(home, root) == indexed(fresh, root)


def main() -> int:
    """Soak, and print what grew."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--kill-every", type=float, default=0.0, metavar="SECONDS")
    # As somebody who works: a few changes, and a search now and then.
    parser.add_argument("--changes", type=int, default=2, metavar="EACH_SECOND")
    parser.add_argument("--steady", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        root, home, fresh = (Path(temporary, name) for name in ("docs", "home", "fresh"))
        root.mkdir()
        os.environ["CAPSA_HOME"] = str(home)
        folder = Folder(root, seed=5)
        for _ in range(FIRST_FILES):
            folder.create()
        capsa(home, "index", "-q", str(root))

        def happen() -> None:
            folder.happen(args.changes)
            if args.steady:
                restore_size(folder)

        samples, kills = churn(home, happen, folder, args.minutes * 60, args.kill_every)
        same = is_the_folder(home, root, fresh)
        with Reader.open(home) as reader:
            counts = reader.counts()
    late = samples[len(samples) // 2 :]
    for name in samples[0][1] if not kills and len(late) > 1 else ():
        tell(f"{name}: {late[-1][1][name]:.1f}, {slope(late, name):+.2f} an hour")
    tell(f"{args.minutes:g} minutes, {kills} kills, {counts.documents} documents, {counts.chunks} chunks")
    tell("the index is the folder" if same else "THE INDEX DIFFERS FROM THE FOLDER")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
