"""Files that break their parser, or all of capsa: tried again a few times, and never in the way of others."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from test_pool import COMMAND

from capsa.daemon import child, pool
from capsa.daemon.cli import main
from capsa.daemon.quarantine import GUILTY, JOURNAL, TOGETHER, TRIES, Journal
from capsa.daemon.survey import Candidate
from capsa.daemon.targets import Target
from capsa.daemon.walk import Found

TARGET = Target(b"/d", b"/d", 1)


def candidates(count: int) -> list[Candidate]:
    return [
        Candidate(TARGET, Found(b"/d/%d" % number, 1, 2, 3, 4), None, again=True) for number in range(count)
    ]


def test_what_was_being_parsed_at_a_crash_is_a_suspect(tmp_path: Path) -> None:
    wanted = candidates(TOGETHER + 1)
    journal = Journal(tmp_path)
    under_way = journal.follow(wanted)
    first, second = next(under_way), next(under_way)
    journal.done(first)
    list(zip(range(TOGETHER - 1), under_way, strict=True))
    # The program ends here without a word.
    suspects = Journal(tmp_path).suspects(wanted)
    assert suspects == wanted[1:]
    assert second in suspects
    assert not any(Journal(tmp_path).is_guilty(each) for each in wanted)


def test_one_that_alone_ends_it_again_and_again_is_guilty(tmp_path: Path) -> None:
    bad, good = candidates(2)
    list(Journal(tmp_path).follow([bad, good]))
    for _ in range(TRIES):
        journal = Journal(tmp_path)
        assert journal.suspects([bad, good]) == [bad, good]
        assert not journal.is_guilty(bad)
        list(journal.follow([bad]))
    journal = Journal(tmp_path)
    assert journal.is_guilty(bad)
    assert not journal.is_guilty(good)
    list(journal.follow([good]))
    journal.done(good)
    journal.close()
    assert Journal(tmp_path).suspects([bad, good]) == []


def test_an_end_that_was_wanted_makes_nobody_a_suspect(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    list(journal.follow(candidates(3)))
    journal.close()
    assert Journal(tmp_path).suspects(candidates(3)) == []
    assert (tmp_path / JOURNAL).stat().st_size == 0


@pytest.mark.parametrize("torn", [b"", b"{", b"[]", b'{"parsing": []}', b"\xff"])
def test_a_torn_journal_tells_of_none(tmp_path: Path, torn: bytes) -> None:
    (tmp_path / JOURNAL).write_bytes(torn)
    assert Journal(tmp_path).suspects(candidates(1)) == []


def test_a_changed_file_is_another(tmp_path: Path) -> None:
    list(Journal(tmp_path).follow(candidates(1)))
    edited = Candidate(TARGET, Found(b"/d/0", 1, 3, 3, 4), None, again=True)
    assert Journal(tmp_path).suspects([edited]) == []


@pytest.fixture
def docs(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose files say by name what they do to the parser."""
    monkeypatch.setattr(pool, "Child", lambda job, command: child.Child(job, COMMAND))
    folder = tmp_path / "docs"
    folder.mkdir()
    for name in ("good.md", "segfault.md", "leave.md", "refuse.md"):
        (folder / name).write_text(f"Told by {name}.\n")
    return folder


def index(capsys: pytest.CaptureFixture[str], *paths: str) -> dict[str, object]:
    capsys.readouterr()
    assert main(["index", "--json", *paths]) == 0
    return json.loads(capsys.readouterr().out)  # type: ignore[no-any-return]


def starts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the files that workers get from now on."""
    seen: list[str] = []
    ask = child.Child.ask

    def watched(self: child.Child, request: child.Request) -> bytes | child.Failure:
        seen.append(request.name)
        return ask(self, request)

    monkeypatch.setattr(child.Child, "ask", watched)
    return seen


def test_a_crash_is_tried_once_more_and_then_only_when_something_changes(
    docs: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = index(capsys, str(docs))
    assert (first["failed"], first["indexed"]) == ({"crash": 2, "damaged": 1}, 1)
    seen = starts(monkeypatch)
    assert index(capsys)["failed"] == first["failed"]
    assert sorted(seen) == ["leave.md", "segfault.md"]
    seen.clear()
    assert index(capsys)["failed"] == first["failed"]
    assert seen == []
    (docs / "leave.md").write_text("Told by another one.\n")
    index(capsys)
    index(capsys)
    index(capsys)
    assert seen == ["leave.md", "leave.md"]


def test_the_status_lists_what_is_in_quarantine(docs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    index(capsys, str(docs))
    assert main(["status"]) == 0
    told = capsys.readouterr().out
    assert "2 files broke their parser" in told
    assert "segfault.md: crash: the parser died of SIGSEGV" in told
    assert main(["status", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["quarantine"] == {"crash": 2}


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_a_file_that_ends_all_of_capsa_is_left_alone_in_the_end(
    docs: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All of it is killed as soon as a worker is told to parse the file, as a crash of the machine would."""
    (docs / "hang.md").write_text("Told by hang.\n")
    script = f"""
import os, signal, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_pool import COMMAND
from capsa.daemon import child, pool
from capsa.daemon.cli import main
class Doomed(child.Child):
    def ask(self, request):
        if request.name == "hang.md":
            os.kill(os.getpid(), signal.SIGKILL)
        return super().ask(request)
pool.Child = lambda job, command: Doomed(job, COMMAND)
sys.exit(main(["index", "-q", {str(docs)!r}]))
"""
    ends = [
        subprocess.run([sys.executable, "-c", script], capture_output=True, check=False).returncode
        for _ in range(TRIES + 2)
    ]
    assert ends == [*[-signal.SIGKILL] * (TRIES + 1), 0]
    assert index(capsys)["failed"] == {"crash": 3, "damaged": 1}
    assert main(["status", "--json"]) == 0
    failures = json.loads(capsys.readouterr().out)["failures"]
    assert GUILTY.detail in [failure["detail"] for failure in failures]
    assert [os.path.basename(f["path"]) for f in failures if f["detail"] == GUILTY.detail] == ["hang.md"]
