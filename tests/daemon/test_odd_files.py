"""Files that are not what they were when a walk saw them, or that cannot be read for a while."""

import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from capsa.chunkers.errors import ParseError
from capsa.daemon import ingest, walk
from capsa.daemon.cli import main
from capsa.daemon.reading import read_file

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and modes of POSIX")

# Root without the right to read what it may not.
PLAIN = ("setpriv", "--inh-caps=-all", "--bounding-set=-dac_override,-dac_read_search")


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    (folder / "inner").mkdir(parents=True)
    (folder / "inner" / "a.md").write_text("The quokka sleeps.\n")
    (folder / "b.md").write_text("The wombat digs.\n")
    return folder


def found(word: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    capsys.readouterr()
    assert main(["search", f'"{word}"', "--retriever", "bm25", "--json"]) == 0
    return [Path(hit["document"]["path"]).name for hit in json.loads(capsys.readouterr().out)["hits"]]


@pytest.mark.skipif(sys.platform != "linux", reason="where an open file lies is told by /proc")
def test_a_folder_that_became_a_link_leads_nowhere(docs: Path, tmp_path: Path) -> None:
    root, path = bytes(docs), bytes(docs / "inner" / "a.md")
    assert read_file(path, 1000, root=root).data
    shutil.move(docs / "inner", tmp_path / "elsewhere")
    (docs / "inner").symlink_to(tmp_path / "elsewhere")
    assert read_file(path, 1000).data
    with pytest.raises(ParseError, match="symbolic link"):
        read_file(path, 1000, root=root)
    # Elsewhere under the same path, and within the root.
    shutil.move(tmp_path / "elsewhere", docs / "other")
    for target in (docs / "other", tmp_path / "twin" / "inner"):
        (docs / "inner").unlink()
        (docs / "inner").symlink_to(target)
        target.mkdir(parents=True, exist_ok=True)
        (target / "a.md").write_text("secret")
        with pytest.raises(ParseError, match="symbolic link"):
            read_file(path, 1000, root=root)


@pytest.mark.skipif(sys.platform != "linux", reason="where an open file lies is told by /proc")
def test_a_source_may_be_reached_by_a_link(docs: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    root = tmp_path / "link" / "docs"
    assert read_file(bytes(root / "inner" / "a.md"), 1000, root=bytes(root)).data
    assert read_file(bytes(docs / "b.md"), 1000, root=bytes(docs / "b.md")).data


@pytest.mark.skipif(sys.platform != "linux", reason="where an open file lies is told by /proc")
def test_what_is_swapped_between_the_look_and_the_reading_is_not_read(
    home: Path,
    docs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "a.md").write_text("The zyzzyva hides.\n")
    read = ingest.read_file

    def swap(*arguments: Any) -> Any:
        if not (docs / "inner").is_symlink():
            shutil.rmtree(docs / "inner")
            (docs / "inner").symlink_to(tmp_path / "secrets")
        return read(*arguments)

    monkeypatch.setattr(ingest, "read_file", swap)
    assert main(["index", "-q", str(docs)]) == 0
    assert found("zyzzyva", capsys) == []
    assert found("wombat", capsys) == ["b.md"]


def test_a_file_that_went_to_the_cloud_is_kept_and_not_opened(
    home: Path, docs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["index", "-q", str(docs)]) == 0
    gone = (docs / "inner" / "a.md").stat().st_ino
    monkeypatch.setattr(walk, "is_in_the_cloud", lambda state: state.st_ino == gone)
    opened: list[bytes] = []
    read = ingest.read_file

    def spy(path: bytes, *arguments: Any) -> Any:
        opened.append(path)
        return read(path, *arguments)

    monkeypatch.setattr(ingest, "read_file", spy)
    # Both would be read again.
    for path in (docs / "inner" / "a.md", docs / "b.md"):
        os.utime(path, (1, 1))
    capsys.readouterr()
    assert main(["index", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["skipped"] == {"in-the-cloud": 1}
    assert opened == [bytes(docs / "b.md")]
    assert found("quokka", capsys) == ["a.md"]


@pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0 or shutil.which("setpriv") is None,
    reason="needs root, to be without its rights",
)
def test_what_may_not_be_read_is_told_and_read_again_when_it_may(
    home: Path, docs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (docs / "inner").chmod(0)
    (docs / "b.md").chmod(0)
    first = indexed_plainly(docs)
    assert (first["indexed"], first["skipped"], first["failed"]) == (
        0,
        {"unreadable": 1},
        {"unreadable": 1},
    )
    (docs / "inner").chmod(stat.S_IRWXU)
    (docs / "b.md").chmod(stat.S_IRUSR)
    assert indexed_plainly(docs)["indexed"] == 2
    # What cannot be seen for a while is not gone.
    (docs / "inner").chmod(0)
    indexed_plainly(docs)
    (docs / "inner").chmod(stat.S_IRWXU)
    assert found("quokka", capsys) == ["a.md"]


def indexed_plainly(docs: Path) -> Any:
    words = [*PLAIN, sys.executable, "-P", "-m", "capsa.daemon", "index", "--json", str(docs)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode and "setpriv" in done.stderr:
        pytest.skip(f"no rights to be without here: {done.stderr.strip()}")
    return json.loads(done.stdout)


@pytest.mark.parametrize("nanoseconds", [2**63 + 10**18, -(2**63) - 10**18])
def test_a_time_that_needs_more_than_64_bits_stops_no_run(
    nanoseconds: int, docs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.utime(docs / "b.md", ns=(nanoseconds, nanoseconds))
    assert main(["index", "-q", str(docs)]) == 0
    assert found("wombat", capsys) == ["b.md"]
    assert found("quokka", capsys) == ["a.md"]
