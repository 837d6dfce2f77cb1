"""What ``capsa status`` tells of the daemon: what it does now and how it keeps the sources in view."""

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from .printing import count
from .progress import show_seconds
from .serving.channel import ask


def daemon_record(home: Path) -> dict[str, Any] | None:
    """The part ``daemon`` of the record, None when none runs."""
    return ask(home, {"do": "status"})


def daemon_lines(told: Mapping[str, Any] | None, paused: bool = False) -> Iterator[str]:
    """The same for people; ``paused`` says that some sources are."""
    if told is None:
        yield "background: not running; `capsa start` watches for changes, `capsa index` looks for them once"
        return
    yield f"background: {_doing(told, paused)} (process {told['pid']})"
    if told["problem"]:
        yield f"PROBLEM: {told['problem']}"
    for watch in told["watches"]:
        if watch["state"] != "watched":
            yield f"{watch['path']}: {watch['state']}, {watch['reason']}"
    if told["losses"]:
        yield f"lost events {count(told['losses'], 'time')}, each time everything was looked over"
    if told["last_scan"] is not None:
        yield f"last looked over all {_ago(told['last_scan'])}"


def _doing(told: Mapping[str, Any], paused: bool) -> str:
    waiting = count(told["waiting"], "change") + " waiting" if told["waiting"] else ""
    if told["paused"]:
        return "; ".join(filter(None, ("paused", waiting, "`capsa resume` goes on")))
    if told["waits_for"] and told["waiting"]:
        return f"waiting: {told['waits_for']}"
    if "files" not in told:
        if told["stage"] == "idle":
            return waiting or ("everything is indexed" + " but for paused sources" * paused)
        return ", ".join(filter(None, (told["stage"], waiting)))
    chunks = count(told["chunks"], "chunk")
    line = f"{told['stage']} {told['done']:,} of {count(told['files'], 'file')}, {chunks}"
    if told["seconds_left"] is not None:
        line += f", {told['chunks_per_second']:.0f}/s, {show_seconds(told['seconds_left'])} left"
    return line


def _ago(moment: float) -> str:
    return f"{show_seconds(max(0.0, time.time() - moment))} ago"
