"""What the page can do, by name: what is asked of the index, what it says of its state, what it changes."""

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from capsa.chunkers.errors import CapsaError

from ..asking import Asking
from ..daemon_status import daemon_record
from ..overview import glance
from ..tuning_record import kept_tuning
from . import changes, evaluation, folders, opening

Record = dict[str, Any]
Request = Mapping[str, Any]
T = TypeVar("T")

ASKED = ("search", "read", "outline")
TOLD = ("status", "sources", "recent", "spell")


class Operations:
    """Does them on three threads: nobody who types waits for a figure of the state, or for a change."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._asking, self._telling = Asking(home), Asking(home)
        self._reader, self._teller, self._changer = (
            ThreadPoolExecutor(1, name) for name in ("page-asking", "page-telling", "page-changing")
        )
        self._others: Mapping[str, tuple[ThreadPoolExecutor, Callable[[Path, Request], Record]]] = {
            "pulse": (self._teller, _pulse),
            "tuning": (self._teller, lambda home, _: kept_tuning(home)),
            "folders": (self._teller, folders.list_folders),
            "runs": (self._teller, evaluation.list_runs),
            "open": (self._teller, opening.open_file),
            "reveal": (self._teller, opening.reveal),
            "report": (self._changer, evaluation.make_report),
            **{name: (self._changer, change) for name, change in changes.CHANGES.items()},
        }
        self._reader.submit(self._warm_up)

    @property
    def names(self) -> list[str]:
        """All that ``do`` knows."""
        return [*ASKED, *TOLD, *self._others]

    async def do(self, name: str, request: Request) -> Record:
        """Return the record of the operation; raises CapsaError."""
        if name in ASKED:
            return await _on(self._reader, lambda: self._asking.answer({**request, "do": name}))
        if name in TOLD:
            return await _on(self._teller, lambda: self._telling.answer({**request, "do": name}))
        thread, operation = self._others[name]
        return await _on(thread, lambda: operation(self._home, request))

    async def report(self, run: str) -> bytes:
        """Return a run's report, a page."""
        return await _on(self._teller, lambda: evaluation.read_report(self._home, run))

    def close(self) -> None:
        """Finish what was begun, and let go of the index."""
        self._reader.submit(self._asking.close)
        self._teller.submit(self._telling.close)
        for thread in (self._reader, self._teller, self._changer):
            thread.shutdown()

    def _warm_up(self) -> None:
        """Load the index and the model, or see that the daemon has them, before the first letter is typed."""
        try:
            self._asking.answer({"do": "search", "text": "warm up"})
        except CapsaError:
            return  # the page asks again, and tells


def _pulse(home: Path, _: Request) -> Record:
    """What the background does, and at a glance what it works on."""
    return {"daemon": daemon_record(home), **glance(home)}


async def _on(thread: ThreadPoolExecutor, work: Callable[[], T]) -> T:
    return await asyncio.get_running_loop().run_in_executor(thread, work)
