"""Many changed paths are looked at in proportion: Python's calls are counted, which nothing disturbs."""

import os
import pstats
from cProfile import Profile
from pathlib import Path

from capsa.daemon.excludes import Excludes
from capsa.daemon.settings import Settings
from capsa.daemon.survey import KnownPaths, Survey, Versions, Walking, add_target
from capsa.daemon.targets import resolve_changed
from capsa.daemon.walk import Limits
from capsa.store.records import Known, Source


def calls_of_looking(folder: Path, count: int) -> int:
    """Return how many calls it takes to see that so many known files are gone."""
    root = os.fsencode(folder)
    paths = [str(folder / f"{number}.md") for number in range(count)]
    files = {os.fsencode(path): Known(1, 1, 1, 1, b"", "indexed", "", "1", False) for path in paths}
    excludes = Excludes(Settings(), bytes(folder / "home"))

    def look() -> Survey:
        survey, known = Survey(), KnownPaths(files)
        walking = Walking(excludes, Limits(10**6, False, set()))
        for target in resolve_changed(paths, [Source(1, root, "folder", 0.0, False)], excludes):
            add_target(survey, target, known, Versions("1", "1", vectors=False), walking)
        return survey

    profile = Profile()
    assert profile.runcall(look).missing == files
    return int(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]  # not in the stubs


def test_a_path_of_many_costs_no_more_than_one_of_few(tmp_path: Path) -> None:
    few, many = (calls_of_looking(tmp_path, count) for count in (50, 400))
    assert many < 1.5 * 8 * few


def test_what_is_below_a_path_is_known_by_whole_names() -> None:
    names = [b"/a", b"/a/b", b"/a/b/c.md", b"/a/b.md", b"/a/bc/d.md", b"/b.md"]
    known = KnownPaths({name: Known(1, 1, 1, 1, b"", "indexed", "", "1", False) for name in names})
    assert list(known.below(b"/a/b")) == [b"/a/b", b"/a/b/c.md"]
    assert list(known.below(b"/a/b.md")) == [b"/a/b.md"]
    assert sorted(known.below(b"/")) == sorted(names)
    assert not known.below(b"/a/none")
