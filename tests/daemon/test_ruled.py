"""A folder is looked at again when a file that lets it in or shuts it out came or went."""

import os
from pathlib import Path

import pytest

from capsa.daemon.cli import main
from capsa.daemon.looking import Look, Looking
from capsa.daemon.settings import Settings
from capsa.daemon.targets import resolve_changed

# A file that shuts a folder out, and a document in that.
RULES = [
    ("tagged/CACHEDIR.TAG", "tagged/deep/a.md"),
    ("media/.nomedia", "media/a.md"),
    ("pyproject.toml", "build/a.md"),
    ("go.mod", "vendor/deep/a.md"),
    ("inner/Cargo.toml", "inner/target/a.md"),
    ("Page.html", "Page_files/a.md"),
]


def look_at(home: Path, *paths: Path) -> Look:
    """Look at paths that have changed, as the daemon does."""
    looking = Looking(home, Settings(), resolve_changed, lambda: False)
    return looking.look([os.fspath(path) for path in paths])


@pytest.fixture
def docs(home: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "first.md").write_text("first\n")
    return folder


@pytest.mark.parametrize(("rule", "document"), RULES)
def test_a_folder_is_let_in_when_what_shut_it_out_goes(
    rule: str, document: str, home: Path, docs: Path
) -> None:
    for name in (rule, document):
        (docs / name).parent.mkdir(parents=True, exist_ok=True)
        (docs / name).write_text("the quokka sleeps\n")
    assert main(["index", "-q", str(docs)]) == 0
    (docs / rule).unlink()
    candidates = {each.file.path for each in look_at(home, docs / rule).survey.candidates}
    assert candidates == {bytes(docs / document)}


@pytest.mark.parametrize(("rule", "document"), RULES)
def test_a_folder_is_shut_out_when_what_does_so_comes(
    rule: str, document: str, home: Path, docs: Path
) -> None:
    (docs / document).parent.mkdir(parents=True)
    (docs / document).write_text("the quokka sleeps\n")
    assert main(["index", "-q", str(docs)]) == 0
    (docs / rule).write_text("")
    survey = look_at(home, docs / rule).survey
    assert set(survey.missing) == {bytes(docs / document)}
    assert survey.found == survey.skipped.total()


def test_a_marker_in_the_root_is_no_reason_to_look_it_over(home: Path, docs: Path) -> None:
    assert main(["index", "-q", str(docs)]) == 0
    (docs / ".nomedia").touch()
    (docs / "new.md").write_text("new\n")
    assert [each.within for each in look_at(home, docs / ".nomedia").targets] == []
