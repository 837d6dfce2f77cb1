"""What the page changes: the same as the commands do, by the same code and with the same lock."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from capsa.chunkers.errors import UnavailableError, UsageError
from capsa.store.reader import Reader

from ..changing import (
    add_source,
    forget,
    forget_page,
    forget_site,
    known_sources,
    pause_source,
    remove_source,
    retry,
)
from ..commands.start import start_background
from ..serving.channel import ask
from .opening import document_place

Request = Mapping[str, Any]
Record = dict[str, Any]


def add(home: Path, request: Request) -> Record:
    """Make the folder ``path`` a source; ``known`` says that it lies in one."""
    path = request.get("path")
    if not isinstance(path, str) or not os.path.isabs(path) or not os.path.isdir(path):
        raise UsageError("this is no folder any more")
    target = add_source(home, path)
    return {"path": os.fsdecode(target.root), "known": target.source_id is not None}


def remove(home: Path, request: Request) -> Record:
    """Remove the source of the id ``source``."""
    return {"removed": remove_source(home, _source_path(home, request))[1]}


def pause_one(home: Path, request: Request) -> Record:
    """Pause the source of the id ``source``, or have it go on with ``paused`` false."""
    paused = request.get("paused") is not False
    pause_source(home, _source_path(home, request), paused)
    return {"paused": paused}


def forget_what(home: Path, request: Request) -> Record:
    """Forget the document of the id ``document``, what is at or below ``path``, or the visits to ``site``."""
    if "document" in request:
        return _forget_document(home, request)
    if "site" in request:
        return {"forgotten": forget_site(home, str(request["site"])), "still_there": False}
    path = request.get("path")
    if not isinstance(path, str) or not os.path.isabs(path):
        raise UsageError("a path begins at the root of the disk")
    return {"forgotten": forget(home, path), "still_there": os.path.lexists(path)}


def retry_files(home: Path, request: Request) -> Record:
    """Have the files ``paths`` read again, which failed."""
    paths = request.get("paths")
    if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
        raise UsageError("paths: must be a list of paths as the state tells them")
    return {"retried": retry(home, frozenset(paths))}


def pause(home: Path, _: Request) -> Record:
    """Have the daemon index no more for now."""
    return _tell(home, "pause")


def resume(home: Path, _: Request) -> Record:
    """Have the daemon index again."""
    return _tell(home, "resume")


def start(home: Path, _: Request) -> Record:
    """Start the daemon unless it runs."""
    answer = ask(home, {"do": "status"}) or start_background(home)
    return {"pid": answer["pid"]}


def _forget_document(home: Path, request: Request) -> Record:
    """A file, a visited page, or a page with the file that has its text."""
    with Reader.open(home) as reader:
        path, uri = document_place(reader, request)
    forgotten = 0 if path is None else forget(home, os.fsdecode(path))
    if uri.startswith(("http://", "https://")):
        forgotten += forget_page(home, uri)
    return {"forgotten": forgotten, "still_there": path is not None and os.path.lexists(path)}


def _source_path(home: Path, request: Request) -> str:
    source = next((each for each in known_sources(home) if each.id == request.get("source")), None)
    if source is None:
        raise UsageError("this is no source any more")
    return os.fsdecode(source.path)


def _tell(home: Path, what: str) -> Record:
    answer = ask(home, {"do": what})
    if answer is None:
        raise UnavailableError("capsa does not run in the background; start it first")
    return answer


CHANGES: Mapping[str, Callable[[Path, Request], Record]] = {
    "add": add,
    "remove": remove,
    "pause_source": pause_one,
    "forget": forget_what,
    "retry": retry_files,
    "pause": pause,
    "resume": resume,
    "start": start,
}
