"""Run capsa's unit under a systemd of its own, without any capability, and print what came of it as JSON.

    unshare --pid --mount --fork --mount-proc python real_unit.py FOLDER

Needs root for the namespaces and the control groups; what runs then has no capability any more.
"""

import ctypes
import json
import mmap
import os
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

CAPSA = (sys.executable, "-P", "-m", "capsa.daemon")
CONTROL = ("systemctl", "--user")
GROUPS, GROUP = Path("/sys/fs/cgroup"), f"capsa-test-{os.environ.get('CAPSA_TEST', '0')}"
PATIENCE = 120.0
NEW_USER_NAMESPACE = 0x10000000


def prepare(folder: str) -> None:
    """Have an empty /run and a control group, give up all capabilities, and go on with ``work``."""
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", "/run"], check=True)
    os.makedirs("/run/systemd/system")
    os.makedirs("/run/user/0", mode=0o700)
    hierarchies = [GROUPS] if (GROUPS / "cgroup.controllers").exists() else list(GROUPS.iterdir())
    for hierarchy in hierarchies:
        group = hierarchy / GROUP
        try:
            group.mkdir()
            (group / "cgroup.procs").write_text(str(os.getpid()))
        except OSError:
            continue  # one that groups must be set up for, as cpuset
    keep = {name: os.environ[name] for name in ("PATH", "VIRTUAL_ENV") if name in os.environ}
    home = Path(folder, "user")
    home.mkdir()
    environment = {**keep, "HOME": str(home), "XDG_RUNTIME_DIR": "/run/user/0", "LANG": "C.UTF-8"}
    without = ("--bounding-set=-all", "--inh-caps=-all", "--ambient-caps=-all")
    words = ["setpriv", *without, sys.executable, __file__, folder, "work"]
    os.execvpe(words[0], words, environment)


def run(*words: str) -> str:
    """Run a command and return what it prints."""
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def until(look: Callable[[], bool]) -> bool:
    """Wait for something to be so."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if look():
            return True
        time.sleep(0.2)
    return False


def finds(home: Path, word: str) -> bool:
    """Whether a search for the word finds something."""
    words = ("--home", str(home), "search", f'"{word}"', "--retriever", "bm25", "--fail-on-empty")
    return subprocess.run([*CAPSA, *words], capture_output=True, check=False).returncode == 0


def work(folder: Path) -> dict[str, object]:
    """Install the service, use it, look at it, and take it away."""
    log = (folder / "systemd.log").open("w")
    manager = subprocess.Popen(["/lib/systemd/systemd", "--user"], stdout=log, stderr=log)
    told: dict[str, object] = {}
    try:
        if not until(lambda: run(*CONTROL, "is-system-running").strip() in ("running", "degraded")):
            return {"no manager": (folder / "systemd.log").read_text()[-500:]}
        told |= use(folder, folder / "home")
    finally:
        run(*CONTROL, "exit")
        manager.wait()
    return told


def use(folder: Path, home: Path) -> dict[str, object]:
    """What a user does."""
    docs = folder / "docs"
    docs.mkdir()
    (docs / "first.md").write_text("The quokka sleeps.\n")
    run(*CAPSA, "--home", str(home), "index", "-q", str(docs))
    told: dict[str, object] = {"install": run(*CAPSA, "--home", str(home), "service", "install")}
    told["first"] = until(lambda: finds(home, "quokka"))
    (docs / "second.md").write_text("The zyzzyva is late.\n")
    told["followed"] = until(lambda: finds(home, "zyzzyva"))
    told["status"] = run(*CAPSA, "--home", str(home), "status")
    told["state"] = run(*CONTROL, "is-active", "capsa.service", "capsa.socket").split()
    pid = run(*CONTROL, "show", "-p", "MainPID", "--value", "capsa.service").strip()
    told["log"] = run("tail", "-5", str(home / "daemon.log"))
    run(*CONTROL, "stop", "capsa.service")
    # Who asks starts it again, through the socket that systemd holds.
    told["again"] = finds(home, "quokka")
    told["new process"] = run(*CONTROL, "show", "-p", "MainPID", "--value", "capsa.service").strip() != pid
    told["service status"] = run(*CAPSA, "--home", str(home), "service", "status")
    told["deeds"] = deeds_under_the_unit(folder)
    told["uninstall"] = run(*CAPSA, "--home", str(home), "service", "uninstall")
    return told


def deeds_under_the_unit(folder: Path) -> dict[str, object]:
    """What a process can do under the lines of the unit: the same unit with another command."""
    units = Path(os.environ["HOME"], ".config/systemd/user")
    lines = (units / "capsa.service").read_text().splitlines()
    command = f"ExecStart={sys.executable} {__file__} {folder} deeds"
    lines = [command if line.startswith("ExecStart=") else line for line in lines]
    dropped = ("Requires=", "After=", "Restart", "Type=")
    unit = "\n".join(line for line in lines if not line.startswith(dropped)) + "\n"
    (units / "deeds.service").write_text(unit.replace("[Service]\n", "[Service]\nType=oneshot\n"))
    run(*CONTROL, "daemon-reload")
    run(*CONTROL, "start", "deeds.service")
    found: dict[str, object] = json.loads((folder / "deeds.json").read_text())
    return found


def deeds(folder: Path) -> None:
    """Try each deed, and write down what came of it."""
    libc = ctypes.CDLL(None, use_errno=True)
    script = folder / "script"
    script.touch()

    def called(result: int) -> None:
        if result == -1:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    tried: dict[str, Callable[[], object]] = {
        "internet": lambda: socket.socket(socket.AF_INET).close(),
        "internet 6": lambda: socket.socket(socket.AF_INET6).close(),
        "netlink": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW).close(),
        "unix": lambda: socket.socket(socket.AF_UNIX).close(),
        "writable code": lambda: mmap.mmap(
            -1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
        ).close(),
        "new namespace": lambda: called(libc.unshare(NEW_USER_NAMESPACE)),
        "set-user-id file": lambda: script.chmod(0o4755),
        "real-time class": lambda: os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1)),
        "idle class": lambda: os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0)),
        "other personality": lambda: called(libc.personality(0x0008)),
    }
    outcomes: dict[str, object] = {}
    for name, deed in tried.items():
        try:
            deed()
            outcomes[name] = "done"
        except OSError as error:
            outcomes[name] = error.strerror
    outcomes["umask"] = oct(os.umask(0))
    outcomes["core"] = resource.getrlimit(resource.RLIMIT_CORE)[0]
    outcomes["oom"] = int(Path("/proc/self/oom_score_adj").read_text())
    outcomes["nice"] = os.nice(0)
    (folder / "deeds.json").write_text(json.dumps(outcomes))


if __name__ == "__main__":
    if len(sys.argv) == 2:
        prepare(sys.argv[1])
    elif sys.argv[2] == "work":
        sys.stdout.write(json.dumps(work(Path(sys.argv[1]))))
    else:
        deeds(Path(sys.argv[1]))
