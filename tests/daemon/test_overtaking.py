"""Files that change during a large run are indexed between two of its files, and that is the last word."""

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from test_following import Folder, fresh_index, indexed

from capsa.daemon import background, background_run
from capsa.daemon.background import Background
from capsa.daemon.background_run import FEW, BackgroundRun
from capsa.daemon.cli import main
from capsa.daemon.overtaking import PORTION, OvertakingRun, portion
from capsa.daemon.pacing import Pacing
from capsa.daemon.quarantine import JOURNAL
from capsa.daemon.report import Report
from capsa.daemon.state import State
from capsa.daemon.watching.changes import Batch, Changes

MANY = FEW + 10
# Files of the large run between two changes.
EACH = 4


class Clock:
    now = 100.0

    def __call__(self) -> float:
        self.now += 60
        return self.now


class Meanwhile:
    """Changes a folder whenever a file of the large run is done, and tells of what it changed."""

    def __init__(self, docs: Path, work: Background) -> None:
        self.folder, self.docs, self.work = Folder(docs, 7), docs, work
        self.times = 0

    def seen(self) -> dict[Path, tuple[int, int]]:
        paths = (path for path in self.docs.rglob("*") if path.is_file())
        return {path: (path.lstat().st_ino, path.lstat().st_mtime_ns) for path in paths}

    def advance(self, chunks: int) -> None:
        self.times += 1
        if self.times % EACH == 0:
            self.change()
        State.advance(self.work.state, chunks)

    def change(self) -> None:
        before = self.seen()
        self.folder.happen(4)
        after = self.seen()
        for path in before.keys() | after.keys():
            if before.get(path) != after.get(path):
                self.work.changes.add(bytes(self.docs), bytes(path), settled=True)


