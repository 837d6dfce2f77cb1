"""Settings applied to an index that is there: all of it or nothing, and back."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from capsa.chunkers.errors import CapsaError, UsageError
from capsa.daemon import retuning
from capsa.daemon.cli import main
from capsa.daemon.progress import Quiet
from capsa.daemon.retuning import Target
from capsa.daemon.settings import load_settings
from capsa.store.blocks import read_vectors
from capsa.store.quantisers.training import make_codebook
from capsa.store.reader import Reader

Call = Callable[..., dict[str, Any]]
TEXTS = {
    "harbour.md": (
        "# The harbour\n\nThe keeper of the northern light lights the great lamp at dusk and at dawn.\n\n"
        "## The tides of the harbour\n\nHigh water comes twice a day, and ferries leave an hour after it.\n"
    ),
    "orchard.md": (
        "# The orchard\n\nThe apples of the old orchard are picked by hand in the second week of October.\n\n"
        "## Pruning of old trees\n\nThe branches are cut in winter when the trees of the orchard are bare.\n"
    ),
    "notes.txt": "The stone bridge was closed for repairs, so traffic went through the old town in May.\n",
}


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def call(home: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    def run(*arguments: object) -> dict[str, Any]:
        code = main([*map(str, arguments), "--json"])
        out = capsys.readouterr()
        assert code == 0, out.err
        answer: dict[str, Any] = json.loads(out.out)
        return answer

    return run


def state(home: Path) -> tuple[str, list[tuple[int, int]], bytes]:
    """The code, the chunks and the vectors' codes of a home."""
    with Reader.open(home) as reader:
        mark = reader.model
        assert mark is not None
        rows = reader.connection.execute(
            "SELECT c.start, c.end FROM chunks AS c JOIN documents AS d ON d.id = c.document_id"
            " ORDER BY d.uri, c.start"
        ).fetchall()
        codes = read_vectors(reader.connection, mark.code_size)[2].rows
    return mark.code_id, rows, b"".join(sorted(code.tobytes() for code in codes))


def best(call: Call) -> str:
    return Path(call("search", "when is high water")["hits"][0]["document"]["path"]).name


def test_a_smaller_code_is_made_of_the_stored_one_and_undone(docs: Path, home: Path, call: Call) -> None:
    call("index", docs)
    (home / "config.toml").write_text("# mine\nhidden = true\n")
    old = state(home)
    target = Target("pq48", load_settings(home).chunker)
    assert retuning.cost(home, target).startswith("seconds")
    applied = retuning.apply(home, target, Quiet())
    assert (applied.complete, applied.how) == (True, "made of the stored codes")
    assert (home / "config.toml").read_text() == 'vectors = "pq48"\n# mine\nhidden = true\n'
    assert (state(home)[0], state(home)[1]) == ("pq48", old[1])
    assert best(call) == "harbour.md"
    assert call("index")["unchanged"] == 3

    assert retuning.before(home) == Target("pq96", target.chunker)
    assert "3 vectors" not in retuning.cost(home, target)
    undone = retuning.apply(home, retuning.before(home), Quiet())
    assert "3 documents read again" in undone.how
    assert state(home) == old
    assert (home / "config.toml").read_text() == "# mine\nhidden = true\n"
    assert call("index")["unchanged"] == 3
    assert not (home / retuning.BESIDE).exists()
    assert all(finding["ok"] for finding in call("doctor")["findings"])


@pytest.mark.parametrize("chunker", ["sentence", "structure-caption-overlap:16"])
def test_other_chunks_are_made_beside(docs: Path, home: Path, call: Call, chunker: str) -> None:
    call("index", docs)
    old = state(home)
    applied = retuning.apply(home, Target("pq96", chunker), Quiet())
    assert applied.complete
    assert load_settings(home).chunker == chunker
    new = state(home)
    assert new[0] == "pq96"
    assert new[1] != old[1]
    assert best(call) == "harbour.md"
    assert call("index")["unchanged"] == 3


