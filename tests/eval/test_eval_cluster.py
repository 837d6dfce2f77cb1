"""A grid on two processes, and on a local Dask cluster of two workers, gives the numbers of one process."""

import json
import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import pytest
from small_corpus import write_corpus

from capsa.daemon.cli import main
from capsa.eval.corpus import Chunking
from capsa.eval.grid import Group
from capsa.eval.options import QuestionSet
from capsa.eval.processes import apart
from capsa.eval.runs import RunFolder, read_rows, read_sidecar

TIMES = {"latency_ms"}


def test_a_cluster_gives_the_numbers_of_one_process(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    distributed = pytest.importorskip("distributed")
    monkeypatch.setenv("DASK_DISTRIBUTED__WORKER__DAEMON", "False")
    root, questions = write_corpus(tmp_path)
    common = ["--home", str(tmp_path / "home"), "eval", "grid", str(root), str(questions)]
    common += ["--parsers", "native,normal", "--chunkers", "basic", "--out"]
    assert main([*common, str(tmp_path / "here")]) == 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ports in use, and what Dask itself deprecates
        with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, protocol="tcp://"
        ) as cluster:
            address = cluster.scheduler_address
            assert main([*common, str(tmp_path / "there"), "--scheduler", address, "--json"]) == 0
    out = capsys.readouterr().out
    assert json.loads(out[out.index('{"schema"') :])["complete"]
    assert _numbers(tmp_path / "here") == _numbers(tmp_path / "there")


def test_two_processes_give_the_numbers_of_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root, questions = write_corpus(tmp_path)
    common = ["--home", str(tmp_path / "home"), "eval", "grid", str(root), str(questions)]
    common += [str(root), str(questions), "--chunkers", "basic", "--parsers", "native,normal", "--out"]
    assert main([*common, str(tmp_path / "one"), "--workers", "1"]) == 0
    assert main([*common, str(tmp_path / "two"), "--workers", "2"]) == 0
    assert _numbers(tmp_path / "one") == _numbers(tmp_path / "two")
    capsys.readouterr()
    assert main([*common, str(tmp_path / "none"), "--workers", "0"]) == 2
    assert "--workers 0: must be at least 1" in capsys.readouterr().err


@pytest.mark.skipif(os.name != "posix", reason="sends a signal to a process group")
def test_ctrl_c_ends_all_processes_without_a_word_and_keeps_what_is_done(tmp_path: Path) -> None:
    root, questions = write_corpus(tmp_path)
    out = tmp_path / "run"
    words = ["--home", str(tmp_path / "home"), "eval", "grid", str(root), str(questions), "--out", str(out)]
    command = [
        sys.executable,
        "-P",
        "-m",
        "capsa.daemon",
        *words,
        "--parsers",
        "native,normal",
        "--workers",
        "2",
    ]
    # A test run in the background of a shell has Ctrl-C ignored, and its children would inherit that.
    with subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        while process.poll() is None and not _groups(out):
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)
        told = process.communicate()[1]
    assert (process.returncode, told) == (130, "capsa: stopped\n")
    assert 1 <= len(_groups(out)) < 18
    # Opened again, it has whole groups only: 4 retrievers, 2 scopes, 2 matchers, 5 questions.
    run = RunFolder.open(out, read_sidecar(out))
    assert len(list(read_rows(out))) == 80 * len(run.done)


def _groups(folder: Path) -> dict[str, int]:
    path = folder / "run.json"
    groups: dict[str, int] = json.loads(path.read_text())["groups"] if path.is_file() else {}
    return groups


def test_neighbouring_groups_are_of_different_sets() -> None:
    sets = [QuestionSet(name, Path(), (), "", "") for name in "ab"]
    groups = [Group(each, Chunking("native", chunker)) for each in sets for chunker in ("x", "y", "z")]
    assert [group.questions.name for group in apart(groups)] == list("ababab")
    assert apart(groups[:4])[2:] == groups[1:3]


def _numbers(folder: Path) -> list[Any]:
    """All rows without what is measured in time, in an order that does not depend on who was first."""
    return sorted(repr({k: v for k, v in row.items() if k not in TIMES}) for row in read_rows(folder))


def test_no_scheduler_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("distributed")
    root, questions = write_corpus(tmp_path)
    words = ["eval", "grid", str(root), str(questions), "--out", str(tmp_path / "run")]
    assert main(["--home", str(tmp_path / "home"), *words, "--scheduler", "nowhere:x"]) == 3
    assert "no Dask scheduler answers at nowhere:x" in capsys.readouterr().err