@pytest.fixture
def docs(home: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(MANY):
        (folder / f"{number}.md").write_text(f"The quokka number {number} sleeps.\n")
    assert main(["sources", "add", str(folder)]) == 0
    return folder


@pytest.fixture
def work(home: Path, docs: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Background]:
    monkeypatch.setattr(Pacing, "has_time", True)
    # No file is still being written to.
    monkeypatch.setattr(background, "YOUNG_SECONDS", 0.0)
    made = Background(home, Changes(Clock()), State())
    yield made
    made.close()


@pytest.fixture
def fresh(docs: Path, tmp_path: Path, warm_cache: Path) -> Path:
    folder = tmp_path / "fresh"
    folder.mkdir(mode=0o700)
    shutil.copytree(warm_cache, folder / "cache", copy_function=os.link)
    return folder


class Overtaking(NamedTuple):
    """What has overtaken a run, and what was told of that run's progress then."""

    batch: Batch
    progress: dict[str, Any]


@pytest.fixture
def overtaken(monkeypatch: pytest.MonkeyPatch) -> list[Overtaking]:
    """All that has overtaken a run."""
    seen = []
    run_over = Background._run_over

    def spy(self: Background, run: OvertakingRun, batch: Batch) -> Report:
        report = run_over(self, run, batch)
        seen.append(Overtaking(batch, self.state.to_json()))
        return report

    monkeypatch.setattr(Background, "_run_over", spy)
    return seen


def settle(work: Background) -> None:
    for _ in range(100):
        work.index(work.changes.take(0), frozenset())
    assert (work.problem, work.changes.waiting) == ("", 0)


@pytest.mark.parametrize("rename", [False, True])
def test_whatever_happens_during_a_large_run_the_index_is_a_fresh_one(
    rename: bool,
    work: Background,
    overtaken: list[Overtaking],
    docs: Path,
    home: Path,
    fresh: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(background_run, "FRESH_SECONDS", 0.0)
    if rename:
        # A second run, which finds its old files gone and others with their content.
        work.index(Batch(roots=frozenset([bytes(docs)])), frozenset([bytes(docs)]))
        for number in range(MANY):
            (docs / f"{number}.md").rename(docs / f"moved{number}.md")
            (docs / f"new{number}.md").write_text(f"The wombat number {number} digs.\n")
    meanwhile = Meanwhile(docs, work)
    monkeypatch.setattr(work.state, "advance", meanwhile.advance)
    work.index(Batch(roots=frozenset([bytes(docs)])), frozenset([bytes(docs)]))
    settle(work)
    assert meanwhile.times >= MANY
    assert len(overtaken) >= MANY // EACH // 2
    assert (home / JOURNAL).read_bytes() == b""
    assert indexed(home, docs) == fresh_index(fresh, docs)


def test_what_overtakes_a_run_counts_in_its_progress(
    work: Background,
    overtaken: list[Overtaking],
    docs: Path,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # More than a single worker is given before its first answer.
    (home / "config.toml").write_text("threads = 1\n")
    monkeypatch.setattr(background_run, "OVERTAKING", 14)
    counted = []

    def advance(chunks: int) -> None:
        counted.append(chunks)
        State.advance(work.state, chunks)

    monkeypatch.setattr(work.state, "advance", advance)
    work.index(Batch(roots=frozenset([bytes(docs)])), frozenset([bytes(docs)]))
    told = overtaken[-1].progress
    assert told["files"] == MANY
    # But for those that its workers had already, and whose chunks may have been made by both.
    assert 0 < told["done"] <= told["chunks"]
    assert len(counted) == MANY
    assert MANY <= sum(counted) <= MANY + told["chunks"]


@pytest.mark.parametrize("newest", [0, 7])
def test_what_was_copied_shortly_before_a_large_run_overtakes_it(
    newest: int,
    work: Background,
    overtaken: list[Overtaking],
    docs: Path,
    home: Path,
    fresh: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(background_run, "OVERTAKING", 2 * newest)
    ages = {bytes(path): path.stat().st_ctime_ns for path in docs.iterdir()}
    work.index(Batch(roots=frozenset([bytes(docs)])), frozenset([bytes(docs)]))
    assert [len(each.batch.paths) for each in overtaken] == [newest] * bool(newest)
    first = {path for each in overtaken for path in each.batch.paths}
    oldest = min((ages[path] for path in first), default=time.time_ns())
    assert oldest >= max(ages[path] for path in ages.keys() - first)
    assert work.changes.waiting == 0
    assert indexed(home, docs) == fresh_index(fresh, docs)


def test_the_newest_overtake_first_and_much_that_is_gone_last(tmp_path: Path) -> None:
    files = [tmp_path / str(number) for number in range(PORTION + 2)]
    for number, path in enumerate(files):
        path.touch()
        os.utime(path, (4e9 + number, 4e9 + number))
    there = set(map(bytes, files))
    gone = {bytes(tmp_path / f"gone{number}") for number in range(PORTION + 1)}
    newest = set(map(bytes, files[2:]))
    assert portion(there) == newest
    assert portion(there | {b"/gone"}) == newest | {b"/gone"}
    assert portion(there | gone) == newest
    assert portion(gone) == gone
    assert portion([]) == set()


def test_rules_for_all_files_wait_for_the_end(work: Background, docs: Path, home: Path) -> None:
    def advance(chunks: int) -> None:
        if not (docs / ".capsaignore").exists():
            (docs / ".capsaignore").write_text("1*.md\n")
            work.changes.add(bytes(docs), bytes(docs / ".capsaignore"), settled=True)
        State.advance(work.state, chunks)

    work.state.advance = advance  # type: ignore[method-assign]
    work.index(Batch(roots=frozenset([bytes(docs)])), frozenset([bytes(docs)]))
    settle(work)
    assert not [name for name in indexed(home, docs) if name.startswith("1")]


def test_what_overtakes_and_is_interrupted_comes_again(
    work: Background, docs: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = docs / "late.md"
    check = State.check

    def advance(chunks: int) -> None:
        if not late.exists():
            late.write_text("The zyzzyva is late.\n")
            work.changes.add(bytes(docs), bytes(late), settled=True)
        State.advance(work.state, chunks)

    def interrupted(state: State) -> None:
        if late.exists():
            state.interrupt()
        check(state)

    with monkeypatch.context() as patch:
        patch.setattr(work.state, "advance", advance)
        patch.setattr(State, "check", interrupted)
        work.index(Batch(roots=frozenset([bytes(docs)])), frozenset([bytes(docs)]))
    assert work.changes.waiting >= 1
    work.state.go_on()
    settle(work)
    assert "late.md" in indexed(home, docs)


def test_what_overtakes_and_is_stopped_for_the_battery_leaves_no_old_news(
    work: Background, docs: Path, home: Path, fresh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background_run, "FRESH_SECONDS", 0.0)
    work.index(Batch(roots=frozenset([bytes(docs)])), frozenset([bytes(docs)]))
    (docs / "0.md").rename(docs / "moved.md")
    for number in range(1, MANY):
        (docs / f"{number}.md").write_text(f"The wombat number {number} digs.\n")
    orders = []

    def should_stop(self: Pacing) -> bool:
        """Once, as it is asked for only every few seconds."""
        return bool(orders) and orders.pop()

    def after_the_look(self: BackgroundRun, *args: Any) -> None:
        prepare(self, *args)
        if not (docs / "0.md").exists():
            # Where the large run knows a file that has moved.
            (docs / "0.md").write_bytes(bytes(100))
            work.changes.add(bytes(docs), bytes(docs / "0.md"), settled=True)

    def stopped(self: Background, run: OvertakingRun, batch: Batch) -> Report:
        # What was stopped comes again later.
        monkeypatch.setattr(Pacing, "has_time", False)
        orders.append(True)
        return run_over(self, run, batch)

    run_over, prepare = Background._run_over, BackgroundRun._prepare
    monkeypatch.setattr(Pacing, "_should_stop", should_stop)
    monkeypatch.setattr(Background, "_run_over", stopped)
    monkeypatch.setattr(BackgroundRun, "_prepare", after_the_look)
    work.index(Batch(roots=frozenset([bytes(docs)])), frozenset([bytes(docs)]))
    assert work.changes.waiting
    settle(work)
    assert indexed(home, docs) == fresh_index(fresh, docs)


def test_a_folder_around_another_source_does_not_overtake_that(
    work: Background, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background_run, "FRESH_SECONDS", 0.0)
    outer, inner = tmp_path / "outer", tmp_path / "outer" / "folder" / "inner"
    inner.mkdir(parents=True)
    for number in range(MANY):
        (inner / f"{number}.md").write_text(f"The quokka number {number} sleeps.\n")
    for source in (inner, outer):
        assert main(["sources", "add", str(source)]) == 0
    roots = frozenset([bytes(outer), bytes(inner)])

    def after_the_look(self: BackgroundRun, *args: Any) -> None:
        prepare(self, *args)
        work.changes.add(bytes(outer), bytes(inner.parent), settled=True)

    prepare = BackgroundRun._prepare
    with monkeypatch.context() as patch:
        patch.setattr(BackgroundRun, "_prepare", after_the_look)
        work.index(Batch(roots=roots), roots)
    settle(work)
    assert len(indexed(home, inner)) == MANY
