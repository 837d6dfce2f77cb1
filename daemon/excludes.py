"""Which paths are never looked into: one decision for the walk, events, the command line and MCP.

Secrets come first and nothing brings them back. Then the user's own patterns decide (config.toml and
.capsaignore; a pattern with ! brings back what comes after here), then the built-in names, hidden names,
and .gitignore.
"""

import os
import stat
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from capsa.chunkers.captures.beside import SNAPSHOT_INDEX, is_folder_of_page, is_snapshot
from capsa.chunkers.errors import ParseError

from . import exclude_names as names_of
from .ignore_rules import IgnoreRules
from .reading import read_head
from .settings import Settings

IGNORE_FILE_LIMIT = 1 << 18
_SEPARATOR = os.fsencode(os.sep)

Reason = str
Layer = tuple[IgnoreRules, int]  # the rules, and the length of the path of the folder they are relative to


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder that is looked into, its own name and those in it in lower case, the rules that apply."""

    path: bytes
    name: bytes
    names: Collection[bytes] = ()
    own_rules: tuple[Layer, ...] = ()
    git_rules: tuple[Layer, ...] = ()


class Excludes:
    """The decision for one home and its settings."""

    def __init__(self, settings: Settings, home: bytes) -> None:
        self._hidden = settings.hidden
        self._home = os.path.realpath(home)
        patterns = b"\n".join(os.fsencode(pattern) for pattern in settings.excludes)
        self._patterns = IgnoreRules(patterns) if patterns else None

    def root(self, path: bytes) -> Folder:
        """The folder a walk of a source starts from; the ignore files of the repository around it apply."""
        own_rules = ((self._patterns, _base(path)),) if self._patterns else ()
        folder = Folder(path, b"", own_rules=own_rules)
        for above in _repository_above(path):
            folder = _with_rules(folder, above, _listed(above))
        return folder

    def root_reason(self, path: bytes) -> Reason | None:
        """Why a path must not become a source, or None."""
        names = [name.lower() for name in path.split(_SEPARATOR)]
        if any(_is_secret(folder, name) for folder, name in pairwise(names)):
            return "secret"
        return "home" if self._in_home(path) else None

    def enter(self, folder: Folder, path: bytes, names: Sequence[bytes]) -> Folder | Reason:
        """The folder at path, which holds the names, with its ignore files; or why it is left out."""
        for name in names:
            if (reason := names_of.MARKERS.get(name)) and path != folder.path:
                return reason
        # Of very many names those that are lower case already are not kept twice.
        lower_names = {lower if (lower := name.lower()) != name else name for name in names}
        inside = Folder(
            path.rstrip(_SEPARATOR),
            path.rpartition(_SEPARATOR)[2].lower(),
            lower_names,
            folder.own_rules,
            folder.git_rules,
        )
        return _with_rules(inside, path, names)

    def entry(self, folder: Folder, name: bytes, is_dir: bool) -> Reason | None:
        """Why the entry of the folder is left out, or None."""
        lower = name.lower()
        if _is_secret(folder.name, lower):
            return "secret"
        path = folder.path + _SEPARATOR + name
        if is_dir and self._in_home(path):
            return "home"
        if folder.own_rules:
            verdict = _verdict(folder.own_rules, path, is_dir)
            if verdict is not None:
                return "ignored" if verdict else None
        reason = _builtin(lower, is_dir, folder.names) or _part_of_page(lower, is_dir, folder)
        if reason is None and not self._hidden and name.startswith(b"."):
            reason = "hidden"
        if reason is None and folder.git_rules and _verdict(folder.git_rules, path, is_dir):
            reason = "ignored"
        return reason

    def reason(self, root: bytes, path: bytes) -> Reason | None:
        """Why the path, somewhere below the root of a source, is left out; None when it is not.

        The same steps as a walk from the root, for one path alone. A link on the way counts as "symlink".
        """
        if path == root:
            return self.root_reason(root)
        parent = self.folder(root, os.path.dirname(path))
        if isinstance(parent, str):
            return parent
        step = self._step(parent, os.path.basename(path))
        return step if isinstance(step, str) else None

    def folder(self, root: bytes, path: bytes) -> Folder | Reason:
        """The folder at path, the root of a source or below it, with all that applies there; or why not."""
        if reason := self.root_reason(root):
            return reason
        if path != root and not path.startswith(os.path.join(root, b"")):
            return "outside"
        entered = self.enter(self.root(root), root, _listed(root))
        for name in path[len(root) :].split(_SEPARATOR):
            if isinstance(entered, str):
                return entered
            if name:
                entered = self._step(entered, name)
        return entered

    def _step(self, folder: Folder, name: bytes) -> Folder | Reason:
        """From a folder into one of its entries; for a file the folder itself."""
        if name == b"..":
            return "outside"
        path = os.path.join(folder.path, name)
        kind = _kind(path)
        if kind == "symlink":
            return kind
        if reason := self.entry(folder, name, is_dir=kind == "folder"):
            return reason
        return self.enter(folder, path, _listed(path)) if kind == "folder" else folder

    def _in_home(self, path: bytes) -> bool:
        return path == self._home or path.startswith(self._home + _SEPARATOR)


def _is_secret(folder: bytes, name: bytes) -> bool:
    """Whether the name, in a folder of that name, is that of a secret; both are lower-cased."""
    if name in names_of.SECRET_NAMES or (folder, name) in names_of.SECRET_PATHS:
        return True
    _, dot, suffix = name.rpartition(b".")
    if dot and suffix in names_of.SECRET_SUFFIXES:
        return True
    return names_of.SECRET_PATTERN.fullmatch(name) is not None


def _builtin(lower: bytes, is_dir: bool, beside: Collection[bytes]) -> Reason | None:
    if reason := names_of.NAMES.get(lower):
        return reason
    if is_dir and (signs := names_of.BUILD_BESIDE.get(lower)) and not signs.isdisjoint(beside):
        return "build"
    match = names_of.NAME_PATTERN.fullmatch(lower)
    return match.lastgroup if match else None


def _part_of_page(lower: bytes, is_dir: bool, folder: Folder) -> Reason | None:
    """Whether the entry is a part or a further copy of a saved page that is read as a whole."""
    if is_dir and is_folder_of_page(os.fsdecode(lower), folder.names):
        return "part-of-page"
    if lower != SNAPSHOT_INDEX.encode() and folder.name[:1].isdigit():
        return "part-of-page" if is_snapshot(os.fsdecode(folder.name), folder.names) else None
    return None


def _verdict(layers: Sequence[Layer], path: bytes, is_dir: bool) -> bool | None:
    """The answer of the nearest ignore file that has one; layers are ordered from the root down."""
    for rules, base in reversed(layers):
        verdict = rules.verdict(_relative(path, base), is_dir)
        if verdict is not None:
            return verdict
    return None


def _relative(path: bytes, base: int) -> bytes:
    relative = path[base:]
    return relative if _SEPARATOR == b"/" else relative.replace(_SEPARATOR, b"/")


def _base(folder: bytes) -> int:
    return len(os.path.join(folder, b""))


def _with_rules(folder: Folder, path: bytes, names: Sequence[bytes]) -> Folder:
    own, git = folder.own_rules, folder.git_rules
    if b".capsaignore" in names and (rules := _load(os.path.join(path, b".capsaignore"))):
        own = (*own, (rules, _base(path)))
    if b".git" in names and (rules := _load(os.path.join(path, b".git", b"info", b"exclude"))):
        git = (*git, (rules, _base(path)))
    if b".gitignore" in names and (rules := _load(os.path.join(path, b".gitignore"))):
        git = (*git, (rules, _base(path)))
    return (
        folder
        if own is folder.own_rules and git is folder.git_rules
        else Folder(folder.path, folder.name, folder.names, own, git)
    )


def _load(path: bytes) -> IgnoreRules | None:
    try:
        return IgnoreRules(read_head(path, IGNORE_FILE_LIMIT))
    except ParseError:
        return None  # a link, a FIFO or an unreadable file: there are no patterns to honour


def _repository_above(path: bytes) -> Iterator[bytes]:
    """The folders from the root of the git repository around the path down to its parent."""
    above: list[bytes] = []
    while not os.path.lexists(os.path.join(path, b".git")):
        parent = os.path.dirname(path)
        if parent == path:
            return
        above.append(parent)
        path = parent
    yield from reversed(above)


def _listed(path: bytes) -> list[bytes]:
    try:
        return os.listdir(path)
    except OSError:
        return []


def _kind(path: bytes) -> str:
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return "missing"
    return "symlink" if stat.S_ISLNK(mode) else "folder" if stat.S_ISDIR(mode) else "file"
