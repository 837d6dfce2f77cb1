"""What is gone all at once is not believed at first: a disk that is not mounted is an empty folder."""

from collections.abc import Mapping

from .absent import is_empty
from .targets import Target
from .terminal import show_path

# So many files, and such a share of a source, must be gone for doubt; of an empty folder fewer.
MANY = 1000
SHARE = 0.5
EMPTY = 50
# What is still gone after so long is gone.
DOUBT_SECONDS = 600.0


class Guard:
    """Tells what is gone from what is doubtful, which is kept.

    ``doubts`` tells since when a source is in doubt, in seconds since 1970; after all targets it does so for
    ``now``, and the roots of these are ``doubted``, each with a note.
    """

    def __init__(self, doubts: Mapping[int, float], now: float) -> None:
        self._now = now
        self.doubts = dict(doubts)
        self.doubted: list[bytes] = []
        self.notes: list[str] = []

    def believes(self, target: Target, gone: int, known: int) -> bool:
        """Whether so many of the files of the target, which was looked at, are held to be gone."""
        if target.source_id is None or target.within != target.root:
            return True
        since = self.doubts.pop(target.source_id, self._now)
        if is_believable(target.root, gone, known) or self._now - since >= DOUBT_SECONDS:
            return True
        self.doubts[target.source_id] = since
        self.doubted.append(target.root)
        self.notes.append(
            f"{show_path(target.root)}: {gone:,} of {known:,} files are gone at once; they are"
            f" removed if they still are {DOUBT_SECONDS / 60:.0f} minutes later, or now by `capsa forget`"
        )
        return False


def is_believable(root: bytes, gone: int, known: int) -> bool:
    """Whether so many files of a source may just have been deleted."""
    if gone == known >= EMPTY and is_empty(root):
        return False
    return gone < MANY or gone < SHARE * known
