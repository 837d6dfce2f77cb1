"""Groups of a grid that were done before: a run of the same again copies them in place of measuring anew."""

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from .cache import open_kept
from .grid import Group
from .provenance import fingerprint

# Groups of other code are never asked for again; the newest stay, at 30 to 300 kB each.
KEPT = 300
_SCHEMA = "create table if not exists groups (id integer primary key, key text unique, done blob)"
# What shapes the rows of a group beside its set and chunking, by its name in a run's record.
_SHAPING = ("models", "code_sha256", "versions", "seed")
_CONFIGURED = ("retrievers", "scopes", "codes")


class KeptGroups:
    """The rows and records of groups by all that shapes them: documents, questions, options, models, code."""

    def __init__(self, home: Path, description: Mapping[str, Any], anew: bool = False) -> None:
        """Open the home's file for a run with that description (see ``describe``).

        ``anew`` finds nothing, and what is done then takes the place of what was kept.
        """
        self._connection = open_kept(home / "eval" / "groups.sqlite", _SCHEMA)
        configured = {name: description["configuration"][name] for name in _CONFIGURED}
        self._shared = {name: description[name] for name in _SHAPING} | configured
        self._anew = anew
        self._sets = {each["name"]: each for each in description["sets"]}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def get(self, group: Group) -> tuple[str, list[dict[str, Any]]] | None:
        """Return the group's rows as CSV and the records of its cells, None when it was not done before."""
        if self._anew:
            return None
        found = self._connection.execute("select done from groups where key = ?", [self._key(group)])
        row = found.fetchone()
        if row is None:
            return None
        done = json.loads(zlib.decompress(row[0]))
        return done["rows"], done["cells"]

    def put(self, group: Group, rows: str, cells: Sequence[Mapping[str, Any]]) -> None:
        """Keep a group; the oldest make room."""
        done = zlib.compress(json.dumps({"rows": rows, "cells": cells}).encode(), 1)
        with self._connection:
            self._connection.execute(
                "insert or replace into groups (key, done) values (?, ?)", [self._key(group), done]
            )
            self._connection.execute(
                "delete from groups where id <= (select max(id) from groups) - ?", [KEPT]
            )

    def _key(self, group: Group) -> str:
        own = {"set": self._sets[group.questions.name], "chunking": asdict(group.chunking)}
        return fingerprint(self._shared | own)
