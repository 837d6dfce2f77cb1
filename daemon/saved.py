"""Saved pages on their way into the index: one file gives any number of documents.

A file is known as done only when all its pages are in the index, so that a stop in between costs no page.
"""

import hashlib
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from capsa.chunkers import wire
from capsa.chunkers.captures.model import Page
from capsa.chunkers.history.times import is_plausible
from capsa.chunkers.model import Chunk
from capsa.store.records import PAGE, Capture, Entry, Recipe

from .candidates import Candidate
from .child import Failure, Outcome, is_sound, load_parsed
from .targets import Target
from .walk import found

if TYPE_CHECKING:
    from capsa.store.records import Plan
    from capsa.store.writer import Writer

SavedPages = Sequence[tuple[Page, Sequence[Chunk]]]


def load_answer(answer: bytes | Failure) -> Outcome | SavedPages:
    """What a parser worker answered: a document, the pages of a file, or a Failure."""
    if isinstance(answer, Failure):
        return answer
    try:
        pages = wire.load_pages(answer)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        return Failure("crash", f"the parser's answer makes no sense: {type(error).__name__}")
    if pages is None:
        return load_parsed(answer)
    if all(_is_sound(page) and is_sound(page.document, chunks) for page, chunks in pages):
        return pages
    return Failure("crash", "the parser's answer makes no sense")


def _is_sound(page: Page) -> bool:
    is_address = isinstance(page.uri, str) and page.uri.isascii() and page.uri.startswith("https://")
    return is_address and isinstance(page.captured, int | None)


@dataclass(slots=True)
class Group:
    """A file whose pages are worked on: all its captures, and how many plans are not committed yet."""

    entry: Entry
    captures: Mapping[str, Capture]
    waiting: int


class Saving:
    """The files with saved pages of one run."""

    def __init__(self, writer: "Writer", recipe: Recipe) -> None:
        self._writer = writer
        self._recipe = recipe
        self._groups: dict[bytes, Group] = {}

    def plan(self, entry: Entry, pages: SavedPages, again: bool) -> list["Plan"]:
        """Return the plans of the pages whose text is to be this file's and is not yet.

        With ``again`` those that are in the index are planned, too.
        """
        assert entry.path is not None
        captures = {page.uri: _capture(page, entry) for page, _ in pages}
        known = {} if again else self._writer.captures.of_file(entry.path)
        plans = [
            self._plan_page(entry, page, chunks, captures[page.uri])
            for page, chunks in pages
            if known.get(page.uri) != captures[page.uri] and self._is_newest(entry.path, page, captures)
        ]
        self._groups[entry.path] = Group(entry, captures, len(plans))
        return plans

    def settle(self, committed: Sequence["Plan"]) -> int:
        """Have the files remembered as done whose pages are all committed; return how many these are."""
        for plan in committed:
            if plan.capture is not None and plan.entry.path is not None:
                self._groups[plan.entry.path].waiting -= 1
        done = [path for path, group in self._groups.items() if not group.waiting]
        groups = [self._groups.pop(path) for path in done]
        self._writer.settle([(group.entry, group.captures) for group in groups], self._recipe.parser_version)
        return len(groups)

    def drop(self, is_overtaken: Callable[[bytes], bool]) -> None:
        """Forget the files of which something newer is in the index."""
        self._groups = {path: group for path, group in self._groups.items() if not is_overtaken(path)}

    def _is_newest(self, path: bytes, page: Page, captures: Mapping[str, Capture]) -> bool:
        return self._writer.captures.is_newest(path, page.uri, captures[page.uri].captured)

    def _plan_page(self, entry: Entry, page: Page, chunks: Sequence[Chunk], capture: Capture) -> "Plan":
        own = replace(entry, uri=page.uri, kind=PAGE, mtime_ns=capture.captured * 1000)
        plan = self._writer.plan(own, page.document, chunks, self._recipe)
        return replace(plan, capture=capture)


def candidates_of(files: Mapping[bytes, int]) -> Iterator[Candidate]:
    """Return what of the files, each with its source, is there to be read again."""
    for path, source_id in files.items():
        try:
            file = found(path, os.lstat(path))
        except OSError:
            continue
        yield Candidate(Target(path, path, source_id), file, None, again=True)


def _capture(page: Page, entry: Entry) -> Capture:
    """A page that does not say when it was saved, or tells nonsense, was saved when its file was written."""
    captured = page.captured
    if captured is None or not is_plausible(captured, time.time_ns() // 1000):
        captured = entry.mtime_ns // 1000
    text = f"{page.document.title}\0{page.document.text}".encode("utf-8", "surrogatepass")
    return Capture(captured, hashlib.blake2b(text, digest_size=16).digest())
