"""What a run that finishes documents did."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from capsa.chunkers import ocr

from .printing import count
from .report import total

# "cut": better than before, and still not all of it; "changed": left to indexing; "left": not got to.
Result = Literal["finished", "cut", "changed", "failed", "left"]


@dataclass(frozen=True, slots=True)
class FinishReport:
    """The counts of a run; found = finished + cut + changed + failed + left.

    ``laid_out`` are the pages of documents whose layout is now full, ``recognised`` those whose text was
    recognised in this run. ``scans_waiting`` are documents that need OCR, when it is not installed.
    """

    finished: int = 0
    cut: int = 0
    changed: int = 0
    failed: Mapping[str, int] = field(default_factory=dict)
    left: int = 0
    laid_out: int = 0
    recognised: int = 0
    chunks: int = 0
    embedded: int = 0
    seconds: float = 0.0
    scans_waiting: int = 0
    notes: tuple[str, ...] = ()

    @property
    def found(self) -> int:
        """The documents that there were to finish."""
        return self.finished + self.cut + self.changed + sum(self.failed.values()) + self.left

    @property
    def complete(self) -> bool:
        """Whether the run went through all of them."""
        return not self.left

    def to_json(self) -> dict[str, Any]:
        """The record ``capsa.finish/1``."""
        return {
            "schema": "capsa.finish/1",
            "found": self.found,
            "finished": self.finished,
            "cut": self.cut,
            "changed": self.changed,
            "failed": dict(self.failed),
            "left": self.left,
            "pages_laid_out": self.laid_out,
            "pages_recognised": self.recognised,
            "chunks": self.chunks,
            "embedded": self.embedded,
            "scans_waiting": self.scans_waiting,
            "seconds": round(self.seconds, 3),
            "complete": self.complete,
            "notes": list(self.notes),
        }

    def lines(self) -> list[str]:
        """The report for people."""
        scans = count(self.scans_waiting, "document with scanned pages", "documents with scanned pages")
        waiting = [f"{scans} cannot be read without OCR: {ocr.INSTALL}"] if self.scans_waiting else []
        if not self.found:
            return ["nothing to finish", *waiting]
        parts = [f"{self.finished:,} finished"]
        parts += [f"{self.cut:,} still cut"] if self.cut else []
        parts += [f"{self.changed:,} changed, left to `capsa index`"] if self.changed else []
        parts += [total("failed", self.failed)] if self.failed else []
        parts += [f"{self.left:,} left"] if self.left else []
        pages = f"{count(self.laid_out, 'page')} laid out, {self.recognised:,} read by OCR"
        chunks = f"{count(self.chunks, 'chunk')}, {self.embedded:,} embedded, {self.seconds:.1f} s"
        return [f"{self.found:,} to finish = {' · '.join(parts)}", f"{pages} · {chunks}", *waiting]
