"""What the figures of a run depend on: data, code and versions, as digests."""

import hashlib
import json
import platform
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from .corpus import list_files

PACKAGES = (
    "capsa",
    "numpy",
    "faiss-cpu",
    "onnxruntime",
    "tokenizers",
    "pypdf",
    "pypdfium2",
    "docling",
    "dask",
)
_FOLDERS = ("chunkers", "store", "eval")


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that shape a figure, those that are here."""
    found = {"python": platform.python_version(), "machine": platform.machine()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


@cache
def code_digest() -> str:
    """Return the SHA-256 of all Python code that a figure comes from, as it was when first asked for."""
    root = Path(__file__).parents[1]
    return _digest(root, (path for name in _FOLDERS for path in sorted((root / name).rglob("*.py"))))


def corpus_digest(root: Path) -> str:
    """Return the SHA-256 of the files of a folder with their names."""
    return _digest(root if root.is_dir() else root.parent, list_files(root))


def fingerprint(description: Mapping[str, Any]) -> str:
    """Return one word for a description that JSON can hold."""
    return hashlib.sha256(json.dumps(description, sort_keys=True).encode()).hexdigest()


def _digest(root: Path, paths: Iterable[Path]) -> str:
    total = hashlib.sha256()
    for path in paths:
        name = path.relative_to(root).as_posix().encode("utf-8", "surrogateescape")
        total.update(name + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()
