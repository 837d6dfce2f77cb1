"""The package list of pyproject.toml and the folders say the same."""

import subprocess
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("chunkers", "daemon", "eval", "service_files", "store")
# What the program does without: prose, and what the shipped set is built of.
UNINSTALLED = (
    "daemon/RELIABILITY.md",
    "daemon/web/page.webp",
    "eval/RESULTS.md",
    "eval/labels/README.md",
    "eval/shipped/heldout.txt",
)


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


def test_every_file_that_the_program_reads_is_installed() -> None:
    data = _setuptools()["package-data"]
    assert isinstance(data, dict)
    folders = {name: ROOT.joinpath(*name.split(".")[1:]) for name in data if name != "*"}
    installed = {
        path for name, folder in folders.items() for pattern in data[name] for path in folder.glob(pattern)
    }
    tracked = subprocess.run(["git", "ls-files", "-z", *FOLDERS], cwd=ROOT, capture_output=True, check=False)
    if tracked.returncode:
        pytest.skip("not a checkout of git")
    names = [name for name in tracked.stdout.decode().split("\0") if name]
    needed = [
        name
        for name in names
        if not name.endswith((".py", "/py.typed"))
        and not name.startswith("eval/shipped/sources/")
        and name not in UNINSTALLED
    ]
    assert [name for name in needed if ROOT / name not in installed] == []


def test_the_view_for_type_checkers_shows_every_folder() -> None:
    view = ROOT / ".package" / "capsa"
    if not view.exists():
        pytest.skip("an sdist has no symlinks, so it is without the view")
    assert sorted(path.name for path in view.iterdir()) == sorted(FOLDERS)
    assert all((view / folder).resolve() == ROOT / folder for folder in FOLDERS)


def test_installed_version_is_the_declared_one() -> None:
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert version("capsa") == pyproject["project"]["version"]
