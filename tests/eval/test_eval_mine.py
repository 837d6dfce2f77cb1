"""``capsa eval mine`` on small homes: its questions, what it measures, what it leaves alone."""

import contextlib
import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from small_corpus import DOCUMENTS

from capsa.chunkers.model import Document
from capsa.chunkers.parsers import parse
from capsa.chunkers.strategies import DEFAULT
from capsa.chunkers.tokens import Tokenizer
from capsa.daemon.cli import main
from capsa.eval.corpus import Chunking, MemoTokenizer, read_corpus
from capsa.eval.index import fill
from capsa.eval.matching import normalise
from capsa.eval.mine_advice import advise, choose
from capsa.eval.mine_questions import MOST, RULES, Mined, mine
from capsa.eval.mine_questions import choose as choose_questions
from capsa.store.codes import CODES
from capsa.store.embedder import Embedder, open_embedder
from capsa.store.models import load_model

Run = Callable[..., tuple[int, str, str]]
PUMP = """# Pump manual

## Priming the pump before use

Fill the housing with clean water until it overflows at the vent. Then close the vent by hand.

## Terms

An impeller wheel is a rotating disk with curved vanes that moves the liquid outwards. This is a warning.

| part | torque |
|---|---|
| vent | 4 Nm |

Table 1: Torque of the screws at the housing of the pump

The gasket between both halves of the housing must be replaced whenever the housing was opened.
"""


@pytest.fixture(scope="module")
def embedder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedder]:
    made = open_embedder(load_model(Path()), tmp_path_factory.mktemp("cache"))
    yield made
    made.close()


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    root = tmp_path / "docs"
    for name, text in {**DOCUMENTS, "pump.md": PUMP}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


@pytest.fixture
def home(tmp_path: Path, docs: Path, tokenizer: Tokenizer, embedder: Embedder) -> Path:
    return make_home(tmp_path, tokenizer, embedder)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def ask(home: Path, *options: object) -> tuple[int, str, str]:
        code = main(["--home", str(home), "eval", "mine", *map(str, options)])
        return (code, *capsys.readouterr())

    return ask


@pytest.fixture
def pump() -> Document:
    return parse(PUMP.encode(), "pump.md")


def make_home(folder: Path, tokenizer: Tokenizer, embedder: Embedder | None) -> Path:
    """Index the documents below the folder in a home beside them."""
    chunking = Chunking("native", DEFAULT)
    corpus = read_corpus(folder / "docs", chunking, MemoTokenizer(tokenizer))
    fill(folder / "home", corpus, chunking, embedder, "pq96", lambda done: None)
    return folder / "home"


# Questions


def by_rule(document: Document) -> dict[str, list[Mined]]:
    found = mine(document, (1, 1))
    return {rule: [each for each in found if each.rule == rule] for rule in RULES}


def test_each_rule_makes_questions(pump: Document) -> None:
    found = by_rule(pump)
    assert [each.text for each in found["heading"]] == ["Priming the pump before use"]
    assert found["heading"][0].evidence.startswith("fill the housing with clean water")
    assert [each.text for each in found["definition"]] == ["what is impeller wheel"]
    assert [each.evidence for each in found["caption"]] == [
        "table 1: torque of the screws at the housing of the pump"
    ]
    assert len(found["sentence"]) >= 2


def test_the_passage_is_in_the_document_and_the_words_are_its_own(pump: Document) -> None:
    text = normalise(pump.text)
    for each in mine(pump, (1, 1)):
        assert each.evidence in text
        assert all(word.lower() in text for word in each.text.split() if each.rule != "definition")


def test_words_are_dropped(pump: Document) -> None:
    for each in by_rule(pump)["sentence"]:
        assert 3 <= len(each.text.split()) <= len(each.evidence.split()) // 2


def test_the_same_seed_gives_the_same_questions(pump: Document) -> None:
    assert mine(pump, (1, 1)) == mine(pump, (1, 1))
    assert mine(pump, (1, 1)) != mine(pump, (2, 1))


def test_a_long_document_does_not_ask_everything() -> None:
    sentences = (
        f"Valve {n} opens when the pressure of line {n} exceeds its limit for long." for n in range(50)
    )
    found = mine(parse("\n\n".join(sentences).encode(), "long.md"), (1, 1))
    assert len(found) == MOST


def test_nothing_in_a_question_is_a_sign_of_a_query() -> None:
    text = 'The "red fox" -hunts +mice* in the [deep](https://example.org/a) forest: every night of the year.'
    for each in mine(parse(text.encode(), "fox.md"), (1, 1)):
        assert not set(each.text) & set('"*+:[]()')
        assert "example" not in each.text
        assert not any(word.startswith("-") for word in each.text.split())


