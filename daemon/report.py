"""What one indexing run did."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .history.offer import EXPORT, offer
from .printing import count


@dataclass(frozen=True, slots=True)
class Report:
    """The counts of a run; found = indexed + unchanged + skipped + failed.

    ``chunks`` are those of the documents indexed in this run, ``embedded`` the texts that got a new vector.
    ``renamed`` are among the indexed, ``removed`` are gone. ``scans`` are those of the indexed with pages
    without text, ``cut`` those whose layout is not whole. ``doubted`` roots seem emptied, ``broken`` files
    broke their parser; both are worth another look soon. ``complete`` is false after Ctrl-C.
    """

    found: int = 0
    indexed: int = 0
    unchanged: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)
    failed: Mapping[str, int] = field(default_factory=dict)
    chunks: int = 0
    embedded: int = 0
    renamed: int = 0
    removed: int = 0
    scans: int = 0
    cut: int = 0
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    doubted: tuple[bytes, ...] = ()
    broken: tuple[bytes, ...] = ()
    complete: bool = True

    def to_json(self) -> dict[str, Any]:
        """The record ``capsa.index/1``."""
        return {
            "schema": "capsa.index/1",
            "found": self.found,
            "indexed": self.indexed,
            "unchanged": self.unchanged,
            "skipped": dict(self.skipped),
            "failed": dict(self.failed),
            "chunks": self.chunks,
            "embedded": self.embedded,
            "seconds": round(self.seconds, 3),
            "renamed": self.renamed,
            "removed": self.removed,
            "scans": self.scans,
            "cut": self.cut,
            "complete": self.complete,
            "notes": list(self.notes),
        }

    def lines(self) -> list[str]:
        """The report for people."""
        done = f"{self.indexed:,} indexed · {self.unchanged:,} unchanged"
        left = f"{total('skipped', self.skipped)} · {total('failed', self.failed)}"
        lines = [f"{self.found:,} found = {done} · {left}"]
        if self.renamed or self.removed:
            lines.append(f"{self.renamed:,} of the indexed only moved · {self.removed:,} gone, so removed")
        if self.scans or self.cut:
            kinds = [f"{self.scans:,} with scanned pages"] if self.scans else []
            kinds += [f"{self.cut:,} laid out in part"] if self.cut else []
            lines.append(f"{' · '.join(kinds)}: `capsa index --finish` goes on with them")
        if exports := self.skipped.get(EXPORT):
            lines.append(offer(exports))
        lines.append(f"{count(self.chunks, 'chunk')}, {self.embedded:,} embedded, {self.seconds:.1f} s")
        return lines


def total(name: str, counts: Mapping[str, int]) -> str:
    """A count with its reasons: ``2 failed (damaged 1, timeout 1)``."""
    total = sum(counts.values())
    if not total:
        return f"0 {name}"
    reasons = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return f"{total:,} {name} ({', '.join(f'{reason} {count:,}' for reason, count in reasons)})"
