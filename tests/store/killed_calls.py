"""SIGKILL at every call of a writer's work that changes a file, by strace: python tests/store/killed_calls.py

Prints how often each call is made, and how the home was after a kill at each: as it was told to be, or BAD.
"""

import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from store_kit import HashEmbedder, put
from test_killed import FIRST, WORK, indexed, is_sound, states, work_until

from capsa.chunkers.errors import CapsaError
from capsa.store.writer import Writer

CALLS = "pwrite64,write,fdatasync,fsync,ftruncate,unlink,rename"


def make_template(home: Path) -> None:
    """Make the home that the work begins with."""
    embedder = HashEmbedder()
    with Writer.open(home, embedder.model) as writer:
        for name, text in FIRST.items():
            put(writer, name, text, embedder)
        writer.publish()


def work(template: Path, folder: Path, *options: str) -> tuple[Path, int, Counter[str]]:
    """Work under strace; return the home, how many pieces were told to be done, and the calls made."""
    home, told, log = folder / "home", folder / "told", folder / "log"
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(template, home)
    told.write_bytes(b"")
    strace = ("strace", "-f", "--seccomp-bpf", "-o", str(log), "-e", f"trace={CALLS}", *options)
    subprocess.run([*strace, sys.executable, __file__, str(home), str(told)], check=False)
    calls = re.findall(r"^\d+\s+(\w+)\(", log.read_text(), re.MULTILINE)
    return home, told.read_bytes().count(b"d"), Counter(calls)


def is_as_told(home: Path, done: int) -> bool:
    """Whether the home holds what was told to be done, or that and the next piece, and fits together."""
    try:
        is_sound(home)
        return indexed(home) in states()[done : done + 2]
    except (AssertionError, CapsaError, OSError, sqlite3.Error) as error:
        sys.stdout.write(f"{type(error).__name__}: {error}\n")
        return False


def main() -> int:
    """Kill at every call in turn; 1 when a home was not as it was told to be."""
    outcomes: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as temporary:
        template = Path(temporary, "template")
        make_template(template)
        _, done, calls = work(template, Path(temporary))
        assert done == len(WORK)
        sys.stdout.write(f"{calls.total()} calls: {dict(calls)}\n")
        for call, number in [(call, n + 1) for call, count in calls.items() for n in range(count)]:
            inject = f"inject={call}:signal=SIGKILL:when={number}"
            home, done, _ = work(template, Path(temporary), "-e", inject)
            well = is_as_told(home, done)
            outcomes["as told" if well else f"BAD {call} {number}"] += 1
    sys.stdout.write(f"{dict(outcomes)}\n")
    return 0 if set(outcomes) == {"as told"} else 1


if __name__ == "__main__":
    if len(sys.argv) == 3:
        work_until(Path(sys.argv[1]), 0, os.open(sys.argv[2], os.O_WRONLY | os.O_APPEND))
    else:
        sys.exit(main())
