"""Parser workers that hang, crash, eat memory or lie: only the file is lost, and it is told why."""

import os
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from capsa.chunkers.errors import CapsaError, UnavailableError
from capsa.daemon.child import PATIENT_DEADLINES, Child, Failure, Outcome, Parsed
from capsa.daemon.manners import BEHIND, LAST
from capsa.daemon.pool import Pool, Task
from capsa.daemon.worker import Job

COMMAND = (sys.executable, str(Path(__file__).with_name("bad_worker.py")))


# Far more than anything here takes on a machine that has nothing else to do.
PATIENCE = 120.0


def job(deadline: float = PATIENCE, parser: str = "native") -> Job:
    return Job(parser, "fixed", "tokenizer.json", 254, 400.0, 1 << 20, deadline)


def outcomes(names: list[str], deadline: float = PATIENCE, workers: int = 1) -> dict[str, Outcome]:
    """Only what is not good has the deadline, which a good file may miss on a busy machine."""
    with Pool(job(deadline), workers, command=COMMAND) as pool:
        return dict(
            pool.run(
                Task(f"{place} {name}", name, b"text", deadlines=100 if name == "good" else 1)
                for place, name in enumerate(names)
            )
        )


def failure(name: str, deadline: float = PATIENCE) -> Failure:
    """The failure that the named deed gives; a good file before and after it must not suffer."""
    found = outcomes(["good", name, "good"], deadline)
    assert isinstance(found["0 good"], Parsed)
    assert isinstance(found["2 good"], Parsed)
    outcome = found[f"1 {name}"]
    assert isinstance(outcome, Failure)
    return outcome


def text(outcome: Outcome) -> str:
    assert isinstance(outcome, Parsed)
    return outcome.document.text


@pytest.mark.parametrize("name", ["hang", "spin"])
def test_too_slow(name: str) -> None:
    assert failure(name, deadline=2.0).reason == "timeout"


def test_who_takes_what_nobody_else_wants_may_wait_for_it() -> None:
    assert Child(replace(job(), niceness=BEHIND), COMMAND)._seconds(1) == PATIENCE
    assert Child(replace(job(), niceness=LAST), COMMAND)._seconds(2) == PATIENCE * 2 * PATIENT_DEADLINES


@pytest.mark.parametrize(
    ("name", "detail"),
    [
        ("segfault", "SIGSEGV"),
        ("leave", "code 3"),
        ("raise_error", "KeyError: 'surprise'"),
        ("nonsense", "frame"),
        ("lie", "makes no sense"),
        ("lie_about_spans", "makes no sense"),
        ("lie_about_types", "makes no sense"),
    ],
)
def test_crashes(name: str, detail: str) -> None:
    found = failure(name)
    assert found.reason == "crash"
    assert detail in found.detail


@pytest.mark.parametrize("name", ["eat", "want", "recurse"])
def test_limits(name: str) -> None:
    assert failure(name).reason == "limit"


def test_a_bad_document_is_told_by_its_own_reason() -> None:
    assert failure("refuse") == Failure("damaged", "no end of file")


def test_a_worker_writes_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert "Error: [Errno" in failure("write").detail
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) == 0


def test_what_a_library_prints_is_not_an_answer() -> None:
    assert text(outcomes(["babble"])["0 babble"]) == "text"


def test_limits_and_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_SECRET_TOKEN", "x")
    found = outcomes(["environment", "session"])
    assert "MY_SECRET_TOKEN" not in text(found["0 environment"])
    assert text(found["1 session"]) == "0 0 64"


def test_what_holds_for_every_file_ends_the_run() -> None:
    with pytest.raises(UnavailableError, match="install the extra"):
        outcomes(["unfit"])


def test_a_worker_that_does_not_start_says_why() -> None:
    with (
        pytest.raises(CapsaError, match="the library is missing"),
        Pool(job(parser="broken"), 1, command=COMMAND) as pool,
    ):
        list(pool.run([Task("x", "good", b"")]))


def test_tasks_are_taken_only_as_needed_and_all_come_back() -> None:
    taken = 0

    def tasks() -> list[Task[int]]:
        return [Task(number, "good", b"x" * number) for number in range(200)]

    def counted() -> object:
        nonlocal taken
        for task in tasks():
            taken += 1
            yield task

    with Pool(job(), 2, command=COMMAND) as pool:
        results = pool.run(counted())  # type: ignore[arg-type]
        next(results)
        assert taken <= 20
        assert len({key for key, _ in results}) == 199


def test_closing_does_not_wait_for_a_hanging_file() -> None:
    before = set(threading.enumerate())
    with Pool(job(deadline=3600), 1, command=COMMAND) as pool:
        # Both are handed out at once.
        results = pool.run([Task("x", "good", b""), Task("y", "hang", b"")])
        assert next(results)[0] == "x"
    assert set(threading.enumerate()) <= before


@pytest.mark.skipif(sys.platform != "linux", reason="PR_SET_PDEATHSIG is of Linux")
def test_workers_die_with_a_killed_parent() -> None:
    script = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_pool import COMMAND, job
from capsa.daemon.pool import Pool, Task
def tasks():
    yield Task("a", "good", b"")
    yield Task("b", "hang", b"")
with Pool(job(600), 1, command=COMMAND) as pool:
    for key, outcome in pool.run(tasks()):
        print(outcome.document.title, flush=True)
"""
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    with parent.stdout:
        worker = int(parent.stdout.readline())
        assert os.path.exists(f"/proc/{worker}")
        parent.kill()
        parent.wait()
    end = time.monotonic() + PATIENCE
    while is_alive(worker):
        assert time.monotonic() < end, "the worker outlived its parent"
        time.sleep(0.05)


def is_alive(process: int) -> bool:
    try:
        return "(zombie)" not in Path(f"/proc/{process}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_worker_that_cannot_be_started_ends_the_run(tmp_path: Path) -> None:
    """And does not leave it waiting for an answer that never comes."""
    with (
        Pool(job(), 1, command=(str(tmp_path / "missing"),)) as pool,
        pytest.raises(CapsaError, match="does not start"),
    ):
        list(pool.run([Task("a", "good", b"")]))


@pytest.mark.skipif(sys.platform != "linux", reason="Linux's way of starting a process")
def test_a_worker_tells_its_own_memory_and_not_its_parents() -> None:
    ballast = bytearray(os.urandom(1 << 20) * 300)
    with Pool(job(), 1, command=COMMAND) as pool:
        for _ in pool.run([Task(0, "good", b"text")]):
            continue
        assert 1 << 20 < pool.peak_bytes < len(ballast)
