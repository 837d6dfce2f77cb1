"""Which chunks have a word: read from the keyword index once and kept until the index changes.

Of a word that stands in very many, only how many is wanted: it is told from samples of its list.
"""

import sqlite3
from functools import cached_property

from .columns import Ids, read_columns

# Ids that are kept: 16 MB.
KEPT = 2_000_000
# A list is sampled at so many places, since documents of one subject lie together, so many ids at each.
PLACES = 4
SAMPLE = 500
# A word of more chunks than this, by its samples, is counted by them: a list takes 0.15 ms a thousand, and
# of so common a word it is hardly ever wanted.
COUNTED = 20_000
# Samples take as long as a list of 2,000 ids: they pay where the middle word of a question has many more.
LARGE = 300_000


class Postings:
    """Chunk ids by FTS5 expression."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._ids: dict[str, Ids] = {}
        self._guesses: dict[str, int] = {}

    def ids(self, expression: str) -> Ids:
        """Return the ids of the chunks that match, ascending."""
        if expression not in self._ids:
            found = self._read(expression)
            if len(found) + sum(map(len, self._ids.values())) > KEPT:
                self._ids.clear()
            self._ids[expression] = found
        return self._ids[expression]

    def count(self, word: str) -> int:
        """Return in how many chunks the word stands, by samples where there are very many."""
        expression = f'"{word}"'
        if expression not in self._ids and self._last > LARGE:
            if expression not in self._guesses:
                self._guesses[expression] = self._guess(expression)
            if self._guesses[expression] > COUNTED:
                return self._guesses[expression]
        # The ids are what a search asks for next.
        return len(self.ids(expression))

    @cached_property
    def _last(self) -> int:
        """The highest id of a chunk."""
        return int(self._connection.execute("SELECT max(id) FROM chunks").fetchone()[0] or 0)

    def _guess(self, expression: str) -> int:
        """Return about how many, without the densest place: there one book may use the word on every page."""
        width = self._last // PLACES + 1
        parts = [self._guess_between(expression, start, width) for start in range(0, self._last, width)]
        return round((sum(parts) - max(parts)) * PLACES / (PLACES - 1))

    def _guess_between(self, expression: str, start: int, width: int) -> float:
        """Count ids after ``start``, and take the rest of the width to be as dense."""
        found, last = self._connection.execute(
            "SELECT count(*), max(rowid) FROM (SELECT rowid FROM keywords WHERE keywords MATCH ?"
            " AND rowid > ? AND rowid <= ? LIMIT ?)",
            (expression, start, start + width, SAMPLE),
        ).fetchone()
        return float(found) if found < SAMPLE else SAMPLE * width / (last - start)

    def _read(self, expression: str) -> Ids:
        query = "SELECT group_concat(rowid, ' ') FROM keywords WHERE keywords MATCH ?"
        return read_columns(self._connection, query, (expression,))[0]
