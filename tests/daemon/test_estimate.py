"""How long a run will take, guessed before it begins."""

from pathlib import Path

import pytest

from capsa.daemon import estimate, progress
from capsa.daemon.cli import main
from capsa.daemon.estimate import CHUNKS_PER_MB, CHUNKS_PER_SECOND, LONGEST_SECONDS, Pace
from capsa.daemon.progress import Bar, seconds_left
from capsa.daemon.state import State
from capsa.store.writer import Writer


def test_the_first_run_is_guessed_by_what_is_usual() -> None:
    files = [("/d/a.md", 2_000_000), ("/d/film.mp4", 10**9), ("/d/no suffix", 10**6)]
    expected = 2 * CHUNKS_PER_MB["markdown"] / (CHUNKS_PER_SECOND * 2)
    assert Pace().seconds_for(files, cores=2) == pytest.approx(expected)


def test_later_runs_are_guessed_by_what_was_measured() -> None:
    pace = Pace()
    assert pace.add(100.0, {"markdown": (1e6, 2000.0), "pdf": (10e6, 1000.0)})
    again = Pace.load(pace.dump())
    assert again.seconds_for([("a.md", 1_000_000), ("b.PDF", 10_000_000)], 8) == pytest.approx(100.0)
    assert again.seconds_for([("a.md", 500_000)], 1) == pytest.approx(100.0 / 3)


def test_short_runs_and_old_ones_tell_less() -> None:
    pace = Pace()
    assert not pace.add(1.0, {"markdown": (1e6, 1e9)})
    assert pace.kinds == {}
    pace.add(2 * LONGEST_SECONDS, {"markdown": (1e6, 1000.0)})
    for _ in range(30):
        pace.add(LONGEST_SECONDS, {"markdown": (1e6, 1000.0)})
    assert pace.seconds_for([("a.md", 1_000_000)], 1) == pytest.approx(LONGEST_SECONDS, rel=1e-3)


def test_what_is_left_is_first_a_guess_and_then_measured() -> None:
    assert seconds_left(0, 100, 1.0, 50.0) == 49.0
    assert seconds_left(50, 100, 10.0, 50.0) == 10.0
    assert seconds_left(0, 100, 10.0, 50.0) == 40.0
    assert seconds_left(0, 100, 60.0, 50.0) is None
    assert seconds_left(0, 100, 10.0) is None
    state = State()
    state.start(100, 50.0)
    assert state.to_json()["seconds_left"] == pytest.approx(50.0, abs=5)


def test_a_long_run_is_told_of_before_it_begins(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "WORTH_TELLING", 20.0)
    with Bar() as bar:
        bar.start(1200, 200.0)
    assert "1,200 files to read, about 3:20 min" in capsys.readouterr().err


def test_a_run_is_remembered(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimate, "SHORTEST_SECONDS", 0.0)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# Quokka\n\nThe quokka sleeps.\n")
    assert main(["index", "-q", str(tmp_path / "docs")]) == 0
    with Writer.open(home) as writer:
        pace = Pace.load(writer.pace)
    assert pace.seconds > 0
    assert pace.kinds == {"markdown": (29.0, 1.0)}
