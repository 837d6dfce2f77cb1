"""From the paths on the command line to the sources and the parts of them that are to be indexed."""

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from capsa.chunkers.errors import UsageError

from .excludes import Excludes
from .ruled import ruled_by
from .terminal import show_path

if TYPE_CHECKING:
    from capsa.store.records import Source

# Where ignore rules are; excludes.py reads them.
IGNORE_FILES = frozenset([b".gitignore", b".capsaignore"])
_REFUSALS = {
    "secret": "holds secrets, which capsa never indexes",
    "home": "is where capsa keeps its own files",
}


@dataclass(frozen=True, slots=True)
class Target:
    """A part of a source: all of it when ``within`` is its root. ``source_id`` is None for a new source."""

    root: bytes
    within: bytes
    source_id: int | None


# Finds the targets for paths, as ``resolve`` does.
Resolver = Callable[[Sequence[str], Sequence["Source"], Excludes], list[Target]]


def resolve(paths: Sequence[str], sources: Sequence["Source"], excludes: Excludes) -> list[Target]:
    """The targets for the paths, or for every known source that is not paused when there are none."""
    folders = [source for source in sources if source.kind == "folder"]
    if not paths:
        if not folders:
            raise UsageError("no folder is known yet; name one: `capsa index FOLDER`")
        return [Target(source.path, source.path, source.id) for source in folders if not source.paused]
    roots = {source.path: source.id for source in folders}
    targets: list[Target] = []
    for real in sorted(sorted({_real(path) for path in paths}), key=len):
        if any(is_within(real, target.within) for target in targets):
            continue
        targets.append(_target(real, roots, excludes))
        # A new source around known ones leaves their folders to them, so they are indexed along with it.
        inner = [root for root in roots if root != real and is_within(root, real)]
        targets += [Target(root, root, roots[root]) for root in inner if targets[-1].source_id is None]
    return targets


def resolve_all(_: Sequence[str], sources: Sequence["Source"], excludes: Excludes) -> list[Target]:
    """The targets for every known source, also for those that are paused."""
    return resolve([], [replace(source, paused=False) for source in sources], excludes)


def resolve_changed(paths: Sequence[str], sources: Sequence["Source"], excludes: Excludes) -> list[Target]:
    """The targets for paths that have changed; what lies in no source, or is left out of it, has none.

    Nor has what lies in a paused source. A path that is gone has one: what is known of it is missing then.
    A folder that a changed path lets in or shuts out has one, too; of one that is shut out nothing is found.
    """
    roots = {source.path: source.id for source in sources if source.kind == "folder"}
    paused = {source.path for source in sources if source.paused}
    targets: dict[bytes, Target] = {}
    changed = [os.fsencode(path) for path in paths]
    # What is in the root itself does not shut it out.
    ruled = {folder for path in changed for folder in ruled_by(path)} - roots.keys()
    for path in sorted({*map(_subject, changed), *ruled}, key=len):
        root = containing(path, roots)
        if root is None or root in paused:
            continue
        # A walk of an outer source leaves out those within it.
        if any(targets[above].root == root for above in upwards(path) if above in targets):
            continue
        # A file that became a link is no document any more, and a walk says so.
        if path == root or path in ruled or excludes.reason(root, path) in (None, "symlink"):
            targets[path] = Target(root, path, roots[root])
    return list(targets.values())


def _subject(path: bytes) -> bytes:
    """What a change is about: of a file of ignore rules all that they apply to."""
    return os.path.dirname(path) if os.path.basename(path) in IGNORE_FILES else path


def is_within(path: bytes, folder: bytes) -> bool:
    """Whether the path is the folder or below it."""
    return path == folder or path.startswith(os.path.join(folder, b""))


def upwards(path: bytes) -> Iterator[bytes]:
    """Yield the path and all folders that it lies in."""
    yield path
    while (above := os.path.dirname(path)) != path:
        path = above
        yield path


def containing(path: bytes, roots: Iterable[bytes]) -> bytes | None:
    """The innermost of the roots that the path lies in."""
    return max((root for root in roots if is_within(path, root)), key=len, default=None)


def _real(path: str) -> bytes:
    real = os.path.realpath(os.path.expanduser(os.fsencode(path)))
    try:
        mode = os.lstat(real).st_mode
    except OSError as error:
        raise UsageError(f"{show_path(path)}: {error.strerror}") from error
    if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
        raise UsageError(f"{show_path(path)}: neither a folder nor a regular file")
    return real


def _target(real: bytes, roots: dict[bytes, int], excludes: Excludes) -> Target:
    if reason := excludes.root_reason(real):
        raise UsageError(f"{show_path(real)}: {_REFUSALS.get(reason, reason)}")
    root = containing(real, roots)
    if root is None:
        return Target(real, real, None)
    if reason := excludes.reason(root, real):
        raise UsageError(f"{show_path(real)}: left out of the source {show_path(root)} ({reason})")
    return Target(root, real, roots[root])
