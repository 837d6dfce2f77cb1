"""Starts fresh processes for the speed benchmark and brings back what they measured."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from capsa.chunkers.errors import CapsaError

# Libraries that multiply matrices choose their threads by these when they are loaded.
THREAD_VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def probe(what: str, *words: str | Path, threads: int | None = None) -> dict[str, Any]:
    """Run ``capsa.eval.probe`` and return its measures with the record that the program printed, if any."""
    with tempfile.TemporaryDirectory(prefix="capsa-speed-") as folder:
        result = Path(folder) / "measures.json"
        command = [sys.executable, "-P", "-m", "capsa.eval.probe", str(result), what, *map(str, words)]
        output = _run(command, {} if threads is None else dict.fromkeys(THREAD_VARIABLES, str(threads)))
        measures: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
    return {**measures, "output": json.loads(output)} if output.startswith("{") else measures


def run_capsa(*words: str | Path) -> tuple[float, float]:
    """Run the program capsa once and return wall and CPU seconds of the whole process."""
    before, began = os.times(), time.perf_counter()
    _run([sys.executable, "-P", "-m", "capsa.daemon", *map(str, words)], {})
    wall, after = time.perf_counter() - began, os.times()
    user = after.children_user - before.children_user
    return wall, user + after.children_system - before.children_system


def _run(command: list[str], variables: Mapping[str, str]) -> str:
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, **variables},
        check=False,
    )
    if done.returncode:
        words = " ".join(command[3:])
        raise CapsaError(f"{words}: exit code {done.returncode}: {done.stderr.strip()[-500:]}")
    return done.stdout
