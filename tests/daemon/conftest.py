"""Homes for the tests of the program, with the model's derived graph already in their cache."""

import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from capsa.daemon.background_run import BackgroundRun
from capsa.store.embedder import open_embedder
from capsa.store.models import load_model


@pytest.fixture(scope="session")
def warm_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the first use of the model leaves behind; making it takes longer than most tests."""
    home = tmp_path_factory.mktemp("warm")
    open_embedder(load_model(home), home / "cache").close()
    return home / "cache"


@pytest.fixture
def home(tmp_path: Path, warm_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home that the commands of this test use."""
    folder = tmp_path / "home"
    warm_home(folder, warm_cache)
    monkeypatch.setenv("CAPSA_HOME", str(folder))
    return folder


def warm_home(folder: Path, warm_cache: Path) -> None:
    """Make a home with links to the warm cache's files."""
    folder.mkdir(mode=0o700)
    if warm_cache.is_dir():
        shutil.copytree(warm_cache, folder / "cache", copy_function=os.link)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers that take what nobody else wants would get nothing on a machine that only runs tests.

    Nor is what a test does to wait for the mains, or for memory.
    """
    monkeypatch.setattr(BackgroundRun, "_gentle", False)
    monkeypatch.setattr(psutil, "sensors_battery", lambda: None, raising=False)
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=8 << 30))
