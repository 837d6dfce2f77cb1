"""The long form of what daemon/RELIABILITY.md tells: every part, one after the other, with its figures.

    python tests/bench/reliability.py [--only PART ...] [--scale 0.1] [--minutes 120]

Each part prints what it found, how long it took, and how busy the machine was. The end is a list of the parts
and 1 when one failed. Power cuts, full disks and mounts need root on Linux, and mkfs of each file system.
"""

import argparse
import os
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider")


@dataclass(frozen=True, slots=True)
class Part:
    """A program for Python to run, and the numbers that it takes from the environment, in full."""

    name: str
    words: tuple[str, ...]
    numbers: dict[str, int] = field(default_factory=dict)

    def run(self, scale: float) -> "Outcome":
        """Run it with its numbers times the scale; what it prints is seen at once."""
        scaled = {name: str(max(1, round(number * scale))) for name, number in self.numbers.items()}
        tell(f"\n== {self.name}  {' '.join(f'{name}={number}' for name, number in scaled.items())}")
        began, before = time.monotonic(), _cpu()
        done = subprocess.run([sys.executable, *self.words], cwd=ROOT, env=os.environ | scaled, check=False)
        load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
        return Outcome(self.name, done.returncode, time.monotonic() - began, _cpu() - before, load)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a part ended; seconds of the clock and of CPU, and the load of the machine at its end."""

    name: str
    code: int
    seconds: float
    cpu: float
    load: float

    def __str__(self) -> str:
        end = "as it should be" if self.code == 0 else f"FAILED ({self.code})"
        return (
            f"{self.name:<14} {end:<16} {self.seconds:7.0f} s {self.cpu:7.0f} s of CPU  load {self.load:.0f}"
        )


def tests(path: str, *words: str) -> tuple[str, ...]:
    """A part that is a file of tests, or some of them."""
    return (*PYTEST, f"tests/{path}", *words)


def figures(name: str) -> tuple[str, ...]:
    """A part that is a figure of tests/daemon/figures.py."""
    return ("tests/daemon/figures.py", name)


PARTS = (
    Part("kills", tests("store/test_killed.py"), {"CAPSA_KILL_POINTS": 2000}),
    Part("calls", ("tests/store/killed_calls.py",)),
    Part("cuts", tests("store/test_power_cut.py", "-k", "durable"), {"CAPSA_POWER_CUTS": 300}),
    Part("full-disks", tests("store/test_power_cut.py", "-k", "full_disk"), {"CAPSA_FULL_DISKS": 200}),
    Part("damage", tests("store/test_store_cache.py", "-k", "every_flip")),
    Part("rounds", tests("daemon/test_following.py", "-k", "anew or killed"), {"CAPSA_ROUNDS": 50}),
    Part("burst", tests("daemon/test_following.py", "-k", "burst"), {"CAPSA_BURST": 20_000}),
    Part("watches", tests("daemon/test_observing.py")),
    Part("queue", tests("daemon/test_running.py", "-k", "queue")),
    Part("sandbox", tests("daemon/test_sandbox.py")),
    Part("forget", tests("daemon/test_forgetting.py")),
    Part("private", tests("daemon/test_private_home.py")),
    Part("disks", tests("daemon/test_odd_disks.py", "tests/daemon/test_faults.py")),
    Part("unit", tests("daemon/test_real_unit.py")),
    Part("bombs", figures("bombs")),
    Part("mutated", figures("mutated"), {"CAPSA_MUTANTS": 20_000}),
    Part("folder", figures("folder"), {"CAPSA_FILES": 100_000}),
    Part("written", figures("written")),
    Part("clients", figures("clients")),
    Part("found", figures("found")),
    Part("meanwhile", figures("found_meanwhile")),
    Part("sockets", ("tests/bench/sockets.py",)),
)


def tell(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def parts(minutes: float) -> tuple[Part, ...]:
    """All parts; the daemon under churn is the last, for so long with kills and so long without."""
    soak = "tests/daemon/soak.py"
    killed = (soak, "--minutes", f"{minutes / 8:g}", "--kill-every", "60")
    return (*PARTS, Part("soak-killed", killed), Part("soak", (soak, "--minutes", f"{minutes:g}")))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the parts that are asked for, and list how they ended."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    names = [part.name for part in parts(0)]
    parser.add_argument(
        "--only", nargs="+", choices=names, default=names, metavar="PART", help=", ".join(names)
    )
    parser.add_argument("--scale", type=float, default=1.0, help="of the numbers of points, cuts, files")
    parser.add_argument("--minutes", type=float, default=120.0, help="of the daemon under churn")
    args = parser.parse_args(arguments)
    outcomes = [part.run(args.scale) for part in parts(args.minutes) if part.name in args.only]
    tell("\n== all of it\n" + "\n".join(map(str, outcomes)))
    return int(any(outcome.code for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
