"""What ``capsa tune`` found last, kept so that the page can show it."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from capsa.store.private import write_file


def keep_tuning(home: Path, record: Mapping[str, Any]) -> None:
    """Keep the record of ``capsa tune --json``."""
    write_file(_path(home), json.dumps(record).encode("ascii"))


def kept_tuning(home: Path) -> dict[str, Any]:
    """Return the record as ``tuning`` with the moment ``found_at``, both None when nothing usable is kept."""
    path = _path(home)
    try:
        record, found_at = json.loads(path.read_bytes()), path.stat().st_mtime
    except (OSError, ValueError):
        return {"tuning": None, "found_at": None}
    return {"tuning": record if isinstance(record, dict) else None, "found_at": found_at}


def _path(home: Path) -> Path:
    return home / "eval" / "tuning.json"
