"""What the background does for the history: it reads followed browsers again, and embeds pages that wait."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from capsa.store.home import database_path

if TYPE_CHECKING:
    from ..errands import Context

SECONDS = 600.0
"""Between two looks: a browser writes every few seconds, and what was just read is still at hand."""


def follow(context: "Context") -> None:
    """Read the followed exports that changed; opens no writer when there is nothing to do."""
    from capsa.store.history import waiting_count
    from capsa.store.reader import Reader
    from capsa.store.visited import read_exports

    if not database_path(context.home).exists():
        return
    with Reader.open(context.home) as reader:
        followed = [export for export in read_exports(reader.connection) if export.followed]
        waiting = waiting_count(reader.connection)
    changed = [Path(os.fsdecode(each.path)) for each in followed if _has_changed(each.path, each.state)]
    if changed or waiting:
        _read(context, changed)


def _has_changed(path: bytes, state: str) -> bool:
    from .staging import state_of

    place = Path(os.fsdecode(path))
    return place.is_file() and state_of(place) != state


def _read(context: "Context", paths: list[Path]) -> None:
    from capsa.store.writer import Writer

    from .importing import Importing, Options

    def show(stage: str, share: float) -> None:
        context.progress.stage(f"{stage}, {share:.0%}")

    with Writer.open(context.home) as writer:
        importing = Importing(writer, context.settings, show, Options(), context.should_stop)
        importing.run(paths)