def test_the_rules_take_turns() -> None:
    questions = [Mined(rule, f"{rule} {n}", "") for rule in RULES for n in range(9)]
    chosen = choose_questions(questions[:20], 8, 1)
    assert {rule: sum(each.rule == rule for each in chosen) for rule in RULES} == {
        "heading": 3,
        "caption": 3,
        "definition": 2,
        "sentence": 0,
    }
    assert chosen == choose_questions(questions[:20], 8, 1)
    assert len(choose_questions(questions, 100, 1)) == 36


@pytest.mark.parametrize("text", ["-", "# Only a heading", "?!?", "x" * 5000, "is a " * 2000, ". " * 3000])
def test_texts_without_questions(text: str) -> None:
    assert mine(parse(text.encode(), "a.md"), (1, 1)) == []


# Homes


def digests(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and path.relative_to(folder).parts[0] != "cache"
    }


def test_a_home_is_measured_and_left_as_it_was(home: Path, docs: Path, run: Run) -> None:
    before = digests(home), digests(docs)
    code, out, err = run(home, "--json")
    assert (code, err) == (0, "")
    assert {name for name in digests(home) if not name.endswith(("-shm", "-wal"))} == {
        name for name in before[0] if not name.endswith(("-shm", "-wal"))
    }
    assert (digests(home)["capsa.sqlite"], digests(docs)) == (before[0]["capsa.sqlite"], before[1])
    found = json.loads(out)
    assert found["schema"] == "capsa.eval.mine/1"
    assert found["sample"] == {
        "documents": 4,
        "vectors": found["home"]["vectors"],
        "whole": True,
        "left_out": {},
    }
    assert found["questions"]["count"] == sum(found["questions"]["by_rule"].values()) > 5
    assert found["code"] == "pq96"
    assert found["codes_as_made_anew"] == pytest.approx(1.0, abs=0.01)
    assert set(found["index"]) == {"hybrid", "dense", "bm25"}
    assert all(values["recall@10"] == 1.0 for values in found["index"].values())
    names = [(each["name"], each["bytes_per_vector"]) for each in found["vectors"]]
    sizes = [
        ("pq24", 24),
        ("pq32", 32),
        ("pq48", 48),
        ("pq54", 54),
        ("pq64", 64),
        ("pq96", 96),
        ("pq192", 192),
        ("sq8", 384),
    ]
    assert names == [("float32", 1536), *sizes]


def test_the_sample_is_all_so_the_code_in_use_finds_what_the_index_finds(home: Path, run: Run) -> None:
    found = json.loads(run(home, "--json")[1])
    by_name = {each["name"]: each for each in found["vectors"]}
    exact, now, small = by_name["float32"], by_name["pq96"], by_name["pq48"]
    for arm in ("hybrid", "dense"):
        for name in ("recall@1", "recall@5", "recall@10", "mrr"):
            assert now[arm][name] == found["index"][arm][name]
        assert exact[arm]["same_first_ten"] == 1.0
        assert all(set(each.values()) == {0.0} for each in exact[arm]["difference"].values())
    assert exact["bytes"] > now["bytes"] > small["bytes"]


def test_the_table_and_the_file(home: Path, run: Run, tmp_path: Path) -> None:
    code, out, err = run(home, "--out", tmp_path / "mine.json", "--questions", 6)
    assert (code, err) == (0, "")
    assert "6 questions" in out
    assert "Recommendation: leave it at pq96" in out
    assert "pq96 (now)" in out
    written = tmp_path / "mine.json"
    assert json.loads(written.read_text(encoding="utf-8"))["questions"]["count"] == 6
    assert written.stat().st_mode & 0o077 == 0
    assert run(home, "--questions", 6)[1] == out


def test_a_large_home_is_sampled(tmp_path: Path, tokenizer: Tokenizer, embedder: Embedder, run: Run) -> None:
    (tmp_path / "docs").mkdir()
    for number in range(5):
        text = PUMP.replace("pump", f"pump {number}").replace("Pump", f"Pump {number}")
        (tmp_path / "docs" / f"{number}.md").write_text(text, encoding="utf-8")
    make_home(tmp_path, tokenizer, embedder)
    code, out, err = run(tmp_path / "home", "--json", "--vectors", 8)
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert not found["sample"]["whole"]
    assert 1 <= found["sample"]["documents"] < 5
    assert found["sample"]["vectors"] <= 8 < found["home"]["vectors"]


