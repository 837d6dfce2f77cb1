"""The settings file: defaults, every key, and errors that name what is wrong."""

from dataclasses import fields
from pathlib import Path

import pytest

from capsa.chunkers.errors import UsageError
from capsa.daemon.settings import Settings, load_settings, parse_settings, settings_path

FILE = Path("config.toml")


def test_no_file_means_the_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAPSA_HOME", str(tmp_path))
    assert settings_path(tmp_path) == tmp_path / "config.toml"
    assert load_settings(tmp_path) == Settings()


def test_every_setting_can_be_set() -> None:
    text = """
excludes = ["*.bak", "/old/"]
hidden = true
other_file_systems = true
max_file_bytes = 1
max_text_bytes = 2
layout_budget_ms = 100
finish_budget_ms = 200
finish_ocr_pages = 4
parse_deadline_s = 5.5
slower_while_active = false
threads = 3
parser = "normal"
chunker = "fixed"
vectors = "pq48"
history_excludes = ["mail.example"]
history_includes = ["docs.example"]
history_local = true
hide_absent = true
"""
    settings = parse_settings(text, FILE)
    assert settings == Settings(
        ("*.bak", "/old/"),
        True,
        True,
        1,
        2,
        100.0,
        200.0,
        4,
        5.5,
        False,
        3,
        "normal",
        "fixed",
        "pq48",
        ("mail.example",),
        ("docs.example",),
        True,
        True,
    )
    assert settings.code == "pq48"
    assert all(f"{field.name} =" in text for field in fields(Settings))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("exclude = []", "unknown setting 'exclude'"),
        ("threads = 'two'", "threads must be a whole number"),
        ("threads = true", "threads must be a whole number"),
        ("threads = -1", "threads must not be negative"),
        ("hidden = 1", "hidden must be true or false"),
        ("excludes = 'x'", "excludes must be a list of strings"),
        ("excludes = [1]", "excludes must be a list of strings"),
        ("parser = ", "not valid TOML"),
    ],
)
def test_errors_name_the_file_and_the_key(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        parse_settings(text, FILE)
    assert "config.toml" in str(caught.value)


def test_threads_default_to_the_cores() -> None:
    assert Settings().thread_count() >= 1
    assert Settings(threads=3).thread_count() == 3


def test_a_code_that_is_not_known() -> None:
    with pytest.raises(UsageError, match="no vectors are kept as 'pq7'; known are pq24, pq32, pq48"):
        _ = Settings(vectors="pq7").code
