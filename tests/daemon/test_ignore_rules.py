"""Ignore patterns: by table, and against git itself."""

import os
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capsa.daemon.ignore_rules import IgnoreRules

# patterns, path (a trailing / marks a folder), verdict
TABLE = [
    ("*.log", "a.log", True),
    ("*.log", "sub/a.log", True),
    ("*.log", "a.logs", None),
    ("/a.txt", "a.txt", True),
    ("/a.txt", "sub/a.txt", None),
    ("sub/a.txt", "sub/a.txt", True),
    ("sub/a.txt", "x/sub/a.txt", None),
    ("build/", "build/", True),
    ("build/", "build", None),
    ("build/", "x/build/", True),
    ("**/foo", "foo", True),
    ("**/foo", "a/b/foo", True),
    ("a/**", "a/", None),
    ("a/**", "a/b", True),
    ("a/**", "a/b/c", True),
    ("a/**/b", "a/b", True),
    ("a/**/b", "a/x/y/b", True),
    ("a/**/b", "a/x/y/c", None),
    ("/**", "anything", True),
    ("/**", "a/b/c", True),
    ("foo**bar", "fooXbar", True),
    ("a*b*c*d", "aXbYcZd", True),
    ("a*b*c*d", "aXbYcZ", None),
    ("?at", "cat", True),
    ("?at", "at", None),
    ("[a-c].txt", "b.txt", True),
    ("[!a-c].txt", "b.txt", None),
    ("[!a-c].txt", "z.txt", True),
    ("[^a-c].txt", "z.txt", True),
    ("[[:digit:]]x", "7x", True),
    ("[[:alpha:]_]x", "_x", True),
    ("[]]x", "]x", True),
    ("[abc", "[abc", None),
    ("*.log\n!keep.log", "keep.log", False),
    ("!keep.log\n*.log", "keep.log", True),
    ("# comment", "# comment", None),
    (r"\#file", "#file", True),
    (r"\!file", "!file", True),
    (r"\*", "*", True),
    (r"\*", "x", None),
    ("name   ", "name", True),
    ("name\\ ", "name ", True),
    ("name\r\nother", "name", True),
    ("\ufeffname", "name", True),
    ("trailing\\", "trailing", None),
    ("", "x", None),
    ("/", "x", None),
    ("*", "x", True),
    ("*/", "x", None),
    ("*/", "x/", True),
    ("doc/*.txt", "doc/a.txt", True),
    ("doc/*.txt", "doc/sub/a.txt", None),
    (".*", ".x", True),
    ("*.tar.gz", "a.tar.gz", True),
    ("*.", "a.", True),
    ("a[/]b", "a/b", None),
    ("[[/]", "[", True),
    ("[[/]", "a/[", None),
    ("a/[/b]c", "a/bc", True),
    ("a/[/b", "a/b", None),
    ("\\[/b]", "[/b]", True),
]


@pytest.mark.parametrize(("patterns", "path", "verdict"), TABLE)
def test_verdict(patterns: str, path: str, verdict: bool | None) -> None:
    rules = IgnoreRules(patterns.encode())
    assert rules.verdict(path.rstrip("/").encode(), is_dir=path.endswith("/")) is verdict


NAMES = ["a", "b", "ab", "a.txt", "b.log", "abc", "x", "[", "a b", "#a"]
PATTERNS = st.text(alphabet="ab*?/!#[]\\. x-^", min_size=1, max_size=8)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("repository")
    if subprocess.run(["git", "init", "-q", root], check=False).returncode:
        pytest.skip("git is not here")
    for top in NAMES:
        (root / top).mkdir()
        for inner in NAMES:
            (root / top / inner).write_text("x")
    return root


@settings(max_examples=60, deadline=None)
@given(patterns=st.lists(PATTERNS, min_size=1, max_size=4))
def test_same_answer_as_git(repository: Path, patterns: list[str]) -> None:
    (repository / ".gitignore").write_text("\n".join(patterns))
    rules = IgnoreRules("\n".join(patterns).encode())
    ours = []
    for top in NAMES:
        if rules.verdict(top.encode(), is_dir=True):
            continue
        ours += [
            f"{top}/{name}" for name in NAMES if not rules.verdict(f"{top}/{name}".encode(), is_dir=False)
        ]
    listed = subprocess.run(
        ["git", "-C", repository, "ls-files", "-z", "--others", "--exclude-standard"],
        capture_output=True,
        check=True,
        env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull},
    )
    theirs = [os.fsdecode(name) for name in listed.stdout.split(b"\0") if name and name != b".gitignore"]
    assert sorted(ours) == sorted(theirs)


def test_hostile_patterns_stay_cheap() -> None:
    rules = IgnoreRules(b"\n".join([b"*a" * 40 + b"b", b"**/a/" * 30 + b"b", b"[" * 1000, b"?*" * 200]))
    started = time.process_time()
    rules.verdict(b"a" * 250, is_dir=False)
    rules.verdict(b"a/" * 100 + b"c", is_dir=False)
    # Backtracking would take years; a minute is no measurement of speed.
    assert time.process_time() - started < 60
