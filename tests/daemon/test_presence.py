"""Who is at the keyboard: what the systems say, and what is made of it."""

import os
import pty
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from capsa.daemon import presence
from capsa.daemon.presence import ACTIVE_SECONDS, LOOK_SECONDS, NEXT_TRY_SECONDS, Interrupts, Presence

INTERRUPTS = """\
           CPU0       CPU1
  1:         {first}          0   IO-APIC    1-edge      i8042
  8:          0          0   IO-APIC    8-edge      rtc0
 16:      70000       9000   IO-APIC   16-fasteoi   xhci_hcd:usb1
 51:          4         {second}   INT3450    3-level     ELAN0501:00
LOC:     999999     999999   Local timer interrupts
"""


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_the_first_that_tells_is_asked_now_and_then(clock: Clock) -> None:
    told: list[float | None] = [3.0]
    asked: list[str] = []

    def exact() -> float | None:
        asked.append("exact")
        return told[0]

    def coarse() -> float | None:
        asked.append("coarse")
        return 0.0

    here = Presence([lambda: None, exact, coarse], clock)
    assert here.is_active()
    clock.now += LOOK_SECONDS / 2
    told[0] = ACTIVE_SECONDS
    assert here.is_active()
    clock.now += LOOK_SECONDS
    assert not here.is_active()
    assert asked == ["exact", "exact"]


def test_where_nothing_tells_nobody_is_there_and_it_is_seldom_asked(clock: Clock) -> None:
    asked: list[int] = []

    def silent() -> float | None:
        asked.append(1)
        return None

    here = Presence([silent], clock)
    for _ in range(8):
        assert not here.is_active()
        clock.now += NEXT_TRY_SECONDS / 4
    assert len(asked) == 2


@pytest.mark.parametrize(
    ("name", "says", "seconds"),
    [
        ("gnome_idle", "t 12500\n", 12.5),
        ("gnome_idle", "", None),
        ("kde_idle", "u 3000\n", 3.0),
        ("kde_idle", "s error\n", None),
        ("login_idle", "IdleHint=no\nIdleSinceHint=0\n", 0.0),
        ("login_idle", "IdleHint=yes\nIdleSinceHint=940000000\n", 60.0),
        ("login_idle", "IdleHint=yes\nIdleSinceHint=\n", None),
        ("login_idle", "", None),
        ("hid_idle", '  | |   "HIDIdleTime" = 66589625000\n', 66.589625),
        ("hid_idle", "", None),
    ],
)
def test_what_the_systems_commands_say(
    name: str, says: str, seconds: float | None, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    monkeypatch.setattr(presence, "_say", lambda *command: says)
    monkeypatch.setattr(presence, "time", SimpleNamespace(time=clock))
    assert getattr(presence, name)() == seconds


def test_a_command_that_fails_hangs_or_is_not_there_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presence, "PATIENCE_SECONDS", 0.2)
    assert presence._say("no-such-command") == ""
    assert presence._say(sys.executable, "-c", "print(1); raise SystemExit(1)") == ""
    assert presence._say(sys.executable, "-c", "import time; time.sleep(60)") == ""


def test_keys_and_touchpads_count_and_other_devices_do_not(tmp_path: Path, clock: Clock) -> None:
    counts = tmp_path / "interrupts"
    look = Interrupts(counts, tmp_path / "none", clock)
    counts.write_text(INTERRUPTS.format(first=10, second=20))
    assert presence.input_counts(counts) == (10, 24)
    assert look() is None
    clock.now += 5
    counts.write_text(INTERRUPTS.format(first=11, second=20).replace("70000", "80000"))
    assert look() == 0
    clock.now += 5
    counts.write_text(INTERRUPTS.format(first=11, second=20).replace("70000", "90000"))
    assert look() == 5
    clock.now += ACTIVE_SECONDS
    assert look() is None


@pytest.mark.skipif(sys.platform != "linux", reason="Linux's terminals")
def test_a_terminal_that_is_typed_into_tells(tmp_path: Path) -> None:
    leader, follower = pty.openpty()
    try:
        name = Path(os.ttyname(follower))
        os.utime(name, (1, 1))
        (tmp_path / "pts").mkdir()
        (tmp_path / "pts" / "0").symlink_to(name)
        look = Interrupts(tmp_path / "none", tmp_path / "pts")
        assert look() is None
        os.utime(name, (time.time(), 1))
        assert look() is not None
    finally:
        os.close(leader)
        os.close(follower)


def test_a_machine_without_either_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "interrupts").write_text("           CPU0\n  8:          0   rtc0\n")
    assert Interrupts(tmp_path / "interrupts", tmp_path / "none")() is None
    assert Interrupts(tmp_path / "none", tmp_path / "none")() is None
