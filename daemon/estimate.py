"""How long a run will take, guessed before it begins: from the bytes by format, and what runs took before."""

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from capsa.chunkers.formats import FORMATS

if TYPE_CHECKING:
    from capsa.store.writer import Writer

_KINDS = {suffix: each.name for each in FORMATS for suffix in each.suffixes}
# Chunks that a megabyte makes, as in folders of manuals and source code, and that one core makes a second;
# both only until a run of this home was measured.
CHUNKS_PER_MB = {"pdf": 300.0, "markdown": 1200.0, "text": 900.0}
OTHER_CHUNKS_PER_MB = 700.0
CHUNKS_PER_SECOND = 20.0
# Runs shorter than this tell more of starting than of working.
SHORTEST_SECONDS = 5.0
# What was measured counts half as much when more than this has been added to it.
LONGEST_SECONDS = 3600.0


@dataclass(slots=True)
class Pace:
    """What runs of a home took: bytes and chunks by format, and the seconds of all."""

    seconds: float = 0.0
    kinds: dict[str, tuple[float, float]] = field(default_factory=dict)

    @classmethod
    def load(cls, text: str) -> "Pace":
        """Read what ``dump`` wrote; from nothing comes a pace that was never measured."""
        record: dict[str, Any] = json.loads(text or "{}")
        kinds = {kind: (size, chunks) for kind, (size, chunks) in record.get("kinds", {}).items()}
        return cls(record.get("seconds", 0.0), kinds)

    def dump(self) -> str:
        """Return it as text."""
        return json.dumps({"seconds": self.seconds, "kinds": self.kinds})

    def add(self, seconds: float, kinds: Mapping[str, tuple[float, float]]) -> bool:
        """Add a run that took so long; False when it was too short to tell anything."""
        if seconds < SHORTEST_SECONDS:
            return False
        share = 0.5 if self.seconds > LONGEST_SECONDS else 1.0
        self.seconds = self.seconds * share + seconds
        for kind in self.kinds.keys() | kinds.keys():
            (size, chunks), (more, others) = (table.get(kind, (0.0, 0.0)) for table in (self.kinds, kinds))
            self.kinds[kind] = (size * share + more, chunks * share + others)
        return True

    def seconds_for(self, files: Iterable[tuple[str, int]], cores: int) -> float:
        """Return how long files of these names and bytes will take; before any run, on so many cores.

        What has no known suffix is seldom a document, and is not counted.
        """
        known = ((_KINDS.get(os.path.splitext(name)[1].lower()), size) for name, size in files)
        chunks = sum(size * self._chunks_per_byte(kind) for kind, size in known if kind)
        made = sum(chunks for _, chunks in self.kinds.values())
        return chunks * self.seconds / made if made else chunks / (CHUNKS_PER_SECOND * cores)

    def _chunks_per_byte(self, kind: str) -> float:
        size, chunks = self.kinds.get(kind, (0.0, 0.0))
        return chunks / size if size else CHUNKS_PER_MB.get(kind, OTHER_CHUNKS_PER_MB) / 1e6


def keep_pace(writer: "Writer", seconds: float, made: Mapping[str, tuple[float, float]]) -> None:
    """Remember what a run took; ``made`` are its bytes and chunks by format."""
    pace = Pace.load(writer.pace)
    if pace.add(seconds, made):
        writer.keep_pace(pace.dump())
