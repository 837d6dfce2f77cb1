"""Exports in folders that are indexed are not taken in, but offered."""

from ..printing import count

EXPORT = "browser-export"
"""Why the indexing of a folder leaves an export alone: the user decides about it."""


def offer(exports: int) -> str:
    """Say that exports were found."""
    them = "it" if exports == 1 else "them"
    return f"{count(exports, 'browser export')} found: `capsa history import FOLDER` takes {them} in"
