"""The walk sees every entry once, enters no link, opens nothing."""

import os
import socket
from pathlib import Path
from types import SimpleNamespace

import pytest

from capsa.daemon.excludes import Excludes
from capsa.daemon.settings import Settings
from capsa.daemon.walk import Found, Limits, is_in_the_cloud, walk

RULES = Excludes(Settings(), b"/nowhere")


def names(root: Path, within: Path | None = None, limits: Limits | None = None) -> dict[bytes, str]:
    items = walk(
        os.fsencode(root),
        RULES,
        limits or Limits(max_file_bytes=1000),
        None if within is None else os.fsencode(within),
    )
    base = len(os.fsencode(root)) + 1
    return {item.path[base:]: "found" if isinstance(item, Found) else item.reason for item in items}


def test_special_files_and_links(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.txt")
    (tmp_path / "a.txt").write_text("x")
    (tmp_path / "empty.txt").touch()
    (tmp_path / "big.txt").write_bytes(b"x" * 1001)
    (tmp_path / "link.txt").symlink_to("a.txt")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "loop").symlink_to(tmp_path)
    (tmp_path / "dangling").symlink_to("nowhere")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.fspath(tmp_path / "socket.txt"))
        seen = names(tmp_path)
    assert seen == {
        b"fifo.txt": "special",
        b"socket.txt": "special",
        b"a.txt": "found",
        b"empty.txt": "empty",
        b"big.txt": "too-large",
        b"link.txt": "symlink",
        b"sub/loop": "symlink",
        b"dangling": "symlink",
    }


def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    folder = os.path.join(os.fsencode(tmp_path), b"caf\xe9")
    os.mkdir(folder)
    for name in (b"na\xefve.txt", b"new\nline.txt", b'"quoted".txt', b"\xf0\x9f\x90\x8b.txt"):
        with open(os.path.join(folder, name), "w") as file:
            file.write("x")
    assert set(names(tmp_path).values()) == {"found"}
    assert b"caf\xe9/na\xefve.txt" in names(tmp_path)


def test_the_order_is_stable_and_files_come_before_inner_folders(tmp_path: Path) -> None:
    for name in ("b/2.txt", "a/1.txt", "z.txt", "a/0/x.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    assert list(names(tmp_path)) == [b"z.txt", b"a/1.txt", b"a/0/x.txt", b"b/2.txt"]


def test_a_deep_tree(tmp_path: Path) -> None:
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(600):
        os.mkdir(b"d" * 20, dir_fd=here)
        inner = os.open(b"d" * 20, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)
    assert list(names(tmp_path).values()) == ["unreadable"]


def test_a_single_file_and_a_part_of_a_source(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("*.log\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.txt").write_text("x")
    (tmp_path / "sub" / "a.log").write_text("x")
    (tmp_path / "other.txt").write_text("x")
    assert list(names(tmp_path / "other.txt").values()) == ["found"]
    assert names(tmp_path, within=tmp_path / "sub") == {b"sub/a.log": "ignored", b"sub/a.txt": "found"}


def test_other_sources_are_left_to_themselves(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "a.txt").write_text("x")
    limits = Limits(1000, other_sources={os.fsencode(tmp_path / "own")})
    assert names(tmp_path, limits=limits) == {b"own": "other-source"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_folder(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0)
    assert names(tmp_path) == {b"closed": "unreadable"}


@pytest.mark.parametrize(
    ("told", "away"),
    [
        ({}, False),
        ({"st_flags": 0x40000000}, True),
        ({"st_flags": 0x20}, False),
        ({"st_file_attributes": 0x400000}, True),
        ({"st_file_attributes": 0x1000}, True),
        ({"st_file_attributes": 0x20}, False),
    ],
)
def test_a_file_in_the_cloud_is_known_by_its_flags(told: dict[str, int], away: bool) -> None:
    assert is_in_the_cloud(SimpleNamespace(**told)) == away  # type: ignore[arg-type]
