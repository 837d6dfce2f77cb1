"""By option nothing is shown of a folder that is away, as that of a vault that was closed."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from capsa.chunkers.errors import UnavailableError
from capsa.daemon.asking import Asking
from capsa.daemon.cli import main

Search = Callable[[str], tuple[list[str], str]]


@pytest.fixture
def vault(home: Path, tmp_path: Path) -> Path:
    for name in ("vault", "open"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.md").write_text(f"# The {name}\n\nThe quokka sleeps in the {name}.\n")
        assert main(["index", "-q", str(tmp_path / name)]) == 0
    return tmp_path / "vault"


@pytest.fixture
def hiding(home: Path) -> None:
    (home / "config.toml").write_text("hide_absent = true\n")


@pytest.fixture
def search(capsys: pytest.CaptureFixture[str]) -> Search:
    """Search, and return the files that were found and what was said."""

    def run(text: str) -> tuple[list[str], str]:
        capsys.readouterr()
        assert main(["search", text, "--json"]) == 0
        record = json.loads(capsys.readouterr().out)
        return sorted(Path(hit["document"]["path"]).name for hit in record["hits"]), str(record["notes"])

    return run


@pytest.fixture
def asking(home: Path, vault: Path) -> Iterator[Asking]:
    made = Asking(home)
    yield made
    made.close()


def close(vault: Path, how: str) -> None:
    """Take what is in the folder away, and perhaps the folder too."""
    shutil.move(vault, vault.with_name("locked"))
    if how == "empty":
        vault.mkdir()


@pytest.mark.parametrize("how", ["gone", "empty"])
@pytest.mark.usefixtures("hiding")
def test_what_is_away_is_hidden_and_said_until_it_is_back(vault: Path, search: Search, how: str) -> None:
    assert search("quokka") == (["open.md", "vault.md"], "[]")
    close(vault, how)
    found, notes = search("quokka")
    assert found == ["open.md"]
    assert f"{vault}: is away, and what is indexed of it is hidden" in notes
    shutil.rmtree(vault, ignore_errors=True)
    shutil.move(vault.with_name("locked"), vault)
    assert search("quokka") == (["open.md", "vault.md"], "[]")


def test_without_the_setting_all_is_shown(vault: Path, search: Search) -> None:
    close(vault, "gone")
    assert search("quokka") == (["open.md", "vault.md"], "[]")


@pytest.mark.usefixtures("hiding")
def test_no_request_shows_anything_of_it(vault: Path, asking: Asking) -> None:
    def ask(**request: Any) -> dict[str, Any]:
        return asking.answer(request)

    hits = ask(do="search", text="quokka")["hits"]
    [secret] = [hit for hit in hits if hit["document"]["path"].endswith("vault.md")]
    close(vault, "gone")
    chunk, document = secret["chunk"]["id"], secret["document"]["id"]
    for request in (
        {"do": "read", "chunk": chunk},
        {"do": "read", "document": document},
        {"do": "outline", "document": document},
        {"do": "search", "like": chunk},
    ):
        with pytest.raises(UnavailableError, match="is away"):
            ask(**request)
    with pytest.raises(UnavailableError, match="is away"):
        asking.path_of(document)
    shown = [ask(do="recent"), ask(do="search", text="quokka", folder=str(vault))]
    assert "The vault" not in json.dumps(shown)
    assert [each["document"]["title"] for each in shown[0]["documents"]] == ["The open"]
