import errno
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

HOSTILE = Path(__file__).with_name("hostile.py")
DEEDS = (
    *(
        "read",
        "read_passwords",
        "list_folder",
        "write",
        "make_folder",
        "truncate",
        "remove",
        "rename",
        "link",
    ),
    *("run", "shell", "tcp", "tcp6", "udp", "unix", "netlink", "kill_parent", "trace_parent"),
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Landlock and seccomp are Linux's")


def attempt(deed: str, tmp_path: Path) -> tuple[set[str], str]:
    """What bounded the process, and how the deed ended."""
    secret = tmp_path / "home" / "secret.txt"
    secret.parent.mkdir()
    secret.write_text("secret")
    done = subprocess.run(
        [sys.executable, str(HOSTILE), deed, str(secret), str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    assert secret.read_text() == "secret"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home"]
    bounds, outcome = done.stdout.splitlines()
    return set(bounds.split(",")), outcome


@pytest.mark.parametrize("deed", DEEDS)
def test_a_parser_that_was_taken_over_can_do_no_harm(
    deed: str, tmp_path: Path, record_property: Callable[[str, int], None]
) -> None:
    bounds, outcome = attempt(deed, tmp_path)
    if bounds < {"landlock", "seccomp"}:
        pytest.skip(f"this kernel has only {bounds}")
    assert outcome in (f"denied {errno.EACCES}", f"denied {errno.EPERM}")
    record_property("deeds denied to a parser", 1)
