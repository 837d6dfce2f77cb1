"""What a user may set: one TOML file, read into one frozen record; an unknown key is an error."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from capsa.chunkers.errors import UsageError
from capsa.chunkers.model import LAYOUT_BUDGET_MS
from capsa.store.codes import CODES

MB = 1 << 20


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings with their defaults.

    ``excludes`` are patterns in the syntax of .gitignore, relative to each source; ``hidden`` also takes
    files and folders whose name starts with a dot. ``threads`` 0 means one per processor core.
    ``finish_budget_ms`` is the layout budget of the documents that the first one cut, when they are finished,
    and ``finish_ocr_pages`` the scanned pages of one document whose text is recognised then.
    ``slower_while_active`` has the background take half of its time while somebody is at the keyboard.
    ``parse_deadline_s`` bounds the wall and the CPU time that one file may take. ``vectors`` is the
    code that they are kept as, see ``store/codes.py``; after a change all documents are embedded anew.
    ``history_excludes`` are hosts whose pages are not taken in from browsers, beside those of
    ``daemon/history/private_hosts.txt``, and ``history_includes`` hosts of that list that are all the same;
    ``history_local`` takes in pages of this machine and of the own network. ``hide_absent`` has nothing shown
    of a source whose folder is away, as that of a closed vault is.
    """

    excludes: tuple[str, ...] = ()
    hidden: bool = False
    other_file_systems: bool = False
    max_file_bytes: int = 64 * MB
    max_text_bytes: int = 16 * MB
    layout_budget_ms: float = LAYOUT_BUDGET_MS
    finish_budget_ms: float = 60_000.0
    finish_ocr_pages: int = 500
    parse_deadline_s: float = 60.0
    slower_while_active: bool = True
    threads: int = 0
    parser: str = "native"
    chunker: str = "structure-caption-overlap"
    vectors: str = "pq96"
    history_excludes: tuple[str, ...] = ()
    history_includes: tuple[str, ...] = ()
    history_local: bool = False
    hide_absent: bool = False

    @property
    def code(self) -> str:
        """The code that vectors are kept as; UsageError for one that is not known."""
        if self.vectors not in CODES:
            raise UsageError(f"no vectors are kept as {self.vectors!r}; known are {', '.join(CODES)}")
        return self.vectors

    def thread_count(self) -> int:
        """The number of parser workers and of embedding threads."""
        return self.threads or max(1, _cores())


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def settings_path(home: Path) -> Path:
    """The settings file: HOME/config.toml when there or $CAPSA_HOME is set, else in the config folder."""
    inside = home / "config.toml"
    if os.environ.get("CAPSA_HOME") or inside.exists():
        return inside
    from platformdirs import user_config_path

    return user_config_path("capsa", appauthor=False) / "config.toml"


def load_settings(home: Path) -> Settings:
    """The settings of this home; UsageError names the file and the key that is wrong."""
    path = settings_path(home)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Settings()
    except OSError as error:
        raise UsageError(f"{path}: the settings cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: the settings are not UTF-8 text: {error}") from error
    return parse_settings(text, path)


def parse_settings(text: str, path: Path) -> Settings:
    """Read the text of a settings file."""
    import tomllib

    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path}: not valid TOML: {error}") from error
    known = {field.name for field in fields(Settings)}
    for key in table:
        if key not in known:
            raise UsageError(f"{path}: unknown setting {key!r}; known are {', '.join(sorted(known))}")
    return replace(Settings(), **{key: _checked(key, value, path) for key, value in table.items()})


def _checked(key: str, value: object, path: Path) -> Any:
    default = getattr(Settings(), key)
    if isinstance(default, tuple):
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value)
        raise UsageError(f"{path}: {key} must be a list of strings")
    if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if type(value) is not type(default):
        raise UsageError(f"{path}: {key} must be {_TYPE_NAMES[type(default)]}, not {value!r}")
    if isinstance(value, int | float) and value < 0:
        raise UsageError(f"{path}: {key} must not be negative")
    return value


_TYPE_NAMES: Mapping[type, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a string",
}
