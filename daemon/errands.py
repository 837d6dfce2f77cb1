"""Work of other modules that the daemon does from time to time: what, how often, and what it is given.

To add some: an Errand in ERRANDS. Each is done soon after the daemon starts, and then so often, on the thread
that indexes; not while capsa is paused, on battery, or while another command writes.
"""

import logging
import random
import sqlite3
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from capsa.chunkers.errors import CapsaError

from .history.following import SECONDS, follow
from .manners import why_wait
from .settings import Settings
from .state import Interrupted, State

logger = logging.getLogger(__name__)

# So long after an errand failed, was interrupted, or had to wait, it is tried again.
RETRY_SECONDS = 60.0
# So long an errand may work although files have changed; then it had better stop.
TURN_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Context:
    """What an errand is given.

    It opens the home's writer itself, no other is open meanwhile, and returns soon once ``should_stop`` says
    so. ``progress`` is told what it does, for ``capsa status``, and may raise Interrupted, which is let pass.
    """

    home: Path
    settings: Settings
    progress: State
    should_stop: Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Errand:
    """Work that recurs. ``name`` says what it does, as "reading browser history"; ``seconds`` how often."""

    name: str
    seconds: float
    run: Callable[[Context], None]


# In the order in which they are done when several are due.
ERRANDS: tuple[Errand, ...] = (Errand("reading browser history", SECONDS, follow),)


class Errands:
    """Does errands when they are due; for one thread."""

    def __init__(self, errands: Sequence[Errand]) -> None:
        self._due = dict.fromkeys(errands, time.monotonic())
        self.problems: dict[str, str] = {}

    @property
    def are_due(self) -> bool:
        """Whether there is one to do."""
        return any(due <= time.monotonic() for due in self._due.values())

    def run(self, context: Context) -> None:
        """Do what is due, unless it had better wait; what goes wrong is told and tried again."""
        must_wait = bool(why_wait(context.home))
        for errand, due in self._due.items():
            if due <= time.monotonic() and not context.should_stop():
                seconds = RETRY_SECONDS if must_wait else self._run_one(errand, context)
                self._due[errand] = time.monotonic() + seconds

    def _run_one(self, errand: Errand, context: Context) -> float:
        """Do one; return the seconds until it is due again, a little more or less than it says."""
        soon = min(errand.seconds, RETRY_SECONDS)
        context.progress.stage(errand.name)
        try:
            errand.run(context)
        except Interrupted:
            return soon
        except (CapsaError, OSError, sqlite3.Error) as error:
            if self.problems.get(errand.name) != str(error):
                logger.error("%s: %s", errand.name, error)
            self.problems[errand.name] = str(error)
            return soon
        finally:
            context.progress.stage("idle")
        self.problems.pop(errand.name, None)
        return errand.seconds * random.uniform(0.9, 1.1)
