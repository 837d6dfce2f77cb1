"""Whole sessions with the real program: each command's record, Ctrl-C, a folder of bad files."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from capsa.daemon.cli import main

# Far more than anything here takes on a machine that has nothing else to do.
PATIENCE = 900.0

SEARCH = {"schema": str, "query": str, "took_ms": float, "hits": list, "notes": list}
INDEX = {
    "schema": str,
    "found": int,
    "indexed": int,
    "unchanged": int,
    "skipped": dict,
    "failed": dict,
    "chunks": int,
    "embedded": int,
    "seconds": float,
    "renamed": int,
    "removed": int,
    "scans": int,
    "cut": int,
    "complete": bool,
    "notes": list,
}
STATUS = {
    "home": str,
    "schema": str,
    "documents": int,
    "chunks": int,
    "vectors": int,
    "waiting_for_vectors": int,
    "skipped": dict,
    "failed": dict,
    "quarantine": dict,
    "sources": list,
    "unread": dict,
    "kinds": dict,
    "layout": dict,
    "layout_budget": dict,
    "scans": dict,
    "given_up": list,
    "without_text": dict,
    "failures": list,
    "model": dict,
    "cache": dict,
    "storage": dict,
    "daemon": type(None),
}
DOCTOR = {"schema": str, "ok": bool, "findings": list}


@pytest.fixture
def environment(home: Path) -> dict[str, str]:
    return {**os.environ, "CAPSA_HOME": str(home)}


def capsa(environment: dict[str, str], *arguments: str | Path, code: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "capsa.daemon", *map(str, arguments)],
        env=environment,
        capture_output=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == code, done.stderr.decode()
    return done.stdout.decode()


def record(environment: dict[str, str], shape: dict[str, type], *arguments: str | Path) -> dict[str, Any]:
    found = json.loads(capsa(environment, *arguments, "--json"))
    assert {name: type(value) for name, value in found.items()} == shape
    return dict(found)


def test_a_session(tmp_path: Path, environment: dict[str, str]) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "plan.md").write_text(
        "# Storm plan\n\nThe mayor must designate a public information officer.\n\n"
        "Table 1: boats\n\n| boat | seats |\n|---|---|\n| Heron | 12 |\n"
    )
    os.mkfifo(docs / "fifo.md")
    report = record(environment, INDEX, "index", docs)
    assert report["schema"] == "capsa.index/1"
    assert report["skipped"] == {"special": 1}
    found = record(environment, SEARCH, "search", "who must designate a public information officer")
    assert found["schema"] == "capsa.search/1"
    hit = found["hits"][0]
    assert hit["text"] in (docs / "plan.md").read_text()
    assert (docs / "plan.md").read_text()[hit["chunk"]["start"] : hit["chunk"]["end"]] == hit["text"]
    assert hit["why"]["bm25"]["rank"] == 1
    status = record(environment, STATUS, "status")
    assert (status["schema"], status["documents"]) == ("capsa.status/1", 1)
    assert status["layout"] == {"markdown": {"full": 1}}
    assert status["cache"]["state"] == "current"
    storage = json.loads(capsa(environment, "storage", "--json"))
    assert storage["schema"] == "capsa.storage/1"
    parts = ("vectors", "keywords", "text", "total")
    assert all(type(storage[part]["bytes"]) is int for part in parts)
    doctor = record(environment, DOCTOR, "doctor")
    assert (doctor["schema"], doctor["ok"]) == ("capsa.doctor/1", True)
    for command in ("index", "status", "storage", "doctor", "sources"):
        assert "\x1b" not in capsa(environment, command)
    assert "Storm plan" in capsa(environment, "search", "boats")
    assert capsa(environment, "search", "xyzzyq", "--retriever", "bm25") == ""
    capsa(environment, "search", "xyzzyq", "--retriever", "bm25", "--fail-on-empty", code=1)
    filtered = record(environment, SEARCH, "search", "boats", "--kind", "pdf", "--in", docs, "--since", "30d")
    assert filtered["hits"] == []


def test_no_query_is_an_error(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# a\n\nb\n")
    assert main(["index", str(tmp_path / "docs")]) == 0
    capsys.readouterr()
    for query in (
        '"',
        '"open',
        "a AND",
        "NEAR(",
        "*",
        "(((",
        "a:b",
        "\x01\x00",
        "",
        " ",
        "é" * 100_000,
        "-x",
        "\udcff",
    ):
        assert main(["search", "--json", "--", query]) == 0, query
        assert json.loads(capsys.readouterr().out)["schema"] == "capsa.search/1"


# So often that the first commit is not the last, however fast the machine.
COMMITS_OFTEN = """
import sys
from capsa.daemon import committing
from capsa.daemon.cli import main
committing.COMMIT_SECONDS = 0.3
sys.exit(main())
"""


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_stopped_loses_nothing_that_was_committed(
    tmp_path: Path, environment: dict[str, str], sent: signal.Signals
) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    total = 300
    for number in range(total):
        body = "\n\n".join(
            f"Paragraph {part} of file {number} tells of ships and harbours." * 12 for part in range(4)
        )
        (docs / f"{number}.md").write_text(f"# File {number}\n\n{body}\n")
    run = subprocess.Popen(
        [sys.executable, "-P", "-c", COMMITS_OFTEN, "index", "--json", str(docs)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A test run in the background of a shell has Ctrl-C ignored, and its children would inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    wait_for_documents(tmp_path / "home" / "capsa.sqlite", run)
    time.sleep(0.1)  # not just while that commit is being counted
    run.send_signal(sent)
    out, err = run.communicate(timeout=PATIENCE)
    assert run.returncode == 130, err.decode()
    assert b"Traceback" not in err
    assert b"stopped" in err
    stopped = json.loads(out)
    assert stopped["complete"] is False
    assert 0 < stopped["indexed"] < total
    status = json.loads(capsa(environment, "status", "--json"))
    assert status["documents"] == stopped["indexed"]
    again = record(environment, INDEX, "index")
    assert (again["unchanged"], again["indexed"]) == (stopped["indexed"], total - stopped["indexed"])
    assert json.loads(capsa(environment, "doctor", "--json"))["ok"] is True


def wait_for_documents(database: Path, run: subprocess.Popen[bytes]) -> None:
    """Until the first batch is committed."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        assert run.poll() is None, "the run ended too early"
        if database.exists():
            connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
            try:
                if connection.execute("SELECT count(*) FROM documents").fetchone()[0]:
                    return
            except sqlite3.OperationalError:
                pass  # the schema is not there yet
            finally:
                connection.close()
        time.sleep(0.05)
    pytest.fail("nothing was committed")
