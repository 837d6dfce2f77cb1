"""The package list of pyproject.toml and the folders say the same."""

import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("chunkers", "daemon", "eval", "service_files", "store")


def _setuptools() -> dict[str, object]:
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    tool: dict[str, dict[str, object]] = pyproject["tool"]
    return tool["setuptools"]


def test_every_folder_with_code_is_a_package() -> None:
    found = {
        ".".join(("capsa", *path.parent.relative_to(ROOT).parts))
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("__init__.py")
    }
    assert _setuptools()["packages"] == sorted(found)


def test_every_package_is_typed() -> None:
    packages = {path.parent for folder in FOLDERS for path in (ROOT / folder).rglob("__init__.py")}
    assert [path for path in packages if not (path / "py.typed").exists()] == []


def test_the_view_for_type_checkers_shows_every_folder() -> None:
    view = ROOT / ".package" / "capsa"
    if not view.exists():
        pytest.skip("an sdist has no symlinks, so it is without the view")
    assert sorted(path.name for path in view.iterdir()) == sorted(FOLDERS)
    assert all((view / folder).resolve() == ROOT / folder for folder in FOLDERS)


def test_installed_version_is_the_declared_one() -> None:
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert version("capsa") == pyproject["project"]["version"]
