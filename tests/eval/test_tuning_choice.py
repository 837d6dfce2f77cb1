from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capsa.chunkers.errors import UsageError
from capsa.eval.tuning_choice import Wish, choose, on_frontier, roughness
from capsa.eval.tuning_plot import HEIGHT, draw, write


def point(name: str, size: int, kept: float, chunker: str = "structure") -> dict[str, Any]:
    return {
        "vectors": name,
        "chunker": chunker,
        "made_axes": False,
        "bytes": size,
        "kept": kept,
        "mrr": kept / 2,
    }


POINTS = [point("pq24", 10, 0.90), point("pq48", 20, 0.96), point("pq96", 40, 0.995), point("sq8", 90, 1.0)]


@pytest.mark.parametrize(
    ("wish", "chosen", "met"),
    [
        (Wish(), "pq96", True),
        (Wish(profile="tiny"), "pq48", True),
        (Wish(profile="best"), "sq8", True),
        (Wish(recall=0.9), "pq24", True),
        (Wish(recall=0.97), "pq96", True),
        (Wish(budget=30), "pq48", True),
        (Wish(budget=100), "pq96", True),
        (Wish(budget=5), "pq24", False),
    ],
)
def test_each_wish_has_its_rule(wish: Wish, chosen: str, met: bool) -> None:
    choice = choose(POINTS, wish, 400)
    assert (choice.point["vectors"], choice.met) == (chosen, met)
    assert choice.why


def test_a_recall_that_none_has_names_the_best() -> None:
    choice = choose(POINTS[:2], Wish(recall=0.99), 400)
    assert (choice.point["vectors"], choice.met) == ("pq48", False)


@given(st.lists(st.tuples(st.integers(1, 1000), st.floats(0, 1)), min_size=1, max_size=20))
@settings(max_examples=50, deadline=None)
def test_the_frontier_rises_and_nothing_is_above_it(pairs: list[tuple[int, float]]) -> None:
    points = [point("x", size, kept) for size, kept in pairs]
    front = on_frontier(points)
    assert all(a["bytes"] < b["bytes"] and a["kept"] < b["kept"] for a, b in pairwise(front))
    for each in points:
        assert any(f["bytes"] <= each["bytes"] and f["kept"] >= each["kept"] for f in front)


def test_a_profile_does_not_turn_on_one_question() -> None:
    assert choose(POINTS, Wish(), 40).point["vectors"] == "pq48"
    assert choose(POINTS, Wish(recall=0.99), 40).point["vectors"] == "pq96"


def test_few_questions_are_told() -> None:
    assert "rough" in roughness(50)
    assert roughness(200) == "one question more or less is 0.5 points"


def test_the_plot_marks_what_is_and_what_is_chosen() -> None:
    lines = list(draw(POINTS, POINTS[2], POINTS[1]))
    assert len([line for line in lines if "|" in line]) == HEIGHT
    text = "\n".join(lines[:HEIGHT])
    assert [text.count(letter) for letter in "o@#"] == [2, 1, 1]


@pytest.mark.parametrize(("name", "begins"), [("plot.svg", "<svg"), ("plot.html", "<!doctype html>")])
def test_the_plot_is_written(name: str, begins: str, tmp_path: Path) -> None:
    write(tmp_path / name, POINTS)
    text = (tmp_path / name).read_text()
    assert text.startswith(begins)
    assert "pq96" in text


def test_another_form_of_plot_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="svg or"):
        write(tmp_path / "plot.png", POINTS)
