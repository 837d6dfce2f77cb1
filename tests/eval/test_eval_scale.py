import json
from pathlib import Path

import pytest

from capsa.daemon.cli import main
from capsa.eval import scale
from capsa.eval.scale_home import grow, turn
from capsa.eval.speed_home import open_home
from capsa.store.reader import Reader
from capsa.store.writer import Writer


def test_a_turned_text_keeps_its_length_and_its_short_words() -> None:
    text = "The keeper of the lamp wrote down every vessel that passed between dusk and dawn"
    other = turn(text, 1)
    assert len(other) == len(text)
    assert other != text
    assert turn(text, 1) == other != turn(text, 2)
    assert [word for word in text.split() if len(word) < 4] == [w for w in other.split() if len(w) < 4]


def test_a_grown_index_is_sound(tmp_path: Path) -> None:
    made = open_home(tmp_path, 120, None, lambda told: None)
    grow(made.home, 2, lambda told: None)
    with Reader.open(made.home) as reader:
        counts = reader.counts()
    assert (counts.documents, counts.chunks, counts.vectors) == (
        3 * made.documents,
        3 * made.chunks,
        3 * made.vectors,
    )
    with Writer.open(made.home) as writer:
        assert all(finding.ok for finding in writer.check() if finding.check != "modes")
        with Reader.open(made.home) as reader:
            paths = [row[0] for row in reader.connection.execute("SELECT path FROM documents")]
        writer.remove(paths)
        assert all(finding.ok for finding in writer.check() if finding.check != "modes")


def test_a_grown_index_is_kept_until_it_would_be_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scale, "SEED", 60)
    steps: list[str] = []
    made = scale._open(tmp_path, 120, None, steps.append)
    assert "growing: copy 1 of 1" in steps
    steps.clear()
    assert scale._open(tmp_path, 120, None, steps.append) == made
    assert steps == []
    (made.home.parent / "grown").write_text("of another format")
    assert scale._open(tmp_path, 120, None, steps.append) == made
    assert steps == ["growing: copy 1 of 1"]


def test_the_command_measures_each_size(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plot = tmp_path / "scale.html"
    options = ["--home", str(tmp_path / "home"), "eval", "scale", "--sizes", "100,200", "--plot", str(plot)]
    assert main([*options, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["chunks"] for row in found["rows"]] == [100, 200]
    for row in found["rows"]:
        assert 10 <= row["delete"]["chunks"] < row["chunks"]
        assert 0 < row["warm_ms"]["p50"] <= row["warm_ms"]["p95"]
        assert row["bytes"]["index"] > row["bytes"]["vectors"] > 0
    assert "chunks" in plot.read_text()
    assert main(options) == 0
    assert "bytes a chunk" in capsys.readouterr().out


@pytest.mark.parametrize("sizes", ["few", "10"])
def test_sizes_that_make_no_sense_are_refused(sizes: str, tmp_path: Path) -> None:
    assert main(["--home", str(tmp_path), "eval", "scale", "--sizes", sizes]) == 2
