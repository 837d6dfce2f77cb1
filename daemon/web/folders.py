"""Folders to choose a source from: what is there, without hidden ones, links, and what is never indexed."""

import os
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from capsa.chunkers.errors import UsageError

from ..excludes import Excludes
from ..settings import load_settings

# Folders told of one place.
MAX_FOLDERS = 1000


def list_folders(home: Path, request: Mapping[str, Any]) -> dict[str, Any]:
    """The record ``capsa.folders/1``: the folders in ``path``, which is the user's own without one."""
    given = request.get("path") or os.path.expanduser("~")
    path = os.path.realpath(str(given))
    if not os.path.isabs(str(given)) or not os.path.isdir(path):
        raise UsageError("this is no folder any more")
    excludes = Excludes(load_settings(home), os.fsencode(home))
    parent = os.path.dirname(path)
    return {
        "schema": "capsa.folders/1",
        "path": path,
        "parent": None if parent == path else parent,
        "refused": excludes.root_reason(os.fsencode(path)),
        "folders": sorted(islice(_inside(path, excludes), MAX_FOLDERS), key=str.casefold),
    }


def _inside(path: str, excludes: Excludes) -> Iterator[str]:
    try:
        with os.scandir(path) as entries:
            for entry in entries:
                if entry.name.startswith(".") or not entry.is_dir(follow_symlinks=False):
                    continue
                if excludes.root_reason(os.fsencode(entry.path)) is None:
                    yield entry.name
    except OSError as error:
        raise UsageError(f"this folder cannot be read: {error.strerror}") from error
