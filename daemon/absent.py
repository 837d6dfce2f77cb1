"""Folders that are away: what is indexed of a closed vault need not be shown, by the setting hide_absent."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from capsa.chunkers.errors import UnavailableError
from capsa.store.records import Source

from .settings import load_settings
from .terminal import show_path


def hidden_roots(home: Path, sources: Iterable[Source]) -> tuple[bytes, ...]:
    """The folders that are away, if what is indexed of them is not to be shown: none without the setting."""
    if not load_settings(home).hide_absent:
        return ()
    return tuple(source.path for source in sources if source.kind == "folder" and is_away(source.path))


def is_away(root: bytes) -> bool:
    """Whether the folder is not there, or is as empty as the place where something is mounted."""
    return not os.path.lexists(root) or (os.path.isdir(root) and is_empty(root))


def is_empty(root: bytes) -> bool:
    """Whether nothing is in the folder, as far as can be told."""
    try:
        with os.scandir(root) as entries:
            return next(entries, None) is None
    except OSError:
        return True


def refuse_hidden(path: bytes | None, hidden: Sequence[bytes]) -> None:
    """Raise UnavailableError for a file in one of the folders."""
    for root in hidden:
        if path is not None and (path == root or path.startswith(os.path.join(root, b""))):
            raise UnavailableError(hidden_note(root))


def hidden_note(root: bytes) -> str:
    """What a user is told of such a folder."""
    return f"{show_path(root)}: is away, and what is indexed of it is hidden (hide_absent)"
