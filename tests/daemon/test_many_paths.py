"""Many changed paths are looked at in proportion: Python's calls are counted, which nothing disturbs."""

import os
import pstats
from cProfile import Profile
from pathlib import Path

from capsa.daemon.looking import Look, Looking
from capsa.daemon.settings import Settings
from capsa.daemon.targets import resolve_changed
from capsa.daemon.walk import file_uri
from capsa.store.records import Entry
from capsa.store.writer import Writer


def calls_of_looking(folder: Path, count: int) -> int:
    """Return how many calls it takes to see that so many known files are gone."""
    root, home = folder / "docs", folder / "home"
    root.mkdir(parents=True)
    paths = [root / f"{number}.md" for number in range(count)]
    with Writer.open(home) as writer:
        source = writer.add_source(bytes(root)).id
        for path in paths:
            entry = Entry(bytes(path), file_uri(bytes(path)), source, "markdown", 1, 1, 1, 1, b"")
            writer.record_failure(entry, "failed", "damaged", "", "1")

    def look() -> Look:
        return Looking(home, Settings(), resolve_changed, lambda: False).look(
            [os.fspath(path) for path in paths]
        )

    profile = Profile()
    assert profile.runcall(look).survey.missing.keys() == {bytes(path) for path in paths}
    return int(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]  # not in the stubs


def test_a_path_of_many_costs_no_more_than_one_of_few(tmp_path: Path) -> None:
    few, many = (calls_of_looking(tmp_path / str(count), count) for count in (50, 400))
    assert many < 1.5 * 8 * few
