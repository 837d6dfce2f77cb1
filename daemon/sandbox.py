"""What a worker gives up before it sees a document: writing, programs, the network, reading but code.

On Linux Landlock bounds what files it can reach, and a seccomp filter denies sockets, programs and looks into
other processes; both hold for every thread that it starts later. Other systems have no such thing that a
process may do to itself; there the limits and the deadline must do.
"""

import ctypes
import errno
import os
import platform
import struct
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

# Beside Python's own folders: shared libraries, what Python and the numerical libraries ask of the machine.
SYSTEM = (
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/usr/share/zoneinfo",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/dev/null",
    "/dev/urandom",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/sys/devices/system/cpu",
)

# include/uapi/linux/landlock.h
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION_FLAG = 1
_PATH_BENEATH = 1
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
# Rights on files by the first version that knows them: all of them are given up but for reading below SYSTEM.
_FILES = {1: (1 << 13) - 1, 2: 1 << 13, 3: 1 << 14, 5: 1 << 15}
_TCP = {4: 0b11}
# Signals to, and abstract sockets of, processes outside.
_SCOPES = {6: 0b11}

_PR_SET_NO_NEW_PRIVS = 38
_SECCOMP_SET_MODE_FILTER, _SECCOMP_FILTER_FLAG_TSYNC = 1, 1
# include/uapi/linux/filter.h and seccomp.h: load a word of the call, compare, return.
_LOAD, _IF_EQUAL, _IF_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE = 0, 4
_ALLOW, _KILL, _DENY = 0x7FFF0000, 0x80000000, 0x00050000 | errno.EPERM
# Calls of the old 32-bit table on 64-bit machines.
_X32 = 0x40000000

# By machine: its number in a filter, that of seccomp(), and the calls denied, in this order: socket, connect,
# accept, sendto, sendmsg, bind, listen, accept4, sendmmsg, execve, execveat, ptrace, process_vm_readv,
# process_vm_writev, io_uring_setup.
_CALLS: dict[str, tuple[int, int, tuple[int, ...]]] = {
    "x86_64": (
        0xC000003E,
        317,
        (41, 42, 43, 44, 46, 49, 50, 288, 307, 59, 322, 101, 310, 311, 425),
    ),
    "aarch64": (
        0xC00000B7,
        277,
        (198, 203, 202, 206, 211, 200, 201, 242, 269, 221, 281, 117, 270, 271, 425),
    ),
}


def enter(readable: Iterable[str]) -> list[str]:
    """Give up all but reading these paths, Python's own and SYSTEM; return what bounds the process now.

    Must be called before there is another thread. A kernel that lacks one of the two means gives a shorter
    list, not an error; a means that is there and fails raises OSError.
    """
    if sys.platform != "linux":
        return []
    libc = ctypes.CDLL(None, use_errno=True)
    _checked(libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    bounds = []
    if _bound_files(libc, [*readable, *python_folders(), *SYSTEM]):
        bounds.append("landlock")
    if _bound_calls(libc):
        bounds.append("seccomp")
    return bounds


def python_folders() -> list[str]:
    """Return where Python finds its modules, and where capsa is."""
    found = {sys.prefix, sys.base_prefix, sys.exec_prefix, str(Path(__file__).resolve().parents[1])}
    found.update(entry for entry in sys.path if os.path.isabs(entry))
    return sorted(found)


def _bound_files(libc: ctypes.CDLL, readable: Iterable[str]) -> bool:
    version = libc.syscall(_CREATE_RULESET, None, 0, _VERSION_FLAG)
    if version < 1:
        return False
    rights = [_known(table, version) for table in (_FILES, _TCP, _SCOPES)]
    attributes = struct.pack("=3Q", *rights)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    ruleset = _checked(libc.syscall(_CREATE_RULESET, attributes, size, 0))
    try:
        for path in readable:
            _allow_reading(libc, ruleset, path)
        _checked(libc.syscall(_RESTRICT_SELF, ruleset, 0))
    finally:
        os.close(ruleset)
    return True


def _known(table: dict[int, int], version: int) -> int:
    return sum(bits for since, bits in table.items() if since <= version)


def _allow_reading(libc: ctypes.CDLL, ruleset: int, path: str) -> None:
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        rights = _READ_FILE | (_READ_DIR if os.path.isdir(path) else 0)
        rule = struct.pack("=Qi", rights, handle)
        _checked(libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0))
    finally:
        os.close(handle)


def _bound_calls(libc: ctypes.CDLL) -> bool:
    machine = _CALLS.get(platform.machine())
    if machine is None:
        return False
    architecture, seccomp, denied = machine
    program = b"".join(struct.pack("=HBBI", *step) for step in filter_program(architecture, denied))
    buffer = ctypes.create_string_buffer(program)
    header = struct.pack("@HP", len(program) // 8, ctypes.addressof(buffer))
    result = libc.syscall(seccomp, _SECCOMP_SET_MODE_FILTER, _SECCOMP_FILTER_FLAG_TSYNC, header)
    if result == -1 and ctypes.get_errno() in (errno.ENOSYS, errno.EINVAL):
        return False
    _checked(result)
    return True


def filter_program(architecture: int, denied: Sequence[int]) -> list[tuple[int, int, int, int]]:
    """Return the filter's steps (code, jump when true, jump when false, value)."""
    checks = [(_IF_EQUAL, len(denied) - place, 0, number) for place, number in enumerate(denied)]
    return [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_IF_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_IF_AT_LEAST, len(denied) + 1, 0, _X32),
        *checks,
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _DENY),
    ]


def _checked(result: int) -> int:
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
