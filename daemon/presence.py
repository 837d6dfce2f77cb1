"""Whether somebody is at the keyboard, as far as the system tells: large work then takes half of its time."""

import ctypes
import os
import re
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

# The seconds since the last key or move of the mouse; None from what does not tell on this machine.
Look = Callable[[], float | None]

# Who did nothing for so long has gone.
ACTIVE_SECONDS = 60.0
# So often it is looked, and so often where nothing tells.
LOOK_SECONDS = 5.0
NEXT_TRY_SECONDS = 30.0
# Longer no command may take that is asked.
PATIENCE_SECONDS = 2.0

# The controller of built-in keyboards and touchpads, and touchpads by their makers' names.
_INPUT = re.compile(r"\b(?:i8042|i2c_hid\w*|ELAN\w*|SYNA\w*|ALPS\w*)\b")


class Presence:
    """Asks the first of the looks that answers, now and then; for one thread."""

    def __init__(
        self, looks: Sequence[Look] | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._looks = system_looks() if looks is None else looks
        self._clock = clock
        self._look_at = clock()
        self._active = False

    def is_active(self) -> bool:
        """Whether somebody was there in the last minute; False where nothing tells."""
        now = self._clock()
        if now >= self._look_at:
            idle = next((told for look in self._looks if (told := look()) is not None), None)
            self._active = idle is not None and idle < ACTIVE_SECONDS
            self._look_at = now + (LOOK_SECONDS if idle is not None else NEXT_TRY_SECONDS)
        return self._active


def system_looks() -> list[Look]:
    """Return what may tell on this system, the most exact first."""
    if sys.platform == "darwin":
        return [hid_idle]
    if sys.platform == "win32":
        return [input_idle]
    return [gnome_idle, kde_idle, Interrupts(), login_idle]


def gnome_idle() -> float | None:
    """GNOME, on X11 and Wayland."""
    name = "org.gnome.Mutter.IdleMonitor"
    told = _say("busctl", "--user", "call", name, "/org/gnome/Mutter/IdleMonitor/Core", name, "GetIdletime")
    return _milliseconds(told, "t")


def kde_idle() -> float | None:
    """KDE on X11, where it answers in milliseconds; others that have the name do not answer this."""
    name = "org.freedesktop.ScreenSaver"
    told = _say("busctl", "--user", "call", name, "/ScreenSaver", name, "GetSessionIdleTime")
    return _milliseconds(told, "u")


def login_idle() -> float | None:
    """What the desktop tells systemd-logind: minutes after the last key."""
    told = _say("loginctl", "show", "--property=IdleHint", "--property=IdleSinceHint")
    hints = dict(line.split("=", 1) for line in told.splitlines() if "=" in line)
    since = hints.get("IdleSinceHint", "")
    if hints.get("IdleHint") == "no":
        return 0.0
    return time.time() - int(since) / 1e6 if hints.get("IdleHint") == "yes" and since.isdigit() else None


def hid_idle() -> float | None:
    """Return what macOS counts, in nanoseconds, since the last event of any input device."""
    found = re.search(r'"HIDIdleTime" = (\d+)', _say("ioreg", "-c", "IOHIDSystem", "-d", "4"))
    return int(found[1]) / 1e9 if found else None


class Interrupts:
    """What Linux counts for keyboards and touchpads, and when a terminal was typed into.

    Tells of who is there, and nothing of who is not: another keyboard than the built-in one is not counted.
    """

    def __init__(
        self,
        counts: Path = Path("/proc/interrupts"),
        terminals: Path = Path("/dev/pts"),
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._counts = counts
        self._terminals = terminals
        self._clock = clock
        self._known: tuple[int, ...] | None = None
        self._changed_at = 0.0

    def __call__(self) -> float | None:
        """Return the seconds since a count was seen to change, or something was typed, when they are few."""
        now, counts = self._clock(), input_counts(self._counts)
        if counts != self._known:
            was_known, self._known = self._known is not None, counts
            # What was counted before the first look may have been long ago.
            self._changed_at = now if was_known else float("-inf")
        idle = [now - self._changed_at] if counts else []
        idle += [now - typed for typed in typed_at(self._terminals)]
        seconds = max(0.0, min(idle, default=float("inf")))
        return seconds if seconds < ACTIVE_SECONDS else None


def input_counts(path: Path) -> tuple[int, ...]:
    """Return how often each input device asked for attention since the machine started."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ()
    return tuple(
        sum(int(word) for word in line.split()[1:] if word.isdigit()) for line in lines if _INPUT.search(line)
    )


def typed_at(terminals: Path) -> list[float]:
    """Return when this user's terminals were last read, which is when something was typed."""
    try:
        states = [path.stat() for path in terminals.iterdir()]
    except OSError:
        return []
    mine = [state for state in states if stat.S_ISCHR(state.st_mode) and state.st_uid == os.getuid()]
    return [state.st_atime for state in mine]


if sys.platform == "win32":

    class _LastInput(ctypes.Structure):
        _fields_ = (("size", ctypes.c_uint), ("milliseconds", ctypes.c_uint))

    def input_idle() -> float | None:
        """Windows, for this user's session: both counts of milliseconds begin anew after 49.7 days."""
        last = _LastInput(ctypes.sizeof(_LastInput), 0)
        if not ctypes.windll.user32.GetLastInputInfo(ctypes.byref(last)):
            return None
        now = ctypes.windll.kernel32.GetTickCount() & 0xFFFFFFFF
        return float((now - last.milliseconds) & 0xFFFFFFFF) / 1e3

else:

    def input_idle() -> float | None:
        """Only Windows has this."""
        return None


def _milliseconds(told: str, kind: str) -> float | None:
    words = told.split()
    return int(words[1]) / 1e3 if len(words) == 2 and words[0] == kind and words[1].isdigit() else None


def _say(*command: str) -> str:
    """Return what a command prints; nothing when it is not there, fails, or takes too long."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=PATIENCE_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""
