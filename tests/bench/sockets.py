"""Every socket that the tests open, by strace: python tests/bench/sockets.py [PATH OF TESTS ...]

Prints how many there are of each family, where those of the internet led, and exits with 1 when one
left this machine.
Left out by default are the tests that try to reach the network, to be refused, those with a browser, and
those that run strace themselves, which cannot be done under it.
"""

import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
WHAT = (
    "tests",
    *("--ignore=tests/daemon/test_sandbox.py", "--ignore=tests/daemon/test_real_unit.py"),
    "--ignore=tests/store/test_offline.py",
    "--ignore-glob=*test_browser*",
)
CALLS = "socket,connect,bind,sendto,sendmsg"
FAMILY = re.compile(r"\bsocket\((AF_\w+)")
# What strace shows of an address of the internet.
ADDRESS = re.compile(r"\b(\w+)\(.*?(?:inet_addr\(\"|inet_pton\(AF_INET6, \")([^\"]+)\"")
LOOPBACK = re.compile(r"127\.|::1$|0\.0\.0\.0$|::$")


def traced(words: Sequence[str]) -> tuple[int, list[str]]:
    """Run the tests under strace; return their exit code and the calls that they and their children made."""
    with tempfile.TemporaryDirectory() as temporary:
        log = Path(temporary, "calls")
        strace = ("strace", "-f", "--seccomp-bpf", "-qq", "-e", f"trace={CALLS}", "-o", str(log))
        tests = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words)
        done = subprocess.run([*strace, *tests], cwd=ROOT, check=False)
        return done.returncode, log.read_text(errors="replace").splitlines()


def count(lines: Iterable[str]) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """Return the families of sockets, the calls that named an address of this machine, and all others."""
    families: Counter[str] = Counter()
    inside: Counter[str] = Counter()
    outside: Counter[str] = Counter()
    for line in lines:
        families.update(FAMILY.findall(line))
        for call, address in ADDRESS.findall(line):
            (inside if LOOPBACK.match(address) else outside)[f"{call} {address}"] += 1
    return families, inside, outside


def main() -> int:
    """Trace and tell."""
    code, lines = traced(sys.argv[1:] or WHAT)
    families, inside, outside = count(lines)
    for name, counted in (("sockets", families), ("within", inside), ("OUTSIDE", outside)):
        sys.stdout.write(f"{name}: {dict(counted.most_common(20)) or 'none'}\n")
    return code or int(bool(outside))


if __name__ == "__main__":
    sys.exit(main())
