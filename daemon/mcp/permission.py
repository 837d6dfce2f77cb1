"""Whether a document may still be shown: sources and exclusions may be others than when it was indexed."""

from collections.abc import Sequence
from pathlib import Path

from ..excludes import Excludes
from ..settings import load_settings
from ..targets import containing


class Permission:
    """The decision for the sources and the settings of this moment."""

    def __init__(self, home: Path, roots: Sequence[bytes]) -> None:
        self._roots = roots
        self._excludes = Excludes(load_settings(home), bytes(home))

    def allows(self, path: bytes | None) -> bool:
        """Whether the file lies below a source and nothing excludes it; a page without a file is allowed."""
        if path is None:
            return True
        root = containing(path, self._roots)
        return root is not None and self._excludes.reason(root, path) is None
