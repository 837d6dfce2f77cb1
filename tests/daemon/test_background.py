"""The manners of the work in the background, and what its status tells."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from capsa.chunkers.errors import StoreError
from capsa.daemon import background, background_run, manners, pacing, workshop
from capsa.daemon.background import YOUNG_AT_MOST, Background
from capsa.daemon.background_run import FEW
from capsa.daemon.cli import main
from capsa.daemon.daemon_status import daemon_lines
from capsa.daemon.encoder import find_encoder
from capsa.daemon.pool import Task
from capsa.daemon.presence import Presence
from capsa.daemon.quarantine import Journal
from capsa.daemon.settings import Settings
from capsa.daemon.state import Interrupted, State
from capsa.daemon.survey import Candidate
from capsa.daemon.watching.changes import Batch, Changes
from capsa.store.reader import Reader


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def docs(home: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "first.md").write_text("The quokka sleeps.\n")
    assert main(["sources", "add", str(folder)]) == 0
    return folder


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def work(home: Path, docs: Path, clock: Clock) -> Iterator[Background]:
    background = Background(home, Changes(clock), State())
    yield background
    background.close()


def whole(docs: Path) -> Batch:
    return Batch(frozenset(), frozenset([bytes(docs)]))


def is_found(capsys: pytest.CaptureFixture[str]) -> bool:
    code = main(["search", '"quokka"', "--retriever", "bm25", "--fail-on-empty"])
    capsys.readouterr()
    return code == 0


def is_indexed(home: Path, path: Path) -> bool:
    with Reader.open(home) as reader:
        return any(bytes(path) in reader.known(source.id) for source in reader.sources())


def test_a_whole_look_is_remembered(work: Background, docs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    work.index(whole(docs), frozenset([bytes(docs)]))
    assert is_found(capsys)
    assert work.last_scan is not None
    assert (work.problem, work.changes.waiting) == ("", 0)


def test_what_is_large_waits_for_the_mains_and_an_edit_does_not(
    work: Background, docs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(background, "why_wait", lambda home: "on battery (50 %)")
    work.index(whole(docs), frozenset([bytes(docs)]))
    assert not is_found(capsys)
    assert work.waits_for == "on battery (50 %)"
    assert work.changes.waiting == 1
    many = Batch(frozenset(bytes(docs / str(number)) for number in range(FEW + 1)))
    work.index(many, frozenset())
    assert work.changes.waiting == FEW + 2
    assert work.finish(lambda: False)
    os.utime(docs / "first.md", (0, 0))
    work.index(Batch(frozenset([bytes(docs / "first.md")])), frozenset())
    assert is_found(capsys)


def test_a_large_run_stops_when_the_mains_are_gone(
    work: Background, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "why_wait", lambda home: "")
    monkeypatch.setattr(pacing, "why_wait", lambda home: "on battery (50 %)")
    monkeypatch.setattr(pacing, "ASK_SECONDS", 0.0)
    for number in range(5):
        (docs / f"{number}.md").write_text("The quokka sleeps.\n")
    work.index(whole(docs), frozenset([bytes(docs)]))
    assert work.last_scan is None
    assert work.changes.waiting == 1


def test_what_fails_as_a_whole_is_told_and_tried_again(
    work: Background,
    docs: Path,
    monkeypatch: pytest.MonkeyPatch,
    clock: Clock,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def refuse(self: object, shrinks: bool) -> None:
        raise StoreError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr("capsa.store.writer.Writer._need_space", refuse)
        work.index(whole(docs), frozenset([bytes(docs)]))
    assert work.problem == "the disk is full"
    assert not is_found(capsys)
    clock.now += 60
    work.index(work.changes.take(0), frozenset([bytes(docs)]))
    assert work.problem == ""
    assert is_found(capsys)


def test_a_file_that_is_being_written_comes_again_later(
    work: Background, docs: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "YOUNG_SECONDS", 3600.0)
    (docs / "young.md").write_text("Half of")
    work.index(Batch(frozenset([bytes(docs / "young.md")])), frozenset())
    assert work.changes.waiting == 1
    clock.now += 3600
    assert work.changes.take(0).paths == {bytes(docs / "young.md")}


def test_a_file_that_is_always_being_written_is_indexed_whatever_else_changes(
    work: Background, docs: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "YOUNG_SECONDS", 3600.0)
    monkeypatch.setattr(background, "time", SimpleNamespace(time=time.time, monotonic=clock))
    log, other = docs / "log.md", docs / "other.md"
    log.write_text("The quokka was seen.\n")
    for path in (log, other):
        work.index(Batch(frozenset([bytes(path)])), frozenset())
        clock.now += YOUNG_AT_MOST / 2
    assert work.changes.waiting == 1
    work.index(Batch(frozenset([bytes(log)])), frozenset())
    assert is_indexed(work.home, log)


def test_a_file_whose_writer_has_closed_it_does_not_wait(
    work: Background, docs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (docs / "first.md").write_text("The quokka sleeps in the heather.\n")
    path = frozenset([bytes(docs / "first.md")])
    work.index(Batch(path, settled=path), frozenset())
    assert work.changes.waiting == 0
    assert is_found(capsys)


def test_a_few_files_overtake_large_work(
    work: Background, docs: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(FEW + 5):
        (docs / f"{number}.md").write_text(f"The quokka number {number} sleeps.\n")
    late = docs / "late.md"
    runs: list[list[str]] = []
    index = background.BackgroundRun.index

    def spy(run: Any, names: list[str]) -> Any:
        runs.append(names)
        return index(run, names)

    def advance(chunks: int) -> None:
        if not late.exists():
            late.write_text("The zyzzyva is late.\n")
            work.changes.add(bytes(docs), bytes(late), settled=True)
            clock.now += 10
        State.advance(work.state, chunks)

    monkeypatch.setattr(background_run, "FRESH_SECONDS", 0.0)
    monkeypatch.setattr(background.BackgroundRun, "index", spy)
    monkeypatch.setattr(work.state, "advance", advance)
    work.index(whole(docs), frozenset([bytes(docs)]))
    assert runs == [[str(docs)], [str(late)]]
    assert work.changes.waiting == 0
    assert work.last_scan is not None
    with Reader.open(work.home) as reader:
        assert reader.counts().documents == FEW + 7


def test_the_newest_files_are_read_first(
    work: Background, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    follow, order = Journal.follow, []

    def spy(journal: Journal, candidates: Sequence[Candidate]) -> Iterator[Candidate]:
        order.extend(os.path.basename(each.file.path) for each in candidates)
        return follow(journal, candidates)

    monkeypatch.setattr(Journal, "follow", spy)
    for name, age in (("a.md", 300), ("b.md", -100), ("c.md", 200), ("d.md", -200)):
        (docs / name).write_text("The quokka sleeps.\n")
        moment = time.time() - age
        os.utime(docs / name, (moment, moment))
    work.index(whole(docs), frozenset([bytes(docs)]))
    assert order[:2] == [b"d.md", b"b.md"]


def test_the_worker_and_the_model_are_kept_for_the_next_change(
    work: Background, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def index(text: str) -> tuple[Any, Any]:
        (docs / "first.md").write_text(text)
        os.utime(docs / "first.md", (1, len(text)))
        work.index(Batch(frozenset([bytes(docs / "first.md")])), frozenset())
        return work.workshop._pool, work.workshop._embedder

    first = index("The quokka sleeps.\n")
    assert all(first)
    assert index("The quokka sleeps in the heather.\n") == first
    work.get_ready()
    assert work.workshop.is_open
    monkeypatch.setattr(workshop, "KEPT_SECONDS", 0.0)
    work.get_ready()
    assert not work.workshop.is_open
    assert index("The quokka wakes up.\n") != first


def test_a_worker_that_grew_or_was_given_up_is_not_kept(
    work: Background, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, encoder = Settings(), find_encoder(home)
    work.get_ready()
    assert work.workshop.is_open
    with work.workshop.lend_pool(settings, encoder) as pool:
        next(pool.ask([Task(number, "a.md", b"Words.\n") for number in range(3)]))
    assert not work.workshop.is_open
    monkeypatch.setattr(workshop, "KEPT_BYTES", 1 << 20)
    work.workshop.get_ready(settings, encoder)
    assert not work.workshop.is_open


@pytest.mark.parametrize(("setting", "rests"), [(True, 3), (False, 0)])
def test_large_work_rests_while_somebody_is_at_the_keyboard(
    setting: bool, rests: int, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, taken = State(), []
    monkeypatch.setattr(state, "rest", taken.append)
    here = pacing.Pacing(home, state, Presence([lambda: 0.0]))
    here.begin(Settings(slower_while_active=setting), is_large=True)
    for _ in range(3):
        state.advance(1)
    here.begin(Settings(slower_while_active=setting), is_large=False)
    state.advance(1)
    assert len(taken) == rests
    assert all(0 <= seconds <= pacing.REST_SECONDS for seconds in taken)


def test_a_rest_ends_when_the_run_is_wanted_to_stop() -> None:
    state = State()
    state.interrupt()
    began = time.monotonic()
    state.rest(600.0)
    assert time.monotonic() - began < 300


def test_an_interrupted_run_keeps_what_it_was_to_do(work: Background, docs: Path) -> None:
    work.state.interrupt()
    work.index(whole(docs), frozenset([bytes(docs)]))
    assert work.changes.waiting == 1
    assert work.last_scan is None


def test_a_state_stops_runs_until_it_is_told_otherwise() -> None:
    state = State()
    state.start(2)
    state.advance(3)
    state.interrupt()
    with pytest.raises(Interrupted):
        state.advance(0)
    state.go_on()
    state.advance(0)
    state.end()
    state.go_on()
    with pytest.raises(Interrupted):
        state.advance(0)
    assert (state.to_json()["done"], state.to_json()["chunks"]) == (4, 3)


@pytest.fixture
def plugged(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The machine as psutil tells of it."""
    told: dict[str, Any] = {"battery": None, "memory": 8 << 30}
    monkeypatch.setattr(psutil, "sensors_battery", lambda: told["battery"], raising=False)
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=told["memory"]))
    return told


