"""What watchdog does not tell: lost events, folders above the limit, dead threads, changes made elsewhere."""

import logging
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from capsa.chunkers.errors import UnavailableError
from capsa.daemon.watching import heartbeat, mounts, observing
from capsa.daemon.watching.mounts import file_system, is_remote, refuse_share
from capsa.daemon.watching.observing import Observing, Watch, count_folders, count_watches


class Told:
    """What the observer told; complete when a marker has come through, which events before it have too."""

    def __init__(self) -> None:
        self.paths: set[bytes] = set()
        self.settled: set[bytes] = set()
        self.losses = 0

    def add(self, root: bytes, path: bytes, settled: bool) -> None:
        self.paths.add(path)
        if settled:
            self.settled.add(path)

    def lost(self) -> None:
        self.losses += 1

    def has(self, path: Path) -> bool:
        end = time.monotonic() + 240
        while time.monotonic() < end:
            if bytes(path) in self.paths:
                return True
            time.sleep(0.01)
        return False


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def observer(told: Told, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Observing]:
    running = Observing(told.add, told.lost, tmp_path_factory.mktemp("home") / "pulse")
    yield running
    running.close()
    assert not [thread for thread in threading.enumerate() if "inotify" in type(thread).__module__]


def test_changes_of_every_kind_are_told(observer: Observing, told: Told, tmp_path: Path) -> None:
    observer.watch([bytes(tmp_path)])
    assert observer.watches == {bytes(tmp_path): Watch("watched")}
    (tmp_path / "new.md").write_text("x")
    assert told.has(tmp_path / "new.md")
    (tmp_path / "new.md").rename(tmp_path / "moved.md")
    assert told.has(tmp_path / "moved.md")
    (tmp_path / "sub").mkdir()
    assert told.has(tmp_path / "sub")
    (tmp_path / "moved.md").unlink()
    (tmp_path / "ö\udcff.md").write_text("x")
    assert told.has(tmp_path / "ö\udcff.md")
    assert observer.is_well()


def test_reading_is_no_change(observer: Observing, told: Told, tmp_path: Path) -> None:
    (tmp_path / "old.md").write_text("x")
    observer.watch([bytes(tmp_path)])
    (tmp_path / "old.md").read_text()
    list(tmp_path.iterdir())
    (tmp_path / "marker").touch()
    assert told.has(tmp_path / "marker")
    assert bytes(tmp_path / "old.md") not in told.paths


def test_roots_come_and_go(observer: Observing, told: Told, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    observer.watch([bytes(one), bytes(two)])
    observer.watch([bytes(two)])
    (one / "unseen").touch()
    (two / "seen").touch()
    assert told.has(two / "seen")
    assert bytes(one / "unseen") not in told.paths
    assert list(observer.watches) == [bytes(two)]


def test_a_single_file_is_a_root_too(observer: Observing, told: Told, tmp_path: Path) -> None:
    (tmp_path / "one.md").write_text("x")
    observer.watch([bytes(tmp_path / "one.md")])
    (tmp_path / "one.md").write_text("y")
    assert told.has(tmp_path / "one.md")


def test_a_root_that_is_away_is_offline_until_it_is_back(observer: Observing, tmp_path: Path) -> None:
    root = tmp_path / "disk"
    observer.watch([bytes(root)])
    assert observer.watches[bytes(root)].state == "offline"
    assert observer.is_well()
    root.mkdir()
    assert not observer.is_well()
    observer.watch([bytes(root)])
    assert observer.watches[bytes(root)].state == "watched"
    root.rmdir()
    assert not observer.is_well()
    observer.watch([bytes(root)])
    assert observer.watches[bytes(root)].state == "offline"


def test_lost_events_are_noticed(observer: Observing, told: Told, tmp_path: Path) -> None:
    observer.watch([bytes(tmp_path)])
    logging.getLogger("watchdog.observers.inotify_c").warning(
        "Inotify queue overflowed; filesystem events were lost"
    )
    assert told.losses == 1


@pytest.mark.parametrize("kind", ["InotifyEmitter", "InotifyFD", "InotifyObserver"])
@pytest.mark.skipif(sys.platform != "linux", reason="inotify's threads")
def test_a_dead_thread_is_noticed_and_replaced(
    kind: str, observer: Observing, told: Told, tmp_path: Path
) -> None:
    observer.watch([bytes(tmp_path)])
    assert observer.is_well()
    for thread in threading.enumerate():
        if type(thread).__name__ == kind:
            thread.stop()  # type: ignore[attr-defined]
            thread.join()
    assert not observer.is_well()
    observer.watch([bytes(tmp_path)])
    assert observer.is_well()
    (tmp_path / "new.md").write_text("x")
    assert told.has(tmp_path / "new.md")


class Stuck(Told):
    """Takes the first change and does not come back until it is released."""

    def __init__(self) -> None:
        super().__init__()
        self.entered = threading.Event()
        self.released = threading.Event()

    def add(self, root: bytes, path: bytes, settled: bool) -> None:
        if not self.entered.is_set():
            self.entered.set()
            assert self.released.wait(240)
        super().add(root, path, settled)


@pytest.fixture
def stuck(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Observing, Stuck]]:
    """Something that watches a folder and hangs, which has been noticed."""
    monkeypatch.setattr(heartbeat, "EVERY_SECONDS", 0.0)
    monkeypatch.setattr(heartbeat, "LATE_SECONDS", 0.0)
    monkeypatch.setattr(observing, "PATIENCE_SECONDS", 0.1)
    told = Stuck()
    running = Observing(told.add, told.lost, tmp_path / "home" / "pulse")
    root = tmp_path / "root"
    root.mkdir()
    running.watch([bytes(root)])
    (root / "first.md").write_text("x")
    assert told.entered.wait(240)
    running.beat()
    while running.is_well():
        time.sleep(0.01)
    yield running, told
    told.released.set()
    running.close()
    left = [thread for thread in threading.enumerate() if "inotify" in type(thread).__module__]
    for thread in left:
        thread.join(240)


