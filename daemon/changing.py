"""Changes to what is indexed, for the command line and the page alike; each takes the home's one writer."""

import os
import time
from collections.abc import Collection
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from capsa.chunkers.errors import UsageError
from capsa.store.home import database_path

from .beginning import require_index
from .excludes import Excludes
from .settings import load_settings
from .targets import Target, resolve
from .terminal import show_path
from .writing import open_writer

if TYPE_CHECKING:
    from capsa.store.history import Forgot
    from capsa.store.records import Source


def known_sources(home: Path) -> "list[Source]":
    """The sources of the home, none when there is no index."""
    if not database_path(home).exists():
        return []
    from capsa.store.reader import Reader

    with Reader.open(home) as reader:
        return reader.sources()


def add_source(home: Path, path: str) -> Target:
    """Make the folder a source, unless it lies in one: then the target has its ``source_id``."""
    excludes = Excludes(load_settings(home), os.fsencode(home))
    target = resolve([path], known_sources(home), excludes)[0]
    if target.source_id is None:
        with open_writer(home) as writer:
            writer.add_source(target.root)
    return target


def pause_source(home: Path, path: str, paused: bool) -> bytes:
    """Have the background and runs over all sources pass over a folder, or look at it again; return its path.

    What is indexed of it stays and is searched.
    """
    source = _known_source(home, path)
    if source.kind != "folder":
        raise UsageError("a browser history is followed or not: `capsa history unfollow`, `import --follow`")
    with open_writer(home) as writer:
        writer.pause_source(source.id, paused)
    return source.path


def remove_source(home: Path, path: str) -> tuple[bytes, int]:
    """Remove a source with all that came from it; return its path and how many files that were."""
    source = _known_source(home, path)
    with open_writer(home) as writer:
        removed = writer.history.clear() if source.kind == "history" else writer.remove_source(source.id)
        writer.publish()
    return source.path, removed


def forget(home: Path, path: str) -> int:
    """Leave nothing in any file of what is indexed at or below the path; return how many files that were."""
    require_index(home, ", so there is nothing to forget")
    from capsa.store.reader import Reader

    places = _places(path)
    with open_writer(home) as writer:
        with Reader.open(home) as reader:
            sources = [source.id for source in reader.sources()]
            rows = (reader.known_rows(source, place) for source in sources for place in places)
            known = {path for path, *_ in chain.from_iterable(rows)}
        removed = writer.remove(sorted(known), wiped=True)
        writer.publish()
    return removed


def forget_page(home: Path, url: str) -> int:
    """Leave nothing in any file of a visited page; return how many there were. Its saved copies stay."""
    from capsa.chunkers.urls import normalise

    return _forget_ever(home, uri=normalise(url))


def forget_site(home: Path, host: str) -> int:
    """Leave nothing in any file of visited pages of a host and its subdomains; return how many there were."""
    return _forget_ever(home, host=host_name(host))


def host_name(host: str) -> str:
    """Return the name of a host as visits are known by, or raise UsageError."""
    from capsa.chunkers.urls import site

    if not (name := site(host)):
        raise UsageError(f"{host}: not the name of a host, as example.org is")
    return name


def forget_visits(home: Path, host: str, since: int, until: int, uri: str = "") -> "Forgot":
    """Leave nothing in any file of what is to be forgotten, see ``Span``; return how much that was."""
    from capsa.store.history import Span

    with open_writer(home) as writer:
        forgot = writer.history.forget(Span(host, since, until, uri))
        writer.publish()
    return forgot


def _forget_ever(home: Path, host: str = "", uri: str = "") -> int:
    require_index(home, ", so there is nothing to forget")
    return forget_visits(home, host, 0, time.time_ns() // 1000, uri).pages


def retry(home: Path, paths: Collection[str]) -> int:
    """Forget that files failed, so that the next run reads them again; return how many those were.

    The paths are as ``capsa status --json`` tells them.
    """
    from capsa.store.reader import Reader

    with open_writer(home) as writer:
        with Reader.open(home) as reader:
            tables = [reader.known(source.id) for source in reader.sources()]
        failed = (path for known in tables for path, file in known.items() if file.status == "failed")
        return writer.remove([path for path in failed if path.decode("utf-8", "replace") in paths])


def _known_source(home: Path, path: str) -> "Source":
    # That of visited pages is known by a name, not by a path.
    places = _places(path) | {os.fsencode(path)}
    source = next((source for source in known_sources(home) if source.path in places), None)
    if source is None:
        raise UsageError(f"{show_path(path)} is not a source; see `capsa sources list`")
    return source


def _places(path: str) -> set[bytes]:
    """The path as it is written and as it is without links; it need not exist any more."""
    plain = os.path.abspath(os.path.expanduser(os.fsencode(path)))
    return {plain, os.path.realpath(plain)}
