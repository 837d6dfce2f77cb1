import os
import stat
from pathlib import Path

import pytest

from capsa.store.private import make_folder, write_file

posix = pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")


@posix
def test_folders_and_files_are_the_user_s_alone(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        write_file(tmp_path / "a" / "b" / "file", b"data")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "a" / "b").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "a" / "b" / "file").stat().st_mode) == 0o600


def test_a_file_is_replaced(tmp_path: Path) -> None:
    write_file(tmp_path / "file", b"old")
    write_file(tmp_path / "file", b"new")
    assert (tmp_path / "file").read_bytes() == b"new"
    assert make_folder(tmp_path) == tmp_path


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "inside").write_bytes(b"")
    with pytest.raises(OSError, match="folder"):
        write_file(tmp_path / "folder", b"data")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
