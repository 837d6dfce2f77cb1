"""How far an import is, on stderr when that is a terminal."""

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID


class Show(Protocol):
    """What an import tells while it goes on."""

    def __call__(self, stage: str, share: float) -> None:
        """Say what is being done, and the part of it that is done, 0 to 1."""


class Bar:
    """A bar; rich is imported when there is something to show."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet or not sys.stderr.isatty()
        self._bar: RichProgress | None = None
        self._task: TaskID | None = None

    def __call__(self, stage: str, share: float) -> None:
        """Move the bar."""
        if self._quiet:
            return
        if self._bar is None:
            self._bar = _rich_bar()
            self._bar.start()
            self._task = self._bar.add_task(stage, total=1.0)
        assert self._task is not None
        self._bar.update(self._task, description=stage, completed=share)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()


def _rich_bar() -> "RichProgress":
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        console=Console(file=sys.stderr),
        transient=True,
        refresh_per_second=4,
    )
