"""Only regular files are read, never more than the limit, never waiting."""

import os
import socket
from pathlib import Path

import pytest

from capsa.chunkers.errors import ParseError
from capsa.daemon.reading import content_hash, open_regular, read_file, read_head


def reason_of(path: Path, limit: int = 1000) -> str:
    with pytest.raises(ParseError) as caught:
        read_file(os.fsencode(path), limit)
    return caught.value.reason


def test_a_regular_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 200_000)
    content = read_file(os.fsencode(tmp_path / "a"), 200_000)
    assert content.data == b"x" * 200_000
    assert content.stat.st_size == 200_000
    assert content.digest == content_hash(content.data)
    assert read_head(os.fsencode(tmp_path / "a"), 10) == b"x" * 10


def test_links_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("secret")
    (tmp_path / "link").symlink_to("a")
    (tmp_path / "loop").symlink_to("loop")
    assert reason_of(tmp_path / "link") == reason_of(tmp_path / "loop") == "symlink"


def test_fifo_socket_device_and_folder_are_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.fspath(tmp_path / "socket"))
        for path in (tmp_path / "fifo", tmp_path / "socket", Path("/dev/null"), tmp_path):
            assert reason_of(path) == "special"


def test_what_is_gone_or_too_large(tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(b"x" * 1001)
    assert reason_of(tmp_path / "none") == "vanished"
    assert reason_of(tmp_path / "big") == "too-large"


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs /proc")
def test_a_file_that_says_it_is_empty_is_bounded_too() -> None:
    assert reason_of(Path("/proc/self/status"), limit=10) == "too-large"


def test_the_first_look_can_refuse_before_the_rest_is_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 500_000)
    seen: list[bytes] = []

    def look(head: bytes) -> None:
        seen.append(head)
        raise ParseError("binary", "no")

    with pytest.raises(ParseError, match="no"):
        read_file(os.fsencode(tmp_path / "a"), 1 << 20, look)
    assert len(seen[0]) < 500_000


def test_descriptors_are_not_inherited(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    descriptor = open_regular(os.fsencode(tmp_path / "a"))
    assert not os.get_inheritable(descriptor)
    os.close(descriptor)
