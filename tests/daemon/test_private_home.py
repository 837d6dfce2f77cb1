"""What a daemon leaves in its home: for the user alone, whatever the umask, and no text in its log."""

import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from capsa.daemon.serving.channel import ask

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes")

PATIENCE = 120.0
WORDS = ("zyxcanarium", "quolbrandt", "vexiltorb", "murqwen", "plimsoggar")
# Each is indexed, fails or is skipped in its own way; parsers like to quote what they do not understand.
FILES = {
    "good.md": f"# {WORDS[0]} report\n\nThe {WORDS[1]} sleeps.\n".encode(),
    "broken.pdf": f"%PDF-1.7\n1 0 obj << /{WORDS[2]} ({WORDS[3]}) >> {WORDS[4]}\n%%EOF".encode(),
    "deep.html": b"<div>" * 5000 + WORDS[2].encode(),
    "odd.csv": f'{WORDS[0]},"{WORDS[1]}\n\n"{WORDS[2]}"x,{WORDS[3]}'.encode(),
    "binary.txt": b"\x00\x01" * 500 + WORDS[4].encode(),
    "program.py": f"def {WORDS[3]}(:\n    '{WORDS[2]}".encode(),
    "wrong.json": f'{{"{WORDS[0]}": [{WORDS[1]}'.encode(),
}


def capsa(home: Path, *words: str) -> None:
    command = [sys.executable, "-P", "-m", "capsa.daemon", "--home", str(home), *words]
    done = subprocess.run(command, capture_output=True, umask=0, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr


def modes(home: Path) -> dict[str, int]:
    """The modes of all that is in the home, and of the home."""
    found = {}
    for path in (home, *home.rglob("*")):
        try:
            found[os.path.relpath(path, home)] = stat.S_IMODE(path.lstat().st_mode)
        except FileNotFoundError:
            continue  # what the daemon removed meanwhile
    return found


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    for name, data in FILES.items():
        (folder / name).write_bytes(data)
    return folder


@pytest.fixture
def lived_in(tmp_path: Path, docs: Path) -> tuple[Path, dict[str, int]]:
    """A home after index, start, search and stop under umask 0, and its modes in the middle of it."""
    home = tmp_path / "cold"
    capsa(home, "index", str(docs))
    capsa(home, "start")
    try:
        (docs / "more.md").write_text(f"The {WORDS[4]} swims.\n")
        (docs / "broken.pdf").write_bytes(FILES["broken.pdf"] + WORDS[0].encode())
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            answer = ask(home, {"do": "search", "text": f'"{WORDS[4]}"', "retriever": "bm25"})
            if answer is not None and answer["found"]:
                break
            time.sleep(0.1)
        capsa(home, "search", WORDS[4], "--fail-on-empty")
        during = modes(home)
    finally:
        capsa(home, "stop")
    return home, during


def test_nothing_in_it_is_for_others_and_no_text_is_logged(lived_in: tuple[Path, dict[str, int]]) -> None:
    home, during = lived_in
    for found in (during, modes(home)):
        folders = {name for name in found if (home / name).is_dir()}
        assert {found[name] for name in folders} == {0o700}
        assert {name for name in found if name not in folders and found[name] != 0o600} == set()
    assert {"daemon.sock", "daemon.log", "capsa.sqlite", "capsa.sqlite-wal", "daemon.lock"} <= during.keys()
    log = (home / "daemon.log").read_text()
    assert "indexed" in log
    assert [word for word in WORDS if word in log] == []
