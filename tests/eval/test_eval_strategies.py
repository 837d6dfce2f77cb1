"""``capsa eval strategies``: six rows, what each rule adds, the misses with examples."""

import json
from pathlib import Path

import pytest
from small_corpus import write_corpus

from capsa.chunkers.model import Document, Layout
from capsa.daemon.cli import main
from capsa.eval.costs import Cost, capped_share, medians
from capsa.eval.strategies import SIX, STEPS_OF_GAIN


def test_the_six_in_one_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root, questions = write_corpus(tmp_path)
    words = ["--home", str(tmp_path / "home"), "eval", "strategies", str(root), str(questions)]
    assert main([*words, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["schema"] == "capsa.eval.strategies/1"
    (found,) = result["sets"]
    assert [each["name"] for each in found["strategies"]] == list(SIX)
    assert found["parser"] == "native"
    assert found["slices"] == ["development"]
    for each in found["strategies"]:
        recall = each["recall"]["hybrid"]["development"]
        assert recall["questions"] == 5
        assert recall["er@10"] == pytest.approx(0.8)
        assert recall["misses"] == {"parse": 1}
        assert recall["examples"] == {"parse": ["k2"]}
        assert recall["boundary_share"] == 0
        assert each["cost_ms"]["all"] > 0
        assert set(each["cost_ms"]) == {"all", "html", "markdown"}
        assert each["capped_pdfs"] is None
    # A document of one chunk is cut the same way by all, so no rule can add anything.
    gain = found["gain"]["dense"]["er@2000t"]["development"]
    assert set(gain) == {name for name, _, _ in STEPS_OF_GAIN}
    assert all(interval["mean"] == 0 for interval in gain.values())
    assert main([*words, "--parser", "normal"]) == 0
    out = capsys.readouterr().out
    assert "parser normal, hybrid" in out
    assert "what each rule adds to recall@10" in out
    assert "parse: k2: Who invented cocoa?" in out
    assert max(map(len, out.split("\n"))) < 200


def test_costs_are_summed_and_their_medians_taken_by_format() -> None:
    costs = [Cost("pdf", 10, 1, 2), Cost("pdf", 30, 1, 2), Cost("html", 1, 1, 1)]
    assert medians(costs) == {"all": 13, "html": 3, "pdf": 23}


def test_pdfs_are_over_the_cap_that_took_longer_or_that_it_ended() -> None:
    ended = Layout("partial", 3, 400.0, "the layout budget of 400 ms ended after 3 of 9 pages")
    pdfs = [
        Document("", (), "pdf", layout=ended),
        Document("", (), "pdf", layout=Layout("none", reason="another reason")),
        Document("", (), "pdf", layout=Layout("full", 9, 399.0)),
        Document("", (), "pdf", layout=Layout("full", 9, 401.0)),
        Document("", (), "html"),
    ]
    assert capped_share(pdfs) == pytest.approx(2 / 4)
    assert capped_share(pdfs[4:]) is None
