"""What large work asks while it goes on: whether to wait for better times; and that it rests."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .manners import why_wait
from .presence import Presence
from .settings import Settings
from .state import State

# How often it asks whether it should wait for the mains.
ASK_SECONDS = 10.0
# The most that it rests at a time while somebody is at the keyboard; else as long as it worked.
REST_SECONDS = 2.0


class Pacing:
    """Judges for one run after the other; for the thread that works."""

    def __init__(self, home: Path, state: State, presence: Presence | None = None) -> None:
        self._home = home
        self._state = state
        self._presence = presence or Presence()
        self._yields = False
        self._rested_at = self._ask_at = self._own_until = 0.0

    def begin(self, settings: Settings, is_large: bool) -> None:
        """A run begins; only a large one is asked to make way."""
        now = time.monotonic()
        self._yields = settings.slower_while_active
        self._rested_at, self._ask_at, self._own_until = now, now + ASK_SECONDS, now
        if is_large:
            self._state.attend(self._should_stop, self._rest)
        else:
            self._state.attend()

    def begin_finishing(self, settings: Settings) -> None:
        """Documents are finished, which looks for changes by itself."""
        self.begin(settings, is_large=False)
        self._state.attend(after_file=self._rest)

    @property
    def has_time(self) -> bool:
        """Whether the run can stand still for what has changed meanwhile: for half of the time at most."""
        return time.monotonic() >= self._own_until

    @contextmanager
    def taking_time(self) -> Iterator[None]:
        """Something else is done while the run stands still."""
        began = time.monotonic()
        yield
        ended = time.monotonic()
        self._own_until = 2 * ended - began
        # That was no work of the run, after which it would have to rest.
        self._rested_at += ended - began

    def _should_stop(self) -> bool:
        now = time.monotonic()
        if now < self._ask_at:
            return False
        self._ask_at = now + ASK_SECONDS
        return bool(why_wait(self._home))

    def _rest(self) -> None:
        """Rest as long as was worked since the last rest, while somebody is at the keyboard."""
        if self._yields and self._presence.is_active():
            self._state.rest(min(time.monotonic() - self._rested_at, REST_SECONDS))
        self._rested_at = time.monotonic()
