"""Answers for those who ask the daemon: a thread that keeps the index and the model, and one for texts."""

import logging
import queue
import threading
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from capsa.chunkers.errors import CapsaError
from capsa.store.home import database_path

from .asking import Asking
from .guests import Handler, Host
from .searching import Searching
from .serving.channel import Channel

logger = logging.getLogger(__name__)

Asked = tuple[Mapping[str, Any], "Future[dict[str, Any]]"]


class Searcher:
    """Answers one search after the other: a search takes milliseconds, and two would wait for each other."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._asked: queue.SimpleQueue[Asked | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="searching")

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def close(self) -> None:
        """Answer what was asked before, and end."""
        if self._thread.is_alive():
            self._asked.put(None)
            self._thread.join()

    def answer(self, request: Mapping[str, Any], channel: Channel) -> None:
        """Search and send the answer."""
        channel.send(self.search(request))

    def search(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a request, as Searching.answer does; for any thread."""
        future: Future[dict[str, Any]] = Future()
        self._asked.put((request, future))
        return future.result()

    def _work(self) -> None:
        with Searching(self._home) as searching:
            self._warm_up(searching)
            while (asked := self._asked.get()) is not None:
                request, future = asked
                try:
                    future.set_result(searching.answer(request))
                except Exception as error:  # raised again in the thread that waits
                    future.set_exception(error)

    def _warm_up(self, searching: Searching) -> None:
        """Load index and model before the first question."""
        if not database_path(self._home).exists():
            return
        try:
            searching.answer({"text": "warm up"})
        except CapsaError as error:
            logger.warning("%s", error)


class Texts:
    """A guest of the daemon that answers what ``asking.py`` lists beside searches and the status."""

    WORDS = ("read", "recent", "outline", "spell", "sources")

    def __init__(self, host: Host) -> None:
        self._asking = Asking(host.home)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="reading")

    @property
    def handlers(self) -> Mapping[str, Handler]:
        """What it can be asked."""
        return dict.fromkeys(self.WORDS, self._answer)

    def _answer(self, request: Mapping[str, Any], channel: Channel) -> None:
        channel.send({"record": self._thread.submit(self._asking.answer, request).result()})

    def close(self) -> None:
        """Let go of the index and end the thread."""
        self._thread.submit(self._asking.close).result()
        self._thread.shutdown()
