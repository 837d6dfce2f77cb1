import errno
import os
from pathlib import Path

import pytest
from store_kit import put

from capsa.chunkers.errors import StoreError
from capsa.store import reserve, writer
from capsa.store.reserve import RESERVE, RESERVE_BYTES, keep_reserve
from capsa.store.writer import Writer


def test_the_reserve_is_the_users_alone_and_made_once(tmp_path: Path) -> None:
    keep_reserve(tmp_path)
    state = (tmp_path / RESERVE).stat()
    assert state.st_size == RESERVE_BYTES
    if os.name != "nt":
        assert state.st_mode & 0o777 == 0o600
        assert state.st_blocks * 512 >= RESERVE_BYTES
    keep_reserve(tmp_path)
    assert (tmp_path / RESERVE).stat().st_ino == state.st_ino


def test_a_small_disk_has_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reserve, "PLENTY", 1 << 40)
    keep_reserve(tmp_path)
    assert not (tmp_path / RESERVE).exists()


def test_one_that_cannot_be_filled_is_not_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "no space")

    monkeypatch.setattr(reserve, "_fill", full)
    keep_reserve(tmp_path)
    assert not (tmp_path / RESERVE).exists()


def test_on_a_full_disk_nothing_is_added_and_removing_takes_the_reserve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_reserve(tmp_path)
    with Writer.open(tmp_path) as opened:
        put(opened, "/d/a.txt", "paper of rivers")
        monkeypatch.setattr(writer, "FREE_BYTES", 1 << 60)
        with pytest.raises(StoreError, match="are free; nothing was changed"):
            put(opened, "/d/b.txt", "paper of stones")
        assert (tmp_path / RESERVE).exists()
        assert opened.remove([b"/d/a.txt"]) == 1
    assert not (tmp_path / RESERVE).exists()
