"""What can be asked about an index: requests and records for the page, the MCP server and other programs.

A request names the operation in ``do``; a record names its schema. Documents and chunks go by their ids only.
The daemon's socket answers them too: {"record": …}, or {"error", "code"} with the exit code of the command.
Its status is its own record, and a folder must be named as it is without links.

search    text (or like: a chunk's id), limit, kinds, folder, site, since, until, language, retriever, and of
          visited pages: visited (how often at least), bookmarked, boost; with begun the last word, when no
          document has it, stands for the commonest that begins so
          -> capsa.search/1
read      chunk or document, start, length -> capsa.read/1: a piece of the document's text, and what chunks
          it is made of; ``next`` and ``previous`` are the starts of the pieces beside it
outline   document -> capsa.outline/1: its headings, and where each begins
recent    limit and the filters of a search -> capsa.recent/1: the documents modified last, with the id of
          the first chunk of each
spell     text -> capsa.spelling/1: words that stand in no document, and what is near to them
status    -> capsa.status/1
sources   -> capsa.sources/1
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from capsa.chunkers.errors import UsageError
from capsa.store.reader import Reader

from .beginning import require_index
from .overview import sources_record, status_record
from .passages import Passages
from .searching import FIELDS, Searching, check
from .serving.channel import ask

Record = dict[str, Any]


class Asking:
    """Answers requests over one home; a search is the daemon's when one runs. For one thread."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._searching = Searching(home)
        self._reader: Reader | None = None
        self.operations: Mapping[str, Callable[[Mapping[str, Any]], Record]] = {
            "search": self._search,
            "read": lambda request: self._passages().read(request),
            "recent": self._recent,
            "outline": lambda request: self._passages().outline(_number(request, "document")),
            "spell": lambda request: self._passages().spell(str(request.get("text", ""))),
            "status": lambda _: status_record(self._home),
            "sources": lambda _: sources_record(self._home),
        }

    def close(self) -> None:
        """Let go of the index and the model."""
        self._searching.close()
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def answer(self, request: Mapping[str, Any]) -> Record:
        """Return the record; UsageError for a wrong request, UnavailableError for what is not there."""
        operation = self.operations.get(str(request.get("do")))
        if operation is None:
            raise UsageError(f"nothing known is asked for; known: {', '.join(self.operations)}")
        return operation(request)

    def path_of(self, document_id: int) -> bytes | None:
        """The file that a document is from, None when it has none; UnavailableError when it is gone."""
        return self._passages().document(document_id).path

    def roots(self) -> list[bytes]:
        """The paths of the sources."""
        return self._passages().roots()

    def _search(self, request: Mapping[str, Any]) -> Record:
        wanted = _wanted(request)
        answer = ask(self._home, {"do": "search", **wanted}) or self._searching.answer(wanted)
        record: Record = answer["record"]
        return record

    def _recent(self, request: Mapping[str, Any]) -> Record:
        return self._passages().recent(_wanted(request))

    def _passages(self) -> Passages:
        if self._reader is None:
            require_index(self._home)
            self._reader = Reader.open(self._home)
        return Passages(self._reader, self._home)


def _wanted(request: Mapping[str, Any]) -> Record:
    """What a search is asked by, with the folder as it is without links."""
    wanted = {name: request[name] for name in FIELDS if request.get(name) is not None}
    check(wanted)
    if "folder" in wanted:
        wanted["folder"] = os.path.realpath(os.path.expanduser(wanted["folder"]))
    return wanted


def _number(request: Mapping[str, Any], name: str) -> int:
    value = request.get(name)
    if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 1 << 63:
        return value
    raise UsageError(f"{name}: must be an id that a record gave")
