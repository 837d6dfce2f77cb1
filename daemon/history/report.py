"""What an import did, export by export, with counts that add up."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..printing import count
from ..report import total
from ..terminal import show_path

SCHEMA = "capsa.history.import/1"


@dataclass(slots=True)
class ExportReport:
    """One export: its entries are read = new + known + excluded + failed.

    ``status`` is "read", "unchanged" since it was read, or "failed", and then ``problem`` says why.
    """

    path: Path
    format: str = ""
    browser: str = ""
    status: str = "read"
    problem: str = ""
    read: int = 0
    new: int = 0
    known: int = 0
    excluded: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    details: list[str] = field(default_factory=list)
    new_pages: int = 0
    changed_pages: int = 0
    queries: int = 0
    odd_titles: int = 0

    @property
    def counts(self) -> dict[str, Any]:
        """The numbers, for programs."""
        names = ("read", "new", "known", "new_pages", "changed_pages", "queries", "odd_titles")
        numbers: dict[str, Any] = {name: getattr(self, name) for name in names}
        return numbers | {"excluded": dict(self.excluded), "failed": dict(self.failed)}

    def to_json(self) -> dict[str, Any]:
        """The record of the export."""
        told = {"path": show_path(str(self.path)), "format": self.format, "browser": self.browser}
        told |= {"status": self.status, "problem": self.problem}
        return told | self.counts | {"details": self.details}

    def lines(self) -> Iterator[str]:
        """The report for people."""
        name = show_path(str(self.path))
        if self.problem:
            yield f"{name}: {self.problem}"
        if self.status == "failed" and not self.read:
            return
        if self.status == "unchanged":
            yield f"{name} ({self.browser}): unchanged since it was read"
            return
        left = f"{total('excluded', self.excluded)} · {total('failed', self.failed)}"
        kept = f"{self.new:,} new · {self.known:,} known"
        yield f"{name} ({self.browser}): {self.read:,} read = {kept} · {left}"
        if self.odd_titles:
            yield f"  {count(self.odd_titles, 'title')} with bytes that are no UTF-8, shown as \ufffd"
        for detail in self.details[:3]:
            yield f"  {detail}"
        if len(self.details) > 3:
            yield "  … `--json` tells of more"


@dataclass(slots=True)
class ImportReport:
    """A whole import; ``waiting`` pages have no vectors yet, ``complete`` is false after Ctrl-C."""

    exports: list[ExportReport] = field(default_factory=list)
    embedded: int = 0
    waiting: int = 0
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)
    complete: bool = True

    @property
    def failed(self) -> bool:
        """Whether no export could be read, though there were some."""
        return bool(self.exports) and all(export.status == "failed" for export in self.exports)

    def sum(self, name: str) -> int:
        """Add one number up over the exports."""
        return sum(getattr(export, name) for export in self.exports)

    def to_json(self) -> dict[str, Any]:
        """The record ``capsa.history.import/1``."""
        excluded: Counter[str] = Counter()
        failed: Counter[str] = Counter()
        for export in self.exports:
            excluded += export.excluded
            failed += export.failed
        names = ("read", "new", "known", "new_pages", "changed_pages", "queries")
        return {
            "schema": SCHEMA,
            **{name: self.sum(name) for name in names},
            "excluded": dict(excluded),
            "failed": dict(failed),
            "exports": [export.to_json() for export in self.exports],
            "embedded": self.embedded,
            "waiting_for_vectors": self.waiting,
            "seconds": round(self.seconds, 3),
            "complete": self.complete,
            "notes": self.notes,
        }

    def lines(self) -> Iterator[str]:
        """The report for people."""
        for export in self.exports:
            yield from export.lines()
        pages = f"{count(self.sum('new_pages'), 'new page')} · {self.sum('changed_pages'):,} changed"
        queries = count(self.sum("queries"), "new search query", "new search queries")
        yield f"{pages} · {queries}, {count(self.embedded, 'page')} embedded, {self.seconds:.1f} s"
        if self.waiting:
            waiting = f"{count(self.waiting, 'page')} found by words only so far"
            yield f"{waiting}: `capsa history import` goes on embedding"


def merge_tally(report: ExportReport, tallies: Sequence[Any]) -> None:
    """Take over what was counted while the records were sorted."""
    for tally in tallies:
        report.read += tally.read
        report.excluded += tally.excluded
        report.failed += tally.failed
        report.details += tally.details
        report.odd_titles += tally.odd_titles
