"""The unit under a real systemd of a user: that it runs, and that its lines hold."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).with_name("real_unit.py")
NEEDED = ("unshare", "setpriv", "systemctl")


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What came of it; skips where a user manager cannot be had."""
    if sys.platform != "linux" or os.getuid() or not all(map(shutil.which, NEEDED)):
        pytest.skip("needs root and systemd")
    folder = tmp_path_factory.mktemp("unit")
    words = ["unshare", "--pid", "--mount", "--fork", "--kill-child", "--mount-proc", sys.executable]
    try:
        done = subprocess.run(
            [*words, str(SCRIPT), str(folder)],
            capture_output=True,
            text=True,
            env={**os.environ, "CAPSA_TEST": str(os.getpid())},
            timeout=900,
            check=False,
        )
    finally:
        remove_groups()
    if done.returncode or "no manager" in done.stdout:
        pytest.skip(f"no systemd of a user can be started here: {done.stdout}{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def remove_groups() -> None:
    """Take away the control groups that were made."""
    for root in Path("/sys/fs/cgroup").glob(f"**/capsa-test-{os.getpid()}"):
        for group, _, _ in os.walk(root, topdown=False):
            os.rmdir(group)


def test_it_indexes_follows_and_answers(told: dict[str, Any]) -> None:
    assert "capsa runs now and at every login" in told["install"]
    assert (told["first"], told["followed"]) == (True, True), told["status"]
    assert "PROBLEM" not in told["status"]
    assert told["state"] == ["active", "active"]


def test_who_asks_starts_it_again(told: dict[str, Any]) -> None:
    assert told["again"]
    assert told["new process"]
    assert "capsa is running" in told["service status"]
    assert "removed" in told["uninstall"]
    assert "failed" not in told["uninstall"]


def test_the_lines_hold(told: dict[str, Any]) -> None:
    assert told["deeds"] == {
        "internet": "Address family not supported by protocol",
        "internet 6": "Address family not supported by protocol",
        "netlink": "Address family not supported by protocol",
        "unix": "done",
        "writable code": "Operation not permitted",
        "new namespace": "Operation not permitted",
        "set-user-id file": "Operation not permitted",
        "real-time class": "Operation not permitted",
        "idle class": "done",
        "other personality": "Operation not permitted",
        "umask": "0o77",
        "core": 0,
        "oom": 500,
        "nice": 5,
    }