def test_a_watcher_that_hangs_is_left_behind_and_replaced(
    stuck: tuple[Observing, Stuck], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    running, told = stuck
    root = tmp_path / "root"
    running.watch([bytes(root)])
    assert running.is_well()
    assert running.watches == {bytes(root): Watch("watched")}
    assert "hangs" in caplog.text
    assert "left behind" in caplog.text
    (root / "second.md").write_text("x")
    assert told.has(root / "second.md")
    assert bytes(root / "first.md") not in told.paths


def test_when_watchers_hang_again_and_again_all_is_polled(
    stuck: tuple[Observing, Stuck], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(observing, "MOST_HANGS", 1)
    running, _ = stuck
    root = bytes(tmp_path / "root")
    running.watch([root])
    assert running.watches[root].state == "polled"
    assert "hung once" in running.watches[root].reason
    assert running.polled() == [root]
    running.beat()
    assert running.is_well()


def test_sources_change_though_the_watcher_hangs(stuck: tuple[Observing, Stuck], tmp_path: Path) -> None:
    running, told = stuck
    other = tmp_path / "other"
    other.mkdir()
    running.watch([bytes(other)])
    assert running.watches == {bytes(other): Watch("watched")}
    (other / "new.md").write_text("x")
    assert told.has(other / "new.md")


def test_beats_come_through(observer: Observing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heartbeat, "LATE_SECONDS", 0.0)
    observer.watch([bytes(tmp_path)])
    observer.beat()
    while not observer.is_well():
        time.sleep(0.01)
    assert [path.name for path in observer._pulse.iterdir()] == ["beat"]


def test_a_beat_is_missed_only_when_nothing_came_for_long(tmp_path: Path) -> None:
    now = [1000.0]
    made = heartbeat.Heartbeat(tmp_path / "pulse", lambda: now[0])
    assert not made.is_missed()
    made.beat()
    now[0] += heartbeat.LATE_SECONDS
    assert not made.is_missed()
    now[0] += 1
    assert made.is_missed()
    made.beat()
    assert made.is_missed()
    # Any event proves that events come through.
    made.hear()
    assert not made.is_missed()
    shutil.rmtree(made.folder)
    made.beat()
    now[0] += 1000
    assert not made.is_missed()


@pytest.mark.skipif(sys.platform != "linux", reason="counts inotify's watches")
def test_every_folder_is_watched_and_counted(observer: Observing, tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / str(number) / "deep").mkdir(parents=True)
    observer.watch([bytes(tmp_path)])
    assert count_folders(bytes(tmp_path)) == 41
    # One more is that of the folder in which the watcher is proved.
    assert count_watches() == 42


def test_what_is_above_the_limit_is_polled_and_told(
    observer: Observing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        (tmp_path / str(number)).mkdir()
    monkeypatch.setattr(observing, "count_watches", lambda: 4)
    observer.watch([bytes(tmp_path)])
    watch = observer.watches[bytes(tmp_path)]
    assert watch.state == "polled"
    assert "3 of 6 folders are watched; raise fs.inotify.max_user_watches" in watch.reason
    assert observer.polled() == [bytes(tmp_path)]


def test_folders_that_are_watched_no_more_are_watched_anew(
    observer: Observing, told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    observer.watch([bytes(tmp_path)])
    first = observer._observer
    monkeypatch.setattr(observing, "SETTLE_SECONDS", 0.0)
    monkeypatch.setattr(observing, "count_watches", lambda: 1 if observer._observer is first else None)
    (tmp_path / "sub").mkdir()
    assert told.has(tmp_path / "sub")
    for _ in range(3):
        observer.check_limit()
    assert told.losses == 1
    assert observer._observer is not first
    assert observer.watches == {bytes(tmp_path): Watch("watched")}
    (tmp_path / "sub" / "new.md").write_text("x")
    assert told.has(tmp_path / "sub" / "new.md")


def test_where_losses_are_not_told_of_all_is_polled(
    observer: Observing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    observer.watch([bytes(tmp_path)])
    assert observer.polled() == []
    monkeypatch.setattr(observing, "TELLS_OF_LOSSES", False)
    assert observer.polled() == [bytes(tmp_path)]


def test_a_share_is_polled(observer: Observing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mounts, "_mounts", lambda: [(b"/", "ext4"), (bytes(tmp_path), "fuse.sshfs")])
    observer.watch([bytes(tmp_path)])
    assert observer.watches[bytes(tmp_path)].state == "polled"
    assert "fuse.sshfs" in observer.watches[bytes(tmp_path)].reason


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        (b"/home/me", "ext4"),
        (b"/mnt/share", "nfs4"),
        (b"/mnt/share/deep", "nfs4"),
        (b"/mnt/shared", "ext4"),
        (b"/mnt/share/disk/x", "fuseblk"),
    ],
)
def test_the_innermost_mount_counts(path: bytes, kind: str) -> None:
    table = [(b"/", "ext4"), (b"/mnt/share", "nfs4"), (b"/mnt/share/disk", "fuseblk")]
    assert file_system(path, table) == kind


def test_this_folder_is_on_a_disk(tmp_path: Path) -> None:
    assert is_remote(bytes(tmp_path)) == ""


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "9p", "smbfs"])
def test_a_home_on_a_share_is_refused(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mounts, "_mounts", lambda: [(b"/", "ext4"), (bytes(tmp_path), kind)])
    with pytest.raises(UnavailableError, match=f"is on {kind}"):
        refuse_share(tmp_path / "home")


@pytest.mark.parametrize("kind", ["ext4", "apfs", "ntfs", "fuse.gocryptfs", "tmpfs"])
def test_a_home_on_a_disk_is_not(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mounts, "_mounts", lambda: [(b"/", kind)])
    refuse_share(tmp_path / "home")


# The limit of a user namespace of its own, so that no other program of the machine meets it.
LIMITED = """
import sys, time
from pathlib import Path
from capsa.daemon.watching.observing import Observing
from capsa.daemon.watching import observing
Path("/proc/sys/user/max_inotify_watches").write_text("30")
root, losses = Path(sys.argv[1]), []
running = Observing(lambda root, path, settled: None, lambda: losses.append(1), Path(sys.argv[3]))
early = sys.argv[2] == "early"
if early:
    for number in range(60):
        (root / str(number)).mkdir()
running.watch([bytes(root)])
before = running.watches[bytes(root)].state
if not early:
    for number in range(60):
        (root / str(number)).mkdir()
observing.SETTLE_SECONDS = 1.0
end = time.monotonic() + 60
while not losses and not early and time.monotonic() < end:
    running.check_limit()
    time.sleep(0.05)
print(before, len(losses), running.watches[bytes(root)].state, running.watches[bytes(root)].reason)
running.close()
"""


@pytest.mark.skipif(shutil.which("unshare") is None, reason="needs a user namespace")
@pytest.mark.parametrize(("when", "told"), [("early", "polled 0 polled"), ("later", "watched 1 polled")])
def test_the_limit_is_noticed_whenever_it_is_met(when: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    command = [
        "unshare",
        "-U",
        "-r",
        sys.executable,
        "-c",
        LIMITED,
        str(tmp_path / "root"),
        when,
        str(tmp_path / "pulse"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "max_inotify_watches" in done.stderr or "unshare" in done.stderr:
        pytest.skip("no user namespace with a limit of its own here")
    assert done.stdout.startswith(f"{told} 29 of 61 folders are watched"), done.stderr
