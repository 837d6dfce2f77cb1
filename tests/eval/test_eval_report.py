"""The report: one page that needs nothing else, says what the runs say, and runs nothing they contain."""

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from lxml import html
from made_runs import make_rows, write_run

from capsa.daemon.cli import main
from capsa.eval.report_markup import Markup, tag
from capsa.eval.report_svg import Scale, dots, lines, scatter, stacked
from capsa.eval.runs import Row

EVIL = "<script>alert(1)</script>\"'&"
Report = Callable[..., html.HtmlElement]


@pytest.fixture
def report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Report:
    def make(*runs: Path, options: tuple[str, ...] = ()) -> html.HtmlElement:
        out = runs[0] / "report.html"
        assert main(["eval", "report", *map(str, runs), *options]) == 0
        assert capsys.readouterr().err == ""
        return html.fromstring(out.read_bytes())

    return make


def titles(page: html.HtmlElement) -> list[str]:
    return [heading.text_content() for heading in page.iter("h2")]


def cells(page: html.HtmlElement, section: str) -> set[str]:
    return {cell.text_content() for cell in page.get_element_by_id(section).iter("td")}


def everything() -> list[Row]:
    chunkers = ("fixed", "structure-caption-overlap", "basic")
    sweep = [
        row
        for size in (128, 256)
        for overlap in (0.0, 32.0)
        for row in make_rows(
            parsers=("native",), chunkers=("recursive",), retrievers=("dense",), size=size, overlap=overlap
        )
    ]
    dims = [
        row
        for size in (64, 128)
        for vectors in ("flat", "pca")
        for row in make_rows(
            parsers=("normal",), chunkers=("basic",), retrievers=("dense",), dimension=size, vectors=vectors
        )
    ]
    return [*make_rows(chunkers=chunkers, retrievers=("bm25", "dense", "hybrid")), *sweep, *dims]


def test_a_full_run_has_every_section(tmp_path: Path, report: Report) -> None:
    pytest.importorskip("statsmodels")
    page = report(write_run(tmp_path / "run", everything()))
    assert titles(page) == [
        "Configurations, best first",
        "Parser x chunker",
        "What makes the difference",
        "Dense against BM25",
        "By document",
        "By question type",
        "The ceiling: evidence kept",
        "Chunk size and overlap",
        "Fewer dimensions",
        "What recall costs",
        "What lost the misses",
        "How it was made",
    ]
    links = {link.get("href") for link in page.iter("a")}
    assert links == {f"#{section.get('id')}" for section in page.iter("section")}
    assert ". structure-caption-overlap: " in page.text_content()
    assert "Asked for and not here: parser docling." in page.text_content()
    assert {"recursive", "128", "256"} & cells(page, "sweep") == {"128", "256"}
    assert {"64", "128"} <= cells(page, "dimensions")


def test_figures_stand_beside_their_numbers(tmp_path: Path, report: Report) -> None:
    page = report(write_run(tmp_path / "run", everything()))
    for section in ("documents", "sweep", "dimensions", "frontiers", "failures"):
        part = page.get_element_by_id(section)
        assert len(list(part.iter("svg"))) >= 1
        assert len(list(part.iter("table"))) >= 1


def test_the_means_are_those_of_the_rows(tmp_path: Path, report: Report) -> None:
    rows = make_rows(retrievers=("bm25",))
    page = report(write_run(tmp_path / "run", rows))
    for parser in ("native", "normal"):
        for chunker in ("basic", "sentence"):
            found = [
                float(row["er@5"] or 0)
                for row in rows
                if (row["parser"], row["chunker"]) == (parser, chunker)
            ]
            assert f"{sum(found) / len(found):.3f}" in cells(page, "heat")
    assert "Chunk size and overlap" not in titles(page)
    assert "No dense configuration has its BM25" in page.get_element_by_id("versus").text_content()


def test_nothing_is_loaded_and_nothing_runs(tmp_path: Path, report: Report) -> None:
    rows = [{**row, "document": EVIL, "type": EVIL, "chunker": EVIL, "model": EVIL} for row in make_rows()]
    page = report(write_run(tmp_path / "run", rows, versions={EVIL: EVIL}, command=EVIL))
    text = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "<script" not in text
    assert not re.search(r"(src|href|srcset|action)=\"(?!#)", text)
    assert "url(" not in text
    assert not re.search(r"https?:", text)
    assert EVIL in page.text_content()
    assert all(not name.startswith("on") for element in page.iter() for name in element.attrib)


def test_a_report_without_statsmodels_says_so(
    tmp_path: Path, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "statsmodels.regression.mixed_linear_model", None)
    page = report(write_run(tmp_path / "run", make_rows()))
    assert "pip install 'capsa[eval]'" in page.get_element_by_id("models").text_content()


def test_where_it_cannot_be_written_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_run(tmp_path / "run", make_rows(retrievers=("bm25",)))
    assert main(["eval", "report", str(folder), "--out", str(tmp_path / "none" / "r.html")]) == 1
    err = capsys.readouterr().err
    assert "cannot be written" in err
    assert err.count("\n") == 1
    assert main(["eval", "report", str(tmp_path)]) == 2
    assert "holds no run" in capsys.readouterr().err


def test_markup_is_escaped_once() -> None:
    assert tag("p", "<b>", Markup("<i>"), title='"') == '<p title="&quot;">&lt;b&gt;<i></p>'
    assert tag("td", "1", style=None, class_="n") == '<td class="n">1</td>'


def test_scales_and_their_ticks() -> None:
    plain = Scale(0.0, 1.0, 100, 0)
    assert [plain(0.0), plain(0.5), plain(1.0)] == [100, 50, 0]
    assert plain.ticks == pytest.approx([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    log = Scale(1.0, 1000.0, 0, 300, log=True)
    assert [log(1.0), log(10.0), log(1000.0)] == pytest.approx([0, 100, 300])
    assert log.ticks == [1.0, 10.0, 100.0, 1000.0]
    assert Scale(2.0, 2.0, 0, 10)(2.0) == 5


def test_charts_of_one_value_are_drawn() -> None:
    for chart in (
        lines("t", ["1"], {"a": [0.5]}, "x"),
        scatter("t", {"a": [(3.0, 0.5, "what")]}, [(3.0, 0.5)], "x"),
        dots("t", {"row": {"a": 0.5}}),
        stacked("t", {"row": {"a": 0.0}}, "misses"),
    ):
        assert "nan" not in chart
        assert html.fromstring(chart) is not None
