"""What large work asks while it goes on: whether to stop for something better; and that it rests."""

import time
from pathlib import Path

from .background_run import FEW
from .manners import why_wait
from .presence import Presence
from .settings import Settings
from .state import State
from .watching.changes import Changes

# How often it asks whether it should wait for the mains.
ASK_SECONDS = 10.0
# So long at least it goes on between two times that it stops for a few files that have changed: the walk to
# where it was costs something.
ASIDE_SECONDS = 30.0
# The most that it rests at a time while somebody is at the keyboard; else as long as it worked.
REST_SECONDS = 2.0


class Pacing:
    """Judges for one run after the other; for the thread that works.

    ``stepped_aside`` tells that the last one was stopped for a few files that have changed meanwhile.
    """

    def __init__(self, home: Path, changes: Changes, state: State, presence: Presence | None = None) -> None:
        self._home = home
        self._changes = changes
        self._state = state
        self._presence = presence or Presence()
        self._yields = False
        self._rested_at = self._ask_at = self._aside_at = 0.0
        self.stepped_aside = False

    def begin(self, settings: Settings, is_large: bool) -> None:
        """A run begins; only a large one is asked to make way."""
        now = time.monotonic()
        self._yields = settings.slower_while_active
        self._rested_at, self._ask_at, self.stepped_aside = now, now + ASK_SECONDS, False
        if is_large:
            self._state.attend(self._should_stop, self._rest)
        else:
            self._state.attend()

    def begin_finishing(self, settings: Settings) -> None:
        """Documents are finished, which looks for changes by itself."""
        self.begin(settings, is_large=False)
        self._state.attend(after_file=self._rest)

    def _should_stop(self) -> bool:
        now = time.monotonic()
        if now >= self._aside_at and self._changes.few_are_due(FEW):
            self.stepped_aside, self._aside_at = True, now + ASIDE_SECONDS
            return True
        if now < self._ask_at:
            return False
        self._ask_at = now + ASK_SECONDS
        return bool(why_wait(self._home))

    def _rest(self) -> None:
        """Rest as long as was worked since the last rest, while somebody is at the keyboard."""
        if self._yields and self._presence.is_active():
            self._state.rest(min(time.monotonic() - self._rested_at, REST_SECONDS))
        self._rested_at = time.monotonic()