def test_files_that_are_not_what_was_indexed_are_left_out(home: Path, docs: Path, run: Run) -> None:
    (docs / "tea.md").write_text("# Something else\n", encoding="utf-8")
    (docs / "coffee.md").unlink()
    found = json.loads(run(home, "--json")[1])
    assert found["sample"]["left_out"] == {"changed since it was indexed": 1, "no longer there": 1}
    assert not found["sample"]["whole"]
    for path in docs.rglob("*.*"):
        path.unlink()
    code, out, err = run(home)
    assert (code, out) == (1, "")
    assert err == "capsa: no document of the index can be read again (4 no longer there)\n"


def test_codes_that_are_not_of_the_texts_are_told(home: Path, run: Run) -> None:
    assert "codes are those of its texts" not in run(home)[1]
    with contextlib.closing(sqlite3.connect(home / "capsa.sqlite")) as connection, connection:
        connection.execute("UPDATE codes SET code = zeroblob(96)")
        connection.execute("UPDATE blocks SET codes = zeroblob(length(codes))")
    for cache in home.glob("*.faiss"):
        cache.unlink()
    assert "of the index's codes are those of its texts" in run(home)[1]


def test_a_home_without_vectors(tmp_path: Path, docs: Path, tokenizer: Tokenizer, run: Run) -> None:
    make_home(tmp_path, tokenizer, None)
    code, out, _ = run(tmp_path / "home")
    assert code == 0
    assert "The index has no vectors" in out
    found = json.loads(run(tmp_path / "home", "--json")[1])
    assert (set(found["index"]), found["vectors"], found["code"]) == ({"bm25"}, [], None)


def test_no_home_and_wrong_numbers_are_one_line(tmp_path: Path, home: Path, run: Run) -> None:
    for options, code in (
        ((tmp_path / "none",), 3),
        ((home, "--questions", 0), 2),
        ((home, "--vectors", -1), 2),
    ):
        found, out, err = run(*options)
        assert (found, out) == (code, "")
        assert err.count("\n") == 1


# Advice


def variant(name: str, size: int, total: int, **lost: float) -> dict[str, Any]:
    arms = {
        arm: {"difference": {"recall@10": {"mean": -lost.get(arm, 0.0) / 100, "low": 0.0, "high": 0.0}}}
        for arm in ("hybrid", "dense")
    }
    return {"name": name, "bytes_per_vector": size, "bytes": total, **arms}


def result(*codes: dict[str, Any], now: str = "pq96") -> dict[str, Any]:
    exact = variant("float32", 1536, 160_000_000)
    return {"vectors": [exact, *codes], "code": now, "questions": {"count": 200}}


def test_the_smaller_code_when_it_loses_nothing_and_saves_much() -> None:
    found = advise(result(variant("pq96", 96, 20_000_000), variant("pq48", 48, 10_000_000, dense=0.5)))
    assert found["keep"] == "pq48"
    assert found["text"][-1].startswith("Recommendation: pq48. It saves 10.0 MB")
    assert "loses up to 0.5 of 100 answers" in found["text"][1]


def test_the_larger_code_when_the_smaller_one_loses_in_either_arm() -> None:
    for arm in ("hybrid", "dense"):
        codes = variant("pq96", 96, 20_000_000), variant("pq48", 48, 10_000_000, **{arm: 1.5})
        assert advise(result(*codes))["keep"] == "pq96"
        back = advise(result(*codes, now="pq48"))
        assert back["text"][-1].startswith("Recommendation: pq96. It costs 10.0 MB more")


def test_of_several_codes_only_those_that_matter_are_told() -> None:
    sizes = {"pq96": 2_900_000, "pq64": 2_100_000, "pq24": 1_100_000, "sq8": 10_000_000}
    losses = {"pq96": 1.0, "pq64": 1.0, "pq24": 7.5, "sq8": 0.5}
    codes = (variant(name, CODES[name].size(384), size, dense=losses[name]) for name, size in sizes.items())
    found = advise(result(*codes))
    assert found["text"][0].startswith(
        "pq96: 2.9 MB in place of 160.0 MB for exact vectors; it loses up to 1.0"
    )
    assert found["text"][1:] == [
        "Recommendation: leave it at pq96. pq64 would do, and saves only 800 kB.",
    ]


def test_what_saves_little_is_left() -> None:
    codes = {each["name"]: each for each in (variant("pq96", 96, 400_000), variant("pq48", 48, 200_000))}
    assert choose(codes, "pq96") == "pq96"
    found = advise(result(*codes.values()))
    assert found["text"][-1] == "Recommendation: leave it at pq96. pq48 would do, and saves only 200 kB."
