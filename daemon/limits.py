"""The limits a parser worker puts on itself before it looks at its first document, and the daemon at all."""

import os
import sys
from functools import cache

OPEN_FILES = 64


if sys.platform == "win32":  # a job object would be the way there; the parent's deadline holds everywhere

    def confine(memory_bytes: int) -> None:
        """Do nothing on this system."""

    def allow_cpu(seconds: float) -> None:
        """Do nothing on this system."""

    def resident_bytes() -> int:
        """Memory in use is not known on this system."""
        return 0

    def leave_no_core() -> None:
        """Do nothing on this system."""

else:
    import resource

    def confine(memory_bytes: int) -> None:
        """Bound memory, open files, written files and core dumps, and die with the parent."""
        sys.dont_write_bytecode = True
        _limit(resource.RLIMIT_AS, memory_bytes)
        leave_no_core()
        _limit(resource.RLIMIT_FSIZE, 0)
        _limit(resource.RLIMIT_NOFILE, OPEN_FILES)
        _die_with_parent()

    def leave_no_core() -> None:
        """Have no image of the memory, which holds documents, written when the process crashes."""
        _limit(resource.RLIMIT_CORE, 0)

    def allow_cpu(seconds: float) -> None:
        """Let the process use this much more CPU time; then it gets SIGXCPU, which ends it."""
        usage = resource.getrusage(resource.RUSAGE_SELF)
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        soft = int(usage.ru_utime + usage.ru_stime + seconds) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (soft if hard < 0 else min(soft, hard), hard))

    def _limit(what: int, value: int) -> None:
        _, hard = resource.getrlimit(what)
        if hard >= 0:
            value = min(value, hard)
        try:
            resource.setrlimit(what, (value, value))
        except (ValueError, OSError):
            # macOS refuses some limits (RLIMIT_AS); the deadline and the parent still hold.
            if sys.platform == "linux":
                raise

    def _die_with_parent() -> None:
        if sys.platform != "linux":
            return
        import ctypes
        import signal

        pr_set_pdeathsig = 1
        parent = os.getppid()
        ctypes.CDLL(None, use_errno=True).prctl(pr_set_pdeathsig, signal.SIGKILL)
        if os.getppid() != parent or parent == 1:
            os._exit(1)  # the parent was gone before the signal was asked for


if sys.platform == "linux":

    def resident_bytes() -> int:
        """Memory that this process has in use; must be asked once before the sandbox closes."""
        # Not ru_maxrss: it begins with that of the process that started this one.
        return int(os.pread(_statm(), 256, 0).split()[1]) * resource.getpagesize()

    @cache
    def _statm() -> int:
        return os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)

elif sys.platform != "win32":

    def resident_bytes() -> int:
        """The most memory that this process has had in use, which macOS counts in bytes."""
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
