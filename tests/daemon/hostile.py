"""Deeds of a parser that a document has taken over, tried by a real process after it entered the sandbox."""

import ctypes
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from capsa.daemon import sandbox

SECRET, SPOT = sys.argv[2], sys.argv[3]


def read() -> None:
    Path(SECRET).read_text()


def read_passwords() -> None:
    Path("/etc/passwd").read_text()


def list_folder() -> None:
    os.listdir(os.path.dirname(SECRET))


def write() -> None:
    Path(SPOT, "new").write_text("x")


def make_folder() -> None:
    os.mkdir(os.path.join(SPOT, "new"))


def truncate() -> None:
    os.truncate(SECRET, 0)


def remove() -> None:
    os.unlink(SECRET)


def rename() -> None:
    os.rename(SECRET, SECRET + ".moved")


def link() -> None:
    os.symlink(SECRET, os.path.join(SPOT, "link"))


def run() -> None:
    subprocess.run([sys.executable, "-c", "pass"], check=True)


def shell() -> None:
    os.execv("/bin/sh", ["/bin/sh", "-c", "true"])


def tcp() -> None:
    socket.socket(socket.AF_INET, socket.SOCK_STREAM).connect(("127.0.0.1", 9))


def tcp6() -> None:
    socket.socket(socket.AF_INET6, socket.SOCK_STREAM)


def udp() -> None:
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 9))


def unix() -> None:
    socket.socket(socket.AF_UNIX).connect("/run/nothing")


def netlink() -> None:
    socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)


def kill_parent() -> None:
    os.kill(os.getppid(), 0)


def trace_parent() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.ptrace(16, os.getppid(), 0, 0) == -1:
        raise OSError(ctypes.get_errno(), "ptrace")


DEEDS: dict[str, Callable[[], None]] = {
    deed.__name__: deed
    for deed in (
        *(read, read_passwords, list_folder, write, make_folder, truncate, remove, rename, link),
        *(run, shell, tcp, tcp6, udp, unix, netlink, kill_parent, trace_parent),
    )
}

if __name__ == "__main__":
    sys.stdout.write(",".join(sandbox.enter([])) + "\n")
    sys.stdout.flush()
    try:
        DEEDS[sys.argv[1]]()
    except OSError as error:
        sys.stdout.write(f"denied {error.errno}\n")
    else:
        sys.stdout.write("done\n")
