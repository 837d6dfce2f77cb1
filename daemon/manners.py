"""When work in the background should wait, and how it makes way for everything else."""

import contextlib
import ctypes
import os
import platform
import shutil
import sys
import time
from pathlib import Path

# Below so much free memory or disk nothing is begun; searches go on.
FREE_MEMORY = 256 << 20
FREE_DISK = 512 << 20

# How nice a worker is: with the file that somebody just edited, and with all that has time.
BEHIND, LAST = 10, 19
SESSION_TRIES = 10

# include/uapi/linux/ioprio.h
_IOPRIO_SET = {"x86_64": 251, "aarch64": 30}
_IOPRIO_WHO_PROCESS, _IOPRIO_IDLE = 1, 3 << 13
# sys/resource.h of macOS: background for a whole process.
_DARWIN_PROCESS, _DARWIN_BACKGROUND = 4, 0x1000


def why_wait(home: Path) -> str:
    """Return why nothing large should be begun now, nothing when it may be."""
    import psutil

    battery = psutil.sensors_battery() if hasattr(psutil, "sensors_battery") else None
    if battery is not None and not battery.power_plugged:
        return f"on battery ({battery.percent:.0f} %)"
    if psutil.virtual_memory().available < FREE_MEMORY:
        return f"less than {FREE_MEMORY >> 20} MB of memory are free"
    if shutil.disk_usage(home).free < FREE_DISK:
        return f"less than {FREE_DISK >> 20} MB of disk are free"
    return ""


def make_way(niceness: int) -> None:
    """Lower this whole process: BEHIND others, or LAST, which gets the processor and disk nobody else wants.

    Not for a process that answers searches: a thread that holds Python's lock and gets no processor would
    hold up every other.
    """
    if sys.platform == "win32":
        import psutil

        classes = {BEHIND: psutil.BELOW_NORMAL_PRIORITY_CLASS, LAST: psutil.IDLE_PRIORITY_CLASS}
        psutil.Process().nice(classes[niceness])
    else:
        os.nice(niceness)
        if niceness == LAST:
            _be_idle()


def _be_idle() -> None:
    if sys.platform == "linux":
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        _idle_session()
        _idle_disk()
    elif sys.platform == "darwin":
        os.setpriority(_DARWIN_PROCESS, 0, _DARWIN_BACKGROUND)


def _idle_session() -> None:
    """Lower the session too, if it is the process's own.

    Kernels for desktops share the processor out by sessions, in each of which its classes count; see
    "autogroup" in sched(7).
    """
    if os.getsid(0) != os.getpid():
        return
    # There is none in a container, or where systemd shares the processor out.
    with contextlib.suppress(OSError), open("/proc/self/autogroup", "wb", buffering=0) as session:
        for _ in range(SESSION_TRIES):
            # None when another process of the machine has lowered one in the last tenth of a second.
            if session.write(b"%d" % LAST) is not None:
                return
            time.sleep(0.1)


def _idle_disk() -> None:
    number = _IOPRIO_SET.get(platform.machine())
    if number is not None:
        # A kernel without I/O classes refuses; the processor class stands all the same.
        ctypes.CDLL(None).syscall(number, _IOPRIO_WHO_PROCESS, 0, _IOPRIO_IDLE)
