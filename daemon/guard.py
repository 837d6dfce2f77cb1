"""What is gone all at once is not believed at first: a disk that is not mounted is an empty folder."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from .absent import is_empty
from .survey import Survey
from .targets import Target
from .terminal import show_path

if TYPE_CHECKING:
    from capsa.store.records import Known

# So many files, and such a share of a source, must be gone for doubt; of an empty folder fewer.
MANY = 1000
SHARE = 0.5
EMPTY = 50
# What is still gone after so long is gone.
DOUBT_SECONDS = 600.0


def hold_back(
    survey: Survey,
    targets: Sequence[Target],
    known: "Mapping[int, Mapping[bytes, Known]]",
    doubts: Mapping[int, float],
    now: float,
) -> dict[int, float]:
    """Take what is doubtful out of the survey's missing files, with a note.

    ``doubts`` tells since when a source is in doubt, in seconds since 1970; what comes back is the same for
    now.
    """
    found: dict[int, float] = {}
    for target in targets:
        if target.source_id is None or target.within != target.root:
            continue
        files = known.get(target.source_id, {})
        gone = [path for path in files if path in survey.missing]
        since = doubts.get(target.source_id, now)
        if is_believable(target.root, len(gone), len(files)) or now - since >= DOUBT_SECONDS:
            continue
        found[target.source_id] = since
        survey.doubted.append(target.root)
        for path in gone:
            del survey.missing[path]
        survey.notes.append(
            f"{show_path(target.root)}: {len(gone):,} of {len(files):,} files are gone at once; they are"
            f" removed if they still are {DOUBT_SECONDS / 60:.0f} minutes later, or now by `capsa forget`"
        )
    return found


def is_believable(root: bytes, gone: int, known: int) -> bool:
    """Whether so many files of a source may just have been deleted."""
    if gone == known >= EMPTY and is_empty(root):
        return False
    return gone < MANY or gone < SHARE * known
