"""What else can be asked of the running daemon, beside what it answers itself: other modules as its guests.

To add one: a function in GUESTS, which opens it when the daemon starts.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from .serving.channel import Channel

Record = Mapping[str, Any]
Handler = Callable[[Record, Channel], None]


@dataclass(frozen=True, slots=True)
class Host:
    """What a guest may use, from any thread: ``search`` and ``status`` answer as the daemon's socket does."""

    home: Path
    search: Callable[[Record], dict[str, Any]]
    status: Callable[[], dict[str, Any]]


class Guest(Protocol):
    """Lives as long as the daemon; its handlers are called on threads of their own."""

    @property
    def handlers(self) -> Mapping[str, Handler]:
        """What it can be asked, by the word in ``do``."""

    def close(self) -> None:
        """End its threads; the daemon stops."""


def _texts(host: Host) -> Guest:
    from .answering import Texts

    return Texts(host)


GUESTS: tuple[Callable[[Host], Guest], ...] = (_texts,)
