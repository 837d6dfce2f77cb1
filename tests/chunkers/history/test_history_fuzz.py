"""Whatever is done to an export, it is read in part or refused in a line, and no bad record comes out."""

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from browser_kit import MAKERS
from test_history_files import EXPORTS, archive_of

from capsa.chunkers.errors import ParseError
from capsa.chunkers.history import find_format, is_export, read_export
from capsa.chunkers.history.model import Bookmark, Meter, Visit
from capsa.chunkers.history.times import is_plausible

NOW = 1_790_000_000_000_000
ODD = (b"\0", b'"', b"\xff\xfe", b"[" * 50, b"<dl>" * 50, b"-1e400", b"\n")
ROWS = [(f"https://a.example/{n}", f"Page {n} – ü", 1_700_000_000_000_000 + n) for n in range(40)]


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Change, drop, repeat or insert some bytes."""
    made = bytearray(data)
    for _ in range(chance.randrange(1, 8)):
        place = chance.randrange(len(made) + 1)
        length = chance.choice((1, 1, 2, 20, 300))
        way = chance.randrange(4)
        if way == 0:
            made[place : place + length] = chance.randbytes(length)
        elif way == 1:
            del made[place : place + length]
        elif way == 2:
            made[place:place] = made[place : place + length]
        else:
            made[place:place] = chance.choice(
                (b"\0", b'"', b"\xff\xfe", b"[" * 50, b"<dl>" * 50, b"-1e400", b"\n")
            )
    return bytes(made)


def check(path: Path) -> None:
    is_export(path.read_bytes()[: 1 << 16])
    for ask in (lambda: [find_format(path)], lambda: list(read_export(path, Meter(), NOW))):
        records, refusal = outcome(ask)
        assert refusal is None or refusal.reason in ("damaged", "not-a-history", "bomb")
        assert "\n" not in str(refusal)
        for record in records:
            if isinstance(record, Visit | Bookmark):
                assert record.url
                assert record.when is None or is_plausible(record.when, NOW)
                assert "\0" not in record.url + record.title


def outcome(ask: Callable[[], Sequence[object]]) -> tuple[Sequence[object], ParseError | None]:
    try:
        return ask(), None
    except ParseError as error:
        return (), error


@pytest.mark.parametrize("name", EXPORTS)
def test_damaged_files(name: str, tmp_path: Path) -> None:
    chance = random.Random(name)
    for number in range(60):
        path = tmp_path / f"{number}"
        path.write_bytes(damaged(EXPORTS[name][0].encode(), chance))
        check(path)


@pytest.mark.parametrize("name", MAKERS)
def test_damaged_databases(name: str, tmp_path: Path) -> None:
    make = MAKERS[name]
    data = make(tmp_path / "whole", ROWS).read_bytes()  # type: ignore[operator]
    chance = random.Random(name)
    for number in range(40):
        path = tmp_path / f"{number}"
        path.write_bytes(damaged(data, chance))
        check(path)


def test_damaged_archives(tmp_path: Path) -> None:
    data = archive_of(tmp_path, {"Takeout/Chrome/History.json": EXPORTS["takeout"][0]}).read_bytes()
    chance = random.Random(1)
    for number in range(150):
        path = tmp_path / f"{number}"
        path.write_bytes(damaged(data, chance))
        check(path)