def test_when_to_wait(plugged: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert manners.why_wait(tmp_path) == ""
    plugged["battery"] = SimpleNamespace(power_plugged=True, percent=20.0)
    assert manners.why_wait(tmp_path) == ""
    plugged["battery"] = SimpleNamespace(power_plugged=False, percent=81.6)
    assert manners.why_wait(tmp_path) == "on battery (82 %)"
    plugged.update(battery=None, memory=1 << 20)
    assert "of memory are free" in manners.why_wait(tmp_path)
    plugged["memory"] = 8 << 30
    monkeypatch.setattr(manners.shutil, "disk_usage", lambda path: SimpleNamespace(free=1 << 20))
    assert "of disk are free" in manners.why_wait(tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="reads what Linux tells of a process")
def test_a_gentle_process_has_the_lowest_classes() -> None:
    look = (
        "from capsa.daemon.manners import LAST, make_way; make_way(LAST);"
        "import os, psutil; me = psutil.Process();"
        "print(os.sched_getscheduler(0) == os.SCHED_IDLE, me.nice())"
    )
    words = [sys.executable, "-c", look]
    done = subprocess.run(words, capture_output=True, text=True, check=True, start_new_session=True)
    assert done.stdout.split() == ["True", "19"]


@pytest.mark.skipif(not Path("/proc/self/autogroup").exists(), reason="no sessions that share the processor")
@pytest.mark.parametrize(("own", "nice"), [(True, "19"), (False, "0")])
def test_a_gentle_process_lowers_its_session_and_no_other(own: bool, nice: str) -> None:
    look = (
        "from capsa.daemon.manners import LAST, make_way; make_way(LAST);"
        "print(open('/proc/self/autogroup').read())"
    )
    words = [sys.executable, "-c", look]
    if not own:
        words = [sys.executable, "-c", f"import subprocess; subprocess.run({words!r}, check=True)"]
    done = subprocess.run(words, capture_output=True, text=True, check=True, start_new_session=True)
    assert done.stdout.split()[-1:] in ([], [nice])


TOLD = {
    "pid": 7,
    "paused": False,
    "waiting": 0,
    "watches": [{"path": "/docs", "state": "watched", "reason": ""}],
    "losses": 0,
    "last_scan": None,
    "problem": "",
    "waits_for": "",
    "stage": "idle",
}


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({}, "background: everything is indexed (process 7)"),
        ({"waiting": 2, "stage": "starting"}, "background: starting, 2 changes waiting (process 7)"),
        ({"stage": "looking"}, "background: looking (process 7)"),
        ({"paused": True}, "background: paused; `capsa resume` goes on (process 7)"),
        (
            {"waits_for": "on battery (5 %)", "waiting": 1},
            "background: waiting: on battery (5 %) (process 7)",
        ),
        ({"problem": "disk full"}, "PROBLEM: disk full"),
        ({"losses": 2}, "lost events 2 times, each time everything was looked over"),
        (
            {"watches": [{"path": "/net", "state": "polled", "reason": "on nfs"}]},
            "/net: polled, on nfs",
        ),
        (
            {
                "stage": "indexing",
                "files": 10,
                "done": 4,
                "chunks": 80,
                "chunks_per_second": 20.0,
                "seconds_left": 6.0,
            },
            "background: indexing 4 of 10 files, 80 chunks, 20/s, 6 s left (process 7)",
        ),
    ],
)
def test_the_status_for_people(changes: dict[str, Any], line: str) -> None:
    assert line in list(daemon_lines(TOLD | changes))


