"""The folders that evaluation runs were written to, so that the page can list them."""

import json
from pathlib import Path

from .private import write_file

# Runs that are remembered; older ones are still where they were written.
KEPT = 100


def remember_run(home: Path, folder: Path) -> None:
    """Put the folder at the head of the list."""
    listed = [folder.absolute(), *(each for each in known_runs(home) if each != folder.absolute())]
    write_file(_path(home), json.dumps([str(each) for each in listed[:KEPT]]).encode())


def known_runs(home: Path) -> list[Path]:
    """Return the folders, the latest first; a damaged list is an empty one."""
    try:
        listed = json.loads(_path(home).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    return [Path(each) for each in listed if isinstance(each, str)] if isinstance(listed, list) else []


def _path(home: Path) -> Path:
    return home / "eval" / "runs.json"
