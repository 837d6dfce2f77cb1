"""Live progress of an indexing run on stderr, when that is a terminal; otherwise nothing."""

import sys
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from .printing import count

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID


# Seconds from which on a run is told of before it begins.
WORTH_TELLING = 20.0
# The part of the guessed time after which the pace of the run itself says more.
GUESSED_SHARE = 0.1


class Progress(Protocol):
    """What an indexing run tells while it goes on."""

    def start(self, files: int, seconds: float | None = None) -> None:
        """Say how many files are to be read, and how long that may take."""

    def advance(self, chunks: int) -> None:
        """One more file is done, with this many chunks."""

    def stage(self, name: str) -> None:
        """Say what is being done now."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Quiet:
    """Shows nothing."""

    def start(self, files: int, seconds: float | None = None) -> None:
        """Show nothing."""

    def advance(self, chunks: int) -> None:
        """Show nothing."""

    def stage(self, name: str) -> None:
        """Show nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing was shown, nothing is to be cleared."""


class Bar:
    """A bar with files, chunks, rate and time left; rich is imported only when there is something to do."""

    def __init__(self) -> None:
        self._bar: RichProgress | None = None
        self._task: TaskID | None = None
        self._chunks = 0
        self._guess: float | None = None

    def start(self, files: int, seconds: float | None = None) -> None:
        """Show the bar, and above it what may take long."""
        if self._bar is None:
            self._bar = _rich_bar()
            self._guess = seconds
            if seconds is not None and seconds >= WORTH_TELLING:
                self._bar.console.print(f"{count(files, 'file')} to read, about {show_seconds(seconds)}")
            self._bar.start()
            self._task = self._bar.add_task(
                "indexing", total=files, chunks=0, rate=0.0, left=_show_left(seconds)
            )

    def advance(self, chunks: int) -> None:
        """Move the bar by one file."""
        if self._bar is None or self._task is None:
            return
        self._chunks += chunks
        task = self._bar.tasks[0]
        elapsed = task.elapsed or 0.0
        rate = self._chunks / elapsed if elapsed else 0.0
        left = seconds_left(int(task.completed) + 1, int(task.total or 0), elapsed, self._guess)
        self._bar.update(self._task, advance=1, chunks=self._chunks, rate=rate, left=_show_left(left))

    def stage(self, name: str) -> None:
        """Show what is being done."""
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, description=name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()


def seconds_left(done: int, total: int, elapsed: float, guess: float | None = None) -> float | None:
    """How long the rest takes at the pace of the whole run, not of a burst; at first as guessed before.

    None when nothing is done and nothing was guessed, or the guess is over.
    """
    if guess is not None and elapsed < (guess if not done else guess * GUESSED_SHARE) and done < total:
        return guess - elapsed
    return elapsed / done * (total - done) if done else None


def show_seconds(seconds: float) -> str:
    """A time to wait: ``45 s``, ``3:20 min``, ``1:05 h``."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02} min"
    return f"{whole // 3600}:{whole // 60 % 60:02} h"


def _show_left(seconds: float | None) -> str:
    return "?" if seconds is None else show_seconds(seconds)


def _rich_bar() -> "RichProgress":
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(
            "files · {task.fields[chunks]:,} chunks · {task.fields[rate]:.0f}/s · {task.fields[left]} left"
        ),
        console=Console(file=sys.stderr),
        transient=True,
        refresh_per_second=4,
    )


def show_waiting(quiet: bool) -> AbstractContextManager[object]:
    """Show, when stderr is a terminal, that the daemon finishes the files that it has."""
    if quiet or not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console

    return Console(file=sys.stderr).status("waiting for capsa in the background to stand aside; Ctrl-C stops")


def open_progress(quiet: bool) -> Progress:
    """A bar when stderr is a terminal and nobody asked for silence."""
    return Bar() if sys.stderr.isatty() and not quiet else Quiet()