def test_the_status_tells_when_all_was_looked_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("capsa.daemon.daemon_status.time", SimpleNamespace(time=lambda: 1065.0))
    assert "last looked over all 1:05 min ago" in list(daemon_lines(TOLD | {"last_scan": 1000.0}))


def test_the_status_tells_of_no_daemon_too(docs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status"]) == 0
    assert capsys.readouterr().out.startswith("background: not running")
    assert main(["status", "--watch", "--json"]) == 2


def test_the_vector_file_is_not_written_at_every_edit(
    home: Path,
    work: Background,
    docs: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def index(text: str) -> list[str]:
        (docs / "first.md").write_text(text)
        os.utime(docs / "first.md", (1, len(text)))
        work.index(Batch(frozenset([bytes(docs / "first.md")])), frozenset())
        return sorted(path.name for path in home.glob("vectors.*.faiss"))

    monkeypatch.setattr(background, "PUBLISHED_BYTES_PER_SECOND", 1e-3)
    written = index("The quokka sleeps.\n")
    assert len(written) == 1
    assert not work.owes_publishing
    assert index("The quokka sleeps in the heather.\n") == written
    assert is_found(capsys)
    work._publish_at = 0.0
    assert work.owes_publishing
    work.publish()
    assert sorted(path.name for path in home.glob("vectors.*.faiss")) != written
    assert not work.owes_publishing


def test_what_was_left_out_is_wiped_at_once(
    home: Path, work: Background, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (docs / "secret.md").write_text("The zyxcanarium sleeps.\n")
    os.utime(docs / "secret.md", (1, 1))
    work.index(whole(docs), frozenset([bytes(docs)]))
    work._publish_at = float("inf")
    (docs / ".capsaignore").write_text("secret.md\n")
    work.index(whole(docs), frozenset([bytes(docs)]))
    kept = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert b"yxcanarium" not in kept