def test_a_trained_code_is_applied_with_its_axes_and_kept_by_later_runs(
    docs: Path, home: Path, call: Call
) -> None:
    call("index", docs)
    vectors = np.random.default_rng(1).standard_normal((600, 384), dtype=np.float32)
    codebook = make_codebook("pq32", vectors / np.linalg.norm(vectors, axis=1, keepdims=True))
    target = Target("pq32", load_settings(home).chunker, codebook.hex())
    assert retuning.apply(home, target, Quiet()).complete
    assert retuning.present(home) == target
    name, _, codes = state(home)
    assert name.startswith("pq32/")
    (docs / "more.md").write_text(
        "# The mill\n\nThe wheel of the old mill is turned by the water of the brook.\n"
    )
    assert call("index")["indexed"] == 1
    assert state(home)[0] == name
    assert len(state(home)[2]) > len(codes)
    assert best(call) == "harbour.md"


def test_what_is_interrupted_leaves_the_old_index_and_goes_on(
    docs: Path, home: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    call("index", docs)
    old = state(home)
    target = Target("pq192", load_settings(home).chunker)

    def interrupt(*_: object) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("capsa.daemon.ingest.Ingest.remove_missing", interrupt)
        applied = retuning.apply(home, target, Quiet())
    assert not applied.complete
    assert "the old index stays" in applied.how
    assert state(home) == old
    assert load_settings(home).vectors == "pq96"
    assert best(call) == "harbour.md"
    again = retuning.apply(home, target, Quiet())
    assert again.complete
    # What was made before the interruption is not made again.
    assert "0 documents read again" in again.how
    assert state(home)[0] == "pq192"


def test_documents_that_are_gone_hold_the_change_back(docs: Path, home: Path, call: Call) -> None:
    call("index", docs)
    old = state(home)
    docs.rename(docs.with_name("elsewhere"))
    with pytest.raises(CapsaError, match="3 documents could not be read again"):
        retuning.apply(home, Target("pq192", load_settings(home).chunker), Quiet())
    assert state(home) == old


def test_nothing_to_undo_is_an_error(home: Path, docs: Path, call: Call) -> None:
    call("index", docs)
    with pytest.raises(UsageError, match="nothing to undo"):
        retuning.before(home)


def test_tune_measures_chooses_and_applies(docs: Path, home: Path, call: Call, tmp_path: Path) -> None:
    call("index", docs)
    plot = tmp_path / "plot.svg"
    sizes = ("--questions", 6, "--vectors", 50)
    found = call("tune", *sizes, "--plot", plot)
    assert found["schema"] == "capsa.tune/1"
    assert found["now"] == {"chunker": "structure-caption-overlap", "vectors": "pq96", "made_axes": False}
    assert {point["vectors"] for point in found["points"]} >= {"pq24", "pq96", "float32"}
    now = [p for p in found["points"] if p["vectors"] == "pq96" and p["chunker"] == found["now"]["chunker"]]
    assert now[0]["bytes"] == found["home"]["bytes"]
    assert plot.read_text().startswith("<svg")
    assert state(home)[0] == "pq96"
    applied = call("tune", *sizes, "--recall", "0.5", "--apply")
    assert applied["applied"]
    assert state(home)[0] == applied["choice"]["vectors"]
    assert best(call) == "harbour.md"
    assert call("tune", "--undo")["applied"]
    assert state(home)[0] == "pq96"


@pytest.mark.parametrize(
    "options", [("--recall", "1.5"), ("--budget", "much"), ("--plot", "a.png"), ("--questions", "0")]
)
def test_what_makes_no_sense_is_refused(home: Path, options: tuple[str, str]) -> None:
    assert main(["tune", *options]) == 2


def test_a_budget_that_nothing_fits_is_told_and_not_applied(
    docs: Path, home: Path, call: Call, capsys: pytest.CaptureFixture[str]
) -> None:
    call("index", docs)
    old = state(home)
    options = ["--budget", "1kB", "--questions", "4", "--vectors", "50"]
    assert main(["tune", *options, "--apply"]) == 1
    out = capsys.readouterr()
    assert "nothing fits into 1 kB" in out.out
    assert "nothing was applied" in out.err
    assert state(home) == old
