"""The profile of a small machine, one core and 1 GB for all of capsa, held by limits on each process."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_DATA counts no mappings elsewhere")

# The README's profile.
SETTINGS = 'threads = 1\nvectors = "pq48"\n'
# What each process may have of private memory: the program with the model, and one parser worker beside it.
LIMIT = 512 << 20
TOO_LITTLE = 48 << 20
LIMITED = (
    "import os, resource, runpy, sys\n"
    "limit = int(sys.argv.pop(1))\n"
    "os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
    "resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))\n"
    "runpy.run_module('capsa.daemon', run_name='__main__', alter_sys=True)\n"
)


def run(limit: int, home: Path, *words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-c", LIMITED, str(limit), *map(str, words), "--json"],
        env={**os.environ, "CAPSA_HOME": str(home), "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(12):
        parts = [
            f"## Station {number}-{part}\n\nThe gauge of station {part} read {number * part} at noon. " * 12
            for part in range(12)
        ]
        (folder / f"{number}.md").write_text(f"# Log {number}\n\n" + "\n\n".join(parts))
    return folder


def test_a_small_machine_indexes_and_searches(docs: Path, home: Path) -> None:
    (home / "config.toml").write_text(SETTINGS)
    done = run(LIMIT, home, "index", docs)
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    assert (report["indexed"], report["failed"], report["notes"]) == (12, {}, [])
    assert report["embedded"] >= report["chunks"] > 100
    found = run(LIMIT, home, "search", "what did the gauge of station 7 read")
    assert found.returncode == 0, found.stderr
    answer = json.loads(found.stdout)
    assert answer["notes"] == []
    assert answer["hits"][0]["why"]["dense"]


def test_the_limit_is_one(docs: Path, home: Path) -> None:
    assert run(TOO_LITTLE, home, "index", docs).returncode != 0
